// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/system_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "vectors/test/temporary_folder.hpp"

namespace mxcert::sandbox {
namespace {

namespace fs = std::filesystem;

bool has(const std::vector<fs::path>& paths, const fs::path& path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
}

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

TEST_CASE("a script needs its interpreter and what is installed beside it, never the folder above") {
    const TemporaryFolder folder;
    const fs::path& home = folder.path();
    write(home / "venv/bin/python", "");
    write(home / "tool.py", "#!" + (home / "venv/bin/python").string() + " -u\n");
    const std::vector<fs::path> files = files_of_program(home / "tool.py");
    CHECK(has(files, home / "tool.py"));
    CHECK(has(files, home / "venv/bin/python"));
    CHECK(has(files, home / "venv/lib"));
    CHECK_FALSE(has(files, home / "venv"));
    CHECK_FALSE(has(files, home));
}

TEST_CASE("a command needs the files that it names") {
    const TemporaryFolder folder;
    write(folder.path() / "model.bin", "");
    const std::vector<fs::path> files =
        files_of_command("sh '" + (folder.path() / "model.bin").string() + "' --seed 1");
    CHECK(has(files, folder.path() / "model.bin"));
    CHECK_FALSE(has(files, folder.path()));
}

TEST_CASE("golden vectors of an installation are no part of the system") {
    const std::vector<fs::path> files = system_files();
    CHECK(has(files, "/proc"));
    for (const char* folder : {"/", "/usr", "/usr/share", "/usr/local", "/home", "/etc"})
        CHECK_FALSE(has(files, folder));
}

} // namespace
} // namespace mxcert::sandbox
