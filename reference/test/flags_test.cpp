// SPDX-License-Identifier: Apache-2.0
#include "reference/flags.hpp"

#include <catch.hpp>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

Choices flag_choices(std::initializer_list<std::pair<const char*, const char*>> values) {
    Choices choices;
    for (const auto& [choice, value] : values) set(choices, choice, value);
    return choices;
}

/// The flags by both models, which must agree.
std::string raised(const Format& from, const Format& to, const Choices& choices, Code code) {
    const Code flags = exact::convert(from, to, choices, code).code;
    CHECK(fast::convert(from, to, choices, code) == flags);
    return flags_text(flags);
}

/// Calls visit(choices) for every rounding that is not stochastic and every value of the choices that flags depend on.
template <class Visit> void for_each_flag_choice(const Visit& visit) {
    Choices choices;
    for (unsigned rounding = 0; rounding <= static_cast<unsigned>(Rounding::to_odd); ++rounding)
        for (unsigned overflow = 0; overflow < 3; ++overflow)
            for (unsigned rest = 0; rest < 2 * 4 * 3; ++rest) {
                set(choices, Choice::rounding, rounding);
                set(choices, Choice::overflow, overflow);
                set(choices, Choice::tininess, rest % 2);
                set(choices, Choice::invalid_nan, rest / 2 % 4);
                set(choices, Choice::inf_flags, rest / 8);
                visit(choices);
            }
}

/// Where a flag can change: the values of the target, the points halfway, and half of that, with their neighbours; the
/// ends of the kinds of inputs.
std::vector<Code> flag_boundaries(const Format& from, const Format& to) {
    std::vector<Code> inputs;
    const auto add = [&](Code magnitude) {
        for (const Code sign : {Code{0}, from.sign_bit()})
            for (const int step : {-1, 0, 1}) {
                const Code code = magnitude + static_cast<Code>(step);
                if (code <= from.magnitude_mask()) inputs.push_back(sign | code);
            }
    };
    for (const Code code : {Code{0}, from.fraction_mask(), from.max_code(), from.magnitude_mask()}) add(code);
    if (from.has_inf()) add(from.inf_code() + (Code{1} << (from.fraction_bits - 1)));
    Format finer = to;
    finer.fraction_bits += 2;
    finer.exponent_bits += 1;
    finer.bias += 2;
    const Choices nosat = flag_choices({{"overflow", "nosat"}});
    for (Code code = 0; code <= finer.max_code(); ++code) add(exact::convert(finer, from, nosat, code).code);
    return inputs;
}

} // namespace

TEST_CASE("flags have a name and a bit each", "[flags]") {
    CHECK(flags_text(0) == "none");
    CHECK(flags_text(0x1F) == "invalid divide_by_zero overflow underflow inexact");
    CHECK(flags_text(0x05) == "overflow inexact");
    CHECK(find_flags_of(e4m3) == &flags_of_e4m3);
    CHECK(find_flags_of(fp64) == nullptr);
    CHECK(is_signalling(fp32, 0x7F800001));
    CHECK_FALSE(is_signalling(fp32, 0x7FC00000));
    CHECK_FALSE(is_signalling(fp32, 0x7F800000));
    CHECK(is_signalling(e5m2, 0x7D));
    CHECK_FALSE(is_signalling(e5m2, 0x7E));
    CHECK_FALSE(is_signalling(e4m3, 0x7F));
}

// By hand from IEEE 754 7, and as Spike 55b4658 has them.
TEST_CASE("both models raise what the standard says", "[flags]") {
    const Choices rne = flag_choices({{"overflow", "nosat"}});
    const Choices rtz = flag_choices({{"overflow", "nosat"}, {"rounding", "toward_zero"}});
    CHECK(raised(fp32, flags_of_e4m3, rne, 0x00000000) == "none");
    CHECK(raised(fp32, flags_of_e4m3, rne, 0x3F800000) == "none");
    CHECK(raised(fp32, flags_of_e4m3, rne, 0x3F800001) == "inexact");
    CHECK(raised(fp32, flags_of_e4m3, rne, 0x00000001) == "underflow inexact");
    CHECK(raised(fp32, flags_of_e4m3, rne, 0x3A800000) == "underflow inexact");
    CHECK(raised(fp32, flags_of_e4m3, rne, 0x3B000000) == "none"); // subnormal, and exact
    CHECK(raised(fp32, flags_of_e4m3, rne, 0x43E80000) == "inexact");
    CHECK(raised(fp32, flags_of_e4m3, rne, 0x43E80001) == "overflow inexact");
    CHECK(raised(fp32, flags_of_e4m3, rtz, 0x43E80001) == "inexact");
    CHECK(raised(fp32, flags_of_e4m3, rtz, 0x43F00000) == "overflow inexact");
    CHECK(raised(fp32, flags_of_e4m3, Choices{}, 0x43F00000) == "overflow inexact");
    CHECK(raised(fp32, flags_of_e5m2, rne, 0x476FFFFF) == "inexact");
    CHECK(raised(fp32, flags_of_e5m2, rne, 0x47700000) == "overflow inexact");
    for (const Choices& choices : {rne, rtz, Choices{}}) {
        CHECK(raised(fp32, flags_of_e4m3, choices, 0x7F800000) == "none");
        CHECK(raised(fp32, flags_of_e4m3, choices, 0x7FC00000) == "none");
        CHECK(raised(fp32, flags_of_e4m3, choices, 0xFF800001) == "invalid");
    }
    CHECK(raised(e4m3, flags_of_bf16, rne, 0x7F) == "none");
    CHECK(raised(e5m2, flags_of_bf16, rne, 0x7D) == "invalid");
    CHECK(raised(e5m2, flags_of_bf16, rne, 0x7C) == "none");
    CHECK(raised(e5m2, flags_of_fp16, rne, 0x01) == "none");
}

TEST_CASE("tininess is a choice with inputs of its own", "[flags]") {
    // E4M3, to nearest even: the code is that of 2^-6 from 0x3C700000 on, the tie of subnormals. A significand of four
    // bits, as an exponent without lower bound leaves it, becomes 2^-6 from 0x3C780000 on.
    for (const auto& [code, after] : {std::pair<Code, const char*>{0x3C700000, "underflow inexact"},
                                      {0x3C77FFFF, "underflow inexact"},
                                      {0x3C780000, "inexact"},
                                      {0x3C7FFFFF, "inexact"}}) {
        CAPTURE(code);
        CHECK(raised(fp32, flags_of_e4m3, Choices{}, code) == after);
        CHECK(raised(fp32, flags_of_e4m3, flag_choices({{"tininess", "before_rounding"}}), code) ==
              "underflow inexact");
        CHECK(raised(fp32, flags_of_e4m3, flag_choices({{"rounding", "toward_zero"}}), code) == "underflow inexact");
    }
    CHECK(raised(fp32, flags_of_e4m3, flag_choices({{"rounding", "up"}}), 0x3C700001) == "inexact");
    CHECK(raised(fp32, flags_of_e4m3, flag_choices({{"rounding", "up"}}), 0xBC700001) == "underflow inexact");
    CHECK(raised(fp32, flags_of_e4m3, flag_choices({{"tininess", "before_rounding"}}), 0x3C800000) == "none");
}

TEST_CASE("what NaN and Inf raise, and whether anything is raised, are choices", "[flags]") {
    const auto of = [](const char* choice, const char* value, const Format& from, const Format& to, Code code) {
        return raised(from, to, flag_choices({{choice, value}}), code);
    };
    CHECK(of("invalid_nan", "signalling_e4m3", e4m3, flags_of_bf16, 0xFF) == "invalid");
    CHECK(of("invalid_nan", "signalling_e4m3", e5m2, flags_of_bf16, 0x7E) == "none");
    CHECK(of("invalid_nan", "every", e5m2, flags_of_bf16, 0x7E) == "invalid");
    CHECK(of("invalid_nan", "never", e5m2, flags_of_bf16, 0x7D) == "none");
    CHECK(of("inf_flags", "overflow", fp32, flags_of_e5m2, 0x7F800000) == "overflow inexact");
    CHECK(of("inf_flags", "invalid", fp32, flags_of_e4m3, 0xFF800000) == "invalid");
    const Choices nosat = flag_choices({{"overflow", "nosat"}, {"inf_flags", "invalid"}});
    CHECK(raised(fp32, flags_of_e5m2, nosat, 0x7F800000) == "none");
    CHECK(raised(fp32, flags_of_e4m3, nosat, 0x7F800000) == "invalid");
    for (const Code code : std::initializer_list<Code>{0x7F800001, 0x43F00000, 0x00000001, 0x3F800001})
        CHECK(of("exceptions", "none", fp32, flags_of_e4m3, code) == "none");
}

TEST_CASE("the exact model says what it raises, and goes by the value under a scale", "[flags]") {
    std::vector<exact::Step> trace;
    CHECK(exact::convert(fp32, flags_of_e4m3, {}, 0x43F00000, {}, &trace).code == 0x05);
    REQUIRE_FALSE(trace.empty());
    CHECK(trace.back().text == "raises overflow inexact");
    const auto flags_of_quotient = [](Code code) {
        return flags_text(exact::convert(fp32_by_e8m0, flags_of_e4m3, {}, code).code);
    };
    CHECK(flags_of_quotient(0x7F'7F800001) == "invalid");
    CHECK(flags_of_quotient(0x7F'7FC00000) == "none");
    CHECK(flags_of_quotient(0x7F'43F00000) == "overflow inexact");
    CHECK(flags_of_quotient(0x80'43F00000) == "none"); // 240
}

TEST_CASE("nothing underflows where numbers have no exponent, or no subnormals", "[flags]") {
    const Format of_int8 = flags("flags_of_int8", "exceptions of conversions to INT8", int8);
    const Format of_e8m0 = flags("flags_of_e8m0", "exceptions of conversions to E8M0", e8m0);
    const auto flags_of = [](const Format& to, Code code) {
        return flags_text(exact::convert(fp32, to, {}, code).code);
    };
    CHECK(flags_of(of_int8, 0x3F800000) == "none");
    CHECK(flags_of(of_int8, 0x00000001) == "inexact");
    CHECK(flags_of(of_int8, 0x3F800001) == "inexact");
    CHECK(flags_of(of_int8, 0x40800000) == "overflow inexact");
    CHECK(flags_of(of_e8m0, 0x3F800000) == "none");
    CHECK(flags_of(of_e8m0, 0x00000001) == "inexact");
    CHECK(flags_of(flags_of_e4m3, 0x00000001) == "underflow inexact");
    // A rectifier makes zero of what is negative, and a zero is not tiny.
    CHECK(flags_text(exact::convert(relu_fp32, flags_of_e4m3, {}, 0x80000001).code) == "inexact");
    CHECK(flags_text(exact::convert(relu_fp32, flags_of_e4m3, {}, 0x00000001).code) == "underflow inexact");
}

TEST_CASE("what the fast model offers of flags", "[flags]") {
    CHECK(fast::offers(fp32, flags_of_e4m3, {}));
    CHECK_FALSE(fast::offers(fp32, flags_of_e4m3, flag_choices({{"rounding", "stochastic_a"}})));
    CHECK_FALSE(fast::offers(fp32, flags_of_e4m3, flag_choices({{"flush", "output"}})));
    CHECK_FALSE(fast::offers(e8m0, flags_of_e4m3, {}));
    CHECK_THROWS_AS(fast::convert(fp32, flags_of_e4m3, flag_choices({{"rounding", "stochastic_a"}}), 0, 0, 8),
                    std::invalid_argument);
}

TEST_CASE("both models raise the same flags at every boundary, for every choice", "[flags][values]") {
    for (const Format* from : {&fp32, &fp64})
        for (const Format* to : {&flags_of_e4m3, &flags_of_e5m2}) {
            CAPTURE(from->name, to->name);
            const std::vector<Code> inputs = flag_boundaries(*from, *to->flags_of);
            REQUIRE(inputs.size() > 4000);
            std::size_t count = 0;
            for_each_flag_choice([&](const Choices& choices) {
                if (choices.overflow == Overflow::sat_finite && choices.inf_flags != InfFlags::overflow) return;
                const std::size_t stride = choices.invalid_nan == InvalidNan::signalling ? 1 : 37;
                for (std::size_t i = count % stride; i < inputs.size(); i += stride, ++count) {
                    const Code flags = exact::convert(*from, *to, choices, inputs[i]).code;
                    if (fast::convert(*from, *to, choices, inputs[i]) != flags)
                        FAIL(describe(choices) << ": input " << inputs[i] << ": exact " << flags_text(flags));
                }
            });
            CHECK(count > 100'000);
        }
}

TEST_CASE("both models raise the same flags for every input of 16 and 8 bits", "[flags][values]") {
    std::size_t count = 0;
    for (const Format* from : {&bf16, &fp16, &e4m3, &e5m2})
        for (const Format* to : {&flags_of_e4m3, &flags_of_e5m2, &flags_of_fp16, &flags_of_bf16}) {
            const bool wide = from->width() > 8;
            if (wide && to->flags_of->width() > 8) continue; // below, fewer inputs
            for_each_flag_choice([&](const Choices& choices) {
                // All inputs by the roundings of RISC-V, saturating and not; by others one in some.
                const bool all = !wide || (choices.invalid_nan == InvalidNan::signalling &&
                                           choices.inf_flags == InfFlags::none && choices.overflow == Overflow::nosat &&
                                           choices.tininess == Tininess::after_rounding && from == &bf16);
                const Code stride = all ? 1 : 1009;
                for (Code code = count % stride; code <= from->last_code(); code += stride, ++count) {
                    const Code flags = exact::convert(*from, *to, choices, code).code;
                    if (fast::convert(*from, *to, choices, code) != flags)
                        FAIL(from->name << " " << to->name << " " << describe(choices) << ": input " << code
                                        << ": exact " << flags_text(flags));
                }
            });
        }
    CHECK(count > 1'000'000);
}
