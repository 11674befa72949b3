// SPDX-License-Identifier: Apache-2.0
// Tables of values with a given scale: what bisection and repeated rows stand for is what the models say.
#include <set>

#include "catch.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/golden_store/golden.hpp"
#include "vectors/golden_store/golden_compact.hpp"
#include "vectors/golden_store/golden_files.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

/// What the fast model does on every input of a range.
std::vector<Step> evaluated(const Format& from, const Format& to, const Choices& choices, Code first, Code last) {
    std::vector<Step> steps;
    for (Code code = first; code <= last; ++code) {
        const Code answer = fast::convert(from, to, choices, code);
        if (!steps.empty() && steps.back().code == answer)
            steps.back().last = code;
        else
            steps.push_back({code, code, answer});
    }
    return steps;
}

PermitTable permitted(const char* profile, const char* id) {
    const Conversion conversion = parse_conversion(id);
    const auto loaded = load_golden(*conversion.from, *conversion.to, golden_folder());
    REQUIRE(loaded);
    return select(loaded->golden, find_profile(profile), conversion);
}

} // namespace

TEST_CASE("a table of a source with a given scale is what every input gives", "[scaled][.][exhaustive]") {
    for (const Format* from : {&fp16_by_e8m0, &bf16_by_e8m0})
        for (const Format* to : {&e4m3, &e5m2})
            for (const Rounding rounding : {Rounding::nearest_even, Rounding::down}) {
                Choices choices;
                choices.rounding = rounding;
                choices.overflow = Overflow::nosat;
                CAPTURE(from->name, to->name, to_string(rounding));
                REQUIRE(tabulate(*from, *to, choices).steps == evaluated(*from, *to, choices, 0, from->last_code()));
            }
}

TEST_CASE("what is dequantized is what every input gives", "[scaled][values]") {
    for (const Format* from : {&e4m3_times_e8m0, &e5m2_times_e8m0})
        for (const Format* to : {&fp32, &fp16, &bf16, &fp64})
            for (const Rounding rounding : {Rounding::nearest_even, Rounding::up}) {
                Choices choices;
                choices.rounding = rounding;
                choices.overflow = Overflow::nosat;
                choices.directed_overflow = DirectedOverflow::max;
                CAPTURE(from->name, to->name, to_string(rounding));
                REQUIRE(tabulate(*from, *to, choices).steps == evaluated(*from, *to, choices, 0, from->last_code()));
            }
}

TEST_CASE("every boundary of FP32 under every scale, and two inputs beside it, in both models", "[scaled][values]") {
    for (const Format* to : {&e4m3, &e5m2})
        for (const Rounding rounding : {Rounding::nearest_even, Rounding::toward_zero, Rounding::to_odd}) {
            Choices choices;
            choices.rounding = rounding;
            const StepTable table = tabulate(fp32_by_e8m0, *to, choices);
            CHECK(table.steps.size() > 60'000);
            CAPTURE(to->name, to_string(rounding));
            std::size_t different = 0;
            for (const Step& step : table.steps)
                for (Code beside = 0; beside < 5; ++beside) {
                    const Code code = (step.first + beside - 2) & fp32_by_e8m0.last_code();
                    const Code answer = fast::convert(fp32_by_e8m0, *to, choices, code);
                    different += answer == table.steps[find_step(table, code)].code ? 0 : 1;
                }
            CHECK(different == 0);
        }
}

TEST_CASE("the rows that a golden file repeats are the table of the Behaviour", "[scaled][values]") {
    for (const auto& [from, to] :
         {std::pair{&fp32_by_e8m0, &e4m3}, {&bf16_by_e8m0, &e5m2}, {&e5m2_times_e8m0, &fp16}}) {
        Choices choices;
        choices.nan = NanRule::canonical;
        const Conversion conversion = make_conversion(from->name, to->name, "nearest_even", "sat", 0);
        const auto loaded = load_golden(*from, *to, golden_folder());
        REQUIRE(loaded);
        // nvidia-te permits one code for every input of these, but for NaN in FP16.
        const PermitTable table = select(loaded->golden, find_profile("nvidia-te"), conversion);
        CAPTURE(from->name, to->name);
        CHECK(compare(tabulate(*from, *to, choices), table).empty());
        const StepTable exactly = tabulate(*from, *to, choices);
        std::size_t single = 0;
        for (const PermitStep& step : table.steps) single += step.permit.codes.size() == 1 && !step.permit.any_nan;
        CHECK(single + 1000 > exactly.steps.size());
    }
}

TEST_CASE("rows that follow from one another become one, and are the same again", "[scaled]") {
    const Code scale = Code{1} << 8;
    std::vector<GoldenRow> rows;
    const auto row = [&](const char* when, Code first, Code last, const Permit& permit) {
        rows.push_back({when, first, last, permit, "OFP8-ROUND"});
    };
    for (Code k = 0; k < 4; ++k) row("", k * scale, k * scale + k, permit_code(0x7E - 8 * k));
    row("", 4 * scale + 9, 4 * scale + 9, permit_any_nan());
    row("nan=any", 7, 7, permit_any_nan());
    row("nan=any", 7 + scale, 7 + scale, permit_any_nan());
    const std::vector<GoldenRow> all = compact(rows, e4m3_times_e8m0, fp32);
    REQUIRE(all.size() == 3);
    CHECK(all[0].times == 4);
    CHECK(all[0].first_by == 256);
    CHECK(all[0].last_by == 257);
    CHECK(all[0].permit_by == -8);
    CHECK(all[1].times == 1);
    CHECK(all[2].times == 2);
    std::vector<GoldenRow> back;
    for (const GoldenRow& compact_row : all)
        for (std::uint64_t k = 0; k < compact_row.times; ++k) back.push_back(expanded(compact_row, k));
    CHECK(back == rows);
}

TEST_CASE("a row of one code goes on in no row of several", "[scaled]") {
    const Permit two = unite(permit_code(0x7C), permit_code(0x7E), fp32);
    for (const Permit& other : {two, permit_any_nan()}) {
        CAPTURE(to_string(other, fp32));
        const std::vector<GoldenRow> rows{{"", 0, 0, permit_code(0x7A), "OFP8-ROUND"}, {"", 1, 1, other, "OFP8-ROUND"}};
        CHECK(compact(rows, e4m3_times_e8m0, fp32) == rows);
    }
}

TEST_CASE("rows that differ in the sign of a 64-bit code, or would need a modulus, are not drawn together",
          "[scaled]") {
    const auto times_of = [](std::initializer_list<Code> codes) {
        std::vector<GoldenRow> rows;
        for (const Code code : codes) rows.push_back({"", rows.size(), rows.size(), permit_code(code), "OFP8-NAN"});
        std::vector<std::uint64_t> times;
        for (const GoldenRow& row : compact(rows, e4m3_times_e8m0, fp64)) times.push_back(row.times);
        return times;
    };
    using Times = std::vector<std::uint64_t>;
    // Every second row has the same code: two rows of two, not one of four that adds 2^63 each time.
    CHECK(times_of({0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000000, 0xFFF8000000000000}) == Times{2, 2});
    // Three that follow by 2^62, and a fourth that would only modulo 2^64.
    CHECK(times_of({0x4000000000000000, 0x8000000000000000, 0xC000000000000000, 0}) == Times{3, 1});
    CHECK(times_of({0xC000000000000000, 0x8000000000000000, 0x4000000000000000, 0}) == Times{4});
}

TEST_CASE("what goes wrong with given scales is not permitted", "[scaled][values]") {
    struct Fault {
        const char* what;
        const char* id;
        Choices choices;
    };
    std::vector<Fault> faults;
    const auto add = [&](const char* what, const char* id) -> Choices& {
        faults.push_back({what, id, choices_of(parse_conversion(id))});
        return faults.back().choices;
    };
    add("FP32 subnormals are flushed when they are read", "fp32_by_e8m0-e4m3-nearest_even-sat").flush = Flush::input;
    add("elements that are subnormal are flushed", "bf16_by_e8m0-e4m3-nearest_even-sat").flush = Flush::output;
    add("ties go away from zero", "fp32_by_e8m0-e5m2-nearest_even-sat").rounding = Rounding::nearest_away;
    add("FP16 comes between", "fp32_by_e8m0-e4m3-nearest_even-sat").via = Via::fp16_nearest_even;
    add("overflow is decided before rounding", "fp32_by_e8m0-e4m3-nearest_even-nosat").overflow_test =
        OverflowTest::before_rounding;
    add("the sign of zero is lost", "bf16_by_e8m0-e4m3-nearest_even-sat").zero_sign = ZeroSign::dropped;
    add("NaN becomes the largest", "bf16_by_e8m0-e4m3-nearest_even-sat").nan = NanRule::max;
    add("values that are subnormal are flushed", "e4m3_times_e8m0-fp32-nearest_even-nosat").flush = Flush::output;
    add("values beyond FP32 saturate", "e4m3_times_e8m0-fp32-nearest_even-nosat").overflow = Overflow::sat;
    add("FP16 is cut", "e5m2_times_e8m0-fp16-nearest_even-nosat").rounding = Rounding::toward_zero;
    std::set<std::string> right; // conversions that were seen to pass
    for (const Fault& fault : faults) {
        CAPTURE(fault.what, fault.id);
        const Conversion conversion = parse_conversion(fault.id);
        const PermitTable table = permitted("ocp", fault.id);
        if (right.insert(fault.id).second)
            CHECK(compare(tabulate(*conversion.from, *conversion.to, choices_of(conversion)), table).empty());
        CHECK_FALSE(compare(tabulate(*conversion.from, *conversion.to, fault.choices), table).empty());
    }
    // A kernel that multiplies in FP32 and flushes products: a decoder that loses what is below 2^-126.
    Choices product = choices_of(parse_conversion("e4m3_times_e8m0-fp32-nearest_even-nosat"));
    product.arithmetic = Arithmetic::fp32_multiply;
    const PermitTable table = permitted("ocp", "e4m3_times_e8m0-fp32-nearest_even-nosat");
    CHECK(compare(tabulate(e4m3_times_e8m0, fp32, product), table).empty());
    product.flush = Flush::product;
    CHECK_FALSE(compare(tabulate(e4m3_times_e8m0, fp32, product), table).empty());
    // E8M0 FF read as Inf instead of NaN, as an edit of the table.
    StepTable misread =
        tabulate(e4m3_times_e8m0, fp32, choices_of(parse_conversion("e4m3_times_e8m0-fp32-nearest_even-nosat")));
    // The step of its NaNs begins with the last element of the scale below.
    REQUIRE(misread.steps.back().first == 0xFEFF);
    misread.steps.back().last = 0xFEFF;
    misread.steps.push_back({0xFF00, 0xFFFF, 0x7F800000});
    CHECK_FALSE(compare(misread, table).empty());
}
