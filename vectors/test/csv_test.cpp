// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/csv.hpp"

#include <sys/stat.h>

#include "catch.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

TEST_CASE("A text that keeps the rules is taken", "[csv]") {
    CHECK_NOTHROW(csv::check_text("a\n", "t"));
    CHECK_NOTHROW(csv::check_text("a,b\n\n", "t"));
}

TEST_CASE("A text that breaks a rule is named with its line", "[csv]") {
    struct Case {
        std::string text;
        std::string error;
    };
    const Case cases[] = {
        {"", "t: empty"},
        {"\xEF\xBB\xBF"
         "a\n",
         "t:1: starts with a byte order mark"},
        {"a\r\n", "t:1: carriage return"},
        {"a\nb\nc\rd\n", "t:3: carriage return"},
        {std::string("a\nb\0c\n", 6), "t:2: NUL byte"},
        {"a\n\"b\"\n", "t:2: quote"},
        {"a\nb", "t:2: the last line has no end"},
        {"a\n" + std::string(5000, 'x') + "\n", "t:2: longer than 4096 bytes"},
        {std::string(csv::max_bytes + 1, 'x'), "t: longer than 67108864 bytes"},
    };
    for (const Case& test_case : cases)
        CHECK_THROWS_WITH(csv::check_text(test_case.text, "t"), Contains(test_case.error));
}

TEST_CASE("A file is read whole", "[csv]") {
    const TemporaryFolder folder;
    const std::string text = "a\n" + std::string(200'000, 'b') + "\n";
    CHECK(csv::read_text(folder.file("f", text)) == text);
}

TEST_CASE("What is not a file of a sane length is not read", "[csv]") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH(csv::read_text(folder.path() / "none"), Contains("none: there is no such file"));
    CHECK_THROWS_WITH(csv::read_text(folder.path()), Contains("not a regular file"));
    const auto fifo = folder.path() / "fifo";
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(csv::read_text(fifo), Contains("not a regular file"));
    // Sparse: ten gigabytes that take no room. Reading them all would take long and more memory than there may be.
    const auto large = folder.file("large", "");
    std::filesystem::resize_file(large, std::uintmax_t{10} << 30);
    CHECK_THROWS_WITH(csv::read_text(large), Contains("large: longer than 67108864 bytes"));
}
