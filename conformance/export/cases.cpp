// SPDX-License-Identifier: Apache-2.0
#include "conformance/export/cases.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "conformance/diagnose/diagnose.hpp"
#include "conformance/faults/planted.hpp"
#include "reference/exact/exact.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/export/entries.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {

PermittedValue value_of(const Permit& permit, const Format& format) {
    PermittedValue value;
    value.code = entry_of(0, permit, format).code;
    value.is_open = permit.any_nan || permit.codes.size() > 1;
    value.open.kind = OpenValue::Kind::codes;
    value.open.permit = permit;
    return value;
}

PermittedValue any_value(Code code) {
    PermittedValue value;
    value.code = code;
    value.is_open = true;
    return value;
}

PermittedValue range_value(Code code, Code low, Code high) {
    PermittedValue value = any_value(code);
    value.open.kind = OpenValue::Kind::range;
    value.open.low = low;
    value.open.high = high;
    return value;
}

bool is_large(const std::vector<std::vector<Code>>& tensors) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [](const std::vector<Code>& codes) { return codes.size() > most_values; });
}

PermittedValue value_or_nan(Code code, const Format& format) {
    return value_of(format.is_nan(code) ? permit_any_nan() : permit_code(code), format);
}

void set_value(VectorAnswer& answer, std::size_t output, std::uint64_t index, const PermittedValue& value) {
    answer.outputs[output][index] = value.code;
    if (!value.is_open) return;
    OpenValue& open = answer.open.emplace_back(value.open);
    open.output = output;
    open.index = index;
}

void sort_open(VectorAnswer& answer) {
    std::sort(answer.open.begin(), answer.open.end(), [](const OpenValue& a, const OpenValue& b) {
        return std::tie(a.output, a.index) < std::tie(b.output, b.index);
    });
}

void Collection::add(std::string_view part, const std::vector<std::uint64_t>& sizes, TestVector test) {
    if (test.id.empty()) test.id = id_of(part, sizes, test.inputs);
    if (!ids_.insert(test.id).second) return;
    for (std::size_t i = 0; i < vectors_.inputs.size(); ++i)
        for (const Code code : test.inputs[i]) test.flags |= flags_of_code(*vectors_.inputs[i].format, code);
    for (VectorAnswer& answer : test.answers) {
        sort_open(answer);
        for (std::size_t i = 0; i < vectors_.outputs.size(); ++i)
            for (const Code code : answer.outputs[i]) test.flags |= flags_of_code(*vectors_.outputs[i].format, code);
    }
    mxcert::add(vectors_, sizes, std::move(test));
}

void Collection::leave_out(std::string_view reason) {
    const auto at =
        std::find_if(left_out_.begin(), left_out_.end(), [&](const auto& counted) { return counted.first == reason; });
    if (at == left_out_.end())
        left_out_.emplace_back(reason, 1);
    else
        ++at->second;
}

TestVectors Collection::take() {
    std::vector<std::string> texts;
    for (const auto& [reason, count] : left_out_)
        texts.push_back(fmt::format("{} {} of the suite: {}", count, count == 1 ? "case" : "cases", reason));
    vectors_.left_out = fmt::format("{}", fmt::join(texts, "; "));
    if (vectors_.groups.empty())
        throw std::invalid_argument(
            fmt::format("{}: no test can be written down ({})", vectors_.name, vectors_.left_out));
    return std::move(vectors_);
}

void add_bug(std::vector<std::string_view>& bugs, std::string_view id) {
    if (std::find(bugs.begin(), bugs.end(), id) == bugs.end()) bugs.push_back(id);
}

CaseFlags flags_of(const Format& from, const Format& to, const Choices& choices, Code input) {
    const exact::Result result = exact::convert(from, to, choices, input);
    CaseFlags flags = flags_of_code(from, input) | flags_of_code(to, result.code);
    if (result.inexact) flags |= bit(CaseFlag::inexact);
    if (result.overflow) flags |= bit(CaseFlag::overflow);
    const exact::Value value = exact::decode(from, input);
    if (value.kind != exact::Kind::finite || value.magnitude.is_zero() || to.element != nullptr) return flags;
    const exact::Rounded between = exact::round(to, value.magnitude, value.negative, Rounding::toward_zero);
    if (between.lower != between.upper && between.lower + between.upper == value.magnitude + value.magnitude)
        flags |= bit(CaseFlag::tie);
    const exact::Value rounded = exact::decode(to, result.code);
    if (rounded.kind != exact::Kind::finite) return flags;
    const bool tiny = rounded.magnitude.is_zero() || to.is_subnormal(result.code);
    if (result.inexact && tiny) flags |= bit(CaseFlag::underflow);
    if (!rounded.magnitude.is_zero() && exact::floor_log2(rounded.magnitude) > exact::floor_log2(value.magnitude))
        flags |= bit(CaseFlag::carry);
    return flags;
}

std::vector<NamedChoice> choices_of(const Conversion& conversion, const Profile& profile, const std::string& prefix) {
    const Choices usual = diagnose::conforming_choices(conversion, profile);
    std::vector<NamedChoice> all;
    for (const ChoiceInfo& choice : all_choices()) {
        NamedChoice named{prefix + std::string(choice.name), {}, std::string(value_name(usual, choice.choice))};
        for (const std::string_view value : permitted_values(profile, conversion, choice.choice))
            if (value != "any") named.values.emplace_back(value);
        if (named.values.size() > 1 || choice.choice == Choice::overflow ||
            choice.choice == rounding_or_rule(*conversion.to))
            all.push_back(std::move(named));
    }
    return all;
}

PointBugs::PointBugs(const verdict::Judge& judge, const Conversion& conversion, std::vector<Code> inputs)
    : judge_(judge), conversion_(conversion) {
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    std::vector<InputRange> ranges;
    for (const Code input : inputs) ranges.push_back({input, input});
    for (const faults::Planted& planted : faults::planted_in(conversion, *judge.profile, ranges))
        if (planted.fault == nullptr) bugs_.push_back({planted.bug_class->id, planted.choices});
}

const std::vector<std::string_view>& PointBugs::shown_by(Code input) {
    const auto [at, is_new] = known_.try_emplace(input);
    if (!is_new) return at->second;
    const Format& from = *conversion_.from;
    const Format& to = *conversion_.to;
    const Permit& permit = judge_.permitted.steps[find_step(judge_.permitted, input)].permit;
    for (const Bug& bug : bugs_)
        if (!permits(permit, exact::convert(from, to, bug.choices, input).code, to)) add_bug(at->second, bug.bug_class);
    return at->second;
}

} // namespace mxcert::test_vectors
