// SPDX-License-Identifier: Apache-2.0
// Scale rules: numbers written by hand from their sources, and the two models against each other.
#include "reference/fast/scale.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "reference/block.hpp"
#include "reference/exact/exact.hpp"
#include "reference/scale_rule.hpp"
#include "reference/scaled_format.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

Choices by(ScaleRule rule, Overflow overflow = Overflow::nosat) {
    Choices choices;
    choices.rule = rule;
    choices.overflow = overflow;
    return choices;
}

Code exact_scale(const Format& amax, const Format& element, const Choices& choices, Code code) {
    return exact::convert(amax, scale_of(element), choices, code).code;
}

Code exact_scale(ScaleRule rule, Code fp32_code, const Format& element = e4m3) {
    return exact_scale(amax_fp32, element, by(rule), fp32_code);
}

/// The code of 2^e (1 + m / 2^23).
constexpr Code fp32_code(int e, Code m) { return (static_cast<Code>(e + 127) << 23) + m; }

/// Every choice that fast::scale() offers.
std::vector<Choices> all_offered(const Format& amax, const Format& element) {
    std::vector<Choices> offered;
    for (const ScaleRuleInfo& rule : all_scale_rules())
        for (const Overflow overflow : {Overflow::sat, Overflow::nosat, Overflow::sat_finite})
            for (const Zero zero : {Zero::smallest, Zero::nan, Zero::one})
                for (const NanRule nan : {NanRule::canonical, NanRule::max, NanRule::zero})
                    for (const LowestBinade lowest : {LowestBinade::by_value, LowestBinade::up_nonzero})
                        for (const Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::fp32_multiply,
                                                            Arithmetic::fp32_divide, Arithmetic::fp32_log2})
                            for (const InfAmax inf : {InfAmax::overflows, InfAmax::next_power}) {
                                Choices choices = by(rule.rule, overflow);
                                choices.zero = zero;
                                choices.nan = nan;
                                choices.lowest_binade = lowest;
                                choices.arithmetic = arithmetic;
                                choices.inf_amax = inf;
                                if (fast::offers_scale(amax, element, choices)) offered.push_back(choices);
                            }
    return offered;
}

} // namespace

TEST_CASE("a scale rule is its power of two and its threshold", "[scale]") {
    struct Expected {
        ScaleRule rule;
        const Format& element;
        int base;       ///< what it adds to e - emax below the threshold
        Code threshold; ///< the first fraction that gets one more; 2^23 for none
    };
    // The constants as the implementations' own codes have them.
    for (const auto& [rule, element, base, threshold] : {
             Expected{ScaleRule::ocp_floor, e4m3, 0, 0x800000},
             Expected{ScaleRule::ocp_floor, e5m2, 0, 0x800000},
             Expected{ScaleRule::ceil, e4m3, 0, 1},
             Expected{ScaleRule::ceil, e5m2, 0, 1},
             Expected{ScaleRule::rceil, e4m3, 0, 0x600001},
             Expected{ScaleRule::rceil, e5m2, 0, 0x600001},
             Expected{ScaleRule::rfloor, e4m3, -1, 0x600000},
             Expected{ScaleRule::rfloor, e5m2, -1, 0x600000},
             Expected{ScaleRule::even, e4m3, 0, 0x780000},
             Expected{ScaleRule::even, e5m2, 0, 0x700000},
             Expected{ScaleRule::even_fbgemm, e4m3, 0, 0x780001},
             Expected{ScaleRule::even_fbgemm, e5m2, 0, 0x700001},
             Expected{ScaleRule::tosa, e4m3, 0, 0x680001},
             Expected{ScaleRule::tosa, e5m2, 0, 0x700000},
             Expected{ScaleRule::neuron, e4m3, 1, 0x800000},
             Expected{ScaleRule::neuron, e5m2, 1, 0x800000},
             Expected{ScaleRule::log_nearest, e4m3, -1, 0x1E6455},
             Expected{ScaleRule::log_nearest, e5m2, -1, 0x1E6455},
             Expected{ScaleRule::log_nearest2, e4m3, 0, 0x3504F4},
             Expected{ScaleRule::log_nearest2, e5m2, 0, 0x3504F4},
             Expected{ScaleRule::arith_nearest, e4m3, -1, 0x280000},
             Expected{ScaleRule::arith_nearest, e5m2, -1, 0x280000},
             // 28 is 1.75 x 2^4 as 57344 is 1.75 x 2^15; 7.5 is 1.875 x 2^2; 6 is 1.5 x 2^2.
             Expected{ScaleRule::ocp_floor, e3m2, 0, 0x800000},
             Expected{ScaleRule::ocp_floor, e2m3, 0, 0x800000},
             Expected{ScaleRule::ocp_floor, e2m1, 0, 0x800000},
             Expected{ScaleRule::ceil, e2m1, 0, 1},
             Expected{ScaleRule::rceil, e3m2, 0, 0x600001},
             Expected{ScaleRule::rceil, e2m3, 0, 0x700001},
             Expected{ScaleRule::rceil, e2m1, 0, 0x400001},
             Expected{ScaleRule::rfloor, e3m2, -1, 0x600000},
             Expected{ScaleRule::rfloor, e2m3, -1, 0x700000},
             Expected{ScaleRule::rfloor, e2m1, -1, 0x400000},
             Expected{ScaleRule::even, e3m2, 0, 0x700000},
             Expected{ScaleRule::even, e2m3, 0, 0x780000},
             Expected{ScaleRule::even, e2m1, 0, 0x600000},
             Expected{ScaleRule::even_fbgemm, e3m2, 0, 0x700001},
             Expected{ScaleRule::even_fbgemm, e2m3, 0, 0x780001},
             Expected{ScaleRule::even_fbgemm, e2m1, 0, 0x600001},
             Expected{ScaleRule::tosa, e3m2, 0, 0x700000},
             Expected{ScaleRule::tosa, e2m3, 0, 0x780000},
             Expected{ScaleRule::tosa, e2m1, 0, 0x600000},
             Expected{ScaleRule::neuron, e2m1, 1, 0x800000},
             Expected{ScaleRule::log_nearest, e3m2, -1, 0x1E6455},
             Expected{ScaleRule::log_nearest, e2m3, -1, 0x29B4A5},
             Expected{ScaleRule::log_nearest, e2m1, -1, 0x07C3B7},
             Expected{ScaleRule::log_nearest2, e2m1, 0, 0x3504F4},
             Expected{ScaleRule::arith_nearest, e3m2, -1, 0x280000},
             Expected{ScaleRule::arith_nearest, e2m3, -1, 0x340000},
             Expected{ScaleRule::arith_nearest, e2m1, -1, 0x100000},
             // 127/64 is 1.984375.
             Expected{ScaleRule::ocp_floor, int8, 0, 0x800000},
             Expected{ScaleRule::ceil, int8, 0, 1},
             Expected{ScaleRule::rceil, int8, 0, 0x7E0001},
             Expected{ScaleRule::rfloor, int8, -1, 0x7E0000},
             Expected{ScaleRule::even, int8, 0, 0x7F0000},
             Expected{ScaleRule::even_fbgemm, int8, 0, 0x7F0001},
             Expected{ScaleRule::tosa, int8, 0, 0x7F0000},
             Expected{ScaleRule::neuron, int8, 1, 0x800000},
             Expected{ScaleRule::log_nearest, int8, -1, 0x339AEA},
             Expected{ScaleRule::log_nearest2, int8, 0, 0x3504F4},
             Expected{ScaleRule::arith_nearest, int8, -1, 0x3E8000},
         })
        for (int e = -100; e < 127; ++e) {
            const int s = e - element.emax() + base;
            if (s < -126) continue;
            CAPTURE(to_string(rule), element.name, e);
            const auto byte = static_cast<Code>(s + 127);
            REQUIRE(exact_scale(rule, fp32_code(e, 0), element) == byte);
            REQUIRE(exact_scale(rule, fp32_code(e, threshold - 1), element) == byte);
            if (threshold == 0x800000) continue;
            REQUIRE(exact_scale(rule, fp32_code(e, threshold), element) == byte + 1);
            if (rule != ScaleRule::even || e != 127)
                REQUIRE(exact_scale(rule, fp32_code(e, 0x7FFFFF), element) == byte + 1);
        }
    // P3109: no element in it; a tie goes to the even code.
    CHECK(exact_scale(ScaleRule::p3109, fp32_code(0, 0x400000)) == 128); // 1.5 lies between 7F and 80
    CHECK(exact_scale(ScaleRule::p3109, fp32_code(1, 0x400000)) == 128); // 3 between 80 and 81
    CHECK(exact_scale(ScaleRule::p3109, fp32_code(1, 0x400001)) == 129);
}

TEST_CASE("scales that reports and headers name", "[scale]") {
    CHECK(exact_scale(ScaleRule::ocp_floor, 0x43FA0000) == 0x7F); // 500
    CHECK(exact_scale(ScaleRule::rceil, 0x43FA0000) == 0x80);
    CHECK(exact_scale(ScaleRule::ocp_floor, 0x497FFFFF) == 0x8A); // an ulp below 2^20
    CHECK(exact_scale(ScaleRule::rfloor, 0x43800000) == 0x7E);    // 256
    CHECK(exact_scale(ScaleRule::ocp_floor, 0x43800000) == 0x7F);
    // The largest amax, and the first that the lowest scale holds (MX 6.3 by each rule).
    CHECK(exact_scale(ScaleRule::ocp_floor, 0x7F7FFFFF) == 246);
    CHECK(exact_scale(ScaleRule::rceil, 0x7F7FFFFF) == 247);
    CHECK(exact_scale(ScaleRule::ocp_floor, 0x7F7FFFFF, e5m2) == 239);
    CHECK(exact_scale(ScaleRule::rceil, 0x7F7FFFFF, e5m2) == 240);
    CHECK(exact_scale(ScaleRule::ocp_floor, fp32_code(-118, 0) - 1) == 0);
    CHECK(exact_scale(ScaleRule::ocp_floor, fp32_code(-118, 0)) == 1);
    // EVEN adds in the bits of FP32: at the top it makes Inf, and the scale is NaN.
    CHECK(exact_scale(ScaleRule::even, 0x7F77FFFF) == 246);
    CHECK(exact_scale(ScaleRule::even, 0x7F780000) == 0xFF);
    CHECK(exact_scale(ScaleRule::even, 0x7F700000, e5m2) == 0xFF);
}

TEST_CASE("special amax", "[scale]") {
    const auto run = [](const char* choice, const char* value, Code code, ScaleRule rule = ScaleRule::rceil) {
        Choices choices = by(rule, Overflow::sat);
        set(choices, choice, value);
        return exact_scale(amax_fp32, e4m3, choices, code);
    };
    CHECK(run("zero", "smallest", 0) == 0x00);
    CHECK(run("zero", "nan", 0) == 0xFF);
    CHECK(run("zero", "one", 0) == 0x7F);
    CHECK(run("zero", "lowered", 0) == 119);         // Universal
    CHECK(run("least_amax", "fp32_1e_30", 0) == 19); // Quark FlyDSL
    CHECK(run("least_amax", "fp32_1e_30", 1) == 19);
    CHECK(run("least_amax", "fp32_1e_30", 0x3F800000) == run("least_amax", "none", 0x3F800000));
    // By arithmetic: FP32(1e-30) is 1.27 x 2^-100; `even` rounds it to 1.25 x 2^-100, so E4M3 has 2^(-100 - 8) and E5M2
    // 2^(-100 - 15). FP16 does not have the least amax: in its bits it would be zero.
    for (const Format* amax : {&amax_fp32, &amax_fp16, &amax_bf16}) {
        Choices least = by(ScaleRule::even, Overflow::sat);
        least.least_amax = LeastAmax::fp32_1e_30;
        CAPTURE(amax->name);
        CHECK(exact_scale(*amax, e4m3, least, 0) == 0x13);
        CHECK(exact_scale(*amax, e5m2, least, 0) == 0x0C);
    }
    CHECK(run("nan", "canonical", 0x7FC00000) == 0xFF);
    CHECK(run("nan", "zero", 0x7FC00000) == 0x00); // JAX
    CHECK(run("overflow", "sat", 0x7F800000) == 0xFE);
    CHECK(run("overflow", "nosat", 0x7F800000) == 0xFF);
    CHECK(run("overflow", "sat_finite", 0x7F800000) == 0xFF);
    CHECK(run("lowest_binade", "by_value", 1) == 0x00);
    CHECK(run("lowest_binade", "up_nonzero", 1) == 0x01); // Triton ROUND_UP
    // Transformer Engine's product flushed: what it would be below 2^-126 is 00, all but the value that rounds up to
    // it.
    Choices te = by(ScaleRule::rceil, Overflow::sat);
    te.arithmetic = Arithmetic::fp32_multiply;
    CHECK(exact_scale(amax_fp32, e4m3, te, 0x04600002) == 0x01);
    te.flush = Flush::product;
    CHECK(exact_scale(amax_fp32, e4m3, te, 0x04600002) == 0x00);
    CHECK(exact_scale(amax_fp32, e4m3, te, 0x04DFFFFE) == 0x00);
    CHECK(exact_scale(amax_fp32, e4m3, te, 0x04DFFFFF) == 0x01);
    CHECK(exact_scale(amax_fp32, e5m2, te, 0x085FFFFE) == 0x00);
    CHECK(exact_scale(amax_fp32, e5m2, te, 0x085FFFFF) == 0x01);
    // The power of two after the largest FP32 is Inf there; that of FP16 is 2^16, and 2^16 / 448 is 1.14 x 2^7.
    Choices next = by(ScaleRule::rceil, Overflow::nosat);
    next.arithmetic = Arithmetic::fp32_log2;
    next.inf_amax = InfAmax::next_power;
    CHECK(exact_scale(amax_fp32, e4m3, next, 0x7F800000) == 0xFF);
    CHECK(exact_scale(amax_fp16, e4m3, next, 0x7C00) == 135);
    std::vector<exact::Step> trace;
    static_cast<void>(exact::convert(amax_fp32, scale_of(e4m3), next, 0x7F800000, {}, &trace));
    CHECK(std::any_of(trace.begin(), trace.end(),
                      [](const exact::Step& step) { return step.text == "fp32_log2 gives Inf"; }));
    next.overflow = Overflow::sat;
    CHECK(exact_scale(amax_fp32, e4m3, next, 0x7F800000) == 0xFE);
}

TEST_CASE("the arithmetic matters where the logarithm is that of the amax itself", "[scale]") {
    // Floor divides by a power of two, and in FP32 the logarithm of the number below 16 is 4.
    Choices choices = by(ScaleRule::ocp_floor);
    CHECK(exact_scale(amax_fp32, e4m3, choices, 0x417FFFFF) == 127 + 3 - 8);
    choices.arithmetic = Arithmetic::fp32_log2;
    const exact::Result by_logarithm = exact::convert(amax_fp32, scale_of(e4m3), choices, 0x417FFFFF);
    CHECK(by_logarithm.code == 127 + 4 - 8);
    CHECK((by_logarithm.consulted & bit(Choice::arithmetic)) != 0);
}

TEST_CASE("a scale rule and an element come together", "[scale]") {
    CHECK_THROWS_AS(exact::convert(amax_fp32, e8m0, by(ScaleRule::ceil), 0), std::invalid_argument);
    CHECK_THROWS_AS(exact::convert(amax_fp32, e8m0_for_e4m3, {}, 0), std::invalid_argument);
    CHECK_THROWS_AS(info(ScaleRule::none), std::out_of_range);
    CHECK(all_scale_rules().size() + 1 == info(Choice::rule).values.size());
}

TEST_CASE("what the fast model offers of scales", "[scale]") {
    CHECK(all_offered(amax_fp32, e4m3).size() == (12 * 2 + 2 + 2 + 4) * 3 * 3 * 3 * 2);
    CHECK_FALSE(fast::offers_scale(fp32, e4m3, by(ScaleRule::ceil)));
    CHECK(all_offered(amax_fp32, e2m1).size() == all_offered(amax_fp32, e4m3).size());
    CHECK_FALSE(fast::offers_scale(amax_fp32, e8m0, by(ScaleRule::ceil)));
    CHECK_FALSE(fast::offers_scale(amax_fp32, e4m3, {}));
    CHECK_THROWS_AS(fast::scale(amax_fp32, e4m3, {}, 0), std::invalid_argument);
    CHECK_THROWS_AS(fast::scale(amax_fp32, e4m3, by(ScaleRule::ceil), 0x80000000), std::out_of_range);
}

namespace {

/// In one of so many binades.
void check_thresholds(const Format& element, Code one_in) {
    const Code fractions[] = {0,        0x07C3B7, 0x100000, 0x1E6455, 0x280000, 0x29B4A5, 0x340000, 0x3504F4, 0x400000,
                              0x600000, 0x680000, 0x700000, 0x780000, 0x339AEA, 0x3E8000, 0x7E0000, 0x7F0000, 0x7FFFFF};
    std::set<Code> inputs;
    const auto add = [&](Code around) {
        for (Code near = around < 2 ? 0 : around - 2; near <= around + 2; ++near)
            if (near <= amax_fp32.last_code()) inputs.insert(near);
    };
    for (Code field = 0; field < 256; field += one_in)
        for (const Code fraction : fractions) add((field << 23) + fraction);
    // An FP32 logarithm is a whole number in as many as 88 inputs below a power of two and 44 above it; a quotient by
    // 448 lies there for as many around 448 * 2^k.
    std::set<Code> beside;
    for (Code field = 1; field < 255; field += one_in)
        for (Code k = 0; k < 100; ++k)
            for (const Code center : {field << 23, (field << 23) + fast::detail::fraction_of_largest(element)})
                beside.insert({center + k, center - k});
    for (int bit = 0; bit < 23; ++bit) {
        add(Code{1} << bit);
        add(Code{3} << bit >> 1);
    }
    add(0x7FC00000);
    add(amax_fp32.last_code() - 2);
    // Treatments of special amax do not depend on the rule: all of them where they count, the defaults everywhere.
    const std::set<Code> few{0, 1, 0x00400000, 0x04600001, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000};
    for (const Choices& choices : all_offered(amax_fp32, element)) {
        const bool rule_alone = choices.zero == Zero::smallest && choices.nan == NanRule::canonical &&
                                choices.overflow == Overflow::nosat && choices.lowest_binade == LowestBinade::by_value;
        const auto agree = [&](const std::set<Code>& codes) {
            for (const Code code : codes)
                if (fast::scale(amax_fp32, element, choices, code) != exact_scale(amax_fp32, element, choices, code))
                    FAIL(element.name << " " << describe(choices) << " " << std::hex << code);
        };
        agree(rule_alone ? inputs : few);
        if (rule_alone && choices.arithmetic == Arithmetic::fp32_log2) agree(beside);
    }
    CHECK(inputs.size() > 10'000 / one_in);
    CHECK(beside.size() > 90'000 / one_in);
}

} // namespace

// The rules are the same for all elements; each has its own divisor.
TEST_CASE("both models of a scale agree at every threshold of every rule, in some binades", "[scale][values]") {
    check_thresholds(e4m3, 2);
    check_thresholds(e5m2, 5);
    check_thresholds(e3m2, 17);
    check_thresholds(e2m3, 13);
    check_thresholds(e2m1, 11);
    check_thresholds(int8, 7);
}
TEST_CASE("both models of a scale agree at every threshold of every rule in every binade", "[.][exhaustive]") {
    for (const ScaledFormat& scaled : mx_formats()) check_thresholds(*scaled.element, 1);
}

TEST_CASE("both models of a scale agree on every amax of sixteen bits", "[scale][values]") {
    for (const Format* amax : {&amax_fp16, &amax_bf16})
        for (const Format* element :
             {&e4m3, &e5m2, &e2m3, &e2m1, &int8}) // the rules see no difference from E5M2 to E3M2
            for (const ScaleRuleInfo& rule : all_scale_rules())
                for (const Arithmetic arithmetic :
                     {Arithmetic::exact, Arithmetic::fp32_multiply, Arithmetic::fp32_log2}) {
                    Choices choices = by(rule.rule);
                    choices.arithmetic = arithmetic;
                    // Sixteen bits come close to no power of two: one element is enough.
                    if (arithmetic == Arithmetic::fp32_log2 && element != &e4m3) continue;
                    if (!fast::offers_scale(*amax, *element, choices)) continue;
                    const fast::Scaler scaler(*amax, *element, choices);
                    for (Code code = 0; code <= amax->last_code(); ++code)
                        if (scaler(code) != exact_scale(*amax, *element, choices, code))
                            FAIL(amax->name << " " << element->name << " " << describe(choices) << " " << std::hex
                                            << code);
                }
}

TEST_CASE("of all FP32 amax, few have another scale by FP32's reciprocal than by the exact quotient",
          "[.][exhaustive]") {
    const std::pair<const Format*, std::vector<Code>> expected[] = {{&e4m3, {0x04600001}},
                                                                    {&e5m2, {0x07E00001}},
                                                                    {&e3m2, {0x02600001}},
                                                                    {&e2m3, {0x01700001}},
                                                                    {&e2m1, {0x01400001}}};
    for (const auto& [element, amaxes] : expected) {
        Choices product = by(ScaleRule::rceil);
        product.arithmetic = Arithmetic::fp32_multiply;
        const fast::Scaler by_product(amax_fp32, *element, product);
        const fast::Scaler by_quotient(amax_fp32, *element, by(ScaleRule::rceil));
        std::vector<Code> differ;
        for (Code code = 0; code <= amax_fp32.last_code(); ++code)
            if (by_product(code) != by_quotient(code)) differ.push_back(code);
        CAPTURE(element->name);
        CHECK(differ == amaxes);
    }
}

TEST_CASE("which scales are sums of the amax and a constant", "[scale]") {
    const auto has_sums = [](const Format& element, ScaleRule rule, Arithmetic arithmetic) {
        Choices choices = by(rule);
        choices.arithmetic = arithmetic;
        return fast::Scaler(amax_fp32, element, choices).has_sums();
    };
    for (const Format* element : {&e4m3, &e5m2, &e2m1, &int8}) {
        CAPTURE(element->name);
        CHECK(has_sums(*element, ScaleRule::rceil, Arithmetic::exact));
        CHECK_FALSE(has_sums(*element, ScaleRule::even, Arithmetic::exact));
        CHECK_FALSE(has_sums(*element, ScaleRule::p3109, Arithmetic::exact));
        // The one amax that a product with the reciprocal takes elsewhere is known of FP8.
        CHECK(has_sums(*element, ScaleRule::rceil, Arithmetic::fp32_multiply) ==
              (element == &e4m3 || element == &e5m2));
        CHECK_FALSE(has_sums(*element, ScaleRule::rfloor, Arithmetic::fp32_multiply));
        CHECK_FALSE(has_sums(*element, ScaleRule::rceil, Arithmetic::fp32_divide));
        CHECK_FALSE(has_sums(*element, ScaleRule::ceil, Arithmetic::fp32_log2));
    }
}

TEST_CASE("the fast model refuses other choices of a scale", "[scale]") {
    const auto refuses = [](const char* choice, const char* value, ScaleRule rule = ScaleRule::rceil) {
        Choices choices = by(rule);
        CHECK(fast::offers_scale(amax_fp32, e4m3, choices));
        set(choices, choice, value);
        CHECK_THROWS_AS(fast::scale(amax_fp32, e4m3, choices, 0), std::invalid_argument);
        return !fast::offers_scale(amax_fp32, e4m3, choices);
    };
    CHECK(refuses("via", "fp16_nearest_even"));
    CHECK(refuses("zero", "lowered"));
    CHECK(refuses("nan", "sign"));
    CHECK(refuses("nan", "max_sign"));
    CHECK(refuses("lowest_binade", "zero_below"));
    CHECK(refuses("least_amax", "fp32_1e_30"));
    CHECK(refuses("arithmetic", "bf16_divide"));
    CHECK(refuses("arithmetic", "fp32_multiply", ScaleRule::ceil));
    CHECK(refuses("arithmetic", "fp32_divide", ScaleRule::ocp_floor));
    CHECK(refuses("arithmetic", "fp32_log2", ScaleRule::even));
}
