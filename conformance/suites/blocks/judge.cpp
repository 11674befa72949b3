// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/judge.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reference/code_text.hpp"
#include "reference/exact/block.hpp"

namespace mxcert::suites {
namespace {

const Permit& permit_of(const PermitTable& table, Code input) { return table.steps[find_step(table, input)].permit; }

/// What a NaN or an Inf among the values does to the amax, in words; "" where there is none of that kind.
std::string reading_of(AmaxNan nan, AmaxInf inf, bool has_nan, bool has_inf) {
    constexpr std::array nans{"NaN is left out", "NaN counts if alone", "NaN counts"};
    constexpr std::array infs{"Inf counts", "Inf is left out"};
    std::string text = has_nan ? nans.at(static_cast<std::size_t>(nan)) : "";
    if (has_inf) text += (text.empty() ? "" : ", ") + std::string(infs.at(static_cast<std::size_t>(inf)));
    return text;
}

// The scales that a block with NaN or Inf may have, each with the reading that gives it and the clause that decides:
// "0xFE (Inf counts, MX-SCALE-INF) or 0x77 (Inf is left out, MX-SCALE-FLOOR)".
std::string alternatives(const QuantizeRules& rules, std::span<const Code> values) {
    const Format& format = *rules.quantize->format.value;
    const auto has = [&](auto is) { return std::any_of(values.begin(), values.end(), is); };
    const bool has_nan = has([&](Code value) { return format.is_nan(value); });
    const bool has_inf = has([&](Code value) { return !format.is_finite(value) && !format.is_nan(value); });
    std::set<Code> known;
    std::string text;
    for (const AmaxNan nan : rules.profile->amax_nan)
        for (const AmaxInf inf : rules.profile->amax_inf) {
            BlockChoices choices;
            choices.amax_nan = nan;
            choices.amax_inf = inf;
            const Code amax = exact::amax(rules.quantize->format, choices, values);
            if (!known.insert(amax).second) continue;
            const PermitStep& step = rules.scale->steps[find_step(*rules.scale, amax)];
            text += fmt::format("{}{} ({}, {})", text.empty() ? "" : " or ", shown(step.permit, *rules.scale->to),
                                reading_of(nan, inf, has_nan, has_inf), step.clause);
        }
    return text;
}

// The steps of the values under one scale: a few hundred of tens of thousands, which the values of a block share.
std::span<const PermitStep> steps_under(const PermitTable& element, Code scale) {
    const Format& scaled = *element.from;
    const std::size_t first = find_step(element, scaled.code_of(scale, 0));
    const std::size_t last = find_step(element, scaled.code_of(scale, scaled.value->last_code()));
    return std::span(element.steps).subspan(first, last - first + 1);
}

std::string judge_block(const QuantizeRules& rules, std::span<const Code> values, Code scale,
                        std::span<const Code> elements) {
    const Format& scale_format = *rules.scale->to;
    const Format& scaled = *rules.element->from;
    const std::set<Code> possible = amaxes(rules, values);
    if (!permits_scale(rules, possible, scale))
        return fmt::format("the scale is {}, not {}", code_text(scale_format, scale),
                           possible.size() == 1 ? shown(permit_of(*rules.scale, *possible.begin()), scale_format)
                                                : alternatives(rules, values));
    if (scale_format.is_nan(scale)) return {}; // permits_element()
    const std::span<const PermitStep> steps = steps_under(*rules.element, scale);
    for (std::size_t lane = 0; lane < values.size(); ++lane) {
        const Code code = scaled.code_of(scale, values[lane]);
        const Permit& permit = std::partition_point(steps.begin(), steps.end(), [&](const PermitStep& step) {
                                   return step.last < code;
                               })->permit;
        if (!permits(permit, elements[lane], *rules.element->to))
            return fmt::format("lane {} ({}) is {}, not {}, under the scale {}", lane,
                               code_text(*scaled.value, values[lane]), code_text(*rules.element->to, elements[lane]),
                               shown(permit, *rules.element->to), code_text(scale_format, scale));
    }
    return {};
}

} // namespace

std::vector<const Profile*> judging(const Operation& operation) {
    std::vector<const Profile*> profiles;
    for (const Profile& profile : all_profiles())
        if (covers(profile, operation)) profiles.push_back(&profile);
    return profiles;
}

std::set<Code> amaxes(const QuantizeRules& rules, std::span<const Code> values) {
    // Without NaN and Inf there is nothing to choose, and the order of magnitudes is that of their bits.
    const Format& format = *rules.quantize->format.value;
    if (std::all_of(values.begin(), values.end(), [&](Code value) { return format.is_finite(value); })) {
        Code largest = 0;
        for (const Code value : values) largest = std::max(largest, value & format.magnitude_mask());
        return {largest};
    }
    std::set<Code> all;
    for (const AmaxNan nan : rules.profile->amax_nan) {
        for (const AmaxInf inf : rules.profile->amax_inf) {
            BlockChoices choices;
            choices.amax_nan = nan;
            choices.amax_inf = inf;
            all.insert(exact::amax(rules.quantize->format, choices, values));
        }
    }
    return all;
}

bool permits_scale(const QuantizeRules& rules, const std::set<Code>& amaxes, Code scale) {
    return std::any_of(amaxes.begin(), amaxes.end(),
                       [&](Code amax) { return permits(permit_of(*rules.scale, amax), scale, *rules.scale->to); });
}

bool permits_element(const QuantizeRules& rules, Code scale, Code value, Code element) {
    if (rules.scale->to->is_nan(scale)) return true;
    return permits(permit_of(*rules.element, rules.element->from->code_of(scale, value)), element, *rules.element->to);
}

bool permits_value(const PermitTable& permitted, Code scale, Code element, Code value) {
    return permits(permit_of(permitted, permitted.from->code_of(scale, element)), value, *permitted.to);
}

std::vector<BlockFault> judge(const QuantizeRules& rules, const QuantizeCase& quantize_case,
                              const std::vector<frames::Values>& outputs) {
    const BlockMatrix& matrix = quantize_case.matrix;
    std::vector<BlockFault> faults;
    std::vector<Code> elements;
    for (std::uint64_t line = 0; line < matrix.lines; ++line) {
        for (std::uint64_t b = 0; b < matrix.blocks_in_line(); ++b) {
            const std::uint64_t first = b * matrix.block;
            const std::span<const Code> values(&quantize_case.values[line * matrix.length + first], matrix.size_of(b));
            elements.clear();
            for (std::uint64_t i = 0; i < values.size(); ++i)
                elements.push_back(outputs[0].get(matrix.place(line, first + i)));
            std::string text = judge_block(rules, values, outputs[1].get(matrix.scale_place(line, b)), elements);
            if (!text.empty()) faults.push_back({line, b, std::move(text)});
        }
    }
    return faults;
}

std::vector<BlockFault> judge(const PermitTable& permitted, const DequantizeCase& dequantize_case,
                              const std::vector<frames::Values>& outputs) {
    const BlockMatrix& matrix = dequantize_case.matrix;
    std::vector<BlockFault> faults;
    for (std::uint64_t line = 0; line < matrix.lines; ++line) {
        for (std::uint64_t at = 0; at < matrix.length; ++at) {
            const std::uint64_t b = at / matrix.block;
            const Code scale = dequantize_case.scales[line * matrix.blocks_in_line() + b];
            const Code element = dequantize_case.elements[line * matrix.length + at];
            const Code answer = outputs[0].get(matrix.place(line, at));
            if (permits_value(permitted, scale, element, answer)) continue;
            const Permit& permit = permit_of(permitted, permitted.from->code_of(scale, element));
            faults.push_back(
                {line, b,
                 fmt::format("lane {} ({} under the scale {}) is {}, not {}", at % matrix.block,
                             code_text(*permitted.from->value, element), code_text(*permitted.from->scale, scale),
                             code_text(*permitted.to, answer), shown(permit, *permitted.to))});
            break;
        }
    }
    return faults;
}

} // namespace mxcert::suites
