// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/activation/faults.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "reference/exact/activation.hpp"
#include "reference/exact/arithmetic.hpp"

namespace mxcert::suites {
namespace {

using formats::fp32;

bool is_positive(const Format& source, Code value) { return value != 0 && value <= source.inf_code(); }

Code as_it_is(const Format& /*source*/, Activation /*activation*/, Code value) { return value; }

Code magnitude(const Format& source, Activation activation, Code value) {
    return exact::activate(source, activation, value & source.magnitude_mask());
}

Code another(const Format& source, Activation activation, Code value) {
    return exact::activate(source, activation == Activation::relu ? Activation::srelu : Activation::relu, value);
}

Code not_rounded(const Format& source, Activation activation, Code value) {
    return exact::activate_in_fp32(source, activation, value);
}

Code with_nan(const Format& source, Activation activation, Code value) {
    return source.is_nan(value) ? value : exact::activate(source, activation, value);
}

Code with_minus_zero(const Format& source, Activation activation, Code value) {
    return value == source.sign_bit() ? value : exact::activate(source, activation, value);
}

Code saturated(const Format& source, Activation activation, Code value) {
    const Code activated = exact::activate(source, activation, value);
    return activated == source.inf_code() && value != source.inf_code() ? source.max_code() : activated;
}

/// A processor that has no subnormals of binary32: of no argument, and of no result.
Code flushed(const Format& source, Activation activation, Code value) {
    const auto is_tiny = [](Code code) { return fp32.is_subnormal(code); };
    if (is_tiny(exact::converted(source, fp32, value))) return 0;
    const Code activated = exact::activate_in_fp32(source, activation, value);
    return is_tiny(activated) ? 0 : exact::converted(fp32, source, activated);
}

/// The square cut to the source's fraction.
Code cut(const Format& source, Activation activation, Code value) {
    const Code activated = exact::activate(source, activation, value);
    if (!is_positive(source, activated) || activated == source.inf_code()) return activated;
    const exact::Rational square = exact::decode(fp32, exact::activate_in_fp32(source, activation, value)).magnitude;
    return square < exact::decode(source, activated).magnitude ? activated - 1 : activated;
}

constexpr ActivationFault of_value(std::string_view name, std::string_view bug_class, Activation of,
                                   decltype(ActivationFault::value) value) {
    ActivationFault fault{name, bug_class};
    fault.of = of;
    fault.value = value;
    return fault;
}

constexpr ActivationFault in_fp32(ActivationFault fault) {
    fault.in_fp32 = true;
    return fault;
}

constexpr ActivationFault by_inputs(std::string_view name, std::string_view bug_class, Activation of,
                                    bool of_elements) {
    ActivationFault fault{name, bug_class};
    fault.of = of;
    fault.amax_of_inputs = true;
    fault.of_elements = of_elements;
    return fault;
}

constexpr std::array faults{
    of_value("the activation left out", "ACTIVATION", Activation::none, as_it_is),
    of_value("the other one of relu and srelu", "ACTIVATION", Activation::none, another),
    of_value("negative values activated as their magnitudes", "ACTIVATION", Activation::none, magnitude),
    of_value("a NaN kept by the activation", "ACTIVATION", Activation::none, with_nan),
    of_value("-0 kept by the activation", "ACTIVATION", Activation::none, with_minus_zero),
    in_fp32(of_value("the result of the activation not rounded to the source's type", "ACTIVATION", Activation::srelu,
                     not_rounded)),
    of_value("the result of the activation cut to the source's type", "TRUNCATES", Activation::srelu, cut),
    of_value("squares beyond the source's type saturated", "OVERFLOW_POLICY", Activation::srelu, saturated),
    of_value("subnormals flushed by the activation", "SUBNORMAL_FLUSH", Activation::none, flushed),
    by_inputs("the amax taken before the activation", "AMAX_LANES", Activation::none, false),
    by_inputs("the activation applied to the elements", "ACTIVATION", Activation::srelu, true),
};

} // namespace

std::span<const ActivationFault> activation_faults() { return faults; }

Code activate_element(const Format& element, Activation activation, Code code) {
    if (element.is_nan(code) || element.is_negative(code)) return 0;
    if (activation != Activation::srelu) return code;
    const Code wide = exact::converted(element, fp32, code);
    return exact::convert(fp32, element, {}, exact::multiply(fp32, wide, wide)).code;
}

ActivationWay::ActivationWay(const ActivationFault& fault, const Activator& activator)
    : fault_(fault), activator_(activator) {
    if (activator.source().width() > 16) return;
    std::vector<Code> table;
    for (Code value = 0; value <= activator.source().last_code(); ++value) table.push_back(made_of(value));
    table_ = std::move(table);
}

Code ActivationWay::made_of(Code value) const {
    return fault_.value == nullptr ? activator_(value)
                                   : fault_.value(activator_.source(), activator_.activation(), value);
}

bool ActivationWay::gives_element(const QuantizeRules& rules, Code scale, Code value, Code element) const {
    const Format& format = *rules.element->to;
    if (elements_.empty())
        for (Code code = 0; code <= format.last_code(); ++code)
            elements_.push_back(activate_element(format, activator_.activation(), code));
    for (Code code = 0; code <= format.last_code(); ++code)
        if (elements_[code] == element && permits_element(rules, scale, value, code)) return true;
    return false;
}

bool gives(const ActivationRules& rules, const ActivationWay& way, const JoinSeen<QuantizeCase>& seen,
           BlockPlace place) {
    const ActivationFault& fault = way.fault();
    const QuantizeRules& by = fault.in_fp32 ? rules.of_fp32 : rules.of_source;
    const BlockMatrix& matrix = seen.asked->matrix;
    const std::vector<Code> inputs = values_of(*seen.asked, place);
    std::vector<Code> values;
    for (const Code input : inputs) values.push_back(way(input));
    const Code scale = seen.outputs[1].get(matrix.scale_place(place.line, place.block));
    if (!permits_scale(by, amaxes(by, fault.amax_of_inputs ? inputs : values), scale)) return false;
    for (std::uint64_t lane = 0; lane < values.size(); ++lane) {
        const Code element = seen.outputs[0].get(matrix.place(place.line, place.block * matrix.block + lane));
        const bool right = fault.of_elements ? way.gives_element(by, scale, inputs[lane], element)
                                             : permits_element(by, scale, values[lane], element);
        if (!right) return false;
    }
    return true;
}

std::vector<KnownFault> known_as(const ActivationRules& rules, std::span<const JoinSeen<QuantizeCase>> seen) {
    const auto gives_all = [&](const ActivationFault& fault) {
        const ActivationWay way(fault, *rules.activator);
        return std::all_of(seen.begin(), seen.end(), [&](const JoinSeen<QuantizeCase>& case_seen) {
            const BlockMatrix& matrix = case_seen.asked->matrix;
            for (std::uint64_t line = 0; line < matrix.lines; ++line)
                for (std::uint64_t block = 0; block < matrix.blocks_in_line(); ++block)
                    if (!gives(rules, way, case_seen, {line, block})) return false;
            return true;
        });
    };
    std::vector<KnownFault> known;
    if (seen.empty() || gives_all(right_activation)) return known;
    for (const ActivationFault& fault : faults)
        if (concerns(fault, rules.activator->activation()) && gives_all(fault))
            known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
    return known;
}

} // namespace mxcert::suites
