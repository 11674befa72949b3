// SPDX-License-Identifier: Apache-2.0
#include "conformance/export/quantizer_rules.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "conformance/diagnose/diagnose.hpp"
#include "conformance/export/conversion_vectors.hpp"
#include "conformance/faults/small_suite.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/observe.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "vectors/tables/permit.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::test_vectors {

const PermitStep& step_of(const PermitTable& table, Code input) { return table.steps[find_step(table, input)]; }

void add_clause(std::vector<std::string_view>& clauses, std::string_view id) {
    if (std::find(clauses.begin(), clauses.end(), id) == clauses.end()) clauses.push_back(id);
}

QuantizerRules::QuantizerRules(const Quantize& quantize, const Profile& profile, verdict::GoldenSource& golden)
    : profiles_{&profile}, judges_(quantize, profiles_, golden), rules_(judges_.rules(0)),
      usual_(diagnose::conforming_choices(quantize.element, profile)),
      scale_bugs_(faults::shown_bugs(quantize.scale, judges_.scales)) {}

std::string QuantizerRules::origin() const {
    return fmt::format("scales {}; elements {}", origin_of(*judges_.scales.front().golden),
                       origin_of(*judges_.elements.front().golden));
}

std::vector<NamedChoice> QuantizerRules::choices() const {
    std::vector<NamedChoice> all = choices_of(judges_.quantize.scale, *profiles_.front(), "scale.");
    for (NamedChoice& choice : choices_of(judges_.quantize.element, *profiles_.front(), "element."))
        all.push_back(std::move(choice));
    return all;
}

Code QuantizerRules::largest_amax() const {
    const Format& amax = *judges_.quantize.scale.from;
    return amax.has_inf() ? amax.inf_code() - 1 : amax.max_code();
}

std::vector<Code> QuantizerRules::showing_amaxes() const {
    return finite_amaxes(faults::showing_inputs(scale_bugs_, scale_bugs_.size()).chosen);
}

std::vector<Code> QuantizerRules::scale_amaxes() const {
    std::vector<Code> amaxes = showing_amaxes();
    for (const PermitStep& step : judges_.scales.front().permitted.steps) {
        amaxes.push_back(step.first);
        amaxes.push_back(step.last);
    }
    return finite_amaxes(std::move(amaxes));
}

std::vector<Code> QuantizerRules::finite_amaxes(std::vector<Code> amaxes) const {
    std::sort(amaxes.begin(), amaxes.end());
    amaxes.erase(std::unique(amaxes.begin(), amaxes.end()), amaxes.end());
    std::erase_if(amaxes, [&](Code amax) { return amax > largest_amax(); });
    return amaxes;
}

std::vector<Code> QuantizerRules::amax_of_few_scales() const {
    const Conversion& scale = judges_.quantize.scale;
    const StepTable table = tabulate(*scale.from, *scale.to, diagnose::conforming_choices(scale, *profiles_.front()));
    std::vector<Step> finite;
    for (const Step& step : table.steps)
        if (step.first <= largest_amax())
            finite.push_back({step.first, std::min(step.last, largest_amax()), step.code});
    std::vector<Code> amax_of_scale = suites::amax_of_each_scale(judges_.quantize, finite);
    suites::keep_few_scales(scales(), amax_of_scale);
    return amax_of_scale;
}

std::vector<Code> QuantizerRules::boundary_pairs(const std::vector<Code>& amax_of_scale) const {
    std::vector<Code> firsts;
    for (const PermitStep& step : judges_.elements.front().permitted.steps) firsts.push_back(step.first);
    const Format& by_scale = *judges_.quantize.element.from;
    constexpr std::uint64_t seed = 1;
    return suites::few_pairs(judges_.quantize, firsts, suites::reachable_pairs(by_scale, amax_of_scale), seed);
}

void QuantizerRules::add_pairs(std::span<const Code> values, std::vector<Code>& pairs) const {
    for (const Code scale : scales_of(values))
        for (const Code value : values) pairs.push_back(judges_.quantize.element.from->code_of(scale, value));
}

void QuantizerRules::expect(std::vector<Code> pairs) {
    points_.emplace(judges_.elements.front(), judges_.quantize.element, std::move(pairs));
}

std::vector<Code> QuantizerRules::scales_of(std::span<const Code> values) const {
    std::vector<Code> right;
    for (const Code amax : suites::amaxes(rules_, values)) {
        const Permit& permit = step_of(*rules_.scale, amax).permit;
        std::vector<Code> codes = permit.codes;
        if (permit.any_nan)
            for (Code code = 0; code <= scales().last_code(); ++code)
                if (scales().is_nan(code)) codes.push_back(code);
        for (const Code code : codes)
            if (std::find(right.begin(), right.end(), code) == right.end()) right.push_back(code);
    }
    return right;
}

PermittedValue QuantizerRules::element(Code scale, Code value) const {
    const Conversion& element = judges_.quantize.element;
    const Permit& permit = step_of(*rules_.element, element.from->code_of(scale, value)).permit;
    const PermittedValue permitted = value_of(permit, *element.to);
    return scales().is_nan(scale) ? any_value(permitted.code) : permitted; // MX v1.0 5.1
}

void QuantizerRules::note(TestVector& test, std::span<const Code> values, std::span<const Code> right,
                          bool with_elements) {
    const std::set<Code> possible = suites::amaxes(rules_, values);
    for (const Code amax : possible) add_clause(test.clauses, step_of(*rules_.scale, amax).clause);
    if (possible.size() == 1 && right.size() == 1)
        for (const faults::ShownBug& bug : scale_bugs_)
            if (faults::shows(*possible.begin(), bug)) add_bug(test.bugs, bug.bug_class->id);
    const Code scale = right.front();
    if (scales().is_nan(scale)) return;
    const Conversion& element = judges_.quantize.element;
    for (const Code value : values) {
        const Code pair = element.from->code_of(scale, value);
        add_clause(test.clauses, step_of(*rules_.element, pair).clause);
        test.flags |= flags_of(*element.from, *element.to, usual_, pair);
        if (with_elements && right.size() == 1)
            for (const std::string_view bug : points_->shown_by(pair)) add_bug(test.bugs, bug);
    }
}

} // namespace mxcert::test_vectors
