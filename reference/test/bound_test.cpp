// SPDX-License-Identifier: Apache-2.0
// The proven bound: no accumulator passes it, in any order, and all come near it.
#include "reference/exact/bound.hpp"

#include <algorithm>
#include <bit>

#include "catch.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/exact/dot.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/test/dot_cases.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using exact::Rational;
using test::Case;

namespace {

Rational value(const Format& format, Code code) {
    const exact::Value x = exact::decode(format, code);
    return exact::number(x);
}

Rational error_of(const Accumulator& model, const Case& dot_case, const exact::Bound& bound) {
    const Code code = fast::accumulate(model, dot_case.format, dot_case.operands());
    REQUIRE(model.result->is_finite(code));
    const Rational error = value(*model.result, code) - bound.sum;
    return abs(error);
}

/// A pair of formats that an accumulator takes; with scales where it must have them.
DotFormat some_format(const Accumulator& model, SplitMix64& random) {
    for (;;) {
        const Format& a = *model.operands[random.below(model.operands.size())];
        const Format& b = *model.operands[random.below(model.operands.size())];
        const Format* scale = model.scales.empty() ? nullptr : model.scales[random.below(model.scales.size())];
        const DotFormat format = dot_format(model, a, b, scale);
        if (takes(model, format)) return format;
    }
}

void shuffle(Case& dot_case, SplitMix64& random) {
    // Blocks of 16 stay together where they share scales.
    const std::size_t unit = dot_case.scales_a.empty() ? 1 : dot_case.a.size();
    for (std::size_t i = dot_case.a.size() / unit; unit == 1 && i > 1; --i) {
        const std::size_t j = random.below(i);
        std::swap(dot_case.a[i - 1], dot_case.a[j]);
        std::swap(dot_case.b[i - 1], dot_case.b[j]);
    }
}

/// Codes of small magnitudes whose products are near each other.
std::vector<Code> near_one(const Format& format) {
    std::vector<Code> all;
    for (const double x : {1.0, 1.75, 3.75})
        all.push_back(exact::convert(fp64, format, {}, std::bit_cast<Code>(x)).code);
    return all;
}

/// The nearest that an accumulator comes to its bound: c a power of two, or a little more, and equal products that are
/// about to be lost beside it.
Rational tightness(const Accumulator& model) {
    const Format& a = *model.operands[0];
    const bool scaled = model.scale_use != ScaleUse::none && model.scale_use != ScaleUse::factors;
    const DotFormat format = dot_format(model, a, a, scaled ? &e8m0 : nullptr);
    const std::size_t group = model.group == 0 ? 1 : model.group;
    Rational best = 0;
    for (const std::size_t n : {std::size_t{2}, 4 * group})
        for (const Code x : near_one(a))
            for (const Code y : {near_one(a)[0], near_one(a)[1]})
                for (int k = 6; k < 36; ++k)
                    for (const auto& [alone, has_c] :
                         {std::pair(false, true), {true, true}, {false, false}, {true, false}}) {
                        if (k > model.result->emax()) continue;
                        if (!has_c && (model.promote == 0 || k > 2 * a.emax())) continue;
                        Case dot_case{format, std::vector<Code>(n, x), std::vector<Code>(n, y), {}, {}, 0, 0};
                        // One product in a group may do more harm than many.
                        for (std::size_t i = 0; i < n && alone; ++i)
                            if (i % group != 0) dot_case.a[i] = 0;
                        if (scaled) dot_case.scales_a = dot_case.scales_b = {127};
                        if (has_c) {
                            dot_case.c = static_cast<Code>(k + model.result->bias) << model.result->fraction_bits;
                        } else { // c does not come into the groups of those that promote
                            dot_case.a[0] = exact::encode(a, exact::power_of_two(k / 2));
                            dot_case.b[0] = exact::encode(a, exact::power_of_two(k - k / 2));
                        }
                        const auto bound = exact::bound(model, format, dot_case.operands());
                        if (!bound || bound->error == 0) continue;
                        best = std::max(best, Rational(error_of(model, dot_case, *bound) / bound->error));
                    }
    return best;
}

} // namespace

TEST_CASE("no accumulator passes its bound, in any order", "[values][bound]") {
    SplitMix64 random(31);
    std::size_t bounded = 0;
    std::size_t exact = 0;
    std::vector<Accumulator> models(accumulators().begin(), accumulators().end());
    for (const Rounding align : {Rounding::down, Rounding::nearest_even})
        for (const std::string_view name : {"hopper_fp8_f32", "cdna3_fp8", "cdna3_f16"}) {
            models.push_back(accumulator(name));
            models.back().align = align;
        }
    for (const Accumulator& model : models)
        for (int i = 0; i < 90; ++i) {
            const test::Kind kind = test::all_kinds[random.below(std::size(test::all_kinds))];
            const std::size_t block = std::max<std::size_t>(32, least_block(model));
            Case dot_case = make_case(some_format(model, random), kind, 1 + random.below(130), block, random);
            CAPTURE(model.name, dot_case.format.a->name, dot_case.format.b->name, static_cast<int>(kind),
                    dot_case.a.size());
            const auto bound = exact::bound(model, dot_case.format, dot_case.operands());
            if (!bound) continue;
            for (int order = 0; order < 3; ++order) {
                // A device has zeros where an instruction takes more.
                const std::size_t at_once = model.grouping == Grouping::all ? 1 : instruction_of(model);
                while (order > 0 && dot_case.a.size() % at_once != 0) {
                    dot_case.a.push_back(0);
                    dot_case.b.push_back(0);
                }
                if (order > 0) shuffle(dot_case, random);
                const Rational error = error_of(model, dot_case, *bound);
                CAPTURE(static_cast<double>(error), static_cast<double>(bound->error));
                REQUIRE(error <= bound->error);
                ++bounded;
            }
            if (bound->error == 0) ++exact;
        }
    CHECK(bounded > 3000);
    CHECK(exact > 40);
}

TEST_CASE("three products may be in two groups of an instruction", "[bound]") {
    // What an H100 gave.
    const Accumulator& model = accumulator("hopper_mma_fp8_f32");
    const Case dot_case{dot_format(model, e5m2, e5m2), {0xA4, 0x7B, 0x1F}, {0x1F, 0xA1, 0x22}, {}, {}, 0, 0xBB718400};
    CHECK(exact::accumulate(model, dot_case.format, dot_case.operands()) == 0xC40C003B);
    CHECK(fast::accumulate(model, dot_case.format, dot_case.operands()) == 0xC40C003B);
    const auto bound = exact::bound(model, dot_case.format, dot_case.operands());
    REQUIRE(bound);
    CHECK(error_of(model, dot_case, *bound) <= bound->error);
    Accumulator one_group = model;
    one_group.grouping = Grouping::all;
    const auto too_near = exact::bound(one_group, dot_case.format, dot_case.operands());
    REQUIRE(too_near);
    CHECK(error_of(model, dot_case, *too_near) > too_near->error);
}

TEST_CASE("every accumulator comes near its bound", "[values][bound]") {
    for (const Accumulator& model : accumulators()) {
        if (model.scale_use == ScaleUse::promotion) continue; // no bound
        CAPTURE(model.name);
        const double reached = static_cast<double>(tightness(model));
        WARN(model.name << " reaches " << reached << " of its bound");
        CHECK(reached <= 1);
        CHECK(reached >= 0.25);
    }
}

TEST_CASE("an accumulator of 12 bits passes the bound of one of 13", "[bound]") {
    const Accumulator& model = accumulator("hopper_fp8_f32");
    Accumulator planted = model;
    planted.fraction = 12;
    planted.result_fraction = 12;
    // 448 x 448, then products of 30: of 16 in a unit of 13 bits 14 are lost, of 32 in one of 12 bits all.
    constexpr std::size_t n = 1024;
    Case dot_case{dot_format(model, e4m3, e4m3), std::vector<Code>(n, 0x57), std::vector<Code>(n, 0x40), {}, {}, 0, 0};
    dot_case.a[0] = dot_case.b[0] = 0x7E;
    const auto bound = exact::bound(model, dot_case.format, dot_case.operands());
    REQUIRE(bound);
    CHECK(error_of(model, dot_case, *bound) <= bound->error);
    CHECK(error_of(planted, dot_case, *bound) > bound->error);
    const auto of_planted = exact::bound(planted, dot_case.format, dot_case.operands());
    REQUIRE(of_planted);
    CHECK(error_of(planted, dot_case, *of_planted) <= of_planted->error);
}

TEST_CASE("where every partial sum is exact there is one right answer", "[bound]") {
    SplitMix64 random(33);
    for (const Accumulator& model : accumulators()) {
        if (model.scale_use == ScaleUse::promotion) continue; // no bound
        CAPTURE(model.name);
        const Format& a = *model.operands[0];
        const bool scaled = model.scale_use != ScaleUse::none && model.scale_use != ScaleUse::factors;
        Case dot_case{dot_format(model, a, a, scaled ? &e8m0 : nullptr), {}, {}, {}, {}, 0, 0};
        const Code unit = exact::encode(a, 1);
        for (int i = 0; i < 96; ++i) {
            dot_case.a.push_back(unit | (random() & a.sign_bit()));
            dot_case.b.push_back(random.below(2) == 0 ? unit : exact::encode(a, 2));
        }
        if (scaled) dot_case.scales_a = dot_case.scales_b = {127};
        const auto bound = exact::bound(model, dot_case.format, dot_case.operands());
        REQUIRE(bound);
        CHECK(bound->error == 0);
        CHECK(error_of(model, dot_case, *bound) == 0);
    }
}

TEST_CASE("scales of promoted sums have no bound", "[bound]") {
    for (const std::string_view name : {"deepgemm_hopper_fp8", "fp32_scaled_128"}) {
        const Accumulator& model = accumulator(name);
        const std::vector<Code> one = {0x3F800000};
        const std::vector<Code> ones(3, 0x38);
        const Case dot_case{dot_format(model, e4m3, e4m3, &fp32), ones, ones, one, one, 0, 0};
        CHECK_FALSE(exact::bound(model, dot_case.format, dot_case.operands()));
    }
}

TEST_CASE("where there is no bound", "[bound]") {
    const Accumulator& model = accumulator("hopper_fp8_f16");
    const auto of = [&](Code x, std::size_t n) {
        const Case dot_case{
            dot_format(model, e5m2, e5m2), std::vector<Code>(n, x), std::vector<Code>(n, x), {}, {}, 0, 0};
        return exact::bound(model, dot_case.format, dot_case.operands());
    };
    CHECK(of(0x3C, 32));
    CHECK_FALSE(of(0x7C, 32)); // Inf
    CHECK_FALSE(of(0x7F, 32)); // NaN
    CHECK_FALSE(of(0x7B, 32)); // beyond FP16
    CHECK_THROWS_AS(of(0x3C, 0), std::invalid_argument);
    // There is no bound either for a format that the accumulator refuses.
    const Case of_fp64{dot_format(model, fp64, e5m2), {0, 0}, {0, 0}, {}, {}, 0, 0};
    CHECK_THROWS_AS(exact::bound(model, of_fp64.format, of_fp64.operands()), std::invalid_argument);
}

namespace {

/// The error of a sum without c, and its bound.
struct ErrorAndBound {
    Rational error;
    Rational bound;
};

ErrorAndBound of_products(const Accumulator& model, const Format& operand, const std::vector<Code>& a,
                          const std::vector<Code>& b, Code expected) {
    const Case dot_case{dot_format(model, operand, operand), a, b, {}, {}, 0, 0};
    CHECK(exact::accumulate(model, dot_case.format, dot_case.operands()) == expected);
    const auto bound = exact::bound(model, dot_case.format, dot_case.operands());
    REQUIRE(bound);
    return {error_of(model, dot_case, *bound), bound->error};
}

} // namespace

TEST_CASE("a bound counts each rounding that a sum may meet", "[bound]") {
    // 257 is no number of BF16, which is between the products and FP32: 256 to nearest even, 258 to odd.
    for (const auto& [name, expected] :
         {std::pair<const char*, Code>{"cdna4_f8f6f4_rounded", 0x43800000}, {"riscv_fp8_dot_16", 0x43810000}}) {
        Accumulator model = accumulator(name);
        const std::vector<Code> factors{0x58, 0x38}; // 16 and 1
        CAPTURE(name);
        const ErrorAndBound in_fp32 = of_products(model, e4m3, factors, factors, 0x43808000);
        CHECK(in_fp32.error == 0);
        CHECK(in_fp32.bound == 0);
        model.arithmetic = &bf16;
        const auto [error, bound] = of_products(model, e4m3, factors, factors, expected);
        CHECK(error == 1);
        CHECK(bound >= error);
        CHECK(bound <= 8);
    }
    // 2^-30 is a number of BF16 and none of FP16, which has as many bits here but not so small ones.
    Accumulator to_fp16 = accumulator("fp32_fma");
    to_fp16.arithmetic = &bf16;
    to_fp16.result = &fp16;
    to_fp16.result_fraction = bf16.fraction_bits;
    const std::vector<Code> small{static_cast<Code>(127 - 15) << 7};
    const auto [lost, of_lost] = of_products(to_fp16, bf16, small, small, 0);
    CHECK(lost == exact::power_of_two(-30));
    CHECK(of_lost >= lost);
    CHECK(of_lost <= exact::power_of_two(-21));
    // 2^-130 is a number of FP32, and flushed.
    Accumulator flushing = accumulator("fp32_fma");
    const std::vector<Code> smaller{static_cast<Code>(127 - 65) << 7};
    CHECK(of_products(flushing, bf16, smaller, smaller, 0x00080000).bound == 0);
    flushing.flush = true;
    const auto [flushed, of_flushed] = of_products(flushing, bf16, smaller, smaller, 0);
    CHECK(flushed == exact::power_of_two(-130));
    CHECK(of_flushed >= flushed);
    CHECK(of_flushed <= exact::power_of_two(-124));
}

TEST_CASE("a product that is aligned is cut, and not rounded by itself", "[bound]") {
    // 2^-266 is no number of FP32. It is cut at 25 bits below the exponent -126 of c, which is zero, as c itself may
    // be; then the sum is cut at the last bit of FP32.
    const ErrorAndBound tiny = of_products(accumulator("hopper_f16_f32"), bf16, {1}, {1}, 0);
    CHECK(tiny.error == exact::power_of_two(-266));
    CHECK(tiny.bound == exact::power_of_two(-149) + exact::power_of_two(-151) + exact::power_of_two(-266));
}

TEST_CASE("a bound counts the promotions of whole and begun runs of products", "[bound]") {
    // 448 x 448 and the smallest products, which are lost beside it. Zeros add nothing to a run that has begun.
    const auto of = [](std::size_t n) {
        const Accumulator& model = accumulator("hopper_fp8_promote_128");
        Case dot_case{dot_format(model, e4m3, e4m3), std::vector<Code>(n), std::vector<Code>(n, 0x01), {}, {}, 0, 0};
        std::fill_n(dot_case.a.begin(), 100, 0x01);
        dot_case.a[0] = dot_case.b[0] = 0x7E;
        const auto bound = exact::bound(model, dot_case.format, dot_case.operands());
        REQUIRE(bound);
        return bound->error;
    };
    CHECK(of(128) > 0);
    CHECK(of(128) == of(127));
    CHECK(of(129) > of(128));
}

TEST_CASE("a bound that every rounding doubles is none", "[bound]") {
    // One of 2048 roundings of BF16 may be off by 2^-8 of the sum.
    Accumulator model = accumulator("fp32_fma");
    model.arithmetic = &bf16;
    const auto has_bound = [&](std::size_t n) {
        const std::vector<Code> small(n, static_cast<Code>(127 - 60) << 7);
        const Case dot_case{dot_format(model, bf16, bf16), small, small, {}, {}, 0, 0};
        return exact::bound(model, dot_case.format, dot_case.operands()).has_value();
    };
    CHECK(has_bound(64));
    CHECK_FALSE(has_bound(2048));
}
