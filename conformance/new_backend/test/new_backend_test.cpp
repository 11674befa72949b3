// SPDX-License-Identifier: Apache-2.0
// What `mxcert new-backend` writes builds, runs and fails; filled in, it passes.
#include "catch.hpp"
#include "conformance/new_backend/new_backend.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::new_backend;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

// The right answers, in the C that both languages share.
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

// A block by way of it: the scale is 2^8 below the power of two of the largest magnitude, and exact to divide by.
constexpr const char* right_quantizer = R"(
    uint32_t amax = 0;
    for (uint64_t i = 0; i < count; ++i)
        if ((values[i] & 0x7FFFu) > amax) amax = values[i] & 0x7FFFu;
    const int is_number = amax <= 0x7F80;
    const int exponent = (int)(amax >> 7) - 8;
    const uint8_t scale = (uint8_t)(!is_number ? 0xFF : amax == 0x7F80 ? 0xFE : exponent < 0 ? 0 : exponent);
    for (uint64_t i = 0; i < count; ++i) {
        const uint32_t bits = (uint32_t)values[i] << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        value = ldexpf(value, 127 - scale);
        uint32_t divided;
        memcpy(&divided, &value, sizeof divided);
        elements[i] = is_number ? right_element(divided) : (uint8_t)0x7F;
    }
    return scale;
)";

/// Replaces the body of a function.
void fill_in(const fs::path& source, const std::string& function, const std::string& body,
             const std::string& before = {}) {
    std::string text = content(source);
    const std::size_t start = text.find('{', text.find(function + "(")) + 1;
    std::size_t end = start;
    for (int depth = 1; depth != 0; ++end) depth += text.at(end) == '{' ? 1 : text.at(end) == '}' ? -1 : 0;
    text.replace(start, end - 1 - start, body);
    if (!before.empty()) text.insert(text.find('\n', text.find("#include \"conformance/backend")) + 1, before);
    std::ofstream(source, std::ios::trunc) << text;
}

/// A shell command that compiles a source to my_kernel.so, as a user's compiler would warn.
std::string compile(const std::string& language) {
    const std::string flags =
        " -O2 -Wall -Wextra -pedantic -Werror -shared -fPIC -fvisibility=hidden -I '" MXCERT_TEST_SOURCE
        "' -o my_kernel/my_kernel.so my_kernel/my_kernel.";
    return language == "c" ? "cc -std=c11" + flags + "c -lm" : "c++ -std=c++17" + flags + "cpp";
}

std::string new_backend_line(const std::string& language, const std::string& operation) {
    return "mxcert new-backend my_kernel --language " + language + " --operation " + operation;
}

/// The options of certify that the README shows.
std::string short_run(const fs::path& folder) {
    const std::string readme = content(folder / "README.md");
    const std::size_t begin = readme.find(" --", readme.find("\nmxcert certify "));
    return readme.substr(begin, readme.find('\n', begin) - begin);
}

/// Options that show soon that it fails: of a quantizer one case, as naming what is wrong with all of them takes
/// seconds.
std::string one_failure(const fs::path& folder, const std::string& operation) {
    if (operation == "quantize")
        return " --profile ocp-sat --reproduce quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks:5";
    return short_run(folder) + (operation == "convert" ? " --level smoke" : "");
}

/// The verdict of what was written: FAIL, of answers that came.
void check_fails(const Result& verdict) {
    CAPTURE(verdict.out, verdict.err);
    CHECK(verdict.code == 1);
    CHECK_THAT(verdict.out, Contains("FAIL") && !Contains("MISTRUSTED") && !Contains("UNTESTED") && !Contains("ERROR"));
}

} // namespace

TEST_CASE("a new backend builds, runs and fails until it is filled in", "[values]") {
    for (const std::string language : {"c", "c++"}) {
        const TemporaryFolder folder;
        CAPTURE(language);
        const Result result = shell(folder.path(), new_backend_line(language, "convert"));
        CAPTURE(result.out, result.err);
        REQUIRE(result.code == 0);
        const std::string build =
            "cmake -S my_kernel -B my_kernel/build -DCMAKE_C_FLAGS='-Wall -Wextra -pedantic -Werror' "
            "-DCMAKE_CXX_FLAGS='-Wall -Wextra -pedantic -Werror' >log 2>&1 && cmake --build my_kernel/build >>log 2>&1";
        REQUIRE(shell(folder.path(), build).code == 0);
        check_fails(shell(folder.path(), "mxcert certify my_kernel/build/my_kernel.so --filter 'bf16-*'"));

        fill_in(folder.path() / (language == "c" ? "my_kernel/my_kernel.c" : "my_kernel/my_kernel.cpp"), "fp32_to_e4m3",
                right);
        REQUIRE(shell(folder.path(), build).code == 0);
        const Result after = shell(folder.path(), "ctest --test-dir my_kernel/build");
        CAPTURE(after.out, after.err);
        CHECK(after.code == 0);
    }
}

TEST_CASE("a new quantizer and new products fail until they are filled in", "[programs]") {
    for (const std::string language : {"c", "c++"})
        for (const std::string operation : {"quantize", "matmul"}) {
            const TemporaryFolder folder;
            CAPTURE(language, operation);
            REQUIRE(shell(folder.path(), new_backend_line(language, operation)).code == 0);
            const Result compiled = shell(folder.path(), compile(language));
            CAPTURE(compiled.err);
            REQUIRE(compiled.code == 0);
            const std::string certify = "mxcert certify my_kernel/my_kernel.so";
            check_fails(shell(folder.path(), certify + one_failure(folder.path() / "my_kernel", operation)));
            if (operation == "matmul") continue;
            fill_in(folder.path() / (language == "c" ? "my_kernel/my_kernel.c" : "my_kernel/my_kernel.cpp"),
                    "quantize_block", right_quantizer,
                    "#include <math.h>\n#include <string.h>\nstatic uint8_t right_element(uint32_t x) {" +
                        std::string(right) + "}\n");
            const Result filled =
                shell(folder.path(), compile(language) + " && " + certify + short_run(folder.path() / "my_kernel"));
            CAPTURE(filled.out, filled.err);
            CHECK(filled.code == 0);
        }
}

TEST_CASE("a new backend in Python runs and fails", "[programs]") {
    const fs::path python = MXCERT_TEST_PYTHON;
    if (absent(python.empty(), "numpy", "./dev test installs it")) return;
    for (const std::string operation : {"convert", "quantize", "matmul"}) {
        const TemporaryFolder folder;
        CAPTURE(operation);
        REQUIRE(shell(folder.path(), new_backend_line("python", operation)).code == 0);
        // The first python3 in PATH is to be the one that has numpy.
        const std::string certify =
            "PATH='" + python.parent_path().string() + "':$PATH mxcert certify my_kernel/my_kernel.py --jobs 1";
        check_fails(shell(folder.path(), certify + one_failure(folder.path() / "my_kernel", operation)));
    }
}

// Debian's rustc takes 270 MB, which no other test needs.
TEST_CASE("a new backend in Rust builds, runs and fails", "[.][exhaustive]") {
    const TemporaryFolder any;
    if (absent(shell(any.path(), "rustc --version").code != 0, "rustc", "apt-get install rustc")) return;
    for (const std::string operation : {"convert", "quantize", "matmul"}) {
        const TemporaryFolder folder;
        CAPTURE(operation);
        REQUIRE(shell(folder.path(), new_backend_line("rust", operation)).code == 0);
        const Result made = shell(folder.path(), "make -C my_kernel");
        CAPTURE(made.out, made.err);
        REQUIRE(made.code == 0);
        CHECK_THAT(made.err, !Contains("warning"));
        check_fails(shell(folder.path(), "cd my_kernel && eval \"$(make -s -n test)\""));
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
          "'../up'", "test", "all", "x --language ada", "x --operation divide", "x --folder /proc/no/such"}) {
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
    NewBackend wanted;
    wanted.name = "of_python";
    wanted.language = BackendLanguage::python;
    wanted.folder = folder.path() / "of_python";
    wanted.helper = folder.path() / "mxcert_worker.py";
    CHECK_THROWS_WITH(write_new_backend(wanted), Contains("mxcert_worker.py") && Contains("was not found"));
    CHECK_FALSE(fs::exists(wanted.folder));
}
