// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/single_bits.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "catch.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;

namespace {

std::vector<Code> firsts(const Format& from, const Format& to) {
    Choices choices;
    choices.overflow = Overflow::nosat;
    std::vector<Code> all;
    for (const Step& step : tabulate(from, to, choices).steps) all.push_back(step.first);
    return all;
}

} // namespace

TEST_CASE("single-bit neighbours of every tie and every exact value", "[bits][values]") {
    const SingleBits bits(formats::fp32, firsts(formats::fp32, formats::e4m3));
    const std::vector<Code> all = bits.all();
    CHECK(std::is_sorted(all.begin(), all.end()));
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    CHECK(all.size() <= bits.size());
    const auto has = [&](Code code) { return std::binary_search(all.begin(), all.end(), code); };
    for (const Code sign : {Code{0}, formats::fp32.sign_bit()})
        for (unsigned bit = 0; bit < 19; ++bit) {
            CAPTURE(sign, bit);
            // Ties between 1, 1.125 and 1.25: the first belongs to the step below, the second to that above. And 1.125.
            for (const Code code : {Code{0x3F880000}, Code{0x3F980000}, Code{0x3F900000}}) {
                CHECK(has(sign | (code + (Code{1} << bit))));
                CHECK(has(sign | (code - (Code{1} << bit))));
                CHECK(has(sign | (code - 1 - (Code{1} << bit))));
            }
        }
    for (unsigned bit = 0; bit < 23; ++bit) {
        CHECK(has(0x3A800000 + (Code{1} << bit))); // 2^-10, below the smallest subnormal
        CHECK(has(0x43E80000 + (Code{1} << bit))); // 464, from which on it is too large
        CHECK(has(Code{1} << bit));
    }
}

TEST_CASE("some single-bit neighbours have every bit in every binade", "[bits][values]") {
    const std::vector<Code> steps = firsts(formats::fp32, formats::e4m3);
    const SingleBits bits(formats::fp32, steps);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const std::vector<Code> few = bits.some(0, seed);
        CHECK(std::set<Code>(few.begin(), few.end()).size() == few.size());
        CHECK(few.size() < 600);
        const std::vector<Code> more = bits.some(2000, seed);
        CHECK(more.size() == 2000);
        CHECK(std::equal(few.begin(), few.end(), more.begin()));
        CHECK(bits.some(2000, seed) == more);
        const auto all = single_bit_neighbours(formats::fp32, steps, ~std::size_t{0}, seed);
        for (const Code code : more) CHECK(std::binary_search(all.begin(), all.end(), code));
        // A code at 2^bit above a tie of normal results has no other bit below the round bit.
        for (Code exponent = 121; exponent < 135; ++exponent)
            for (unsigned bit = 0; bit < 19; ++bit) {
                CAPTURE(exponent, bit);
                CHECK(std::any_of(few.begin(), few.end(), [&](Code code) {
                    return (code & 0x7F800000) >> 23U == exponent && (code & 0xFFFFF) == (0x80000U | 1U << bit);
                }));
            }
    }
    CHECK(bits.some(0, 1) != bits.some(0, 2));
}

TEST_CASE("some of more single-bit neighbours than there are is all of them, and the pairs", "[bits][values]") {
    // 1.0625, a tie of E4M3 that belongs to the step below.
    const std::vector<Code> steps{0x3F880001};
    for (const std::uint64_t seed : {1U, 2U}) {
        std::vector<Code> codes = SingleBits(formats::fp32, steps).some(10'000, seed);
        std::sort(codes.begin(), codes.end());
        CHECK(codes == single_bit_neighbours(formats::fp32, steps, ~std::size_t{0}, seed));
    }
}

TEST_CASE("each pair of bits is set once for every number of bits cut off", "[bits][values]") {
    const std::vector<Code> steps = firsts(formats::fp32, formats::e4m3);
    const SingleBits bits(formats::fp32, steps);
    for (const std::uint64_t seed : {1U, 2U}) {
        const std::vector<Code> pairs = bits.pairs(seed);
        CHECK(pairs.size() == 171 + 190 + 210 + 253);
        CHECK(std::set<Code>(pairs.begin(), pairs.end()).size() == pairs.size());
        // E4M3's normal numbers, its subnormals between 2^-7 and 2^-6 and between 2^-8 and 2^-7, and half of the
        // smallest one. Between 2^-9 and 2^-8 no tie belongs to the step below.
        for (const auto& [lowest, highest, cut] :
             {std::tuple{121U, 135U, 19U}, {120U, 120U, 20U}, {119U, 119U, 21U}, {117U, 117U, 23U}})
            for (unsigned high = 1; high < cut; ++high)
                for (unsigned low = 0; low < high; ++low) {
                    CAPTURE(seed, cut, high, low);
                    const auto has = [&, lowest = lowest, highest = highest, cut = cut](Code code) {
                        const Code exponent = (code & 0x7F800000) >> 23U;
                        const Code significand = (code & 0x7FFFFF) | 0x800000;
                        const Code wanted = Code{1} << cut | Code{1} << high | Code{1} << low;
                        return lowest <= exponent && exponent <= highest &&
                               (significand & ((Code{1} << (cut + 1)) - 1)) == wanted;
                    };
                    CHECK(std::any_of(pairs.begin(), pairs.end(), has));
                }
        // Where they are all single-bit neighbours or a sample, they are among them; but others have half of the
        // places.
        const auto every = single_bit_neighbours(formats::fp32, steps, ~std::size_t{0}, seed);
        const std::vector<Code> codes = bits.some(4096, seed);
        CHECK(std::all_of(pairs.begin(), pairs.end(),
                          [&](Code code) { return std::binary_search(every.begin(), every.end(), code); }));
        CHECK(std::all_of(pairs.begin(), pairs.end(),
                          [&](Code code) { return std::find(codes.begin(), codes.end(), code) != codes.end(); }));
        const std::size_t sticky = bits.some(0, seed).size();
        const std::vector<Code> few = bits.some(sticky + 100, seed);
        CHECK(std::equal(pairs.begin(), pairs.begin() + 50, few.begin() + static_cast<std::ptrdiff_t>(sticky)));
        CHECK(few.at(sticky + 50) != pairs.at(50));
    }
}

TEST_CASE("the size is no less than the neighbours and the pairs", "[bits]") {
    // Just above ties after which 19, 20, 21 and 22 bits are cut off: most of what these steps have is pairs.
    const SingleBits bits(formats::fp32, {0x3F880001, 0x40100001, 0x40A00001, 0x41400001});
    CHECK(bits.pairs(1).size() == 171 + 190 + 210 + 231);
    CHECK(bits.all().size() + bits.pairs(1).size() <= bits.size());
}

TEST_CASE("boundaries of both signs have pairs, that of NaN has none", "[bits]") {
    CHECK(SingleBits(formats::fp32, {0x3F880001}).pairs(1).size() == 171);
    CHECK(SingleBits(formats::fp32, {0xBF880001}).pairs(1).size() == 171);
    CHECK(SingleBits(formats::fp32, {0x7F800001}).pairs(1).empty());
    CHECK(SingleBits(formats::fp32, {0xFF800001}).pairs(1).empty());
}

TEST_CASE("steps end with their sign and their scale", "[bits]") {
    const Format& scaled = formats::fp32_by_e8m0;
    const std::vector<Code> steps{scaled.code_of(3, 0x40000000), scaled.code_of(7, 0x80000000)};
    for (const Code code : SingleBits(scaled, steps).all()) {
        CAPTURE(code);
        CHECK((scaled.scale_of(code) == 3 || scaled.scale_of(code) == 7));
        if (scaled.scale_of(code) == 3) CHECK((code & scaled.sign_bit()) == 0);
    }
    CHECK(SingleBits(formats::fp32, {}).all().empty());
    CHECK(SingleBits(formats::e8m0, {0, 5, 9}).all().empty()); // no fraction
    CHECK_FALSE(SingleBits(formats::fp64, {0, Code{1} << 62}).all().empty());
}

TEST_CASE("neighbours of too many steps are some, and all under three scales", "[bits][values]") {
    const Format& scaled = formats::fp16_by_e8m0;
    const std::vector<Code> steps = firsts(scaled, formats::e4m3);
    const auto all = single_bit_neighbours(scaled, steps, ~std::size_t{0}, 1);
    CHECK(all.size() <= SingleBits(scaled, steps).size());
    const auto few = single_bit_neighbours(scaled, steps, 1000, 1);
    CHECK(few.size() < all.size() / 2);
    CHECK(std::includes(all.begin(), all.end(), few.begin(), few.end()));
    const auto count = [&](const std::vector<Code>& codes, Code scale) {
        return std::count_if(codes.begin(), codes.end(), [&](Code code) { return scaled.scale_of(code) == scale; });
    };
    for (const Code scale : {Code{0}, Code{127}, Code{254}}) {
        CAPTURE(scale);
        CHECK(count(few, scale) == count(all, scale));
    }
    CHECK(count(few, 120) > 0);
    CHECK(count(few, 120) < count(all, 120));
    // With a most of 0, or without a scale, they are some alone.
    const auto some = [](const Format& from, const std::vector<Code>& all_firsts, std::size_t most) {
        std::vector<Code> codes = SingleBits(from, all_firsts).some(most, 1);
        std::sort(codes.begin(), codes.end());
        return codes;
    };
    CHECK(single_bit_neighbours(scaled, steps, 0, 1) == some(scaled, steps, 0));
    CHECK(few != some(scaled, steps, 1000));
    const std::vector<Code> plain = firsts(formats::fp32, formats::e4m3);
    CHECK(single_bit_neighbours(formats::fp32, plain, 1000, 1) == some(formats::fp32, plain, 1000));
}
