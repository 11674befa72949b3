// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/pack.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::files;

TEST_CASE("packed bytes are base64 of what zlib makes of them") {
    CHECK(unpack("eJwDAAAAAAE=", 0).empty());
    CHECK(unpack("eJyrAAAAeQB5", 1) == "x");
    CHECK(unpack("eJyrqAQAAWsA8g==", 2) == "xy");
    // More than is written at once.
    std::string bytes;
    std::uint32_t state = 1;
    for (int i = 0; i < (7 << 20); ++i) bytes += static_cast<char>((state = state * 1664525U + 1013904223U) >> 24U);
    const std::string packed = pack(bytes);
    CHECK(packed.find('\0') == std::string::npos);
    CHECK((unpack(packed, bytes.size()) == bytes));
}

TEST_CASE("what is no base64 is refused") {
    for (const char* text : {
             "eJyrqAQAAWsA8g=",      // a digit too few
             "eJyrqAQAAWsA8g",       // not filled up
             "    eJyrqAQAAWsA8g==", // blanks, which some readers skip
             "eJyrqAQAAWsA8g==\n\n\n\n",
             "eJyrqAQAA Wsg8g==",
             "eJyrqAQA=WsA8g==", // '=' before the end
             "eJyrqAQAAWsA8===",
             "====",
             "eJyrqAQAAWsA8g==eJwDAAAAAAE=",
             "eJyrqAQAAWsA8_==", // digits of another alphabet
             "eJyrqAQAAWsA\x80g==",
         }) {
        CAPTURE(text);
        CHECK_THROWS_WITH(unpack(text, 2), Catch::Contains("no base64"));
    }
}
