// SPDX-License-Identifier: Apache-2.0
// fuzz_replay TARGET FILE|FOLDER...: runs a target on committed inputs, without libFuzzer and with any compiler. Exit:
// 0 every input was run, 1 one broke a promise by an exception, 2 usage, or nothing was run. A crash ends it by its
// signal.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs(int argc, char** argv) {
    std::vector<fs::path> files;
    for (int i = 2; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            files.emplace_back(argv[i]);
            continue;
        }
        for (const auto& entry : fs::directory_iterator(argv[i])) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    in.exceptions(std::ios::badbit | std::ios::failbit);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    return text;
}

} // namespace

int main(int argc, char** argv) try {
    const mxcert::fuzz::Target* target = argc < 2 ? nullptr : mxcert::fuzz::find_target(argv[1]);
    if (argc < 3 || target == nullptr || target->name != argv[1]) {
        std::fputs("usage: fuzz_replay TARGET FILE|FOLDER...\n", stderr);
        return 2;
    }
    const std::vector<fs::path> files = inputs(argc, argv);
    for (const fs::path& file : files) {
        // Before it is run: whoever sees a crash wants to know of which file.
        std::fprintf(stderr, "%s\n", file.c_str());
        target->run(read(file));
    }
    std::printf("%s: %zu inputs\n", argv[1], files.size());
    return files.empty() ? 2 : 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "an exception that is not documented: %s\n", error.what());
    return 1;
}
