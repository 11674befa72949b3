// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/explain_quantizers.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "conformance/parity/carried.hpp"
#include "conformance/parity/changed_behaviour.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/activation/faults.hpp"
#include "conformance/suites/blocks/find_joining.hpp"
#include "conformance/suites/blocks/identify.hpp"

namespace mxcert::parity {
namespace {

using suites::FoundQuantizer;
using suites::JoinSeen;
using suites::QuantizeCase;
using Seen = std::vector<JoinSeen<QuantizeCase>>;

/// The answers of one pipeline, in the parts that explain it.
struct Readable {
    Seen scales; ///< without NaN
    Seen elements;
    Seen blocks;

    [[nodiscard]] suites::QuantizerAnswers spans() const { return {scales, elements, blocks}; }
};

bool has_nan(const Format& format, const QuantizeCase& quantize_case) {
    return std::any_of(quantize_case.values.begin(), quantize_case.values.end(),
                       [&](Code value) { return format.is_nan(value); });
}

void append(Seen& all, const Seen& more) { all.insert(all.end(), more.begin(), more.end()); }

Readable answers_of(const QuantizersAnswered& answered, bool is_a, const Format& source) {
    Readable answers{seen_of(answered.scales, is_a), seen_of(answered.elements, is_a), seen_of(answered.blocks, is_a)};
    append(answers.elements, answers.scales);
    append(answers.elements, answers.blocks);
    // Blocks with values before an activation that are asked for it are among the scales.
    Seen with_nan;
    std::copy_if(answers.scales.begin(), answers.scales.end(), std::back_inserter(with_nan),
                 [&](const JoinSeen<QuantizeCase>& seen) { return has_nan(source, *seen.asked); });
    std::erase_if(answers.scales, [&](const JoinSeen<QuantizeCase>& seen) { return has_nan(source, *seen.asked); });
    append(answers.blocks, with_nan);
    return answers;
}

std::uint64_t asked_of(const FoundQuantizer& found) {
    return found.scale.asked + found.elements.asked + found.blocks.asked;
}
std::uint64_t explained_of(const FoundQuantizer& found) {
    return found.scale.explained + found.elements.explained + found.blocks.explained;
}

/// A choice that both parts changed alike is one.
void add_changes(std::vector<Change>& all, const std::vector<Change>& more) {
    for (const Change& change : more) {
        const auto known = std::find_if(all.begin(), all.end(), [&](const Change& other) {
            return other.name == change.name && other.a == change.a && other.b == change.b;
        });
        if (known == all.end()) {
            all.push_back(change);
            continue;
        }
        if (known->part != change.part) known->part += " and " + change.part;
        std::erase_if(known->alike, [&](const std::string& other) {
            return std::find(change.alike.begin(), change.alike.end(), other) == change.alike.end();
        });
    }
}

/// Parameters of B that have another value than those of A.
std::vector<Change> changes_between(const std::vector<diagnose::FoundParameter>& a,
                                    const std::vector<diagnose::FoundParameter>& b, const std::string& part) {
    std::vector<Change> changes;
    for (const diagnose::FoundParameter& of_b : b)
        for (const diagnose::FoundParameter& of_a : a) {
            if (of_a.name == of_b.name && of_a.value != of_b.value)
                changes.push_back({std::string(of_b.name), of_a.value, of_b.value, part, {}});
        }
    // Choices that are named only where they are not the usual ones.
    const auto has = [](const std::vector<diagnose::FoundParameter>& all, std::string_view name) {
        return std::any_of(all.begin(), all.end(),
                           [&](const diagnose::FoundParameter& parameter) { return parameter.name == name; });
    };
    for (const diagnose::FoundParameter& of_b : b)
        if (of_b.name == "elements" && !has(a, of_b.name))
            changes.push_back({std::string(of_b.name), "by the scale given out", of_b.value, part, {}});
    return changes;
}

std::vector<Change> changes_between(const std::vector<diagnose::FoundFault>& a,
                                    const std::vector<diagnose::FoundFault>& b, const std::string& part) {
    std::vector<Change> changes;
    const auto has = [](const std::vector<diagnose::FoundFault>& all, const ConversionFault* fault) {
        return std::any_of(all.begin(), all.end(),
                           [&](const diagnose::FoundFault& found) { return found.fault == fault; });
    };
    for (const diagnose::FoundFault& of_a : a)
        if (!has(b, of_a.fault)) changes.push_back({"fault", std::string(of_a.fault->name), "none", part, {}});
    for (const diagnose::FoundFault& of_b : b)
        if (!has(a, of_b.fault)) changes.push_back({"fault", "none", std::string(of_b.fault->name), part, {}});
    return changes;
}

/// Attributes that are known before anything is asked and affect the values that both were asked.
std::vector<Change> declared_changes(const Pipeline& a, const Pipeline& b, const Format& values, bool transposed) {
    std::vector<Change> changes;
    const Quantize of_a = as_quantize(a.operation);
    const Quantize of_b = as_quantize(b.operation);
    const auto source = [&](const Format& format) {
        return fmt::format("{}{}", format.name,
                           holds_all(format, values) ? "" : " (to which values are rounded, to nearest even)");
    };
    if (of_a.format.value != of_b.format.value &&
        (!holds_all(*of_a.format.value, values) || !holds_all(*of_b.format.value, values)))
        changes.push_back({"source", source(*of_a.format.value), source(*of_b.format.value), "", {}});
    if (activation_of(a) != activation_of(b))
        changes.push_back(
            {"activation", std::string(to_string(activation_of(a))), std::string(to_string(activation_of(b))), "", {}});
    if (of_a.axis != of_b.axis && !transposed)
        changes.push_back(
            {"axis", std::string(a.operation.value("axis")), std::string(b.operation.value("axis")), "", {}});
    return changes;
}

template <class Value, std::size_t n>
Value value_named(const suites::FoundCases& found, std::string_view name,
                  const std::array<std::pair<std::string_view, Value>, n>& values) {
    for (const diagnose::FoundParameter& parameter : found.parameters)
        for (const auto& [value_name, value] : values)
            if (parameter.name == name && parameter.value == value_name) return value;
    return values.front().second;
}

/// The way to get an activation wrong by which A's scales and elements give every answer of B.
std::optional<Change> activation_fault(const Pipeline& b, const FoundQuantizer& a, const Seen& given) {
    const Activation activation = as_quantize(b.operation).activation;
    if (activation == Activation::none || given.empty()) return std::nullopt;
    const std::array nan{value_named(a.blocks, "amax_nan",
                                     std::array{std::pair{std::string_view("ignored"), AmaxNan::ignored},
                                                std::pair{std::string_view("if_alone"), AmaxNan::if_alone},
                                                std::pair{std::string_view("propagated"), AmaxNan::propagated}})};
    const std::array inf{value_named(a.blocks, "amax_inf",
                                     std::array{std::pair{std::string_view("counted"), AmaxInf::counted},
                                                std::pair{std::string_view("left_out"), AmaxInf::left_out}})};
    Profile profile{};
    profile.amax_nan = nan;
    profile.amax_inf = inf;
    const auto moved = [](diagnose::FoundBehaviour found, const Conversion& conversion) {
        found.from = conversion.from;
        found.to = conversion.to;
        return suites::permits_of(found);
    };
    const Format& source = *as_quantize(b.operation).format.value;
    const Quantize of_source = as_quantize(plain(b.operation, source));
    const Quantize of_fp32 = as_quantize(plain(b.operation, formats::fp32));
    const PermitTable scale = moved(a.scale, of_source.scale);
    const PermitTable element = moved(a.elements, of_source.element);
    const PermitTable scale_fp32 = moved(a.scale, of_fp32.scale);
    const PermitTable element_fp32 = moved(a.elements, of_fp32.element);
    const suites::Activator activator(source, activation);
    const suites::ActivationRules rules{
        &activator, {&of_source, &profile, &scale, &element}, {&of_fp32, &profile, &scale_fp32, &element_fp32}};
    const std::vector<KnownFault> known = suites::known_as(rules, given);
    if (known.empty()) return std::nullopt;
    Change change{"activation", std::string(to_string(activation)), known.front().how, "", {}};
    for (std::size_t i = 1; i < known.size(); ++i) change.alike.push_back(known[i].how);
    return change;
}

/// Whether values were joined to blocks wrongly, so that what was read is no function of the amax or of the value.
bool is_misread(const FoundQuantizer& found) {
    const auto named = [](const diagnose::FoundBehaviour& part, std::string_view name) {
        return std::any_of(part.parameters.begin(), part.parameters.end(),
                           [&](const diagnose::FoundParameter& parameter) { return parameter.name == name; });
    };
    return named(found.scale, "amax") || named(found.elements, "lanes");
}

/// A with other choices gives all answers of B; or what B is by itself.
class Explaining {
  public:
    Explaining(const Pipeline& b, const Readable& answers_b, Explanation& explanation)
        : b_(b), quantize_b_(as_quantize(b.operation)), answers_(answers_b), explanation_(explanation) {}

    [[nodiscard]] bool by_changes(const FoundQuantizer& a) {
        if (is_misread(a)) return false;
        const auto scale =
            change_to_explain(a.scale, quantize_b_.scale, read_scales(quantize_b_, answers_.scales, {}), "scales");
        if (!scale) return false;
        const auto element = change_to_explain(a.elements, quantize_b_.element,
                                               read_elements(quantize_b_, answers_.elements, {}), "elements");
        if (!element) return false;
        FoundQuantizer b{scale->found, element->found, {}};
        b.blocks = find_joining(quantize_b_, suites::permits_of(b.scale), suites::permits_of(b.elements),
                                answers_.blocks, &a.blocks);
        if (!take(b)) return false;
        add_changes(explanation_.changes, scale->changes);
        add_changes(explanation_.changes, element->changes);
        add_changes(explanation_.changes, changes_between(a.blocks.parameters, b.blocks.parameters, "blocks"));
        return true;
    }

    [[nodiscard]] bool by_itself(const FoundQuantizer& a) {
        const FoundQuantizer b = explain_quantizer(quantize_b_, answers_.spans());
        if (!take(b)) return false;
        add_changes(explanation_.changes, changes_between(a.scale.parameters, b.scale.parameters, "scales"));
        add_changes(explanation_.changes, changes_between(a.scale.faults, b.scale.faults, "scales"));
        add_changes(explanation_.changes, changes_between(a.elements.parameters, b.elements.parameters, "elements"));
        add_changes(explanation_.changes, changes_between(a.elements.faults, b.elements.faults, "elements"));
        add_changes(explanation_.changes, changes_between(a.blocks.parameters, b.blocks.parameters, "blocks"));
        return true;
    }

    [[nodiscard]] bool by_activation(const FoundQuantizer& a, const QuantizersAnswered& answered) {
        Seen given = seen_of(answered.scales, false, true);
        append(given, seen_of(answered.blocks, false, true));
        const std::optional<Change> change = activation_fault(b_, a, given);
        if (!change) return false;
        std::uint64_t blocks = 0;
        for (const JoinSeen<QuantizeCase>& seen : given) blocks += seen.asked->matrix.blocks();
        explanation_.asked = explanation_.explained_count = blocks;
        explanation_.changes.push_back(*change);
        return true;
    }

  private:
    /// Whether it explains all; remembers the best.
    bool take(const FoundQuantizer& found) {
        explanation_.asked = asked_of(found);
        explanation_.explained_count = std::max(explanation_.explained_count, explained_of(found));
        return explanation_.asked != 0 && explained_of(found) == explanation_.asked;
    }

    const Pipeline& b_;
    Quantize quantize_b_;
    const Readable& answers_;
    Explanation& explanation_;
};

} // namespace

Explanation explain_quantizers(const Pipeline& a, const Pipeline& b, const Format& values, bool transposed,
                               const QuantizersAnswered& answered) {
    Explanation explanation;
    const Quantize quantize_a = as_quantize(a.operation);
    const Readable answers_a = answers_of(answered, true, *quantize_a.format.value);
    const FoundQuantizer found_a = explain_quantizer(quantize_a, answers_a.spans());
    if (asked_of(found_a) == 0 || explained_of(found_a) != asked_of(found_a)) {
        explanation.asked = asked_of(found_a);
        explanation.explained_count = explained_of(found_a);
        explanation.reason =
            fmt::format("A itself is explained on {} of {} answers: swap A and B, or see `mxcert identify`",
                        print::grouped(explained_of(found_a)), print::grouped(asked_of(found_a)));
        return explanation;
    }
    const Readable answers_b = answers_of(answered, false, *as_quantize(b.operation).format.value);
    explanation.changes = declared_changes(a, b, values, transposed);
    Explaining explaining(b, answers_b, explanation);
    explanation.explained =
        explaining.by_changes(found_a) || explaining.by_activation(found_a, answered) || explaining.by_itself(found_a);
    if (explanation.explained && explanation.changes.empty()) {
        // What was found of A gives every answer of B: A's own answers are then no function of what was read.
        explanation.explained = false;
        explanation.reason = "what explains B explains A as well: they differ in what no choice decides";
    }
    if (!explanation.explained) {
        explanation.changes.clear();
        if (explanation.reason.empty())
            explanation.reason = fmt::format("no choice or known fault explains {} of {} answers of B",
                                             print::grouped(explanation.asked - explanation.explained_count),
                                             print::grouped(explanation.asked));
    }
    return explanation;
}

} // namespace mxcert::parity
