// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "catch.hpp"
#include "conformance/frames/hex_memory.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using namespace mxcert::frames;
using Catch::Matchers::Contains;

namespace {

HexMemory parse(const std::string& text, std::uint64_t most = 100) {
    std::istringstream stream(text);
    return parse_hex_memory(stream, formats::e4m3, most);
}

std::string shown(const HexMemory& memory) {
    std::string text;
    for (const auto& word : memory.words) text += (text.empty() ? "" : " ") + (word ? std::to_string(*word) : "?");
    return text + (memory.error.empty() ? "" : " !" + memory.error);
}

} // namespace

TEST_CASE("memories in hexadecimal as simulators write them") {
    struct {
        const char* text;
        const char* means;
    } const table[] = {
        {"", ""},
        {"01\n7f\nFF\n", "1 127 255"},
        {"// 0x00000000\r\n01\t02 03\f04\v05", "1 2 3 4 5"},
        {"01// comment\n02/* more\n of it */03", "1 2 3"},
        {"@0 01 @1 02", "1 2"},
        {"01 @3 02", "1 ? ? 2"},
        {"xx zZ 1x 0?", "? ? ? ?"},
        {"0_1 00000ab", "1 171"},
        {"100", " !1: '100' has more than the 8 bits of e4m3"},
        {"01\n0g", "1 !2: '0g' is no hexadecimal number"},
        {"01 -1", "1 !1: '-1' is no hexadecimal number"},
        {"01 02 @1 03", "1 2 !1: address 1 was written already, or addresses do not ascend"},
        {"@64 01", " !1: address 64, there are 100 words"},
        {"@ 01", " !1: '@' is no hexadecimal number"},
        {"@x 01", " !1: '@x' is no address"},
        {"@fffffffffffffffff", " !1: '@fffffffffffffffff' has more than 64 bits"},
        {"01 / 02", "1 !1: a slash that starts no comment"},
        {"01 /* 02", "1 !1: a comment without its end"},
        {"_", " !1: '_' is no hexadecimal number"},
    };
    for (const auto& row : table) {
        CAPTURE(row.text);
        CHECK(shown(parse(row.text)) == row.means);
    }
    CHECK_THAT(parse("01 02 03", 2).error, Contains("more than 2 words"));
    CHECK_THAT(parse(std::string(1'000, '0')).error, Contains("more than 128 characters"));
    CHECK_THAT(parse(std::string("01\0", 3)).error, Contains("\\x00"));
    CHECK(parse("01\nxx\n").unwritten == "2: word 1 is xx");
    CHECK(parse("01\n@2 03\n").unwritten == "2: word 1 is left out");
}

TEST_CASE("a memory of random text is read without a crash") {
    SplitMix64 random(1);
    constexpr std::string_view alphabet = "0123456789abcdefxzXZ@/*_ \n\t\r?g\xFF";
    for (int i = 0; i < 2'000; ++i) {
        std::string text;
        for (std::uint64_t n = random.below(60); n > 0; --n) text += alphabet[random.below(alphabet.size())];
        const HexMemory memory = parse(text);
        CHECK(memory.words.size() <= 100);
        for (const auto& word : memory.words) CHECK((!word || *word <= 0xFF));
    }
}
