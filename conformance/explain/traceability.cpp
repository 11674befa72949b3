// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/traceability.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/faults/clause_suites.hpp"
#include "conformance/faults/planted.hpp"
#include "conformance/verdict/offers.hpp"
#include "reference/base/word_list.hpp"
#include "vectors/base/parallel.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::explain {
namespace {

constexpr TracedConversion traced_table[] = {
    {"fp16-e4m3-nearest_even-sat", "ocp"},
    {"fp16-e4m3-nearest_even-nosat", "nvidia-cuda-host"},
    {"bf16-e5m2-nearest_even-sat", "ocp"},
    {"fp64-e4m3-nearest_even-nosat", "nvidia-cuda-host"},
    {"e4m3-fp16-nearest_even-nosat", "nvidia-cuda-host"},
    {"e5m2-bf16-nearest_even-nosat", "ocp"},
    {"bf16-e8m0-nearest_even-sat", "ocp"},
    {"bf16-e8m0-up-sat", "nvidia-cuda-host"},
    {"bf16-e8m0-toward_zero-nosat", "nvidia-cuda-host"},
    {"e8m0-bf16-nearest_even-nosat", "ocp"},
    {"e8m0-fp16-nearest_even-nosat", "ocp"},
    {"e8m0-fp16-toward_zero-nosat", "ocp"},
    {"fp16-e2m1-nearest_even-sat", "ocp"},
    {"e3m2-fp16-nearest_even-nosat", "ocp"},
    {"e2m3-fp16-nearest_even-nosat", "ocp"},
    {"e2m1-fp16-nearest_even-nosat", "ocp"},
    {"fp16-int8-nearest_even-sat", "ocp"},
    {"int8-fp16-nearest_even-nosat", "ocp"},
    {"fp16-ue4m3-nearest_even-sat", "unsigned-scales"},
    {"bf16-ue5m3-nearest_even-nosat", "unsigned-scales"},
    {"bf16-ue5m3-up-sat", "nvidia-cuda-host"},
    {"bf16-ue5m3-toward_zero-nosat", "nvidia-cuda-host"},
    {"ue4m3-fp16-nearest_even-nosat", "unsigned-scales"},
    {"ue5m3-bf16-nearest_even-nosat", "unsigned-scales"},
    {"amax_bf16-e8m0_for_e4m3-ocp_floor-sat", "ocp"},
    {"amax_bf16-e8m0_for_e4m3-rceil-sat", "nvidia-te"},
    {"bf16_by_e8m0-e4m3-nearest_even-sat", "ocp"},
    {"e4m3_times_e8m0-fp16-nearest_even-nosat", "ocp"},
    {"e5m2_times_e8m0-bf16-nearest_even-nosat", "ocp"},
    {"bf16-flags_of_e4m3-nearest_even-nosat", "zvfofp8min"},
    {"e5m2-flags_of_bf16-nearest_even-nosat", "zvfofp8min"},
    {"e4m3-flags_of_bf16-nearest_even-nosat", "arm-fp8"},
    {"e2m1-flags_of_e4m3-nearest_even-nosat", "zvfofp4min"},
    {"fp16_times_nscale5-e4m3-nearest_even-nosat", "arm-fp8"},
    {"e5m2_by_lscale4-fp16-nearest_even-nosat", "arm-fp8"},
    {"relu_fp16-e5m2-nearest_even-sat", "nvidia-ptx"},
};

// Sources of which every input takes long: a value with its scale, and FP64.
bool is_narrowed(const Format& from) { return from.scale != nullptr || from.width() > 32; }

// The inputs that are looked at: all; of a value with its scale those under a few, the ends, NaN and some in the
// middle; of FP64 those that are no numbers, which no other source shows.
std::vector<InputRange> planted_ranges(const Format& from) {
    if (!is_narrowed(from)) return {{0, from.last_code()}};
    if (from.scale == nullptr)
        return {{from.inf_code(), from.magnitude_mask()}, {from.sign_bit() | from.inf_code(), from.last_code()}};
    const auto values = static_cast<unsigned>(from.value->width());
    std::vector<InputRange> ranges;
    const Code last = from.scale->last_code();
    for (const Code scale : {Code{0}, Code{1}, last / 2, last / 2 + 1, last - 1, last})
        ranges.push_back({scale << values, ((scale + 1) << values) - 1});
    return ranges;
}

std::vector<Step> planted_steps(const faults::Planted& planted) {
    const Format& from = *planted.conversion.from;
    const Format& to = *planted.conversion.to;
    if (planted.fault != nullptr) return planted.fault->make(from, to, planted.choices).steps;
    std::vector<Step> steps;
    for (const TracedStep& step : trace_steps(from, to, planted.choices, planted_ranges(from)))
        steps.push_back({step.first, step.last, step.code});
    return steps;
}

// The choice whose value was planted: "rounding=up" is the name of one and its value.
std::string_view choice_of(const faults::Planted& planted) {
    return planted.fault != nullptr ? std::string_view{}
                                    : std::string_view(planted.how).substr(0, planted.how.find('='));
}

/// What one planted bug broke: faults by the place of their clause.
using Caught = std::vector<std::pair<std::size_t, CaughtFault>>;

Caught caught_of(const faults::Planted& planted, const PermitTable& permitted) {
    Caught caught;
    const std::vector<Difference> wrong = diagnose::differences_of(planted_steps(planted), permitted);
    for (std::size_t i = 0; i < all_clauses().size(); ++i)
        if (const std::uint64_t inputs =
                caught_by(all_clauses()[i], planted.conversion, choice_of(planted), wrong, permitted);
            inputs != 0)
            caught.push_back(
                {i,
                 {planted.bug_class->id, planted.how, to_string(planted.conversion), planted.profile->name, inputs}});
    return caught;
}

// Every conversion that a provision of the profile may ask for, from one source.
std::vector<Conversion> all_offers(const Profile& profile) {
    std::vector<Conversion> offers;
    for (const Provision& provision : profile.provisions)
        for (const Format& to : all_formats())
            if (listed(provision.targets, to.name))
                for (const Conversion& conversion : deterministic_conversions(format("fp16"), to))
                    if (std::find(offers.begin(), offers.end(), conversion) == offers.end())
                        offers.push_back(conversion);
    return offers;
}

bool is_missing(const Provision& provision, const Profile& profile, const std::vector<Conversion>& offers) {
    const std::vector<verdict::Row> rows = verdict::judge_offers(profile, offers);
    return std::any_of(rows.begin(), rows.end(), [&](const verdict::Row& row) {
        return row.id == "provision " + std::string(provision.clause) && row.status == Status::unsupported;
    });
}

// Offers without what a provision asks for.
void plant_provisions(std::vector<ClauseTrace>& traces) {
    for (const Profile& profile : all_profiles())
        for (const Provision& provision : profile.provisions) {
            std::vector<Conversion> offers = all_offers(profile);
            if (is_missing(provision, profile, offers)) continue;
            std::erase_if(offers, [&](const Conversion& conversion) {
                const Choices choices = choices_of(conversion);
                return (provision.rounding.empty() || provision.rounding == value_name(choices, Choice::rounding)) &&
                       (provision.overflow.empty() || provision.overflow == value_name(choices, Choice::overflow));
            });
            if (!is_missing(provision, profile, offers)) continue;
            for (ClauseTrace& trace : traces)
                if (trace.clause->id == provision.clause)
                    trace.faults.push_back(
                        {{},
                         fmt::format("no {} is offered",
                                     provision.rounding.empty() ? provision.overflow : provision.rounding),
                         {},
                         profile.name,
                         0});
        }
}

std::vector<const ManifestEntry*> golden_of(const std::vector<std::string>& suites, const Manifest& manifest) {
    std::vector<const ManifestEntry*> golden;
    for (const ManifestEntry& file : manifest.files)
        if (std::find(suites.begin(), suites.end(), file.from + "-" + file.to) != suites.end()) golden.push_back(&file);
    return golden;
}

// The inputs of the differences that a clause of the list decides.
std::uint64_t inputs_in_rows(std::string_view clauses, const std::vector<Difference>& wrong) {
    std::uint64_t inputs = 0;
    for (const Difference& difference : wrong)
        if (listed(clauses, difference.clause)) inputs += difference.last - difference.first + 1;
    return inputs;
}

bool is_wrong(Code input, const std::vector<Difference>& wrong) {
    return std::any_of(wrong.begin(), wrong.end(), [&](const Difference& difference) {
        return difference.first <= input && input <= difference.last;
    });
}

} // namespace

std::span<const TracedConversion> traced_conversions() { return traced_table; }

bool needs_fault(const Clause& clause) { return faults::needs_suite(clause); }

std::uint64_t caught_by(const Clause& clause, const Conversion& conversion, std::string_view choice,
                        const std::vector<Difference>& wrong, const PermitTable& permitted) {
    if (clause.rows.empty()) return inputs_in_rows(clause.id, wrong);
    const bool speaks_of_it = clause.formats.empty() || listed(clause.formats, conversion.from->name) ||
                              listed(clause.formats, conversion.to->name);
    if (!speaks_of_it || (!clause.choices.empty() && !listed(clause.choices, choice))) return 0;
    // Where rows of two of them meet, the clause is the border, and to move it is to break it.
    bool meet = false;
    std::uint64_t inputs = 0;
    for (std::size_t i = 1; i < permitted.steps.size(); ++i) {
        const PermitStep& before = permitted.steps[i - 1];
        const PermitStep& after = permitted.steps[i];
        if (before.clause == after.clause || !listed(clause.rows, before.clause) || !listed(clause.rows, after.clause))
            continue;
        meet = true;
        inputs += (is_wrong(before.last, wrong) ? 1U : 0U) + (is_wrong(after.first, wrong) ? 1U : 0U);
    }
    return meet ? inputs : inputs_in_rows(clause.rows, wrong);
}

std::vector<ClauseTrace> trace_clauses(const Manifest& manifest, std::span<const TracedConversion> conversions,
                                       unsigned jobs) {
    std::vector<ClauseTrace> traces;
    for (const Clause& clause : all_clauses()) {
        const std::vector<std::string> suites = faults::suites_of(clause, manifest);
        traces.push_back({&clause, suites, golden_of(suites, manifest), {}});
    }
    verdict::GoldenSource golden;
    std::vector<faults::Planted> all;
    std::vector<std::size_t> judged_by; // of each of them
    std::vector<verdict::Judge> judges;
    for (const TracedConversion& traced_conversion : conversions) {
        const Conversion conversion = parse_conversion(traced_conversion.conversion);
        const Profile& profile = find_profile(traced_conversion.profile);
        judges.push_back(verdict::judges_of(conversion, {&profile}, golden).at(0));
        for (faults::Planted& planted : faults::planted_in(conversion, profile, planted_ranges(*conversion.from)))
            if (planted.fault == nullptr || !is_narrowed(*conversion.from)) all.push_back(std::move(planted));
        judged_by.resize(all.size(), judges.size() - 1);
    }
    std::vector<Caught> caught(all.size());
    in_parallel(all.size(), jobs,
                [&](std::size_t i) { caught[i] = caught_of(all[i], judges[judged_by[i]].permitted); });
    for (Caught& of_one : caught)
        for (auto& [clause, fault] : of_one) traces[clause].faults.push_back(std::move(fault));
    plant_provisions(traces);
    return traces;
}

} // namespace mxcert::explain
