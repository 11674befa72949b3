// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/smallest.hpp"

#include <exception>
#include <numeric>

#include <fmt/format.h>

namespace mxcert::cases {
namespace {

/// Linux takes 131,072 characters as one argument, and the name of the row comes before these.
constexpr std::size_t longest_given = 100'000;

std::uint64_t codes_of(const frames::RunCase& run) {
    return std::accumulate(run.inputs.begin(), run.inputs.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const frames::Values& input) { return sum + input.count(); });
}

} // namespace

std::optional<std::vector<frames::Values>> outputs_of(observe::Subject& subject, const Operation& operation,
                                                      frames::RunCase run_case) {
    run_case.name = "a smaller case";
    frames::RunAnswer answer = subject.run(operation, run_case);
    if (answer.status != Status::pass) return std::nullopt;
    return std::move(answer.outputs);
}

void Smallest::take(const frames::RunCase& failing) {
    if (!failing_ || codes_of(failing) < codes_of(*failing_)) failing_ = failing;
}

SmallestCase described(const CaseForm& form, const GivenCase& given_case, std::string finding) {
    std::uint64_t codes = 0;
    for (const std::vector<Code>& tensor : given_case.tensors) codes += tensor.size();
    return {fmt::format("{}", fmt::join(given_case.sizes, "x")),
            to_string(form, given_case),
            std::move(finding),
            c_arrays(form, given_case),
            count_telling(form, given_case),
            codes};
}

std::optional<SmallestCase> smallest_of(const CaseForm& form, const GivenCase& failing, const FaultsOfCase& faults_of,
                                        const std::function<bool()>& stop) {
    const auto faults = [&](const GivenCase& given_case) {
        try {
            return faults_of(given_case);
        } catch (const std::exception&) {
            return std::vector<std::string>(); // of such a case nothing can be said
        }
    };
    ShrinkLimits limits;
    limits.stop = stop;
    const GivenCase last = shrink(
        form, failing, [&](const GivenCase& given_case) { return !faults(given_case).empty(); }, limits);
    if (last == failing && stop()) return std::nullopt;
    std::vector<std::string> wrong = faults(last);
    if (wrong.empty()) return std::nullopt;
    SmallestCase smallest = described(form, last, std::move(wrong.front()));
    if (smallest.given.size() > longest_given) return std::nullopt;
    return smallest;
}

std::optional<SmallestCase> Smallest::find(const CaseForm& form, const FaultsOf& faults_of,
                                           const std::function<bool()>& stop) const {
    if (!failing_) return std::nullopt;
    return smallest_of(form, given_of(form, *failing_), faults_of, stop);
}

} // namespace mxcert::cases
