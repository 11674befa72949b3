// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/requantized.hpp"

#include <algorithm>
#include <optional>

#include "reference/exact/exact.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

/// The only code that is permitted for an input; nullopt where there are several.
std::optional<Code> sole(const PermitTable& table, Code input) {
    const Permit& permit = table.steps[find_step(table, input)].permit;
    std::optional<Code> only;
    for (Code code = 0; code <= table.to->last_code(); ++code) {
        if (!permits(permit, code, *table.to)) continue;
        if (only) return std::nullopt;
        only = code;
    }
    return only;
}

/// What an element under a scale stands for, as a value of the source; nullopt if that is beyond its largest.
std::optional<Code> value_of(const QuantizeRules& rules, Code scale, Code element) {
    const Format& format = *rules.quantize->format.value;
    const Format& to = *rules.element->to;
    const exact::Value number = exact::decode(to, element);
    const Code sign = (element & to.sign_bit()) != 0 ? format.sign_bit() : 0;
    if (number.magnitude.is_zero()) return sign;
    const int exponent = static_cast<int>(scale) - rules.scale->to->bias;
    const exact::Rational magnitude = number.magnitude * exact::power_of_two(exponent);
    if (exact::decode(format, format.max_code()).magnitude < magnitude) return std::nullopt;
    return sign | exact::encode(format, magnitude);
}

/// The case with its values quantized along the other axis and read back.
std::optional<QuantizeCase> quantized_across(const QuantizeRules& rules, const QuantizeCase& asked_quantize_case) {
    const Format& format = *rules.quantize->format.value;
    const BlockMatrix& matrix = asked_quantize_case.matrix;
    if (!std::all_of(asked_quantize_case.values.begin(), asked_quantize_case.values.end(),
                     [&](Code value) { return format.is_finite(value); }))
        return std::nullopt;
    QuantizeCase quantize_case = asked_quantize_case;
    for (std::uint64_t at = 0; at < matrix.length; ++at)
        for (std::uint64_t first = 0; first < matrix.lines; first += matrix.block) {
            const std::uint64_t last = std::min(matrix.lines, first + matrix.block);
            Code amax = 0;
            for (std::uint64_t line = first; line < last; ++line)
                amax = std::max(amax, asked_quantize_case.values[line * matrix.length + at] & format.magnitude_mask());
            const std::optional<Code> scale = sole(*rules.scale, amax);
            if (!scale || rules.scale->to->is_nan(*scale)) return std::nullopt;
            for (std::uint64_t line = first; line < last; ++line) {
                Code& value = quantize_case.values[line * matrix.length + at];
                const auto element = sole(*rules.element, rules.element->from->code_of(*scale, value));
                if (!element || !rules.element->to->is_finite(*element)) return std::nullopt;
                const std::optional<Code> read_back = value_of(rules, *scale, *element);
                if (!read_back) return std::nullopt;
                value = *read_back;
            }
        }
    return quantize_case;
}

bool gives_case(const QuantizeRules& rules, const JoinSeen<QuantizeCase>& seen) {
    const BlockMatrix& matrix = seen.asked->matrix;
    for (std::uint64_t line = 0; line < matrix.lines; ++line)
        for (std::uint64_t b = 0; b < matrix.blocks_in_line(); ++b)
            if (!gives(rules, JoinFault{}, seen, {line, b})) return false;
    return true;
}

} // namespace

bool gives_requantized(const QuantizeRules& rules, std::span<const JoinSeen<QuantizeCase>> seen) {
    bool differs = false;
    for (const JoinSeen<QuantizeCase>& this_seen : seen) {
        const std::optional<QuantizeCase> across = quantized_across(rules, *this_seen.asked);
        if (!across) continue;
        if (!gives_case(rules, {&*across, this_seen.outputs})) return false;
        differs = differs || !gives_case(rules, this_seen);
    }
    return differs;
}

} // namespace mxcert::suites
