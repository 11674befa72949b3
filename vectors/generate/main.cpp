// SPDX-License-Identifier: Apache-2.0
// mxcert-generate OUTDIR: writes every golden file into a folder, without the manifest. It needs nothing but a compiler
// and Boost's headers, so that one command builds it for another machine (docs/vectors.md), where it must write the
// same bytes.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "vectors/golden_store/golden_all.hpp"

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) throw std::runtime_error("cannot write " + file.string());
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2 || argv[1][0] == '-' || argv[1][0] == '\0') {
        std::fputs("usage: mxcert-generate OUTDIR\nWrites every golden CSV file into OUTDIR.\n", stderr);
        return 2;
    }
    try {
        const std::filesystem::path folder = argv[1];
        std::filesystem::create_directories(folder);
        const auto all = mxcert::generate_all_golden(2, [&](const mxcert::GoldenText& text) {
            write(folder / text.name, text.text);
            std::fprintf(stderr, "%s: %zu rows\n", text.name.c_str(), text.golden.rows.size());
        });
        std::fprintf(stderr, "%zu files\n", all.size());
        return all.empty() ? 2 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mxcert-generate: %s\n", error.what());
        return 2;
    }
}
