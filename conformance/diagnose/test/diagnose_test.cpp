// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/diagnose.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "reference/base/random.hpp"
#include "vectors/faults/conversion_faults.hpp"
#include "vectors/tables/step_parts.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::diagnose;

namespace {

/// A conversion and what a profile permits of it.
struct Judged {
    Conversion conversion;
    verdict::Judge judge;

    Judged(const char* name, const char* profile) : conversion(parse_conversion(name)) {
        static verdict::GoldenSource golden;
        judge = verdict::judges_of(conversion, {&find_profile(profile)}, golden).at(0);
    }
    [[nodiscard]] Choices right() const { return conforming_choices(conversion, *judge.profile); }
    [[nodiscard]] std::vector<Step> table(const Choices& choices) const {
        return tabulate(*conversion.from, *conversion.to, choices).steps;
    }
    [[nodiscard]] std::vector<Step> table(std::string_view fault, const Choices& choices) const {
        for (const ConversionFault& this_fault : conversion_faults())
            if (this_fault.name == fault) return this_fault.make(*conversion.from, *conversion.to, choices).steps;
        throw std::invalid_argument("no such fault");
    }
    [[nodiscard]] Diagnosis diagnose(const std::vector<Step>& steps) const {
        return diagnose::diagnose(conversion, steps, judge.permitted, *judge.profile);
    }
};

std::vector<std::string> classes(const Diagnosis& diagnosis) {
    std::vector<std::string> ids;
    for (const NamedBug& bug : diagnosis.bugs) ids.emplace_back(bug.bug_class->id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

/// The steps with another code for one input.
std::vector<Step> with_one(const std::vector<Step>& steps, Code input, Code code) {
    std::vector<Step> changed;
    for (const Step& step : steps) {
        if (input < step.first || input > step.last) {
            changed.push_back(step);
            continue;
        }
        if (step.first < input) changed.push_back({step.first, input - 1, step.code});
        changed.push_back({input, input, code});
        if (input < step.last) changed.push_back({input + 1, step.last, step.code});
    }
    return changed;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("a conforming table has nothing to be named", "[bugs]") {
    const Judged judged("fp16-e4m3-nearest_even-nosat", "ocp-nosat");
    const Diagnosis diagnosis = judged.diagnose(judged.table(judged.right()));
    CHECK(diagnosis.differing == 0);
    CHECK(diagnosis.bugs.empty());
    CHECK(diagnosis.unexplained.empty());
    // What the profile leaves open is no bug.
    Choices choices = judged.right();
    choices.nan = NanRule::sign;
    CHECK(judged.diagnose(judged.table(choices)).differing == 0);
}

TEST_CASE("a bug is named with what it explains, and an input to try", "[bugs]") {
    const Judged judged("fp32-e4m3-nearest_even-sat", "ocp-sat");
    Choices choices = judged.right();
    choices.rounding = Rounding::nearest_away;
    const Diagnosis diagnosis = judged.diagnose(judged.table(choices));
    REQUIRE(diagnosis.bugs.size() == 1);
    const NamedBug& bug = diagnosis.bugs[0];
    CHECK(bug.bug_class->id == "TIES_AWAY");
    CHECK(bug.how == "rounding=nearest_away");
    // Each even code but the largest has a tie above it that goes to it: 0x00 to 0x7C, of both signs. 464 saturates.
    CHECK(bug.inputs == 126);
    CHECK(diagnosis.differing == 126);
    CHECK(diagnosis.explained == 126);
    CHECK(diagnosis.unexplained.empty());
    CHECK(bug.smallest == 0x3A800000); // 2^-10
    CHECK(bug.roundest == 0x3A800000);
}

TEST_CASE("two bugs at once are told apart", "[bugs][values]") {
    const Judged judged("fp32-e4m3-nearest_even-sat", "ocp-sat");
    SECTION("two choices") {
        Choices choices = judged.right();
        choices.rounding = Rounding::nearest_away;
        choices.nan = NanRule::zero;
        const Diagnosis diagnosis = judged.diagnose(judged.table(choices));
        CHECK(classes(diagnosis) == Names{"NAN_LOST", "TIES_AWAY"});
        CHECK(diagnosis.bugs[0].inputs == 2 * 0x7FFFFF);
        CHECK(diagnosis.bugs[1].inputs == 126);
        CHECK(diagnosis.unexplained.empty());
    }
    SECTION("two choices on the same inputs") {
        Choices choices = judged.right();
        choices.rounding = Rounding::nearest_away;
        choices.flush = Flush::output;
        const Diagnosis diagnosis = judged.diagnose(judged.table(choices));
        CHECK(classes(diagnosis) == Names{"SUBNORMAL_FLUSH", "TIES_AWAY"});
        CHECK(diagnosis.unexplained.empty());
    }
    SECTION("a choice and a fault") {
        Choices choices = judged.right();
        choices.zero_sign = ZeroSign::dropped;
        const Diagnosis diagnosis = judged.diagnose(judged.table("from 256 on everything is the largest", choices));
        CHECK(classes(diagnosis) == Names{"EARLY_SATURATE", "NEG_ZERO"});
        CHECK(diagnosis.unexplained.empty());
    }
    SECTION("two faults") {
        std::vector<Step> steps = judged.table("tiny numbers are shifted by more than a word", judged.right());
        for (Step& step : steps)
            if ((step.code & 0x7F) >= 0x78 && (step.code & 0x7F) < 0x7F) step.code = (step.code & 0x80) | 0x77;
        const Diagnosis diagnosis = judged.diagnose(steps);
        // E4M3 with Inf ends at 240 as well.
        CHECK(classes(diagnosis) == Names{"EARLY_SATURATE", "MAX480_FORMAT", "SHIFT_OVERFLOW"});
        CHECK(diagnosis.unexplained.empty());
    }
}

// clr f9f995c, its cast_to_f8() from FP32, compiled by GCC 12 for x86-64. With -O2 what rounds up to 2^-5 becomes zero:
// 1,048,576 inputs of E4M3 less than the shift modulo 64 gives.
TEST_CASE("a compiled amd_hip_fp8.h fails its profile by the name of the shift", "[bugs][values]") {
    struct Compiled {
        const char* conversion;
        Code lost_first; ///< zero with -O2
        Code lost_last;
        std::uint64_t with_o0;
        std::uint64_t with_o2;
    };
    for (const Compiled& compiled :
         {Compiled{"fp32-e4m3-nearest_even-sat", 0x1CF80000, 0x1CFFFFFF, 83'886'078, 82'837'502},
          Compiled{"fp32-e4m3-nearest_even-nosat", 0x1CF80000, 0x1CFFFFFF, 83'886'078, 82'837'502},
          Compiled{"fp32-e5m2-nearest_even-sat", 0x18F00000, 0x18FFFFFF, 67'108'862, 65'011'710}}) {
        CAPTURE(compiled.conversion);
        const Judged judged(compiled.conversion, "amd-hip-ocp");
        const auto named = [&](const std::vector<Step>& steps, std::uint64_t differing) {
            const Diagnosis diagnosis = judged.diagnose(steps);
            CHECK(diagnosis.differing == differing);
            CHECK(classes(diagnosis) == Names{"SHIFT_OVERFLOW"});
            CHECK(diagnosis.explained == differing);
        };
        std::vector<Step> steps = judged.table("tiny numbers are shifted by more than a word", judged.right());
        named(steps, compiled.with_o0);
        for (Step& step : steps) {
            const Code magnitude = step.first & 0x7FFFFFFF;
            if (compiled.lost_first <= magnitude && magnitude <= compiled.lost_last) step.code &= 0x80;
        }
        named(steps, compiled.with_o2);
    }
}

TEST_CASE("bugs of several classes that give the same answers are all named", "[bugs][values]") {
    const Judged saturating("fp32-e4m3-nearest_even-sat", "ocp-sat");
    const Diagnosis diagnosis = saturating.diagnose(saturating.table("480 is a number", saturating.right()));
    CHECK(classes(diagnosis) == Names{"MAX480_FORMAT", "OVERFLOW_POLICY"});
    for (const NamedBug& bug : diagnosis.bugs) CHECK(bug.inputs == diagnosis.differing);
    const Judged reading("e4m3-fp32-nearest_even-nosat", "ocp-nosat");
    CHECK(classes(reading.diagnose(reading.table("480 is read", reading.right()))) ==
          Names{"DECODE_SPECIALS", "MAX480_FORMAT"});
}

TEST_CASE("a fault is named whatever NaN it makes, where any will do", "[bugs]") {
    const Judged judged("e4m3_times_e8m0-fp16-nearest_even-nosat", "ocp-nosat");
    std::vector<Step> steps = judged.table("the scale is rounded to FP16 first", judged.right());
    std::size_t nans = 0;
    for (Step& step : steps)
        if (formats::fp16.is_nan(step.code)) step.code = 0xFD00 + nans++ % 2;
    REQUIRE(nans > 200);
    const Diagnosis diagnosis = judged.diagnose(steps);
    REQUIRE(classes(diagnosis) == std::vector<std::string>{"DOUBLE_ROUND_F16"});
    CHECK(diagnosis.explained == diagnosis.differing);
}

// Nothing else overflows, so nothing but the answers of the fault say that it gives Inf; its NaNs are not the
// profile's.
TEST_CASE("a fault is named whose answers follow from choices that only it shows", "[bugs]") {
    const Judged judged("e4m3-e5m2-nearest_even-nosat", "ocp-nosat");
    for (const NanRule nan : {NanRule::sign, NanRule::quiet_sign})
        for (const Flush flush : {Flush::none, Flush::input}) {
            Choices choices = judged.right();
            choices.nan = nan;
            choices.flush = flush;
            const Diagnosis diagnosis =
                judged.diagnose(judged.table("E4M3 is read with Inf and NaN from 256 on", choices));
            CHECK(classes(diagnosis) ==
                  (flush == Flush::none ? Names{"MAX480_FORMAT"} : Names{"MAX480_FORMAT", "SUBNORMAL_FLUSH"}));
            CHECK(diagnosis.explained == diagnosis.differing);
        }
}

// What compilers made of one header (ROCm/rocm-systems#10591), and mistakes of one bit, are named to the last input.
TEST_CASE("every member of a family of faults is named by its class", "[bugs][values]") {
    const Judged judged("bf16-e4m3-nearest_even-sat", "ocp-sat");
    for (const ConversionFault& fault : conversion_faults()) {
        if (!fault.applies(*judged.conversion.from, *judged.conversion.to)) continue;
        CAPTURE(fault.name);
        const Diagnosis diagnosis = judged.diagnose(judged.table(fault.name, judged.right()));
        CHECK(diagnosis.explained == diagnosis.differing);
        if (diagnosis.differing == 0) continue; // nothing that is not permitted
        const Names named = classes(diagnosis);
        CHECK(std::find(named.begin(), named.end(), fault.bug_class) != named.end());
    }
}

TEST_CASE("what no bug gives has no name", "[bugs][values]") {
    const Judged judged("bf16-e4m3-nearest_even-sat", "ocp-sat"); // every fault that applies is made
    const std::vector<Step> right = judged.table(judged.right());
    SECTION("one input") {
        const Diagnosis diagnosis = judged.diagnose(with_one(right, 0x3F80, 0x39));
        CHECK(diagnosis.bugs.empty());
        CHECK(diagnosis.differing == 1);
        CHECK(diagnosis.explained == 0);
        REQUIRE(diagnosis.unexplained.size() == 1);
        CHECK(diagnosis.unexplained[0].first == 0x3F80);
        CHECK(diagnosis.unexplained[0].last == 0x3F80);
    }
    SECTION("one input beside a bug") {
        Choices choices = judged.right();
        choices.rounding = Rounding::toward_zero;
        const Diagnosis diagnosis = judged.diagnose(with_one(judged.table(choices), 0x3F80, 0x10));
        CHECK(classes(diagnosis) == Names{"TRUNCATES"});
        CHECK(diagnosis.differing == diagnosis.explained + 1);
        REQUIRE(diagnosis.unexplained.size() == 1);
        CHECK(diagnosis.unexplained[0].first == 0x3F80);
    }
    SECTION("a bug that would give more wrong answers, and else permitted ones") {
        // Tiny negative numbers become zero, as by way of FP16, but only those that FP16 is far from. Large positive
        // ones become Inf, as by way of FP16: that is permitted.
        const Judged down("bf16-e5m2-down-nosat", "ocp-nosat");
        const std::vector<Step> given{{0x4780, 0x47FF, 0x00}, {0x4800, 0x7F80, 0x7C}, {0x8000, 0x8000, 0x00},
                                      {0x8001, 0xAC00, 0x80}, {0xC761, 0xC77F, 0x7B}, {0xC780, 0xC7FF, 0x00}};
        InputRanges ranges;
        for (const Step& step : given) append(ranges, {step.first, step.last});
        const std::vector<Step> steps = overlaid(down.table(down.right()), given, ranges);
        const Diagnosis diagnosis = down.diagnose(steps);
        CHECK(diagnosis.differing == 0xAC00 - 0x8000 + 1 + 128 + 31 + 128);
        CHECK(diagnosis.bugs.empty());
    }
    SECTION("noise") {
        std::vector<Step> steps = right;
        SplitMix64 random(7);
        for (Step& step : steps) step.code = random() & 0xFF;
        const Diagnosis diagnosis = judged.diagnose(steps);
        CHECK(diagnosis.differing > 0);
        CHECK(diagnosis.explained < diagnosis.differing / 2);
        std::uint64_t left = 0;
        for (const Difference& d : diagnosis.unexplained) left += d.last - d.first + 1;
        CHECK(left == diagnosis.differing - diagnosis.explained);
    }
}

TEST_CASE("a bug is named from a sample too, for what was asked", "[bugs]") {
    const Judged judged("fp64-e5m2-nearest_even-nosat", "ocp-nosat");
    Choices choices = judged.right();
    choices.rounding = Rounding::toward_zero;
    const StepTable table = tabulate(*judged.conversion.from, *judged.conversion.to, choices);
    std::vector<Step> steps;
    for (const Step& step : table.steps) {
        steps.push_back({step.first, step.first, step.code});
        if (step.last != step.first) steps.push_back({step.last, step.last, step.code});
    }
    const Diagnosis diagnosis = judged.diagnose(steps);
    CHECK(classes(diagnosis) == Names{"TRUNCATES"});
    CHECK(diagnosis.differing > 100);
    CHECK(diagnosis.differing < steps.size());
    CHECK(diagnosis.explained == diagnosis.differing);
    CHECK(judged.diagnose({}).differing == 0);
}

namespace {

/// The answers of a conversion without scale to the quotients of all values by some scales, where both are normal
/// numbers, and to others what is right.
std::vector<Step> by_quotient(const Judged& scaled, const std::vector<Step>& of_quotients) {
    const Format& from = *scaled.conversion.from;
    const Format& value = *from.value;
    const StepTable right{&from, scaled.conversion.to, scaled.table(scaled.right())};
    const StepTable table{&value, scaled.conversion.to, of_quotients};
    std::vector<Step> steps;
    const auto add = [&](Code input, Code code) {
        if (!steps.empty() && steps.back().last + 1 == input && steps.back().code == code)
            steps.back().last = input;
        else
            steps.push_back({input, input, code});
    };
    const std::set<Code> scales{0, 1, 100, 119, 127, 128, 129, 200, 254, 255};
    for (const Code scale : scales)
        for (Code x = 0; x <= value.last_code(); ++x) {
            const Code input = from.code_of(scale, x);
            const int exponent = static_cast<int>((x & value.magnitude_mask()) >> value.fraction_bits);
            const int quotient = exponent - static_cast<int>(scale) + from.scale->bias;
            const int most = static_cast<int>(value.max_code() >> value.fraction_bits);
            if (from.scale->is_nan(scale) || exponent == 0 || exponent > most || quotient < 1 || quotient > most) {
                add(input, right.steps[find_step(right, input)].code);
                continue;
            }
            const Code fraction = x & ((Code{1} << value.fraction_bits) - 1);
            const Code divided = (x & value.sign_bit()) | static_cast<Code>(quotient) << value.fraction_bits | fraction;
            add(input, table.steps[find_step(table, divided)].code);
        }
    return steps;
}

} // namespace

namespace {

/// Plants the first fault of one class in so many: a diagnosis takes half a second. Returns how many were named.
std::size_t check_quotients(std::size_t one_in) {
    const Judged scaled("bf16_by_e8m0-e4m3-nearest_even-sat", "ocp-sat");
    const Judged plain("bf16-e4m3-nearest_even-sat", "ocp-sat");
    std::set<std::string_view> seen;
    std::size_t named = 0;
    for (const ConversionFault& fault : conversion_faults()) {
        if (!fault.applies(*plain.conversion.from, *plain.conversion.to) ||
            fault.applies(*scaled.conversion.from, *scaled.conversion.to) || seen.contains(fault.bug_class))
            continue;
        if (seen.size() % one_in != 0) {
            seen.insert(fault.bug_class);
            continue;
        }
        INFO(fault.name);
        const std::vector<Step> of_quotients =
            fault.make(*plain.conversion.from, *plain.conversion.to, plain.right()).steps;
        const std::vector<Step> steps = by_quotient(scaled, of_quotients);
        const Diagnosis found = scaled.diagnose(steps);
        if (found.differing == 0) continue; // the fault changes no normal number
        CHECK(found.explained == found.differing);
        CHECK(found.unexplained.empty());
        CHECK(classes(found) == classes(plain.diagnose(of_quotients)));
        // Its inputs are all wrong ones, and nothing else.
        InputRanges wrong;
        for (const Difference& difference : differences_of(steps, scaled.judge.permitted))
            append(wrong, {difference.first, difference.last});
        for (const NamedBug& bug : found.bugs) CHECK(count_inputs(intersection(wrong, bug.where)) == bug.inputs);
        seen.insert(fault.bug_class);
        ++named;
    }
    return named;
}

} // namespace

TEST_CASE("a fault of the quotient is named under any scale, with the inputs that it makes wrong", "[bugs][values]") {
    CHECK(check_quotients(3) > 3);
}
TEST_CASE("a fault of the quotient of every class is named under any scale", "[.][exhaustive]") {
    CHECK(check_quotients(1) > 10);
}

TEST_CASE("answers that differ between scales are no fault of the quotient", "[bugs]") {
    const Judged scaled("bf16_by_e8m0-e4m3-nearest_even-sat", "ocp-sat");
    const Judged plain("bf16-e4m3-nearest_even-sat", "ocp-sat");
    const std::vector<Step> faulty =
        by_quotient(scaled, plain.table("the carry of a rounding is dropped", plain.right()));
    const StepTable right{scaled.conversion.from, scaled.conversion.to, scaled.table(scaled.right())};
    // Under the odd scales all is right.
    std::vector<Step> steps;
    for (const Step& step : faulty)
        for (Code input = step.first; input <= step.last; ++input) {
            const bool is_odd = (scaled.conversion.from->scale_of(input) & 1U) != 0;
            const Code code = is_odd ? right.steps[find_step(right, input)].code : step.code;
            if (!steps.empty() && steps.back().last + 1 == input && steps.back().code == code)
                steps.back().last = input;
            else
                steps.push_back({input, input, code});
        }
    const Diagnosis found = scaled.diagnose(steps);
    REQUIRE(found.differing > 1000);
    CHECK(classes(found) == Names{});
}
