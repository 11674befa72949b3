// SPDX-License-Identifier: Apache-2.0
// Accumulators are recovered from their answers: those of the table, those that differ from one in a parameter, and
// those of a plugin that says nothing true of itself. And what the command says, of conversions too.
#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "conformance/suites/matmul/answers.hpp"
#include "conformance/suites/matmul/family.hpp"
#include "conformance/suites/matmul/identify.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/program.hpp"
#include "reference/dot/accumulator_change.hpp"
#include "vectors/cases/golden_products.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;
using mxcert::test::contains;
using mxcert::test::Result;
using mxcert::test::shell;

namespace {

/// What is found of the answers of an accumulator, for the formats that its golden products have.
suites::FoundAccumulator found_of(const Accumulator& model, std::size_t k) {
    const Format* scale = model.scales.empty() ? nullptr : model.scales.front();
    const DotFormat format = dot_format(model, *model.operands.front(), *model.operands.front(), scale);
    const std::size_t block = scale == nullptr ? 0 : std::max<std::size_t>(32, least_block(model));
    const DotCases cases = dot_cases(format, block, block, k, true);
    return suites::find_accumulator(cases, *format.to, true, answers_of(model, cases));
}

/// Every parameter that says something, but the code of a NaN, which is not looked at.
std::string text_of(const Accumulator& accumulator) {
    std::string text;
    for (const AccumulatorParameter& parameter : accumulator_parameters())
        if (parameter.says(accumulator)) text += std::string(parameter.name) + ' ' + parameter.text(accumulator) + '\n';
    return text;
}

bool has(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Every value that a parameter may have.
std::vector<std::string> values_of(const suites::FoundAccumulator& found, std::string_view name) {
    for (const diagnose::FoundParameter& parameter : found.parameters) {
        if (parameter.name != name) continue;
        std::vector<std::string> values = parameter.alike;
        values.push_back(parameter.value);
        return values;
    }
    return {};
}

} // namespace

TEST_CASE("every accumulator is found from its answers", "[identify][matmul][.][exhaustive]") {
    for (const Accumulator& model : accumulators()) {
        CAPTURE(model.name);
        const suites::FoundAccumulator found = found_of(model, model.promote == 0 ? 64 : 256);
        CHECK(found.asked > 500);
        CHECK(found.explained == found.asked);
        CHECK(has(found.same, model.name));
        // c is given, and what the table tells apart is told apart.
        CHECK(found.same.size() == 1);
        CHECK(found.unexplained.empty());
        for (const diagnose::FoundParameter& parameter : found.parameters)
            CHECK((parameter.alike.empty() || parameter.decided_by == std::optional<std::size_t>(0)));
    }
}

TEST_CASE("an accumulator that is none of the table is found by its parameters", "[identify][matmul][.][exhaustive]") {
    struct Changed {
        const char* of;
        const char* parameter;
        const char* value;
    };
    for (const Changed& this_changed :
         {Changed{"hopper_fp8_f32", "fraction bits", "16"}, Changed{"hopper_fp8_f32", "group", "64"},
          Changed{"hopper_fp8_f32", "result rounded", "nearest_even"},
          Changed{"blackwell_fp8_f32", "fraction bits of the result", "17"},
          Changed{"blackwell_fp8_f32", "terms cut", "nearest_even"},
          Changed{"blackwell_mxf8f6f4", "fraction bits", "28"},
          Changed{"hopper_fp8_promote_128", "promoted every", "64"}, Changed{"cdna3_fp8", "fraction bits of c", "20"},
          Changed{"cdna3_f16", "group", "16"}, Changed{"cdna1_bf16", "group", "8"},
          Changed{"riscv_fp8_dot_16", "fraction bits", "20"}, Changed{"amx_fp8", "group", "32"},
          Changed{"cdna4_f8f6f4", "group", "64"}, Changed{"cdna4_f8f6f4_rounded", "arithmetic", "fp16"},
          Changed{"deepgemm_hopper_fp8", "scaled and added with one rounding", "no"},
          Changed{"fp32_pairwise", "group", "32"}, Changed{"fp32_fma", "arithmetic", "bf16"}}) {
        CAPTURE(this_changed.of, this_changed.parameter, this_changed.value);
        const Accumulator& from = accumulator(this_changed.of);
        std::optional<Accumulator> changed;
        for (const AccumulatorParameter& parameter : accumulator_parameters()) {
            if (parameter.name != this_changed.parameter) continue;
            for (const Accumulator& value : parameter.values(from))
                if (parameter.text(value) == this_changed.value) changed = value;
        }
        REQUIRE(changed);
        const suites::FoundAccumulator found = found_of(*changed, from.promote == 0 ? 128 : 256);
        CHECK(found.same.empty());
        CHECK(found.explained == found.asked);
        CHECK(found.nearest_explained < found.asked);
        const std::vector<std::string> values = values_of(found, this_changed.parameter);
        CHECK(std::find(values.begin(), values.end(), this_changed.value) != values.end());
        // What decides it is said: no more than the values next to it may do as well.
        CHECK(values.size() <= 2);
    }
}

TEST_CASE("of a family those remain that give every answer, and products that part them are found",
          "[identify][matmul][values]") {
    const Accumulator& model = accumulator("hopper_fp8_f32");
    const DotFormat format = dot_format(model, formats::e4m3, formats::e4m3);
    // Few products: several combinations remain, and some are parted by others.
    DotCases few = drawn_products(format, 0, 0, 64, true, 3);
    few.cases.resize(4);
    const std::vector<Code> given = answers_of(model, few);
    const Answers answers(few, formats::fp32, true, given);
    Family family = family_of(model, answers);
    CHECK(family.tried > 100'000);
    const std::size_t before = family.remain.size();
    CHECK(before > 4);
    const DotCases probes = parting_products(family, answers);
    CHECK(family.probes > 0);
    CHECK(probes.cases.size() == family.probes);
    const std::vector<Code> more = answers_of(model, probes);
    keep_those_that_give(family, Answers(probes, formats::fp32, true, more));
    CHECK(family.remain.size() < before);
    REQUIRE(!family.remain.empty());
    CHECK(parting_products(family, answers).cases.empty());
    for (const Accumulator& accumulator : family.remain) CHECK(accumulator.fraction == model.fraction);
    for (const std::string& open : open_parameters(family)) CHECK(!open.starts_with("group:"));
    CHECK(!family.has_more);
    std::set<std::string> texts;
    for (const Accumulator& accumulator : family.remain) texts.insert(text_of(accumulator));
    CHECK(texts.size() == family.remain.size());
    // Answers of none.
    std::vector<Code> wrong = given;
    wrong[0] ^= 1U << 20U;
    CHECK(family_of(model, Answers(few, formats::fp32, true, wrong)).remain.empty());
}

TEST_CASE("no combination is counted twice, and too many are said to be more", "[identify][matmul][.][exhaustive]") {
    const Accumulator& model = accumulator("fp32_multiply_add");
    const DotFormat format = dot_format(model, formats::e4m3, formats::e4m3);
    const auto family_with = [&](std::size_t count) {
        DotCases few = drawn_products(format, 0, 0, 16, true, 3);
        few.cases.resize(count);
        const std::vector<Code> given = answers_of(model, few);
        return family_of(model, Answers(few, formats::fp32, true, given));
    };
    const Family some = family_with(64);
    CHECK(!some.has_more);
    CHECK(some.remain.size() > 50);
    std::set<std::string> texts;
    for (const Accumulator& accumulator : some.remain) texts.insert(text_of(accumulator));
    CHECK(texts.size() == some.remain.size());
    CHECK(family_with(0).has_more);
}

TEST_CASE("answers of no accumulator are said to be unexplained", "[identify][matmul][values]") {
    const Accumulator& model = accumulator("fp32_fma");
    const DotFormat format = dot_format(model, formats::e4m3, formats::e4m3);
    const DotCases cases = dot_cases(format, 0, 0, 64, true);
    std::vector<Code> answers = answers_of(model, cases);
    answers[7] ^= 1;
    const suites::FoundAccumulator found = suites::find_accumulator(cases, formats::fp32, true, answers);
    CHECK(found.same.empty());
    CHECK(found.nearest == "fp32_multiply_add"); // which products of FP8 do not tell from it
    CHECK(found.explained == found.asked - 1);
    REQUIRE(found.unexplained.size() == 1);
    CHECK_THAT(found.unexplained.front(), Contains("(product 7): "));
}

TEST_CASE("the accumulator of a plugin is found, whatever it declares", "[identify][matmul][.][exhaustive]") {
    const auto found_with = [](const std::string& fault, const std::string& name) {
        const auto subject = test::open_plugin(MXCERT_TEST_MULTIPLIER, fault);
        for (const Operation& operation : subject->info().operations)
            if (contains(to_string(operation), name)) return suites::identify_matmul(*subject, operation);
        FAIL("no operation " << name);
        return suites::FoundAccumulator{};
    };
    CHECK(found_with("", "-hopper_fp8_f32-").same == std::vector<std::string_view>{"hopper_fp8_f32"});
    CHECK(found_with("blackwell_fp8_f32", "-hopper_fp8_f32-").same ==
          std::vector<std::string_view>{"blackwell_fp8_f32"});
    CHECK(has(found_with("", "-bf16-exact-").same, "exact"));
    // NVFP4: by its scales of 16, and packed; whatever is declared.
    CHECK(found_with("", "-blackwell_mxf4nvf4-").same == std::vector<std::string_view>{"blackwell_mxf4nvf4"});
    CHECK(found_with("fp32_pairwise", "-blackwell_mxf4nvf4-").same == std::vector<std::string_view>{"fp32_pairwise"});
    CHECK(has(found_with("", "-e2m1-e2m1-e4m3-").same, "fp32_multiply_add"));
    CHECK(has(found_with("", "-int8-int8-e8m0-").same, "fp32_multiply_add"));
    CHECK(found_with("fp32_pairwise", "-int8-int8-e8m0-").same == std::vector<std::string_view>{"fp32_pairwise"});
    // Lines that share scales.
    const suites::FoundAccumulator tiles = found_with("", "-1x128-128x128-");
    CHECK(tiles.asked > 500);
    CHECK(tiles.explained == tiles.asked);
    // Subnormal operands of FP8 that a device takes for zero.
    const suites::FoundAccumulator flushed = found_with("subnormal elements flushed", "-hopper_fp8_f32-");
    CHECK(flushed.same.empty());
    CHECK(values_of(flushed, "subnormals flushed") == std::vector<std::string>{"yes"});
}

TEST_CASE("mxcert identify says what explains a product, and what it could not ask", "[identify][cli][values]") {
    const TemporaryFolder folder;
    const Result right = shell(folder.path(), "mxcert identify portable --matmul --filter "
                                              "'matmul-e4m3-e4m3-e8m0-*' --json out.json");
    INFO(right.out << right.err);
    CHECK(right.code == 0);
    CHECK(contains(right.out, "\n  fp32_multiply_add, or one that differs in what is not decided: explains all 1,"));
    CHECK(contains(right.out, "decided by"));
    CHECK(contains(content(folder.path() / "out.json"), "\"fp32_multiply_add\""));
    const std::string multiplier = std::string("'") + MXCERT_TEST_MULTIPLIER + "' --filter '*hopper*' --matmul ";
    const Result wrong =
        shell(folder.path(), "mxcert identify " + multiplier + "--backend-option 'subnormal elements flushed'");
    INFO(wrong.out);
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.out, "no accumulator of the table; nearest hopper_fp8_f32, "));
    CHECK(shell(folder.path(), "mxcert identify " + multiplier + "--backend-option 'refuses tails'").code == 0);
    const Result nothing = shell(folder.path(), "mxcert identify portable --matmul --filter nothing");
    CHECK(nothing.code == 4);
    CHECK(contains(nothing.out, "portable offers no matrix product of that name: nothing was identified."));
    CHECK(shell(folder.path(), "mxcert identify").code == 2);
    const Result crash = shell(folder.path(), "mxcert identify " + multiplier + "--backend-option crash");
    INFO(crash.out);
    CHECK(crash.code == 3);
    CHECK(contains(crash.out, "SIGABRT"));
}

TEST_CASE("mxcert identify says what a conversion does, and what no choice explains",
          "[identify][cli][.][exhaustive]") {
    const TemporaryFolder folder;
    const Result right =
        shell(folder.path(), "mxcert identify portable --filter fp16-e4m3-nearest_even-sat --json out.json");
    INFO(right.out << right.err);
    CHECK(right.code == 0);
    CHECK(contains(right.out, "\n  explains all 65,536 inputs\n"));
    CHECK(contains(right.out, "  rounding       nearest_even    decided by 126 inputs\n"));
    CHECK(contains(right.out, "\n  permitted by ocp-sat, ocp, "));
    CHECK(contains(content(folder.path() / "out.json"), "\"behaviour\": \"defaults\""));
    // One input of 2^32 that no choice explains, and the clause it breaks.
    const std::string text = "' --backend-option 3F880001 --filter fp32-e4m3-nearest_even-sat";
    const Result wrong = shell(folder.path(), "mxcert identify '" + mxcert::test::planted_plugin() + text);
    INFO(wrong.out << wrong.err);
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.out, "\n  explains 4,294,967,295 of 4,294,967,296 inputs\n"));
    CHECK(contains(wrong.out, "\n  unexplained: 0x3F880001 gives 0x38, not 0x39\n"));
    CHECK(contains(wrong.out, ": 1 input, of OFP8-ROUND 1\n"));
    const Result crash =
        shell(folder.path(), "mxcert identify '" + mxcert::test::planted_plugin() +
                                 "' --backend-option crash=3F880001 --filter fp32-e4m3-nearest_even-sat");
    INFO(crash.out << crash.err);
    CHECK(crash.code == 3);
    CHECK(contains(crash.out, "ERROR: "));
    const Result nothing = shell(folder.path(), "mxcert identify portable --filter nothing");
    CHECK(nothing.code == 4);
    CHECK(contains(nothing.out, "portable offers no conversion or operation of that name: nothing was identified."));
}
