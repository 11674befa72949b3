// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/selftest.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/faults/planted.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/inputs/sample.hpp"
#include "vectors/base/parallel.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::selftest {
namespace {

constexpr unsigned samples = 16; // in a step of FP64
constexpr std::uint64_t seed = 1;

constexpr SelftestConversion conversions[]{
    {"fp32-e4m3-nearest_even-sat", ""},
    {"fp32-e4m3-nearest_even-nosat", ""},
    {"fp32-e2m1-nearest_even-sat", ""},
    {"bf16-e3m2-nearest_even-sat", ""},
    {"fp16-e2m3-nearest_even-sat", ""},
    {"e2m1-fp32-nearest_even-nosat", ""},
    {"fp32-int8-nearest_even-sat", ""},
    {"int8-fp32-nearest_even-nosat", ""},
    {"fp32-ue4m3-nearest_even-nosat", ""},
    {"bf16-ue5m3-nearest_even-sat", ""},
    {"ue5m3-bf16-nearest_even-nosat", ""},
    {"fp32-e5m2-nearest_even-sat", ""},
    {"fp32-e5m2-nearest_even-nosat", ""},
    // A profile that says which NaN comes out.
    {"fp32-e4m3-nearest_even-nosat", "nvidia-cuda-host"},
    {"bf16-e5m2-nearest_even-sat", "nvidia-cuda-host"},
    {"fp16-e4m3-nearest_even-nosat", ""},
    {"bf16-e5m2-nearest_even-sat", ""},
    {"e4m3-fp32-nearest_even-nosat", ""},
    {"e5m2-fp32-nearest_even-nosat", ""},
    {"e4m3-bf16-nearest_even-nosat", ""},
    {"fp64-e4m3-nearest_even-nosat", ""},
    {"fp32-e8m0-nearest_even-sat", ""},
    {"fp32-e8m0-up-sat", ""},
    {"fp32-e8m0-toward_zero-nosat", ""},
    {"fp16-e8m0-up-sat", ""},
    {"e8m0-fp32-nearest_even-nosat", ""},
    {"amax_fp32-e8m0_for_e4m3-ocp_floor-sat", ""},
    {"amax_fp32-e8m0_for_e4m3-ceil-sat", ""},
    {"amax_fp32-e8m0_for_e4m3-rceil-sat", ""},
    {"amax_fp32-e8m0_for_e5m2-rceil-sat", ""},
    {"amax_bf16-e8m0_for_e4m3-even-sat", ""},
    {"amax_fp16-e8m0_for_e4m3-ocp_floor-sat", ""},
    {"amax_fp32-e8m0_for_e2m1-ocp_floor-sat", ""},
    {"amax_bf16-e8m0_for_e2m3-ocp_floor-sat", ""},
    {"amax_bf16-e8m0_for_int8-ocp_floor-sat", ""},
    {"fp16_by_e8m0-e4m3-nearest_even-sat", ""},
    {"bf16_by_e8m0-e2m1-nearest_even-sat", ""},
    {"bf16_by_e8m0-int8-nearest_even-sat", "ocp-floor"}, // of which -2 is no element
    {"e2m1_times_e8m0-fp32-nearest_even-nosat", ""},
    {"fp16_times_nscale5-e4m3-nearest_even-nosat", "arm-fp8"},
    {"e5m2_by_lscale6-bf16-nearest_even-nosat", "arm-fp8"},
    {"relu_fp16-e4m3-nearest_even-sat", "nvidia-ptx"},
    {"relu_fp32-e5m2-nearest_even-sat", "nvidia-ptx"},
    {"fp32-flags_of_e4m3-nearest_even-nosat", ""},
    {"bf16-flags_of_e5m2-up-sat", ""},
    {"e5m2-flags_of_bf16-nearest_even-nosat", ""},
};

} // namespace

std::string_view to_string(PlantOutcome outcome) {
    constexpr std::array<std::string_view, 6> names{"equivalent", "named", "alike", "unnamed", "misnamed", "escaped"};
    return names.at(static_cast<std::size_t>(outcome));
}

std::span<const SelftestConversion> selftest_conversions() { return conversions; }

const Profile& profile_of(const SelftestConversion& planted) {
    if (!planted.profile.empty()) return find_profile(planted.profile);
    const Conversion conversion = parse_conversion(planted.name);
    const auto& all = all_profiles();
    const auto judging =
        std::find_if(all.begin(), all.end(), [&](const Profile& profile) { return covers(profile, conversion); });
    if (judging == all.end()) throw std::invalid_argument(fmt::format("no profile judges {}", to_string(conversion)));
    return *judging;
}

namespace {

/// All inputs, or of FP64 those of a sample, as certify asks them.
void answer(observe::Observation& seen, StepTable table, const verdict::Judge& judge) {
    const Format& from = *seen.conversion.from;
    if (from.width() < 64) {
        seen.inputs = from.last_code() + 1;
        seen.table = std::move(table);
        return;
    }
    seen.points = inputs::choose_points(from, verdict::boundaries({judge}), samples, seed);
    seen.inputs = seen.points.size();
    for (inputs::Point& point : seen.points) point.got = table.steps[find_step(table, point.input)].code;
}

} // namespace

SelftestResult plant(const faults::Planted& planted, const verdict::Judge& judge) {
    SelftestResult result;
    result.planted = planted;
    observe::Observation seen;
    seen.conversion = planted.conversion;
    seen.status = Status::pass;
    answer(seen, faults::planted_table(planted), judge);
    // Counted apart from the verdict: a PASS of what differs is an escape.
    for (const Difference& difference : diagnose::differences_of(verdict::steps_of(seen), judge.permitted))
        result.differing += difference.last - difference.first + 1;
    const verdict::Row row = verdict::judge_by(judge, seen, {});
    if (row.status == Status::pass) {
        result.outcome = result.differing == 0 ? PlantOutcome::equivalent : PlantOutcome::escaped;
        return result;
    }
    // Of several that explain everything each is as good a name.
    bool right = false;
    const diagnose::Diagnosis& diagnosis = verdict::table_of(row)->diagnosis;
    bool all_right = !diagnosis.bugs.empty();
    for (const diagnose::NamedBug& bug : diagnosis.bugs) {
        result.named.push_back(bug.bug_class->id);
        right = right || (bug.bug_class == planted.bug_class && bug.inputs == result.differing);
        all_right = all_right && bug.bug_class == planted.bug_class;
    }
    right = right || all_right;
    const bool whole = diagnosis.differing == result.differing && diagnosis.explained == result.differing;
    result.outcome = !whole ? PlantOutcome::misnamed : right ? PlantOutcome::named : PlantOutcome::alike;
    return result;
}

std::vector<SelftestResult> selftest(const std::vector<faults::Planted>& all, verdict::GoldenSource& golden,
                                     unsigned jobs, const std::function<void(std::size_t)>& done) {
    std::map<std::pair<std::string, std::string_view>, verdict::Judge> judges;
    for (const faults::Planted& planted : all) {
        const auto [at, fresh] = judges.try_emplace({to_string(planted.conversion), planted.profile->name});
        if (!fresh) continue;
        const std::vector<verdict::Judge> of_profile =
            verdict::judges_of(planted.conversion, {planted.profile}, golden);
        if (of_profile.empty())
            throw std::invalid_argument(
                fmt::format("profile {} does not judge {}", planted.profile->name, to_string(planted.conversion)));
        at->second = of_profile.front();
    }
    std::vector<SelftestResult> results(all.size());
    std::mutex mutex;
    std::size_t finished = 0;
    in_parallel(all.size(), jobs, [&](std::size_t i) {
        results[i] = plant(all[i], judges.at({to_string(all[i].conversion), all[i].profile->name}));
        const std::scoped_lock lock(mutex);
        ++finished;
        if (done) done(finished);
    });
    return results;
}

} // namespace mxcert::selftest
