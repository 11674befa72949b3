// SPDX-License-Identifier: Apache-2.0
// Packings: bytes written by hand from what each is said to do, and the way back.
#include "reference/packing.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes packed(const char* packing, const Format& format, const Bytes& codes, unsigned block = 32) {
    return pack(find_packing(packing), format, codes, block);
}

} // namespace

TEST_CASE("codes of four and six bits lie in bytes as each packing says", "[packing]") {
    // Two nibbles a byte.
    CHECK(packed("bytes", e2m1, {0x1, 0x2, 0xF}) == Bytes{0x01, 0x02, 0x0F});
    CHECK(packed("low_first", e2m1, {0x1, 0x2, 0xF, 0x8}) == Bytes{0x21, 0x8F});
    CHECK(packed("high_first", e2m1, {0x1, 0x2, 0xF, 0x8}) == Bytes{0x12, 0xF8});
    CHECK(packed("halves", e2m1, {0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8}, 4) == Bytes{0x31, 0x42, 0x75, 0x86});
    // Four values in three bytes: 100001, 000010, 110000, 111110.
    CHECK(packed("low_first", e3m2, {0x21, 0x02, 0x30, 0x3E}) == Bytes{0xA1, 0x00, 0xFB});
    CHECK(packed("high_first", e2m3, {0x21, 0x02, 0x30, 0x3E}) == Bytes{0x84, 0x2C, 0x3E});
    CHECK(packed("bytes", e4m3, {0xFF}) == Bytes{0xFF});
}

TEST_CASE("what is packed is unpacked", "[packing]") {
    SplitMix64 random(4);
    for (const Packing& packing : all_packings())
        for (const Format* format : {&e2m1, &e3m2, &e2m3}) {
            if (packing.order == PackingOrder::halves && format != &e2m1) continue;
            CAPTURE(packing.name, format->name);
            Bytes codes(256);
            for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(random() & format->last_code());
            const Bytes bytes = pack(packing, *format, codes, 32);
            CHECK(bytes.size() == packed_bytes(packing, *format, codes.size(), 32));
            CHECK(unpack(packing, *format, bytes, codes.size(), 32) == codes);
        }
}

TEST_CASE("what packings refuse", "[packing]") {
    CHECK(packed_row_bytes(find_packing("halves"), formats::e2m1, 64, 32) == 32);
    CHECK_THROWS_AS(packed_row_bytes(find_packing("halves"), formats::e2m1, 48, 32), std::invalid_argument);
    CHECK_THROWS_WITH(find_packing("low_fist"), Catch::Contains("did you mean low_first"));
    CHECK_THROWS_WITH(packed("low_first", e2m1, {1, 2, 3}), "3 codes of 4 bits are no whole number of bytes");
    CHECK_THROWS_WITH(packed("low_first", e4m3, {1, 2}), "the packing low_first is for codes of fewer than 8 bits");
    CHECK_THROWS_WITH(packed("halves", e3m2, {1, 2, 3, 4}, 4), "the packing halves is for codes of 4 bits");
    CHECK_THROWS_WITH(packed("halves", e2m1, {1, 2, 3, 4}, 3),
                      "the packing halves takes whole blocks of an even number of elements");
    CHECK_THROWS_WITH(packed("low_first", e2m1, {1, 0x10}), "element 1 is 0x10: no code of e2m1");
    CHECK_THROWS_WITH(unpack(find_packing("bytes"), e2m1, Bytes{0x21}, 1, 32), "element 0 is 0x21: no code of e2m1");
    CHECK_THROWS_WITH(unpack(find_packing("low_first"), e2m1, Bytes{0x21}, 4, 32),
                      "4 elements take 2 bytes, and there are 1");
}

TEST_CASE("a row that ends within a byte has zeros behind it", "[packing]") {
    const auto row = [](const char* packing, const Format& format, const Bytes& codes) {
        Bytes bytes(static_cast<std::size_t>(packed_row_bytes(find_packing(packing), format, codes.size(), 32)), 0xFF);
        pack_row(find_packing(packing), format, codes, 32, bytes);
        Bytes back(codes.size());
        CHECK(unpack_row(find_packing(packing), format, bytes, 32, back));
        CHECK(back == codes);
        return bytes;
    };
    CHECK(row("low_first", e2m1, {0x1, 0x2, 0xF}) == Bytes{0x21, 0x0F});
    CHECK(row("high_first", e2m1, {0x1, 0x2, 0xF}) == Bytes{0x12, 0xF0});
    CHECK(row("low_first", e3m2, {0x21, 0x02}) == Bytes{0xA1, 0x00});
    CHECK(row("high_first", e2m3, {0x21, 0x02}) == Bytes{0x84, 0x20});
    CHECK(row("bytes", e2m1, {0x1, 0x2, 0xF}) == Bytes{0x01, 0x02, 0x0F});
    Bytes back(1);
    CHECK_FALSE(unpack_row(find_packing("low_first"), e2m1, Bytes{0x10}, 32, back));
    CHECK_FALSE(unpack_row(find_packing("high_first"), e2m1, Bytes{0x01}, 32, back));
    CHECK_FALSE(unpack_row(find_packing("low_first"), e3m2, Bytes{0x80}, 32, back));
}
