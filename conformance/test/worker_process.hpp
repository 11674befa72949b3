// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include "conformance/frames/frames.hpp"

namespace mxcert::test {

/// A worker driven by hand, frame by frame: what the harness does, without its care.
class WorkerProcess {
  public:
    static constexpr std::size_t shared_bytes = 65'536;

    /// Starts a program with pipes at its standard streams and shared memory at descriptor 3. It is killed after
    /// five minutes.
    explicit WorkerProcess(const std::vector<std::string>& command);
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    void send(frames::Type type, std::uint64_t id, std::span<const std::byte> payload = {}) const;
    void send(frames::Type type, std::uint64_t id, const std::string& payload) const;
    /// A request and what follows it in the payload.
    void convert(std::uint64_t id, const frames::ConvertRequest& request,
                 std::span<const std::byte> following = {}) const;
    /// START with the shared memory of this object.
    void start(const std::string& options = "") const;
    void end(const frames::EndCounts& counts = {}) const;
    void write_raw(const std::string& bytes) const;

    /// The next frame; throws if there is none.
    [[nodiscard]] frames::Frame receive() const;
    /// Closes the worker's input and waits: "exit 0", "signal 6".
    [[nodiscard]] std::string finish();
    /// All that it wrote to standard error.
    [[nodiscard]] std::string errors() const;
    [[nodiscard]] std::span<unsigned char> shared() const { return {shared_, shared_bytes}; }

  private:
    pid_t process_ = -1;
    int requests_ = -1;
    int answers_ = -1;
    int errors_ = -1;
    unsigned char* shared_ = nullptr;
    mutable frames::Reader reader_{-1}; ///< of answers_
};

/// The stock worker with a plugin of this folder.
[[nodiscard]] std::vector<std::string> worker_with(const std::string& plugin);
/// Sends a request and gives its RESULT, whose id and count are checked.
[[nodiscard]] frames::Frame answer(const WorkerProcess& worker, const frames::ConvertRequest& request,
                                   std::span<const std::byte> following = {});
/// The payload as text.
[[nodiscard]] std::string text(const frames::Frame& frame);

} // namespace mxcert::test
