// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/run_program.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/process/process.hpp"

namespace mxcert::prove {
namespace {

constexpr std::size_t longest_reason = 400;

/// The first lines of what a program said, as one.
std::string one_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (text.size() > longest_reason) text = text.substr(0, longest_reason) + "...";
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "; ");
    return print::printable(text);
}

} // namespace

Ran run_program(const std::filesystem::path& folder, const std::string& command, std::chrono::milliseconds limit,
                const std::atomic<bool>& stop) {
    using Clock = std::chrono::steady_clock;
    using std::chrono::milliseconds;
    // A shell looks the program up in PATH, and says by exit code 127 that it is not there.
    process::Process process({"/bin/sh", {"-c", "cd " + print::shell_word(folder.string()) + " && " + command}, -1, 3});
    process.close_input();
    const Clock::time_point deadline = Clock::now() + limit;
    std::array<std::byte, 65536> buffer{};
    Ran ran;
    while (!process.has_exited() || !process.at_end()) {
        const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
        if (stop.load() || left.count() <= 0) {
            ran.end = stop.load() ? Ran::End::stopped : Ran::End::too_late;
            process.kill(milliseconds(200));
            return ran;
        }
        (void)process.wait(std::min(left, milliseconds(200)), false);
        for (std::size_t n = 0; (n = process.read_some(buffer)) != 0;)
            ran.out.append(reinterpret_cast<const char*>(buffer.data()), n); // NOLINT: bytes of a text
    }
    const std::string how = process.how_it_ended();
    ran.end = process.exited_cleanly() ? Ran::End::cleanly : how == "exit 127" ? Ran::End::missing : Ran::End::failed;
    ran.how = how + ": " + one_line(process.stderr_tail());
    return ran;
}

} // namespace mxcert::prove
