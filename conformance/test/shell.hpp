// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"

// Running the program as a user does.
namespace mxcert::test {

namespace fs = std::filesystem;

inline const fs::path bin = fs::path(MXCERT_TEST_WORKER).parent_path();

/// A folder of the test's own, removed with it.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("mxcert_cli_test_" + std::to_string(::getpid()));
    Folder() {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

inline std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Result {
    int code = -1; ///< 128 + signal if one ended it
    std::string out;
    std::string err;
};

// A shell command in a folder, in which `mxcert` is the program.
inline Result shell(const fs::path& folder, const std::string& command) {
    const std::string errors = (folder / "stderr").string();
    const std::string full = "unset MXCERT_WORKER; cd '" + folder.string() + "' && PATH='" + bin.string() +
                             "':$PATH && { " + command + "\n} 2>'" + errors + "' </dev/null";
    std::FILE* pipe = ::popen(full.c_str(), "r"); // NOLINT: the command is the test's own
    REQUIRE(pipe != nullptr);
    Result result;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) result.out.append(buffer, n);
    const int status = ::pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.err = read(errors);
    return result;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace mxcert::test
