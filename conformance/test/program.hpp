// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a user does.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "catch.hpp"
#include "vectors/test/temporary_folder.hpp"

namespace mxcert::test {

namespace fs = std::filesystem;

struct Result {
    int code = -1; ///< 128 + signal if one ended it
    std::string out;
    std::string err;
};

inline fs::path program_folder() { return fs::path(MXCERT_TEST_WORKER).parent_path(); }

/// A plugin that is right, or wrong at the one FP32 input that --backend-option names.
inline std::string planted_plugin() {
    return (program_folder() / "../lib/mxcert-test/planted.so").lexically_normal().string();
}

/// A shell command in a folder, in which `mxcert` is the program.
inline Result shell(const fs::path& folder, const std::string& command) {
    const std::string errors = (folder / "stderr").string();
    const std::string full = "unset MXCERT_WORKER GITHUB_ACTIONS GITHUB_STEP_SUMMARY; cd '" + folder.string() +
                             "' && PATH='" + program_folder().string() + "':$PATH && { " + command + "\n} 2>'" +
                             errors + "' </dev/null";
    std::FILE* pipe = ::popen(full.c_str(), "r"); // NOLINT: the command is the test's own
    REQUIRE(pipe != nullptr);
    Result result;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) result.out.append(buffer, n);
    const int status = ::pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.err = content(errors);
    return result;
}

/// Runs a command in the background until a backend has come so far, `events` times what conformance/test/reached.h
/// says of it; then the shell commands `then`, in which $pid is the program. The code is how the program ends.
inline Result shell_until(const fs::path& folder, const std::string& command, const std::string& then, int events = 1) {
    // A program that ended before is not waited for: what it said is in the result.
    return shell(folder, "rm -f reached; export MXCERT_SANDBOX=off MXCERT_TEST_REACHED=\"$PWD/reached\"\n" + command +
                             " & pid=$!\nuntil [ \"$(wc -c 2> /dev/null < reached)\" -ge " + std::to_string(events) +
                             " ] 2> /dev/null || ! kill -0 $pid 2> /dev/null; do sleep 0.02; done\n" + then +
                             "\nwait $pid");
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace mxcert::test
