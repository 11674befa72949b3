// SPDX-License-Identifier: Apache-2.0
#include "conformance/smallest.hpp"

#include <exception>
#include <numeric>

#include <fmt/format.h>

namespace mxcert {
namespace {

std::uint64_t codes_of(const RunCase& run) {
    return std::accumulate(run.inputs.begin(), run.inputs.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Values& input) { return sum + input.count(); });
}

} // namespace

std::optional<std::vector<Values>> outputs_of(Subject& subject, const Operation& operation, RunCase asked) {
    asked.name = "a smaller case";
    RunAnswer answer = subject.run(operation, asked);
    if (answer.status != Status::pass) return std::nullopt;
    return std::move(answer.outputs);
}

void Smallest::take(const RunCase& failing) {
    if (!failing_ || codes_of(failing) < codes_of(*failing_)) failing_ = failing;
}

std::optional<SmallestCase> Smallest::find(const CaseForm& form, const FaultsOf& faults_of,
                                           const std::function<bool()>& stop) const {
    if (!failing_) return std::nullopt;
    const auto faults = [&](const GivenCase& given) {
        try {
            return faults_of(given);
        } catch (const std::exception&) {
            return std::vector<std::string>(); // of such a case nothing can be said
        }
    };
    const GivenCase first = given_of(form, *failing_);
    const GivenCase last = shrink(form, first, [&](const GivenCase& one) { return !stop() && !faults(one).empty(); });
    const std::vector<std::string> wrong = faults(last);
    if (wrong.empty()) return std::nullopt;
    std::uint64_t codes = 0;
    for (const std::vector<Code>& tensor : last.tensors) codes += tensor.size();
    return SmallestCase{fmt::format("{}", fmt::join(last.sizes, "x")),
                        to_string(form, last),
                        wrong.front(),
                        c_arrays(form, last),
                        count_telling(form, last),
                        codes};
}

} // namespace mxcert
