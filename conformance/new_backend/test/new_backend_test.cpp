// SPDX-License-Identifier: Apache-2.0
// What `mxcert new-backend` writes builds, runs and fails; filled in, it passes.
#include "catch.hpp"
#include "conformance/new_backend/new_backend.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::new_backend;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

// The right answer, in the C that both languages share.
constexpr const char* right = R"(
    const uint32_t sign = x >> 24 & 0x80, magnitude = x & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return 0x7F;
    const uint32_t exponent = magnitude >> 23 == 0 ? 1 : magnitude >> 23;
    const uint32_t significand = magnitude - ((exponent - 1) << 23);
    const uint32_t shift = exponent > 121 ? 20 : exponent < 110 ? 31 : 141 - exponent;
    uint32_t code = significand >> shift;
    const uint32_t rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
    if (rest > half || (rest == half && (code & 1) != 0)) ++code;
    if (exponent > 121) code += (exponent - 121) << 3;
    return (uint8_t)(sign | (code > 0x7E ? 0x7E : code));
)";

void fill_in(const fs::path& source) {
    std::string text = content(source);
    const std::size_t start = text.find('{', text.find("fp32_to_e4m3(")) + 1;
    text.replace(start, text.find('}', start) - start, right);
    std::ofstream(source, std::ios::trunc) << text;
}

} // namespace

TEST_CASE("a new backend builds, runs and fails until it is filled in", "[values]") {
    for (const std::string language : {"c", "c++"}) {
        const TemporaryFolder folder;
        CAPTURE(language);
        const Result result = shell(folder.path(), "mxcert new-backend my_kernel --language " + language);
        CAPTURE(result.out, result.err);
        REQUIRE(result.code == 0);
        const std::string build =
            "cmake -S my_kernel -B my_kernel/build -DCMAKE_C_FLAGS='-Wall -Wextra -pedantic -Werror' "
            "-DCMAKE_CXX_FLAGS='-Wall -Wextra -pedantic -Werror' >log 2>&1 && cmake --build my_kernel/build >>log 2>&1";
        REQUIRE(shell(folder.path(), build).code == 0);
        const std::string certify = "mxcert certify my_kernel/build/my_kernel.so --filter 'bf16-*'";
        const Result before = shell(folder.path(), certify);
        CHECK(before.code == 1);
        CHECK_THAT(before.out, Contains("FAIL") && !Contains("MISTRUSTED") && !Contains("UNTESTED"));

        fill_in(folder.path() / (language == "c" ? "my_kernel/my_kernel.c" : "my_kernel/my_kernel.cpp"));
        REQUIRE(shell(folder.path(), build).code == 0);
        const Result after = shell(folder.path(), certify);
        CAPTURE(after.out, after.err);
        CHECK(after.code == 0);
    }
}

TEST_CASE("a new backend overwrites nothing and has a name that can be one") {
    const TemporaryFolder folder;
    fs::create_directories(folder.path() / "there");
    std::ofstream(folder.path() / "there/file") << "kept";
    fs::create_symlink("nowhere", folder.path() / "link");
    std::ofstream(folder.path() / "plain") << "kept";
    for (const char* arguments :
         {"there", "link", "plain", "x --folder there", "x --folder plain/x", "2fast", "my-kernel", "''", "'a b'", "ö",
          "'../up'", "test", "all", "x --language rust", "x --folder /proc/no/such"}) {
        CAPTURE(arguments);
        const Result result = shell(folder.path(), std::string("mxcert new-backend ") + arguments);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, Contains("mxcert: "));
    }
    CHECK(content(folder.path() / "there/file") == "kept");
    CHECK(std::distance(fs::directory_iterator(folder.path() / "there"), {}) == 1);
    CHECK_FALSE(fs::exists(folder.path() / "x"));
    CHECK_THROWS_AS(check_backend_name(std::string(65, 'a')), std::invalid_argument);
    CHECK_NOTHROW(check_backend_name("_my_kernel_2"));
}
