// SPDX-License-Identifier: Apache-2.0
// The recipe of float scales is recovered from answers, whatever is declared: every one of the table, choices that are
// nobody's, and those of a plugin with a fault.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "conformance/suites/float_blocks/float_way.hpp"
#include "conformance/suites/float_blocks/identify_float.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/float_operations.hpp"
#include "conformance/test/program.hpp"
#include "reference/base/random.hpp"
#include "reference/fast/recipe/float_block.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using namespace mxcert::test::float_operations;
using Catch::Matchers::Contains;
using mxcert::test::contains;
using mxcert::test::Result;
using mxcert::test::shell;

namespace {

using Strings = std::vector<std::string>;

/// Quantizes by choices that are not those it declares.
class Quantizer final : public test::BareSubject {
  public:
    Quantizer(const Operation& declared, const recipe::FloatBlock& choices)
        : quantize_(as_quantize_float(declared)), choices_(choices) {
        choices_.scaling.element = quantize_.choices.scaling.element;
        choices_.scaling.kept = quantize_.choices.scaling.kept;
    }

    [[nodiscard]] frames::RunAnswer run(const Operation& /*operation*/, const frames::RunCase& run_case) override {
        recipe::CodeMatrix values{run_case.shape[0], run_case.shape[1], {}};
        for (std::uint64_t i = 0; i < run_case.inputs[0].count(); ++i)
            values.codes.push_back(run_case.inputs[0].get(i));
        const recipe::FloatQuantized quantized = fast::quantize(choices_, *quantize_.source, quantize_.block, values);
        frames::RunAnswer answer;
        answer.outputs = run_case.outputs;
        for (std::size_t i = 0; i < quantized.elements.codes.size(); ++i)
            answer.outputs[0].set(i, quantized.elements.codes[i]);
        for (std::size_t i = 0; i < quantized.scales.size(); ++i)
            answer.outputs[1].set(i, fast::scale_to(*quantize_.scale, quantized.scales[i].scale));
        return answer;
    }

  private:
    QuantizeFloat quantize_;
    recipe::FloatBlock choices_;
};

FoundCases found_of(const std::string& declared, const recipe::FloatBlock& choices) {
    const Operation operation = parse_operation(declared);
    Quantizer subject(operation, choices);
    return identify_quantize_float(subject, operation);
}

/// An operation of the plugin, with a fault.
FoundCases found_with(const std::string& fault, const std::string& name) {
    const auto subject = test::open_plugin(MXCERT_TEST_FLOAT_QUANTIZER, fault);
    const Operation operation = parse_operation(name);
    return operation.info->name == "quantize_float" ? identify_quantize_float(*subject, operation)
                                                    : identify_dequantize_float(*subject, operation);
}

/// Every value that a parameter may have, the one that was found first.
Strings values(const FoundCases& found, std::string_view name) {
    for (const diagnose::FoundParameter& parameter : found.parameters) {
        if (parameter.name != name) continue;
        Strings all = parameter.alike;
        all.insert(all.begin(), parameter.value);
        return all;
    }
    return {};
}

bool has(const FoundCases& found, std::string_view parameter, std::string_view value) {
    const Strings all = values(found, parameter);
    return std::find(all.begin(), all.end(), value) != all.end();
}

bool is_all(const FoundCases& found) {
    UNSCOPED_INFO(to_string(found.status) << " " << found.reason << ": " << found.explained << " of " << found.asked
                                          << " " << (found.unexplained.empty() ? "" : found.unexplained.front()));
    return found.status == Status::pass && found.asked > 1'000 && found.explained == found.asked;
}

} // namespace

TEST_CASE("each recipe of the table is found, though another one is declared", "[identify][values]") {
    for (const recipe::FloatBlockPreset& preset : recipe::float_block_presets()) {
        CAPTURE(preset.name);
        const FoundCases found = found_of("quantize_float-bf16-e4m3-fp32-absmax-1x16", preset.choices);
        CHECK(is_all(found));
        CHECK(found.in_table);
        CHECK_THAT(found.name, Contains(std::string(preset.name)));
        // Of those with the same name no choice is another.
        for (const recipe::FloatBlockPreset& other_preset : recipe::float_block_presets())
            if (contains(found.name, std::string(other_preset.name) + " ") ||
                found.name.ends_with(std::string(other_preset.name)))
                CHECK((other_preset.choices == preset.choices || other_preset.name.ends_with("bf16")));
    }
}

TEST_CASE("choices of a recipe that nobody has are found", "[identify][.][exhaustive]") {
    SplitMix64 random(1);
    std::size_t outside = 0;
    for (int i = 0; i < 10; ++i) {
        const auto coin = [&] { return random.below(2) == 0; };
        const auto unusable = [&] { return coin() ? recipe::Unusable::one : recipe::Unusable::computed; };
        recipe::FloatBlock choices;
        choices.scaling.first = coin() ? recipe::First::inverse : recipe::First::scale;
        choices.scaling.quotient = coin() ? recipe::Quotient::divide : recipe::Quotient::reciprocal;
        choices.scaling.power_of_two = coin();
        const Code least[] = {0, least_1e_12, least_1e_4};
        choices.scaling.least_amax = least[random.below(3)];
        choices.scaling.limit = coin() ? &formats::fp32 : nullptr;
        choices.scaling.on_nan = unusable();
        choices.scaling.on_inf = unusable();
        choices.scaling.on_zero = unusable();
        const AmaxNan nans[] = {AmaxNan::ignored, AmaxNan::if_alone, AmaxNan::propagated};
        choices.amax_nan = nans[random.below(3)];
        choices.apply = coin() ? recipe::Apply::multiply : recipe::Apply::divide;
        choices.overflow = coin() ? Overflow::sat : Overflow::nosat;
        CAPTURE(i, recipe::describe(choices.scaling), recipe::to_string(choices.apply));
        const FoundCases found = found_of(i % 2 == 0 ? "quantize_float-fp16-e5m2-fp32-deepgemm-1x16"
                                                     : "quantize_float-fp32-e4m3-fp32-absmax-1x16",
                                          choices);
        CHECK(is_all(found));
        CHECK(has(found, "first", recipe::to_string(choices.scaling.first)));
        // Rounded to a power of two other choices give the same.
        if (!choices.scaling.power_of_two) CHECK(has(found, "quotient", recipe::to_string(choices.scaling.quotient)));
        CHECK(has(found, "power_of_two", choices.scaling.power_of_two ? "yes" : "no"));
        CHECK(has(found, "on_inf", recipe::to_string(choices.scaling.on_inf)));
        CHECK(has(found, "apply", recipe::to_string(choices.apply)));
        CHECK(has(found, "overflow", choices.overflow == Overflow::sat ? "sat" : "nosat"));
        outside += found.in_table ? 0 : 1;
    }
    CHECK(outside > 5);
}

namespace {

/// Looks for every `step`-th fault of a table.
void check_wrong(std::size_t step) {
    struct Wrong {
        const char* operation;
        const char* fault;
        const char* parameter;
        Strings values;
    };
    const Wrong all[] = {Wrong{absmax, "multiplies", "apply", {"multiply"}},
                         Wrong{absmax, "reciprocal quotient", "quotient", {"reciprocal"}},
                         Wrong{absmax, "inverse given out", "given out", {"the inverse scale"}},
                         Wrong{absmax, "Inf gives one", "on_inf", {"one"}},
                         Wrong{absmax, "NaN propagates", "amax_nan", {"propagated"}},
                         Wrong{absmax, "zeros divided", "on_zero", {"computed"}},
                         Wrong{absmax, "scales transposed", "scales", {"in columns of blocks"}},
                         Wrong{narrow, "scale not rounded", "elements", {"by the scale before it was rounded"}},
                         Wrong{deepgemm, "divides", "apply", {"divide"}},
                         Wrong{deepgemm, "no least amax", "least_amax", {"none"}},
                         Wrong{te, "no limit", "limit", {"none"}}};
    for (std::size_t number = 0; number < std::size(all); number += step) {
        const Wrong& wrong = all[number];
        CAPTURE(wrong.operation, wrong.fault);
        const FoundCases found = found_with(wrong.fault, wrong.operation);
        CHECK(is_all(found));
        CHECK(values(found, wrong.parameter) == wrong.values);
    }
}

} // namespace

TEST_CASE("everything that a quantizer with float scales does wrongly is found", "[.][exhaustive]") { check_wrong(1); }
TEST_CASE("what a quantizer with float scales does wrongly is found", "[identify][values]") {
    check_wrong(5);
    const FoundCases right = found_with("", te);
    CHECK(is_all(right));
    CHECK(right.name == "te_float8_block_fp32_scales");
    CHECK(values(right, "given out").empty());
    const FoundCases another = found_with("another recipe", absmax);
    CHECK(is_all(another));
    CHECK(another.name == "deepseek_v3");
}

TEST_CASE("float scales that no choice explains are not explained", "[identify][.][exhaustive]") {
    for (const char* fault : {"tail shares", "without lane 7", "lanes swapped"}) {
        CAPTURE(fault);
        const FoundCases found = found_with(fault, absmax);
        CHECK(found.status == Status::pass);
        CHECK(found.explained < found.asked);
        CHECK(found.name.empty());
        CHECK_FALSE(found.in_table);
        CHECK_FALSE(found.unexplained.empty());
    }
    const FoundCases unwritten = found_with("scale not written", absmax);
    CHECK(unwritten.status == Status::mistrusted);
    CHECK(unwritten.explained == 0);
}

TEST_CASE("the way back from float scales is found", "[identify][values]") {
    const FoundCases right = found_with("", narrow_back);
    CHECK(is_all(right));
    CHECK(values(right, "product") == Strings{"rounded to binary32, then to the target"});
    CHECK(values(right, "subnormal scales") == Strings{"kept"});
    const FoundCases once = found_with("rounds once", narrow_back);
    CHECK(is_all(once));
    CHECK(values(once, "product") == Strings{"rounded once"});
    const FoundCases flushes = found_with("flushes", back);
    CHECK(is_all(flushes));
    CHECK(values(flushes, "subnormal scales") == Strings{"flushed"});
    const FoundCases columns = found_with("scales transposed", back);
    CHECK(is_all(columns));
    CHECK(values(columns, "scales") == Strings{"in columns of blocks"});
}

TEST_CASE("mxcert identify says which recipe float scales have", "[identify][cli][values]") {
    const TemporaryFolder folder;
    const std::string plugin =
        std::string("mxcert identify '") + MXCERT_TEST_FLOAT_QUANTIZER + "' --quiet --filter '" + te + "' ";
    const Result right = shell(folder.path(), plugin + "--json out.json");
    INFO(right.out << right.err);
    CHECK(right.code == 0);
    CHECK_THAT(right.out, Contains("\n  te_float8_block_fp32_scales: explains all "));
    const Result wrong = shell(folder.path(), plugin + "--backend-option divides");
    INFO(wrong.out << wrong.err);
    CHECK(wrong.code == 0);
    CHECK_THAT(wrong.out, Contains("\n  no recipe of the table: explains all ") && Contains("apply         divide "));
}
