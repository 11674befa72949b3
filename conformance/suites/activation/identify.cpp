// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/activation/identify.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/activation/inputs.hpp"
#include "conformance/suites/asked.hpp"
#include "conformance/suites/blocks/ask.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t most_matrices = 6;
constexpr std::size_t most_unexplained = 8;

Operation with_fp32(const Operation& operation) {
    std::vector<std::pair<std::string, std::string>> attributes;
    for (std::size_t i = 0; i < operation.info->attributes.size(); ++i)
        attributes.emplace_back(operation.info->attributes[i],
                                operation.info->attributes[i] == "source" ? "fp32" : operation.values[i]);
    return make_operation(operation.info->name, attributes);
}

/// False of a fault of FP16 or BF16 that changes no value of the source.
bool differs(const ActivationFault& fault, const Activator& activator) {
    if (fault.amax_of_inputs || fault.in_fp32 || activator.source().width() > 16) return true;
    const ActivationWay way(fault, activator);
    for (Code value = 0; value <= activator.source().last_code(); ++value)
        if (way(value) != activator(value)) return true;
    return false;
}

/// A way, and which blocks it gives.
struct Explained {
    std::string name;
    std::vector<bool> blocks;
    std::uint64_t count = 0;
};

} // namespace

ActivationJudges::ActivationJudges(const Operation& operation, const Activator& activator, const QuantizeJudges& judges,
                                   verdict::GoldenSource& golden)
    : activator_(activator), judges_(judges), of_fp32_(as_quantize(with_fp32(operation)), judges.profiles, golden) {}

FoundCases identify_activation(observe::Subject& subject, const Operation& operation, verdict::GoldenSource& golden) {
    const Quantize quantize = as_quantize(operation);
    const Activator activator(*quantize.format.value, quantize.activation);
    verdict::CertifyOptions options;
    options.level = Level::quick;
    ActivationInputs inputs(operation, activator, golden, options);
    Asked<QuantizeCase> asked_case(subject, operation, "values");
    std::size_t matrices = 0;
    static_cast<void>(
        for_each_activation_case(quantize, asked_block(quantize.block), inputs, [&](const QuantizeCase& quantize_case) {
            return asked_case.ask(quantize, quantize_case) && ++matrices < most_matrices;
        }));
    if (asked_case.status != Status::pass) return found_of(operation, asked_case);

    const std::vector<const Profile*> profiles = judging(operation);
    if (profiles.empty()) {
        FoundCases found = found_of(operation, asked_case);
        found.status = Status::untested;
        found.reason = "no profile says what its scales and elements are";
        return found;
    }
    const QuantizeJudges judges(quantize, {profiles.front()}, golden);
    const ActivationJudges by_activation(operation, activator, judges, golden);
    const ActivationRules rules = by_activation.rules(0);
    std::vector<Explained> ways;
    const auto take = [&](std::string name, const ActivationFault& fault) {
        Explained& way = ways.emplace_back();
        way.name = std::move(name);
        const ActivationWay made_ready(fault, activator);
        for (const JoinSeen<QuantizeCase>& seen : asked_case.seen)
            for (std::uint64_t line = 0; line < seen.asked->matrix.lines; ++line)
                way.blocks.push_back(gives(rules, made_ready, seen, {line, 0}));
        way.count = static_cast<std::uint64_t>(std::count(way.blocks.begin(), way.blocks.end(), true));
    };
    take(std::string(to_string(quantize.activation)), right_activation);
    for (const ActivationFault& fault : activation_faults())
        if (concerns(fault, quantize.activation) && differs(fault, activator))
            take(fmt::format("{}: {}", to_string(quantize.activation), fault.name), fault);
    const auto best = std::max_element(ways.begin(), ways.end(),
                                       [](const Explained& a, const Explained& b) { return a.count < b.count; });

    FoundCases found;
    found.asked = best->blocks.size();
    found.explained = best->count;
    diagnose::FoundParameter parameter{"activation", best->name, std::nullopt, {}};
    for (const Explained& way : ways) {
        if (&way == &*best) continue;
        std::uint64_t only_best = 0;
        for (std::size_t i = 0; i < way.blocks.size(); ++i) only_best += best->blocks[i] && !way.blocks[i] ? 1 : 0;
        if (only_best == 0)
            parameter.alike.push_back(way.name);
        else
            parameter.decided_by = std::min(parameter.decided_by.value_or(only_best), only_best);
    }
    found.parameters.push_back(std::move(parameter));
    std::size_t number = 0;
    for (const JoinSeen<QuantizeCase>& seen : asked_case.seen)
        for (std::uint64_t line = 0; line < seen.asked->matrix.lines; ++line, ++number)
            if (!best->blocks[number] && found.unexplained.size() < most_unexplained)
                found.unexplained.push_back(fmt::format("{}, line {}", seen.asked->name, line));
    return found_of(operation, asked_case, std::move(found));
}

} // namespace mxcert::suites
