// SPDX-License-Identifier: Apache-2.0
// Quantizers that differ in one known choice, in one answer, or in how they are written down alone.
#include "conformance/parity/parity.hpp"

#include "catch.hpp"
#include "conformance/parity/carried.hpp"
#include "conformance/parity/parity_report.hpp"
#include "conformance/parity/test/fake_quantizer.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/exact/exact.hpp"

using namespace mxcert;
using namespace mxcert::parity;
using Catch::Matchers::Contains;
using mxcert::test::FakeQuantizer;

namespace {

// FP16 has the fewest values, and E2M1 the fewest elements.
std::string attributes(const std::string& rule = "ocp_floor", const std::string& overflow = "sat",
                       const std::string& source = "fp16", const std::string& axis = "row",
                       const std::string& element = "e2m1") {
    return "source=" + source + " element=" + element + " scale=e8m0 rule=" + rule +
           " rounding=nearest_even overflow=" + overflow + " axis=" + axis + " block=32";
}

Parity compared(FakeQuantizer& a, FakeQuantizer& b, ParityOptions options = {},
                Activation before_b = Activation::none) {
    static verdict::GoldenSource golden;
    options.level.level = Level::quick;
    return compare({&a, a.operation()}, {&b, b.operation(), before_b}, golden, options);
}

const Part& part_of(const Parity& parity, std::string_view name) {
    for (const Part& part : parity.parts)
        if (part.name == name) return part;
    FAIL("no part " << name);
    return parity.parts.front();
}

void check_one_change(const Parity& parity, const std::string& name, const std::string& a, const std::string& b) {
    INFO(text_of(parity, 3));
    CHECK(exit_code({parity}) == 1);
    REQUIRE(parity.explanation);
    CHECK(parity.explanation->explained);
    CHECK(parity.explanation->explained_count == parity.explanation->asked);
    CHECK(parity.explanation->asked > 0);
    REQUIRE(parity.explanation->changes.size() == 1);
    CHECK(parity.explanation->changes[0].name == name);
    CHECK(parity.explanation->changes[0].a == a);
    CHECK(parity.explanation->changes[0].b == b);
}

} // namespace

TEST_CASE("a value is carried to another format as the exact model rounds it") {
    Choices choices;
    choices.overflow = Overflow::nosat;
    for (Code code = 0; code <= formats::fp16.last_code(); ++code) {
        if (formats::fp16.is_nan(code)) continue;
        REQUIRE(carried(formats::fp16, formats::fp32, code) == exact::converted(formats::fp16, formats::fp32, code));
        REQUIRE(carried(formats::fp16, formats::bf16, code) ==
                exact::convert(formats::fp16, formats::bf16, choices, code).code);
        REQUIRE(carried(formats::bf16, formats::fp16, code) ==
                exact::convert(formats::bf16, formats::fp16, choices, code).code);
    }
    for (Code code = 0; code <= formats::fp32.inf_code(); code += 0x10ECA) // some of FP32
        REQUIRE(carried(formats::fp32, formats::bf16, code) ==
                exact::convert(formats::fp32, formats::bf16, choices, code).code);
    CHECK(carried(formats::bf16, formats::fp32, 0xFF81) == 0xFF810000);
    CHECK(carried(formats::fp32, formats::bf16, 0x7F800001) == 0x7FC0);
    CHECK(held_by_both(formats::fp32, formats::bf16) == &formats::bf16);
    CHECK(held_by_both(formats::fp16, formats::bf16) == nullptr);
}

TEST_CASE("quantizers with the same choices are equal, on every amax and every value they can meet", "[values]") {
    FakeQuantizer a(attributes());
    FakeQuantizer b(attributes());
    const Parity parity = compared(a, b);
    INFO(text_of(parity, 3));
    CHECK(exit_code({parity}) == 0);
    CHECK(parity.status == Status::pass);
    CHECK_FALSE(parity.sample);
    CHECK_FALSE(parity.explanation);
    CHECK(part_of(parity, "scales").compared == 0x7C01);
    CHECK(part_of(parity, "scales").all == 0x7C01);
    CHECK(part_of(parity, "elements").compared == part_of(parity, "elements").all);
    CHECK(part_of(parity, "elements").compared > 1'000'000);
    CHECK_THAT(verdict_of(parity), Contains("EQUAL: scales (31,745 of 31,745 amaxes)"));
}

TEST_CASE("another scale rule is named, with the amaxes on which scales differ", "[programs]") {
    FakeQuantizer a(attributes("ocp_floor"));
    FakeQuantizer b(attributes("rceil"));
    const Parity parity = compared(a, b);
    check_one_change(parity, "rule", "ocp_floor", "rceil");
    const Part& scales = part_of(parity, "scales");
    CHECK(part_of(parity, "elements").differing == 0);
    // The largest element is 1.5 x 2^2: fractions above a half, of normal values and of subnormal ones.
    const DifferingRange& last = scales.ranges.back();
    CHECK(last.first == 0x7A01);
    CHECK(last.last == 0x7BFF);
    CHECK(last.inputs == 511);
    CHECK(last.b == last.a + 1);
    CHECK_THAT(verdict_of(parity), Contains("B = A with rule rceil instead of ocp_floor (scales): explains "));
}

TEST_CASE("what B declares is not looked at, but what it does", "[values]") {
    FakeQuantizer a(attributes("ocp_floor"));
    FakeQuantizer b(attributes("ocp_floor"));
    b.scale_choices.rule = ScaleRule::ceil;
    check_one_change(compared(a, b), "rule", "ocp_floor", "ceil");
    b.scale_choices = a.scale_choices;
    b.element_choices.rounding = Rounding::toward_zero;
    const Parity parity = compared(a, b);
    check_one_change(parity, "rounding", "nearest_even", "toward_zero");
    CHECK(part_of(parity, "scales").differing == 0);
    CHECK(part_of(parity, "elements").differing > 100'000);
}

TEST_CASE("saturation, subnormals that are flushed and NaN in a block are each one choice", "[values]") {
    FakeQuantizer of_e4m3(attributes("ocp_floor", "sat", "fp16", "row", "e4m3"));
    FakeQuantizer b(attributes("ocp_floor", "nosat", "fp16", "row", "e4m3"));
    check_one_change(compared(of_e4m3, b), "overflow", "sat", "nosat");

    FakeQuantizer a(attributes());
    FakeQuantizer flushing(attributes());
    flushing.element_choices.flush = Flush::output;
    check_one_change(compared(a, flushing), "flush", "none", "output");

    FakeQuantizer propagating(attributes());
    propagating.propagates_nan = true;
    const Parity parity = compared(a, propagating);
    check_one_change(parity, "amax_nan", "ignored", "propagated");
    CHECK(part_of(parity, "scales").differing == 0);
    CHECK(part_of(parity, "elements").differing == 0);
}

TEST_CASE("a lane that the amax does not see is named", "[values]") {
    FakeQuantizer a(attributes());
    FakeQuantizer b(attributes());
    b.first_lane = 1;
    const Parity parity = compared(a, b);
    check_one_change(parity, "amax", "of the values of the block", "the amax without the first lane");
}

TEST_CASE("one wrong amax, or one wrong element, is found and is no choice", "[values]") {
    FakeQuantizer a(attributes());
    FakeQuantizer b(attributes());
    b.change_scale = [](Code amax, Code scale) { return amax == 0x3A5C ? scale + 1 : scale; };
    const Parity of_scale = compared(a, b);
    INFO(text_of(of_scale, 3));
    CHECK(exit_code({of_scale}) == 1);
    const Part& scales = part_of(of_scale, "scales");
    CHECK(scales.differing == 1);
    REQUIRE(scales.ranges.size() == 1);
    CHECK(scales.ranges[0].first == 0x3A5C);
    REQUIRE(of_scale.explanation);
    CHECK_FALSE(of_scale.explanation->explained);
    CHECK(of_scale.explanation->changes.empty());
    CHECK_THAT(verdict_of(of_scale), Contains("Not explained: no choice or known fault explains"));

    FakeQuantizer c(attributes());
    c.change_element = [](Code scale, Code value, Code element) {
        return scale == 0x77 && value == 0xA123 ? element ^ 1U : element;
    };
    const Parity of_element = compared(a, c);
    INFO(text_of(of_element, 3));
    CHECK(exit_code({of_element}) == 1);
    CHECK(part_of(of_element, "scales").differing == 0);
    CHECK(part_of(of_element, "elements").differing == 1);
    CHECK_THAT(text_of(of_element, 3), Contains("under the scale 0x77, 0xA123"));
    CHECK_FALSE(of_element.explanation->explained);
}

TEST_CASE("tails that no known way explains are not explained by what whole blocks have in common", "[.][exhaustive]") {
    FakeQuantizer a(attributes());
    FakeQuantizer b(attributes());
    b.wrong_tails = true;
    const Parity parity = compared(a, b);
    INFO(text_of(parity, 3));
    CHECK(exit_code({parity}) == 1);
    CHECK(part_of(parity, "scales").differing == 0);
    CHECK(part_of(parity, "elements").differing == 0);
    CHECK(part_of(parity, "blocks").differing > 0);
    REQUIRE(parity.explanation);
    CHECK_FALSE(parity.explanation->explained);
    CHECK(parity.explanation->changes.empty());
    // Nor does a rule that explains every scale and element of whole blocks.
    FakeQuantizer c(attributes("rceil"));
    c.wrong_tails = true;
    const Parity of_rule = compared(a, c);
    INFO(text_of(of_rule, 3));
    CHECK_FALSE(of_rule.explanation->explained);
    CHECK(of_rule.explanation->changes.empty());
}

TEST_CASE("a choice that explains all but one answer is not named", "[values]") {
    FakeQuantizer a(attributes("ocp_floor"));
    FakeQuantizer b(attributes("rceil"));
    b.change_scale = [](Code amax, Code scale) { return amax == 0x4000 ? scale + 1 : scale; };
    const Parity parity = compared(a, b);
    INFO(text_of(parity, 3));
    CHECK_FALSE(parity.explanation->explained);
    CHECK(parity.explanation->changes.empty());
}

TEST_CASE("two choices are named only together", "[values]") {
    FakeQuantizer a(attributes("ocp_floor"));
    FakeQuantizer b(attributes("rceil"));
    b.element_choices.rounding = Rounding::toward_zero;
    const Parity parity = compared(a, b);
    INFO(text_of(parity, 3));
    REQUIRE(parity.explanation);
    CHECK(parity.explanation->explained);
    CHECK(parity.explanation->changes.size() == 2);
    CHECK_THAT(verdict_of(parity), Contains("No single choice explains it. B = A with 2 other choices"));
}

TEST_CASE("FP32 with the values of FP16 is equal to FP16, and other values are rounded for it alone", "[values]") {
    FakeQuantizer a(attributes("rceil"));
    FakeQuantizer b(attributes("rceil", "sat", "fp32"));
    const Parity parity = compared(a, b);
    INFO(text_of(parity, 3));
    CHECK(exit_code({parity}) == 0);
    CHECK(parity.values == &formats::fp16);
}

TEST_CASE("another axis differs on the same matrix, and not on the transpose", "[values]") {
    FakeQuantizer a(attributes("ocp_floor", "sat", "fp16", "row"));
    FakeQuantizer b(attributes("ocp_floor", "sat", "fp16", "column"));
    const Parity parity = compared(a, b);
    check_one_change(parity, "axis", "row", "column");
    CHECK(part_of(parity, "scales").differing == 0);
    CHECK(part_of(parity, "matrix").differing > 0);
    ParityOptions options;
    options.transpose = true;
    CHECK(exit_code({compared(a, b, options)}) == 0);
    CHECK_THROWS_WITH(compared(a, a, options), Contains("--transpose is for two quantizers"));
}

TEST_CASE("an activation that is fused is equal to the same one before, and differs from none", "[.][exhaustive]") {
    FakeQuantizer fused(attributes() + " activation=srelu");
    FakeQuantizer plain(attributes());
    const Parity same = compared(fused, plain, {}, Activation::srelu);
    INFO(text_of(same, 3));
    CHECK(exit_code({same}) == 0);
    CHECK(same.sample);
    CHECK(part_of(same, "values").compared > 0x7C00);
    check_one_change(compared(fused, plain), "activation", "srelu", "none");
    CHECK_THROWS_WITH(compared(plain, fused, {}, Activation::srelu), Contains("has an activation already"));
}

TEST_CASE("what is refused is said, and nothing compared is no success", "[programs]") {
    FakeQuantizer a(attributes());
    FakeQuantizer b(attributes());
    b.refuses = [](const suites::BlockMatrix& /*matrix*/) { return true; };
    const Parity nothing = compared(a, b);
    INFO(text_of(nothing, 3));
    CHECK(nothing.status == Status::untested);
    CHECK(exit_code({nothing}) == 4);
    CHECK_THAT(text_of(nothing, 3), Contains("B refuses") && Contains("UNTESTED: nothing was compared"));

    b.refuses = [](const suites::BlockMatrix& matrix) { return matrix.has_tail(); };
    const Parity tails = compared(a, b);
    CHECK(exit_code({tails}) == 0);
    CHECK_THAT(text_of(tails, 3), Contains("B refuses") && Contains("with a shorter last block (a tail of 1;"));

    b.refuses = [](const suites::BlockMatrix& matrix) { return matrix.lines % 32 != 0; };
    const Parity lines = compared(a, b);
    INFO(text_of(lines, 3));
    CHECK(exit_code({lines}) == 0);
    CHECK(lines.refused.empty());
    CHECK(part_of(lines, "scales").compared == 0x7C01);

    b.refuses = [](const suites::BlockMatrix& matrix) { return matrix.lines == 512; };
    CHECK(exit_code({compared(a, b)}) == 3);
}

TEST_CASE("a crash, an interruption and other formats are no comparison") {
    FakeQuantizer a(attributes());
    FakeQuantizer b(attributes());
    b.status = Status::error;
    const Parity crashed = compared(a, b);
    CHECK(crashed.status == Status::error);
    CHECK_THAT(crashed.reason, Contains("B: "));
    CHECK(exit_code({crashed}) == 3);
    b.status = Status::fail; // answers that changed
    CHECK(compared(a, b).status == Status::error);

    const std::atomic<bool> stop{true};
    ParityOptions options;
    options.stop = &stop;
    b.status = Status::pass;
    CHECK(exit_code({compared(a, b, options)}) == 3);

    FakeQuantizer other(attributes("ocp_floor", "sat", "fp16", "row", "e4m3"));
    const Parity formats = compared(a, other);
    CHECK(exit_code({formats}) == 4);
    CHECK(formats.reason == "A has elements e2m1 and B e4m3");
    CHECK(exit_code({}) == 4);

    FakeQuantizer bf16(attributes("ocp_floor", "sat", "bf16"));
    CHECK_THROWS_WITH(compared(a, bf16), Contains("neither fp16 nor bf16 holds the values of the other"));
}
