// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/process/file_descriptor.hpp"

namespace mxcert::process {

class Starter;

/// A soft limit of setrlimit(), such as RLIMIT_CORE.
struct SoftLimit {
    int resource = 0;
    std::uint64_t most = 0;
};

/// What a process is started with.
struct ProcessOptions {
    std::filesystem::path program;      ///< absolute, or relative to the working folder; never searched in PATH
    std::vector<std::string> arguments; ///< without the name of the program
    int inherited_fd = -1;              ///< appears in the child as descriptor `inherited_as`; -1: none
    int inherited_as = 3;
    std::vector<std::string> environment{}; ///< "NAME=VALUE", in place of what the harness has under these names
    std::vector<SoftLimit> limits{};        ///< beside RLIMIT_CORE, which is 0
    std::shared_ptr<Starter> starter{};     ///< starts it, and lasts as long as it; null: Starter::common()
};

/// What there is to do after waiting for a process.
struct Ready {
    bool output = false; ///< its standard output can be read, or is at its end
    bool input = false;  ///< its standard input takes bytes; only if asked for
    bool exited = false; ///< it has ended; what it wrote may still lie in the pipe
};

/// A child process with pipes to its standard streams, in a process group of its own. No signal handlers are installed,
/// so any number of threads may each have some. One thread at a time may use one of them.
///
/// When it ends, its group is killed, and then every process of this user whose environment still holds the mark that
/// the child was given: also one that has left the group and the session. What clears its environment, or starts a
/// program with another one, is not found.
class Process {
  public:
    static constexpr std::size_t kept_stderr = 64 * 1024; ///< bytes of standard error that are kept: the last ones

    /// Throws std::system_error that names the program.
    explicit Process(const ProcessOptions& options);
    /// Kills the group if it still runs.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Waits until the process has output, takes input (if `want_input`), exits, or the time is over: then nothing is
    /// set. Drains standard error meanwhile, so that the child never blocks on it.
    [[nodiscard]] Ready wait(std::chrono::milliseconds timeout, bool want_input);

    /// Reads what is there, without waiting: the number of bytes, 0 at the end or if nothing is there (then `at_end()`
    /// tells).
    [[nodiscard]] std::size_t read_some(std::span<std::byte> buffer);
    [[nodiscard]] bool at_end() const { return at_end_; }
    /// Writes what fits, without waiting: the number of bytes, 0 if the pipe is full or the child reads no more
    /// (`input_broken()`). Never raises SIGPIPE.
    [[nodiscard]] std::size_t write_some(std::span<const std::byte> bytes);
    [[nodiscard]] bool input_broken() const { return input_broken_; }
    void close_input() { input_.close(); }

    [[nodiscard]] pid_t id() const { return pid_; }
    /// True once the process has ended.
    [[nodiscard]] bool has_exited() const { return exited_; }
    /// Bytes of its memory that are resident, its share of the harness's memory with it; 0 if it has ended or the
    /// system does not say.
    [[nodiscard]] std::uint64_t resident_bytes() const;
    /// "exit 3", "signal 11 (SIGSEGV)"; "running" before that.
    [[nodiscard]] std::string how_it_ended() const;
    [[nodiscard]] bool exited_cleanly() const { return exited_ && !killed_by_signal_ && exit_code_ == 0; }

    /// SIGTERM to the group, SIGKILL after `grace` if it is still there; waits for the end.
    void kill(std::chrono::milliseconds grace);

    /// The last bytes of standard error so far, at most kept_stderr.
    [[nodiscard]] std::string stderr_tail();

  private:
    void drain_stderr();
    void reap();

    std::shared_ptr<Starter> starter_;
    pid_t pid_ = -1;
    std::string mark_; ///< of its environment, with the name
    FileDescriptor pidfd_;
    FileDescriptor input_;
    FileDescriptor output_;
    FileDescriptor error_;
    std::string stderr_;
    bool at_end_ = false;
    bool input_broken_ = false;
    bool exited_ = false;
    bool left_behind_ = false; ///< did not die of SIGKILL in time
    bool killed_by_signal_ = false;
    int exit_code_ = 0;
};

} // namespace mxcert::process
