// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/identify.hpp"

#include <algorithm>

#include "conformance/print/text.hpp"
#include "conformance/suites/matmul/answers.hpp"
#include "conformance/suites/matmul/ask_sums.hpp"
#include "conformance/suites/matmul/cases.hpp"
#include "conformance/suites/matmul/family.hpp"
#include "reference/dot/accumulator_change.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t products = 256; ///< of a sum: two groups of 128, two promotions
constexpr std::size_t most_starts = 3;
constexpr std::size_t most_unexplained = 5;

/// The code of a NaN says nothing here.
bool is_looked_at(const AccumulatorParameter& parameter, const Accumulator& model) {
    return parameter.name != "NaN" && parameter.says(model);
}

/// Changes the one parameter by which most is explained, again and again until none does better. `best`: what the model
/// explains before, and after.
void improve(const Answers& answers, Accumulator& model, std::size_t& best) {
    for (bool better = true; better && best != answers.count();) {
        better = false;
        const Accumulator accumulator = model;
        for (const AccumulatorParameter& parameter : accumulator_parameters()) {
            if (!is_looked_at(parameter, accumulator)) continue;
            for (const Accumulator& other_accumulator : parameter.values(accumulator)) {
                const std::size_t explained = answers.explained_beyond(best, other_accumulator);
                if (explained == 0) continue;
                best = explained;
                model = other_accumulator;
                better = true;
            }
        }
    }
}

/// What speaks for each parameter. `right`: the answers that the model gives.
std::vector<diagnose::FoundParameter> parameters_of(const Answers& answers, const Accumulator& model,
                                                    const std::vector<bool>& right) {
    std::vector<diagnose::FoundParameter> found;
    for (const AccumulatorParameter& parameter : accumulator_parameters()) {
        if (!is_looked_at(parameter, model)) continue;
        diagnose::FoundParameter& this_parameter = found.emplace_back();
        this_parameter.name = parameter.name;
        this_parameter.value = parameter.text(model);
        for (const Accumulator& other_accumulator : parameter.values(model)) {
            if (parameter.text(other_accumulator) == this_parameter.value) continue;
            std::size_t lost = 0;
            answers.for_each(other_accumulator, [&](std::size_t i, Code code) {
                lost += right[i] && !answers.is(i, code) ? 1 : 0;
                return !this_parameter.decided_by || lost < *this_parameter.decided_by;
            });
            if (lost == 0) this_parameter.alike.push_back(parameter.text(other_accumulator));
            this_parameter.decided_by = std::min(this_parameter.decided_by.value_or(lost), lost);
        }
    }
    return found;
}

FoundAccumulator failed_by(const Operation& operation, const frames::RunAnswer& answer) {
    FoundAccumulator failed;
    failed.operation = to_string(operation);
    failed.status = answer.status;
    failed.reason = answer.reason;
    return failed;
}

} // namespace

FoundAccumulator find_accumulator(const DotCases& cases, const Format& output, bool has_c,
                                  const std::vector<Code>& observed_answers) {
    const Answers answers(cases, output, has_c, observed_answers);
    FoundAccumulator found;
    found.asked = observed_answers.size();
    found.nans = answers.nans();

    struct Start {
        std::size_t explained;
        const Accumulator* model;
    };
    std::vector<Start> starts;
    for (const Accumulator& accumulator : accumulators())
        if (answers.fits(accumulator)) starts.push_back({answers.explained_beyond(0, accumulator), &accumulator});
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Start& a, const Start& b) { return a.explained > b.explained; });
    if (starts.empty()) return found;
    found.nearest = starts.front().model->name;
    found.nearest_explained = starts.front().explained;
    for (const Start& start : starts)
        if (start.explained == found.asked) found.same.push_back(start.model->name);

    for (std::size_t i = 0; i < std::min(starts.size(), most_starts) && found.explained != found.asked; ++i) {
        Accumulator model = *starts[i].model;
        std::size_t explained = starts[i].explained;
        improve(answers, model, explained);
        if (found.model && explained <= found.explained) continue;
        found.model = model;
        found.explained = explained;
    }
    std::vector<bool> right(found.asked);
    answers.for_each(*found.model, [&](std::size_t i, Code code) {
        right[i] = answers.is(i, code);
        if (!right[i] && found.unexplained.size() < most_unexplained)
            found.unexplained.push_back(answers.text(i, code));
        return true;
    });
    found.parameters = parameters_of(answers, *found.model, right);
    return found;
}

FoundAccumulator identify_matmul(observe::Subject& subject, const Operation& operation, const MoreOfMatmul& more) {
    const Matmul matmul = as_matmul(operation);
    const DotCases cases = dot_cases(matmul.format, matmul.a_scale.along, matmul.b_scale.along, products, matmul.has_c);
    const AskedSums asked = ask_sums(subject, operation, matmul, cases);
    if (asked.failed.status != Status::pass) return failed_by(operation, asked.failed);
    FoundAccumulator found = find_accumulator(cases, *matmul.output, matmul.has_c, asked.answers);
    found.operation = to_string(operation);
    if (more.order != 0) found.order = find_order(subject, operation, more.order);
    if (!more.family || !found.model) return found;
    const Answers answers(cases, *matmul.output, matmul.has_c, asked.answers);
    found.family = family_of(*found.model, answers);
    const DotCases probes = parting_products(*found.family, answers);
    const AskedSums parted = ask_sums(subject, operation, matmul, probes);
    if (parted.failed.status != Status::pass) return failed_by(operation, parted.failed);
    keep_those_that_give(*found.family, {probes, *matmul.output, matmul.has_c, parted.answers});
    return found;
}

} // namespace mxcert::suites
