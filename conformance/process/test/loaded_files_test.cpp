// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/loaded_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "catch.hpp"
#include "vectors/test/temporary_folder.hpp"

namespace mxcert::process {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

TEST_CASE("what a process has mapped as code is known by its files", "[process]") {
    const TemporaryFolder folder;
    const std::string code = std::filesystem::canonical(folder.path()) / "code";
    const std::string data = std::filesystem::canonical(folder.path()) / "data";
    for (const auto& [path, rights] : {std::pair(code, PROT_READ | PROT_EXEC), std::pair(data, PROT_READ)}) {
        std::ofstream(path) << "content";
        const int file = open(path.c_str(), O_RDONLY);
        REQUIRE(mmap(nullptr, 4096, rights, MAP_PRIVATE, file, 0) != MAP_FAILED);
        close(file);
    }
    LoadedFiles loaded;
    loaded.add_of(getpid());
    loaded.add("script.py");
    CHECK(has(loaded.paths(), code));
    CHECK(!has(loaded.paths(), data));
    CHECK(has(loaded.paths(), std::filesystem::canonical("/proc/self/exe")));
    CHECK(has(loaded.paths(), std::filesystem::current_path() / "script.py"));

    std::filesystem::remove(code);
    LoadedFiles later;
    later.add_of(getpid());
    CHECK(!has(later.paths(), code));
    CHECK(has(later.without_file(), code));

    LoadedFiles none;
    none.add_of(-1);
    CHECK(none.paths().empty());
}

} // namespace
} // namespace mxcert::process
