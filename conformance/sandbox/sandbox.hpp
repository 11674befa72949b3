// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/process/process.hpp"

namespace mxcert::sandbox {

/// What the processes of a backend may do (docs/threat-model.md).
enum class Mode : std::uint8_t {
    standard, ///< "default": reads every file, writes only to its temporary folder and to devices, no network
    strict,   ///< the same, and reads only what it needs to run
    off,      ///< what the user may
};
[[nodiscard]] std::string_view to_string(Mode mode);
/// Of "default", "strict" or "off". Throws std::invalid_argument for any other text.
[[nodiscard]] Mode parse_mode(std::string_view text);

/// What the kernel offers for it.
struct Kernel {
    int landlock = 0;     ///< version of Landlock's interface; 0: none
    bool filters = false; ///< filters of system calls (seccomp) for this processor
    bool counts = false;  ///< RLIMIT_NPROC holds for this user: it does not for root
};
/// Of this machine.
[[nodiscard]] Kernel this_kernel();

/// The sandbox that a backend is to run in.
struct Request {
    Mode mode = Mode::off;
    std::vector<std::filesystem::path> readable{}; ///< strict: its own files and folders
    bool memory_is_watched = false;                ///< the harness ends a process that takes too much
    std::uint64_t processes = 0;                   ///< more than the machine has now, and threads; 0: any number
};

/// A part of the sandbox that is not in force.
struct Missing {
    std::string part;
    std::string reason;
};

/// What is in force. Parts are called as docs/threat-model.md calls them.
struct State {
    Mode mode = Mode::off;
    std::vector<std::string> in_force{};
    std::vector<Missing> missing{};
};

/// What was in force in both: the weaker mode, the parts of both, and what either lacked.
[[nodiscard]] State common_to(const State& a, const State& b);

/// Restricts the processes that are started with it, and what these start: by Landlock, a filter of system calls and
/// limits, as far as the kernel has them. Its private temporary folder is removed with it. It must outlive the
/// processes.
class Sandbox {
  public:
    /// Throws std::system_error if the temporary folder cannot be made. `kernel` may have less than the machine.
    explicit Sandbox(const Request& request, const Kernel& kernel = this_kernel());
    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    [[nodiscard]] const State& state() const { return state_; }
    /// Has the process started in it.
    void add_to(process::ProcessOptions& options) const;
    /// The only folder that it may write to; empty if the mode is off.
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  private:
    State state_;
    std::filesystem::path folder_;
    std::vector<process::SoftLimit> limits_;
    std::shared_ptr<process::Starter> starter_;
};

} // namespace mxcert::sandbox
