// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/export/cases.hpp"
#include "conformance/faults/shown_bugs.hpp"
#include "conformance/suites/blocks/quantize_judges.hpp"

namespace mxcert::test_vectors {

/// What a profile permits of a quantizer with scales from amaxes, whatever the shape of its blocks, and which bugs of
/// single values a block shows.
class QuantizerRules {
  public:
    QuantizerRules(const Quantize& quantize, const Profile& profile, verdict::GoldenSource& golden);
    QuantizerRules(const QuantizerRules&) = delete;
    QuantizerRules& operator=(const QuantizerRules&) = delete;

    [[nodiscard]] const Format& scales() const { return *judges_.quantize.element.from->scale; }
    [[nodiscard]] const suites::QuantizeRules& rules() const { return rules_; }
    /// Where the scales and the elements are from, in one line.
    [[nodiscard]] std::string origin() const;
    /// Those of the scale and those of the element.
    [[nodiscard]] std::vector<NamedChoice> choices() const;

    /// The ends of every step of the scale, and amaxes that show the bugs planted in it; ascending.
    [[nodiscard]] std::vector<Code> scale_amaxes() const;
    /// Amaxes that show the bugs planted in the scale.
    [[nodiscard]] std::vector<Code> showing_amaxes() const;
    /// For each of a few scales, by its code, the largest amax that gives it; for all others suites::no_amax.
    [[nodiscard]] std::vector<Code> amax_of_few_scales() const;
    /// Codes of values by their scale, at both sides of every boundary of the elements and at a distance of one bit,
    /// under scales that have an amax.
    [[nodiscard]] std::vector<Code> boundary_pairs(const std::vector<Code>& amax_of_scale) const;

    /// Adds the values of a block, each by every right scale, to those that note() is asked for.
    void add_pairs(std::span<const Code> values, std::vector<Code>& pairs) const;
    /// Has to be called before note(), with all of them.
    void expect(std::vector<Code> pairs);

    /// Every scale that is right for a block, the usual one first.
    [[nodiscard]] std::vector<Code> scales_of(std::span<const Code> values) const;
    /// The element of a value under a scale.
    [[nodiscard]] PermittedValue element(Code scale, Code value) const;
    /// Adds the clauses, the flags, and the bugs of single values that a block with these right scales shows.
    /// `with_elements`: bugs of its elements, too.
    void note(TestVector& test, std::span<const Code> values, std::span<const Code> right, bool with_elements);

  private:
    [[nodiscard]] Code largest_amax() const;
    /// Those that are finite, ascending, each once.
    [[nodiscard]] std::vector<Code> finite_amaxes(std::vector<Code> amaxes) const;

    std::vector<const Profile*> profiles_;
    suites::QuantizeJudges judges_;
    suites::QuantizeRules rules_;
    Choices usual_;
    std::vector<faults::ShownBug> scale_bugs_;
    std::optional<PointBugs> points_;
};

/// The step of a table that has an input.
[[nodiscard]] const PermitStep& step_of(const PermitTable& table, Code input);
/// Adds the id of a clause that is not there yet.
void add_clause(std::vector<std::string_view>& clauses, std::string_view id);

} // namespace mxcert::test_vectors
