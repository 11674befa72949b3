// SPDX-License-Identifier: Apache-2.0
// The interface as C++20 sees it; the files in header/ pin where each field lies.
#include "conformance/backend.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>

#include "catch.hpp"
#include "conformance/test/absent.hpp"

TEST_CASE("the structs of backend.h can be copied byte by byte and start with their size") {
    STATIC_REQUIRE(std::is_standard_layout_v<mxcert_api> && std::is_trivial_v<mxcert_api>);
    STATIC_REQUIRE(std::is_standard_layout_v<mxcert_conversion> && std::is_trivial_v<mxcert_conversion>);
    STATIC_REQUIRE(std::is_standard_layout_v<mxcert_convert_args> && std::is_trivial_v<mxcert_convert_args>);
    STATIC_REQUIRE(offsetof(mxcert_api, struct_size) == 0);
    STATIC_REQUIRE(offsetof(mxcert_conversion, struct_size) == 0);
    STATIC_REQUIRE(offsetof(mxcert_convert_args, struct_size) == 0);
}

TEST_CASE("backend.hpp compiles without a warning as C++17, with GCC and Clang", "[programs]") {
    int compiled = 0;
    for (const std::string compiler : {"g++", "clang++"}) {
        if (std::system(("command -v " + compiler + " >/dev/null").c_str()) != 0) {
            (void)mxcert::test::absent(true, compiler, "./dev test installs it");
            continue;
        }
        const std::string command = compiler + " -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "
                                               "-fsyntax-only -I '" MXCERT_TEST_SOURCE "' ";
        CAPTURE(command);
        CHECK(std::system((command + "'" MXCERT_TEST_SOURCE "/conformance/test/plugins/wrapped.cpp'").c_str()) == 0);
        // Types that are no codes are refused when they are compiled.
        const std::string head =
            "printf '#include \"conformance/backend.hpp\"\nmxcert::backend::Conversion c{\"fp32\", "
            "\"e4m3\", \"nearest_even\", \"sat\", [](float x) { return ";
        const std::string tail = "; }};' | " + command + "-x c++ - 2>/dev/null";
        CHECK(std::system((head + "static_cast<unsigned char>(x)" + tail).c_str()) == 0);
        CHECK(std::system((head + "static_cast<int>(x)" + tail).c_str()) != 0);
        ++compiled;
    }
    CHECK(compiled >= 1);
}

TEST_CASE("backend.h compiles without a warning as C11 and as C++20, with GCC and Clang") {
    const std::string test = MXCERT_TEST_SOURCE "/conformance/test/";
    struct {
        const char* compiler;
        const char* options;
        const char* language;
    } const table[] = {
        {"gcc", "-std=c11 -Wc++-compat", "c"},
        {"clang", "-std=c11 -Wc++-compat", "c"},
        {"g++", "-std=c++20", "c++"},
        {"clang++", "-std=c++20", "c++"},
    };
    const auto folder = std::filesystem::temp_directory_path() / ("mxcert-header-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder / "conformance");
    std::ifstream file(MXCERT_TEST_SOURCE "/conformance/backend.h");
    std::string altered{std::istreambuf_iterator<char>(file), {}};
    const std::string field = "uint32_t random_bits;";
    REQUIRE(altered.find(field) != std::string::npos);
    altered.replace(altered.find(field), field.size(), "uint64_t random_bits;");
    std::ofstream(folder / "conformance/backend.h") << altered;
    int compiled = 0;
    for (const auto& row : table) {
        if (std::system((std::string("command -v ") + row.compiler + " >/dev/null").c_str()) != 0) {
            (void)mxcert::test::absent(true, row.compiler, "./dev test installs it");
            continue;
        }
        const std::string head = std::string(row.compiler) + " " + row.options +
                                 " -pedantic -Wall -Wextra -Werror -fsyntax-only -x " + row.language + " ";
        CAPTURE(head);
        const std::string source =
            test + (std::string(row.language) == "c" ? "header/header_c11.c'" : "header/header_cpp20.cpp'");
        CHECK(std::system((head + "-I '" MXCERT_TEST_SOURCE "' '" + source).c_str()) == 0);
        // A check that cannot fail is none: a field of another size has to stop it.
        CHECK(std::system((head + "-I '" + folder.string() + "' '" + source + " 2>/dev/null").c_str()) != 0);
        ++compiled;
    }
    std::filesystem::remove_all(folder);
    CHECK(compiled >= 2);
}
