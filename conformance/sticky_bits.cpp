// SPDX-License-Identifier: Apache-2.0
#include "conformance/sticky_bits.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "conformance/offline_plan.hpp"
#include "conformance/planted_backend.hpp"
#include "conformance/sample.hpp"
#include "conformance/small_suite.hpp"
#include "vectors/parallel.hpp"
#include "vectors/sticky_fault.hpp"
#include "vectors/tabulate.hpp"

namespace mxcert {
namespace {

constexpr const char* profile_name = "ocp-sat";
constexpr std::uint64_t asked_seed = 1;
constexpr unsigned asked_per_step = 64; // of certify

constexpr std::array<const char*, 5> planted_conversions{
    "fp32-e4m3-nearest_even-sat", "fp32-e5m2-nearest_even-sat",         "fp16-e4m3-nearest_even-sat",
    "fp64-e4m3-nearest_even-sat", "fp32_by_e8m0-e4m3-nearest_even-sat",
};
constexpr const char* planted_quantizer = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/elements";
constexpr std::array planted_budgets{std::uint64_t{1000}, std::uint64_t{100'000}};
constexpr std::array planted_levels{Level::smoke, Level::quick, Level::standard};

/// Inputs that a level asks of a conversion; none: all.
struct Asked {
    std::string level;
    std::vector<Code> inputs;
};

std::vector<Asked> asked_of(const Conversion& conversion, const std::vector<Judge>& judges) {
    std::vector<Asked> all;
    if (has_small_suite(conversion)) {
        all.push_back({to_string(LevelOf{Level::smoke, 0}), small_suite(conversion, judges, 0, asked_seed).inputs});
        for (const std::uint64_t budget : planted_budgets)
            all.push_back({to_string(LevelOf{Level::budget, budget}),
                           small_suite(conversion, judges, budget, asked_seed).inputs});
    }
    Asked& sample = all.emplace_back(Asked{to_string(LevelOf{Level::quick, 0}), {}});
    if (!has_small_suite(conversion))
        for (const Point& point : choose_points(*conversion.from, boundaries(judges), asked_per_step, asked_seed))
            sample.inputs.push_back(point.input);
    OfflineIndex index;
    index.profiles = {profile_name};
    index.filters = {to_string(conversion)};
    all.push_back({"offline boundaries", plan_offline(index).at(0).inputs});
    return all;
}

bool is_caught(const Conversion& conversion, const Judge& by, const StepTable& wrong, const Asked& asked) {
    Observation seen;
    seen.conversion = conversion;
    seen.status = Status::pass;
    if (asked.inputs.empty()) {
        seen.table = wrong;
        seen.inputs = conversion.from->last_code() + 1;
    } else {
        for (const Code input : asked.inputs)
            seen.points.push_back({input, 0, wrong.steps[find_step(wrong, input)].code});
        seen.inputs = seen.points.size();
    }
    return judge(seen, by.permitted, 1).status != Status::pass;
}

std::vector<StickyResult> results_of(const Conversion& conversion) {
    GoldenSource golden;
    const std::vector<Judge> judges = judges_of(conversion, {&find_profile(profile_name)}, golden);
    const std::vector<Asked> all = asked_of(conversion, judges);
    std::vector<StickyResult> results;
    for (const Asked& asked : all)
        results.push_back({to_string(conversion),
                           asked.level,
                           asked.inputs.empty() ? conversion.from->last_code() + 1 : asked.inputs.size(),
                           0,
                           {}});
    const StepTable right = tabulate(*conversion.from, *conversion.to, choices_of(conversion));
    for (unsigned bit = 0; bit < static_cast<unsigned>(conversion.from->fraction_bits); ++bit) {
        const StepTable wrong = without_sticky_bit(right, bit);
        if (differences_of(wrong.steps, judges.at(0).permitted).empty()) continue; // no input shows it
        for (std::size_t i = 0; i < all.size(); ++i) {
            ++results[i].planted;
            if (!is_caught(conversion, judges[0], wrong, all[i])) results[i].escaped.push_back(bit);
        }
    }
    return results;
}

std::vector<StickyResult> results_of_quantizer(const std::filesystem::path& folder) {
    const auto bits = static_cast<std::size_t>(formats::fp32.fraction_bits);
    std::vector<StickyResult> results;
    for (const Level level : planted_levels) {
        StickyResult& result = results.emplace_back(
            StickyResult{planted_quantizer, to_string(LevelOf{level, 0}), 0, static_cast<unsigned>(bits), {}});
        std::vector<PlantedBackendResult> runs(bits);
        in_parallel(bits, 0, [&](std::size_t bit) {
            const std::string option = fmt::format("sticky bit {}", bit);
            runs[bit] = run_planted({"quantizer", option, profile_name, planted_quantizer, ""}, folder, level);
        });
        for (std::size_t bit = 0; bit < bits; ++bit) {
            result.inputs = std::max(result.inputs, runs[bit].compared);
            if (runs[bit].status != Status::fail) result.escaped.push_back(static_cast<unsigned>(bit));
        }
    }
    return results;
}

} // namespace

std::vector<std::string> sticky_rows() {
    std::vector<std::string> rows(planted_conversions.begin(), planted_conversions.end());
    rows.emplace_back(planted_quantizer);
    return rows;
}

std::vector<StickyResult> sticky_results(const std::string& row, const std::filesystem::path& folder) {
    return row == planted_quantizer ? results_of_quantizer(folder) : results_of(parse_conversion(row));
}

} // namespace mxcert
