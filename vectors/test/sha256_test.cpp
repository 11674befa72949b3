// SPDX-License-Identifier: Apache-2.0
#include "vectors/base/sha256.hpp"

#include <sys/resource.h>

#include "catch.hpp"
#include "vectors/tables/csv.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;

// FIPS 180-4 examples, and one million times 'a'.
TEST_CASE("SHA-256 of known texts", "[sha256]") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 of a file", "[sha256]") {
    const TemporaryFolder folder;
    CHECK(sha256_file(folder.file("f", std::string(1'000'000, 'a'))) == sha256(std::string(1'000'000, 'a')));
    CHECK(sha256_file(folder.file("empty", "")) == sha256(""));
    CHECK_THROWS_WITH(sha256_file(folder.path() / "none"), Catch::Matchers::Contains("none"));
    CHECK_THROWS_WITH(sha256_file(folder.path()), Catch::Matchers::Contains("not a regular file"));
}

TEST_CASE("a file that cannot be opened, or read to its end, has no SHA-256 and no text", "[sha256]") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.file("f", "text\n");
    const std::filesystem::path unreadable = "/proc/self/mem"; // a regular file; nothing lies at its first address
    if (std::filesystem::exists(unreadable)) {
        CHECK_THROWS_WITH(sha256_file(unreadable), Catch::Matchers::Contains("cannot be read to its end"));
        CHECK_THROWS_WITH(csv::read_text(unreadable), Catch::Matchers::Contains("cannot be read to its end"));
    }
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit none = before;
    none.rlim_cur = 0;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    std::string of_hash;
    std::string of_text;
    try {
        of_hash = sha256_file(file);
    } catch (const std::runtime_error& error) {
        of_hash = error.what();
    }
    try {
        of_text = csv::read_text(file);
    } catch (const std::runtime_error& error) {
        of_text = error.what();
    }
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK_THAT(of_hash, Catch::Matchers::Contains("f: cannot be opened: "));
    CHECK_THAT(of_text, Catch::Matchers::Contains("f: cannot be opened: "));
    CHECK(csv::read_text(file) == "text\n");
}
