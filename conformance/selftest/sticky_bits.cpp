// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/sticky_bits.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "conformance/faults/small_suite.hpp"
#include "conformance/inputs/sample.hpp"
#include "conformance/offline/offline_plan.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/faults/sticky_fault.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::selftest {
namespace {

constexpr const char* profile_name = "ocp-sat";
constexpr std::uint64_t asked_seed = 1;
constexpr unsigned asked_per_step = 64; // of certify

constexpr std::array<const char*, 5> planted_conversions{
    "fp32-e4m3-nearest_even-sat", "fp32-e5m2-nearest_even-sat",         "fp16-e4m3-nearest_even-sat",
    "fp64-e4m3-nearest_even-sat", "fp32_by_e8m0-e4m3-nearest_even-sat",
};
constexpr const char* planted_quantizer = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32";
constexpr std::array planted_budgets{std::uint64_t{1000}, std::uint64_t{100'000}};
constexpr const char* sampled = "quick, standard"; // which ask the same

/// Inputs that a level asks of a conversion; none: all.
struct LevelInputs {
    std::string level;
    std::vector<Code> inputs;
};

std::vector<LevelInputs> asked_of(const Conversion& conversion, const std::vector<verdict::Judge>& judges) {
    std::vector<LevelInputs> all;
    if (faults::has_small_suite(conversion)) {
        all.push_back(
            {to_string(LevelOf{Level::smoke, 0}), faults::small_suite(conversion, judges, 0, asked_seed).inputs});
        for (const std::uint64_t budget : planted_budgets)
            all.push_back({to_string(LevelOf{Level::budget, budget}),
                           faults::small_suite(conversion, judges, budget, asked_seed).inputs});
    }
    LevelInputs& sample = all.emplace_back(LevelInputs{sampled, {}});
    if (!faults::has_small_suite(conversion))
        for (const inputs::Point& point :
             inputs::choose_points(*conversion.from, verdict::boundaries(judges), asked_per_step, asked_seed))
            sample.inputs.push_back(point.input);
    offline::OfflineIndex index;
    index.profiles = {profile_name};
    index.filters = {to_string(conversion)};
    all.push_back({"offline boundaries", offline::plan_offline(index).at(0).inputs});
    return all;
}

bool is_caught(const Conversion& conversion, const verdict::Judge& judge, const StepTable& wrong,
               const LevelInputs& inputs) {
    observe::Observation seen;
    seen.conversion = conversion;
    seen.status = Status::pass;
    if (inputs.inputs.empty()) {
        seen.table = wrong;
        seen.inputs = conversion.from->last_code() + 1;
    } else {
        for (const Code input : inputs.inputs)
            seen.points.push_back({input, 0, wrong.steps[find_step(wrong, input)].code});
        seen.inputs = seen.points.size();
    }
    return verdict::judge(seen, judge.permitted, 1).status != Status::pass;
}

// Each bit in turn is planted in the conversion, and judged on what each level asks.
std::vector<StickyResult> results_of(const std::string& row, const Conversion& conversion, const verdict::Judge& judge,
                                     const std::vector<LevelInputs>& all) {
    std::vector<StickyResult> results;
    for (const LevelInputs& inputs : all)
        results.push_back({row,
                           inputs.level,
                           inputs.inputs.empty() ? conversion.from->last_code() + 1 : inputs.inputs.size(),
                           0,
                           {}});
    const StepTable right = tabulate(*conversion.from, *conversion.to, choices_of(conversion));
    for (unsigned bit = 0; bit < static_cast<unsigned>(conversion.from->fraction_bits); ++bit) {
        const StepTable wrong = without_sticky_bit(right, bit);
        if (diagnose::differences_of(wrong.steps, judge.permitted).empty()) continue; // no input shows it
        for (std::size_t i = 0; i < all.size(); ++i) {
            ++results[i].planted;
            if (!is_caught(conversion, judge, wrong, all[i])) results[i].escaped.push_back(bit);
        }
    }
    return results;
}

// The elements under the scales that a right quantizer gives.
std::vector<LevelInputs> asked_of(const Quantize& quantize, const std::vector<verdict::Judge>& judges) {
    const Format& by_scale = *quantize.element.from;
    const Conversion& scale = quantize.scale;
    const StepTable scales = tabulate(*scale.from, *scale.to, choices_of(scale));
    std::vector<Code> amaxes = suites::amax_of_each_scale(quantize, scales.steps);
    const std::vector<Code> firsts = verdict::boundaries(judges);
    const std::vector<Code> sample =
        suites::pairs_to_ask(quantize, suites::reachable_pairs(by_scale, amaxes), firsts, {asked_per_step, asked_seed});
    suites::keep_few_scales(*by_scale.scale, amaxes);
    return {{to_string(LevelOf{Level::smoke, 0}),
             suites::few_pairs(quantize, firsts, suites::reachable_pairs(by_scale, amaxes), asked_seed)},
            {sampled, sample}};
}

} // namespace

std::vector<std::string> sticky_rows() {
    std::vector<std::string> rows(planted_conversions.begin(), planted_conversions.end());
    rows.push_back(fmt::format("{}/elements", planted_quantizer));
    return rows;
}

std::vector<StickyResult> sticky_results(const std::string& row) {
    const auto [conversion, quantize] = [&]() -> std::pair<Conversion, std::optional<Quantize>> {
        if (!row.starts_with(planted_quantizer)) return {parse_conversion(row), std::nullopt};
        const Quantize quantizer = as_quantize(parse_operation(planted_quantizer));
        return {quantizer.element, quantizer};
    }();
    verdict::GoldenSource golden;
    const std::vector<verdict::Judge> judges = verdict::judges_of(conversion, {&find_profile(profile_name)}, golden);
    return results_of(row, conversion, judges.at(0),
                      quantize ? asked_of(*quantize, judges) : asked_of(conversion, judges));
}

} // namespace mxcert::selftest
