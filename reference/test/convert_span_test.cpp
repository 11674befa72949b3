// SPDX-License-Identifier: Apache-2.0
// Spans give the same bits as single values: every loop, every instruction set, every length and alignment.
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "reference/fast/convert.hpp"
#include "reference/test/convert_pairs.hpp"

using namespace mxcert;

namespace {

constexpr unsigned char guard = 0xA5;

std::uint64_t next(std::uint64_t& state) { // SplitMix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

void put(unsigned char* at, int bytes, Code code) {
    const auto store = [&](auto stored) { std::memcpy(at, &stored, sizeof stored); };
    if (bytes == 1) store(static_cast<std::uint8_t>(code));
    if (bytes == 2) store(static_cast<std::uint16_t>(code));
    if (bytes == 4) store(static_cast<std::uint32_t>(code));
    if (bytes == 8) store(static_cast<std::uint64_t>(code));
}

/// Codes of every kind: zeros, Inf, NaN, ends of binades, the range of the target, and any bits at all.
Code sample(const Format& from, const Format& to, std::uint64_t& state) {
    const std::uint64_t bits = next(state);
    const Code any = next(state) & from.last_code();
    const Code sign = any & from.sign_bit();
    const int fraction = from.fraction_bits;
    switch (bits % 8) {
    case 0: return sign;
    case 1: return sign | (from.has_inf() ? from.inf_code() : from.max_code());
    case 2: return any | (from.magnitude_mask() - from.fraction_mask());
    case 3: return any;
    default: break;
    }
    // Exponents from two below the target's smallest to two above its largest.
    const int lowest = to.emin() - to.fraction_bits - 2;
    const int span = to.emax() - lowest + 3;
    const int field = lowest + static_cast<int>((bits >> 8) % static_cast<unsigned>(span)) + from.bias;
    const auto last = static_cast<int>(from.max_code() >> fraction);
    const Code exponent = static_cast<Code>(std::clamp(field, 0, last)) << fraction;
    return sign | exponent | (bits % 2 == 0 ? any & from.fraction_mask() : any & 1);
}

/// Counts the span in `spans`, if it is right.
void check_span(const Format& from, const Format& to, const Choices& c, std::size_t n, std::size_t offset,
                fast::Isa isa, std::uint64_t& state, std::size_t& spans) {
    const auto in_size = static_cast<std::size_t>(from.bytes());
    const auto out_size = static_cast<std::size_t>(to.bytes());
    std::vector<unsigned char> in(offset + n * in_size);
    std::vector<unsigned char> out(offset + n * out_size + 64, guard);
    std::vector<unsigned char> expected = out;
    std::vector<std::uint32_t> random(n);
    const unsigned bits = is_stochastic(c.rounding) ? 9 : 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Code code = sample(from, to, state);
        random[i] = static_cast<std::uint32_t>(next(state) >> 55);
        put(in.data() + offset + i * in_size, from.bytes(), code);
        put(expected.data() + offset + i * out_size, to.bytes(), fast::convert(from, to, c, code, random[i], bits));
    }
    fast::convert_span(from, to, c, in.data() + offset, bits == 0 ? nullptr : random.data(), out.data() + offset, n,
                       bits, isa);
    if (out != expected)
        FAIL(from.name << " to " << to.name << ", " << describe(c) << ", n " << n << ", offset " << offset << ", isa "
                       << static_cast<int>(isa));
    ++spans;
}

} // namespace

TEST_CASE("a span gives the bits of single values, at every length and alignment") {
    std::uint64_t state = 1;
    std::size_t spans = 0;
    for (const fast::Isa isa : fast::all_isas) {
        if (!fast::runs(isa)) continue;
        for (std::size_t n = 0; n <= 130; ++n) {
            for (const std::size_t offset : {0U, 1U, 2U, 3U, 5U}) {
                check_span(formats::fp32, formats::e4m3, {}, n, offset, isa, state, spans);
                check_span(formats::bf16, formats::e5m2, {}, n, offset, isa, state, spans);
                check_span(formats::e4m3, formats::fp32, {}, n, offset, isa, state, spans);
                check_span(formats::e5m2, formats::e4m3, {}, n, offset, isa, state, spans);
            }
        }
    }
    CHECK(spans >= 131 * 5 * 4); // by the base instruction set at least
}

namespace {

/// Every conversion with every choice: by each instruction set, or by one after the other in turn.
void check_conversions(bool by_each) {
    std::uint64_t state = 2;
    std::size_t spans = 0;
    std::size_t turn = 0;
    const auto turns = static_cast<std::size_t>(
        std::count_if(fast::all_isas.begin(), fast::all_isas.end(), [](fast::Isa isa) { return fast::runs(isa); }));
    for (const fast::Isa isa : fast::all_isas) {
        if (!fast::runs(isa)) continue;
        std::size_t number = turn++;
        for_each_pair([&](const Format& from, const Format& to) {
            for_each_choices(to, true, [&](const Choices& c) {
                if (number++ % turns != 0 && !by_each) return;
                const std::size_t n = 64 + next(state) % 80;
                const std::size_t offset = next(state) % 9;
                check_span(from, to, c, n, offset, isa, state, spans);
            });
            Choices c;
            for (const Rounding r : {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c}) {
                c.rounding = r;
                check_span(from, to, c, 300, 1, isa, state, spans);
            }
            check_span(from, to, {}, 1000, 1, isa, state, spans); // long enough for a table
        });
    }
    CHECK(spans > 10'000);
}

} // namespace

TEST_CASE("a span gives the bits of single values, for every conversion", "[values]") { check_conversions(false); }
TEST_CASE("a span gives the bits of single values, by every instruction set", "[.][exhaustive]") {
    check_conversions(true);
}

TEST_CASE("a span refuses an instruction set that the machine does not run") {
    CHECK(fast::runs(fast::Isa::baseline));
    CHECK(fast::runs(fast::best_isa()));
    for (const fast::Isa isa : fast::all_isas) {
        if (fast::runs(isa)) continue;
        CHECK_THROWS_AS(fast::convert_span(formats::fp32, formats::e4m3, {}, nullptr, nullptr, nullptr, 0, 0, isa),
                        std::invalid_argument);
    }
}
