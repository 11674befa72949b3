// SPDX-License-Identifier: Apache-2.0
// The operations "quantize" and "dequantize". A block that nothing joins to others is a test of its own, as hardware is
// fed; what joins blocks is a test of a whole matrix.
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/diagnose/diagnose.hpp"
#include "conformance/export/cases.hpp"
#include "conformance/export/conversion_vectors.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/faults/shown_bugs.hpp"
#include "conformance/faults/small_suite.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/blocks/observe.hpp"
#include "conformance/suites/blocks/quantize_judges.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "vectors/tables/permit.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::test_vectors {
namespace {

using suites::BlockPlace;
using suites::JoinFault;
using suites::QuantizeCase;

const PermitStep& step_of(const PermitTable& table, Code input) { return table.steps[find_step(table, input)]; }

/// Codes as an array of a run, where a judge looks for them.
frames::Values values_of(const std::vector<Code>& codes, const Format& format) {
    return frames::values_of(codes, format);
}

/// One line of a matrix as a matrix.
QuantizeCase line_of(const QuantizeCase& all, std::uint64_t line) {
    QuantizeCase one{all.title(line), {}, all.matrix, {}};
    one.matrix.lines = 1;
    const auto first = all.values.begin() + static_cast<std::ptrdiff_t>(line * all.matrix.length);
    one.values.assign(first, first + static_cast<std::ptrdiff_t>(all.matrix.length));
    return one;
}

/// Codes in the order in which they lie in memory.
template <class Place>
std::vector<Code> in_memory(const std::vector<Code>& by_line, std::uint64_t lines, const Place& place) {
    std::vector<Code> codes(by_line.size());
    const std::uint64_t length = by_line.size() / lines;
    for (std::uint64_t line = 0; line < lines; ++line)
        for (std::uint64_t at = 0; at < length; ++at) codes[place(line, at)] = by_line[line * length + at];
    return codes;
}

std::vector<std::uint64_t> sizes_of(const suites::BlockMatrix& matrix, unsigned declared_block) {
    const auto shape = matrix.shape();
    std::vector<std::uint64_t> sizes{shape[0], shape[1]};
    if (declared_block == 0) sizes.push_back(matrix.block);
    return sizes;
}

class QuantizeVectors {
  public:
    QuantizeVectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& golden)
        : quantize_(as_quantize(operation)), profiles_{&profile}, judges_(quantize_, profiles_, golden),
          rules_(judges_.rules(0)), block_(suites::asked_block(quantize_.block)),
          usual_(diagnose::conforming_choices(quantize_.element, profile)),
          scale_bugs_(faults::shown_bugs(quantize_.scale, judges_.scales)), collection_(head(operation, profile)) {
        if (quantize_.activation != Activation::none)
            throw std::invalid_argument(to_string(operation) + ": export the operation without its activation");
    }

    TestVectors take() {
        const std::vector<QuantizeCase> scale_cases = ask_scales();
        const std::vector<QuantizeCase> element_cases = ask_elements();
        const std::vector<QuantizeCase> block_cases = suites::quantize_cases(quantize_, block_);
        std::vector<Code> pairs;
        for (const QuantizeCase& all : element_cases) add_pairs(all, pairs);
        for (const QuantizeCase& all : block_cases) add_pairs(all, pairs);
        points_.emplace(judges_.elements.front(), quantize_.element, std::move(pairs));
        for (const QuantizeCase& all : scale_cases) add_lines("scale", all, false);
        for (const QuantizeCase& all : element_cases) add_lines("elements", all, true);
        for (const QuantizeCase& all : block_cases)
            if (all.matrix.blocks_in_line() == 1)
                add_lines("blocks", all, true);
            else
                add("blocks", all, true);
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.origin = fmt::format("scales {}; elements {}", origin_of(*judges_.scales.front().golden),
                                     origin_of(*judges_.elements.front().golden));
        vectors.choices = choices_of(quantize_.scale, profile, "scale.");
        for (NamedChoice& choice : choices_of(quantize_.element, profile, "element."))
            vectors.choices.push_back(std::move(choice));
        vectors.sizes = {"rows", "columns"};
        if (quantize_.block == 0) vectors.sizes.emplace_back("block");
        vectors.inputs = {{"values", quantize_.format.value}};
        vectors.outputs = {{"elements", quantize_.element.to}, {"scales", scales()}};
        return vectors;
    }
    [[nodiscard]] const Format* scales() const { return quantize_.element.from->scale; }
    [[nodiscard]] Code largest_amax() const {
        return quantize_.scale.from->has_inf() ? quantize_.scale.from->inf_code() - 1
                                               : quantize_.scale.from->max_code();
    }

    /// The ends of every step of the scale, and amaxes that show the bugs planted in it.
    [[nodiscard]] std::vector<QuantizeCase> ask_scales() const {
        std::vector<Code> amaxes = faults::showing_inputs(scale_bugs_, scale_bugs_.size()).chosen;
        for (const PermitStep& step : judges_.scales.front().permitted.steps) {
            amaxes.push_back(step.first);
            amaxes.push_back(step.last);
        }
        std::sort(amaxes.begin(), amaxes.end());
        amaxes.erase(std::unique(amaxes.begin(), amaxes.end()), amaxes.end());
        std::erase_if(amaxes, [&](Code amax) { return amax > largest_amax(); });
        std::vector<std::uint64_t> numbers;
        for (std::uint64_t number = 0; number < amaxes.size(); ++number) numbers.push_back(number);
        return {suites::scale_case(quantize_, block_, amaxes, numbers)};
    }

    /// Both sides of every boundary of the elements, and neighbours at a distance of one bit, under few scales.
    [[nodiscard]] std::vector<QuantizeCase> ask_elements() const {
        if (block_ < 2) return {};
        const StepTable table = tabulate(*quantize_.scale.from, *quantize_.scale.to,
                                         diagnose::conforming_choices(quantize_.scale, *profiles_.front()));
        std::vector<Step> finite;
        for (const Step& step : table.steps)
            if (step.first <= largest_amax())
                finite.push_back({step.first, std::min(step.last, largest_amax()), step.code});
        std::vector<Code> amax_of_scale = suites::amax_of_each_scale(quantize_, finite);
        suites::keep_few_scales(*scales(), amax_of_scale);
        std::vector<Code> firsts;
        for (const PermitStep& step : judges_.elements.front().permitted.steps) firsts.push_back(step.first);
        const Format& by_scale = *quantize_.element.from;
        constexpr std::uint64_t seed = 1;
        const std::vector<Code> codes =
            suites::few_pairs(quantize_, firsts, suites::reachable_pairs(by_scale, amax_of_scale), seed);
        const suites::ElementOrder order(by_scale, codes, block_);
        std::vector<QuantizeCase> cases;
        for (std::size_t first = 0; first < order.lines.size(); first += suites::blocks_at_once)
            cases.push_back(suites::element_case(quantize_, block_, order, first, amax_of_scale).blocks);
        return cases;
    }

    /// The codes of the values of small cases, each with the scale of its block.
    void add_pairs(const QuantizeCase& all, std::vector<Code>& pairs) const {
        if (all.matrix.blocks_in_line() != 1 && all.matrix.elements() > most_values) return;
        for (std::uint64_t line = 0; line < all.matrix.lines; ++line)
            for (std::uint64_t b = 0; b < all.matrix.blocks_in_line(); ++b) {
                const std::vector<Code> values = suites::values_of(all, {line, b});
                for (const Code scale : scales_of(values))
                    for (const Code value : values) pairs.push_back(quantize_.element.from->code_of(scale, value));
            }
    }

    /// Every scale that is right for a block, the usual one first.
    [[nodiscard]] std::vector<Code> scales_of(std::span<const Code> values) const {
        std::vector<Code> right;
        for (const Code amax : suites::amaxes(rules_, values)) {
            const Permit& permit = step_of(*rules_.scale, amax).permit;
            std::vector<Code> codes = permit.codes;
            if (permit.any_nan)
                for (Code code = 0; code <= scales()->last_code(); ++code)
                    if (scales()->is_nan(code)) codes.push_back(code);
            for (const Code code : codes)
                if (std::find(right.begin(), right.end(), code) == right.end()) right.push_back(code);
        }
        return right;
    }

    void add_lines(std::string_view part, const QuantizeCase& all, bool with_elements) {
        for (std::uint64_t line = 0; line < all.matrix.lines; ++line) add(part, line_of(all, line), with_elements);
    }

    /// A case as a test. `with_elements`: its elements say which of the bugs of single values it shows.
    void add(std::string_view part, const QuantizeCase& one, bool with_elements) {
        const suites::BlockMatrix& matrix = one.matrix;
        if (matrix.elements() > most_values) return collection_.leave_out("matrices too large to be written down");
        const bool single = matrix.blocks() == 1;
        std::vector<VectorAnswer> answers(1);
        answers.front().outputs = {std::vector<Code>(matrix.elements()), std::vector<Code>(matrix.blocks())};
        TestVector test;
        test.comment = one.name;
        for (std::uint64_t line = 0; line < matrix.lines; ++line)
            for (std::uint64_t b = 0; b < matrix.blocks_in_line(); ++b) {
                const std::vector<Code> values = suites::values_of(one, {line, b});
                const std::vector<Code> right = scales_of(values);
                if (!single && right.size() != 1)
                    return collection_.leave_out("matrices of blocks for which several scales are right");
                answers.resize(std::max(answers.size(), right.size()), answers.front());
                for (std::size_t number = 0; number < right.size(); ++number)
                    fill(answers[number], matrix, {line, b}, values, right[number]);
                note(test, values, right, with_elements);
            }
        test.answers = std::move(answers);
        for (const JoinFault& fault : suites::join_faults())
            if (shows(test.answers, one, fault)) add_bug(test.bugs, fault.bug_class);
        test.inputs = {in_memory(one.values, matrix.lines,
                                 [&](std::uint64_t line, std::uint64_t at) { return matrix.place(line, at); })};
        collection_.add(part, sizes_of(matrix, quantize_.block), std::move(test));
    }

    void fill(VectorAnswer& answer, const suites::BlockMatrix& matrix, BlockPlace place,
              const std::vector<Code>& values, Code scale) const {
        answer.outputs[1][matrix.scale_place(place.line, place.block)] = scale;
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            const std::uint64_t at = matrix.place(place.line, place.block * matrix.block + i);
            const Format& by_scale = *quantize_.element.from;
            const Permit& permit = step_of(*rules_.element, by_scale.code_of(scale, values[i])).permit;
            PermittedValue value = value_of(permit, *quantize_.element.to);
            if (scales()->is_nan(scale)) value = any_value(value.code); // MX v1.0 5.1
            set_value(answer, 0, at, value);
        }
    }

    /// Clauses, flags, and the bugs of single values that a block shows.
    void note(TestVector& test, const std::vector<Code>& values, const std::vector<Code>& right, bool with_elements) {
        const auto add_clause = [&](std::string_view clause) {
            if (std::find(test.clauses.begin(), test.clauses.end(), clause) == test.clauses.end())
                test.clauses.push_back(clause);
        };
        const std::set<Code> possible = suites::amaxes(rules_, values);
        for (const Code amax : possible) add_clause(step_of(*rules_.scale, amax).clause);
        if (possible.size() == 1 && right.size() == 1)
            for (const faults::ShownBug& bug : scale_bugs_)
                if (faults::shows(*possible.begin(), bug)) add_bug(test.bugs, bug.bug_class->id);
        const Code scale = right.front();
        if (scales()->is_nan(scale)) return;
        for (const Code value : values) {
            const Code pair = quantize_.element.from->code_of(scale, value);
            add_clause(step_of(*rules_.element, pair).clause);
            test.flags |= flags_of(*quantize_.element.from, *quantize_.element.to, usual_, pair);
            if (with_elements && right.size() == 1)
                for (const std::string_view bug : points_->shown_by(pair)) add_bug(test.bugs, bug);
        }
    }

    /// Whether a way to join values to blocks gives none of the right answers.
    [[nodiscard]] bool shows(const std::vector<VectorAnswer>& answers, const QuantizeCase& one,
                             const JoinFault& fault) const {
        return std::none_of(answers.begin(), answers.end(), [&](const VectorAnswer& answer) {
            const suites::JoinSeen<QuantizeCase> seen{
                &one, {values_of(answer.outputs[0], *quantize_.element.to), values_of(answer.outputs[1], *scales())}};
            for (std::uint64_t line = 0; line < one.matrix.lines; ++line)
                for (std::uint64_t b = 0; b < one.matrix.blocks_in_line(); ++b)
                    if (!suites::gives(rules_, fault, seen, {line, b})) return false;
            return true;
        });
    }

    Quantize quantize_;
    std::vector<const Profile*> profiles_;
    suites::QuantizeJudges judges_;
    suites::QuantizeRules rules_;
    unsigned block_;
    Choices usual_;
    std::vector<faults::ShownBug> scale_bugs_;
    Collection collection_;
    std::optional<PointBugs> points_;
};

class DequantizeVectors {
  public:
    DequantizeVectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& golden)
        : dequantize_(as_dequantize(operation)), judges_(verdict::judges_of(dequantize_.value, {&profile}, golden)),
          permitted_(judges_.front().permitted), block_(suites::asked_block(dequantize_.block)),
          usual_(diagnose::conforming_choices(dequantize_.value, profile)), collection_(head(operation, profile)) {}

    TestVectors take() {
        std::vector<suites::DequantizeCase> cases = suites::dequantize_cases(dequantize_, block_);
        std::erase_if(cases, [&](const suites::DequantizeCase& one) {
            if (one.matrix.elements() <= most_values) return false;
            collection_.leave_out("matrices too large to be written down");
            return true;
        });
        std::vector<suites::DequantizeCase> lines = value_lines();
        std::vector<Code> pairs;
        for (const auto* part : {&lines, &cases})
            for (const suites::DequantizeCase& one : *part)
                for (std::uint64_t at = 0; at < one.elements.size(); ++at) pairs.push_back(pair(one, at));
        points_.emplace(judges_.front(), dequantize_.value, std::move(pairs));
        for (const suites::DequantizeCase& one : lines) add("values", one);
        for (const suites::DequantizeCase& one : cases) add("blocks", one);
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.origin = origin_of(*judges_.front().golden);
        vectors.choices = choices_of(dequantize_.value, profile);
        vectors.sizes = {"rows", "columns"};
        if (dequantize_.block == 0) vectors.sizes.emplace_back("block");
        vectors.inputs = {{"elements", dequantize_.element}, {"scales", dequantize_.value.from->scale}};
        vectors.outputs = {{"values", dequantize_.value.to}};
        return vectors;
    }

    [[nodiscard]] Code pair(const suites::DequantizeCase& one, std::uint64_t at) const {
        const std::uint64_t line = at / one.matrix.length;
        const std::uint64_t b = at % one.matrix.length / one.matrix.block;
        return dequantize_.value.from->code_of(one.scales[line * one.matrix.blocks_in_line() + b], one.elements[at]);
    }

    /// Every element under few scales, a block each.
    [[nodiscard]] std::vector<suites::DequantizeCase> value_lines() const {
        const suites::DequantizeCase all = suites::value_case(dequantize_, block_);
        std::vector<Code> scales;
        for (Code scale = 0; scale <= dequantize_.value.from->scale->last_code(); ++scale) scales.push_back(scale);
        const std::vector<Code> few = cases::thinned(scales, few_scales);
        std::vector<suites::DequantizeCase> lines;
        for (std::uint64_t line = 0; line < all.matrix.lines; ++line) {
            if (!std::binary_search(few.begin(), few.end(), all.scales[line])) continue;
            suites::DequantizeCase one{
                fmt::format("elements under the scale 0x{:02X}", all.scales[line]), all.matrix, {}, {all.scales[line]}};
            one.matrix.lines = 1;
            const auto first = all.elements.begin() + static_cast<std::ptrdiff_t>(line * all.matrix.length);
            one.elements.assign(first, first + static_cast<std::ptrdiff_t>(all.matrix.length));
            lines.push_back(std::move(one));
        }
        return lines;
    }

    void add(std::string_view part, const suites::DequantizeCase& one) {
        const suites::BlockMatrix& matrix = one.matrix;
        TestVector test;
        test.comment = one.name;
        VectorAnswer answer{{std::vector<Code>(matrix.elements())}, {}};
        for (std::uint64_t at = 0; at < matrix.elements(); ++at) {
            const Code code = pair(one, at);
            const PermitStep& step = step_of(permitted_, code);
            set_value(answer, 0, matrix.place(at / matrix.length, at % matrix.length),
                      value_of(step.permit, *dequantize_.value.to));
            if (std::find(test.clauses.begin(), test.clauses.end(), step.clause) == test.clauses.end())
                test.clauses.push_back(step.clause);
            test.flags |= flags_of(*dequantize_.value.from, *dequantize_.value.to, usual_, code);
            for (const std::string_view bug : points_->shown_by(code)) add_bug(test.bugs, bug);
        }
        const suites::JoinSeen<suites::DequantizeCase> seen{&one,
                                                            {values_of(answer.outputs[0], *dequantize_.value.to)}};
        for (const JoinFault& fault : suites::join_faults()) {
            bool given = true;
            for (std::uint64_t line = 0; line < matrix.lines; ++line)
                for (std::uint64_t b = 0; b < matrix.blocks_in_line(); ++b)
                    given = given && suites::gives(permitted_, fault, seen, {line, b});
            if (!given) add_bug(test.bugs, fault.bug_class);
        }
        test.inputs = {in_memory(one.elements, matrix.lines,
                                 [&](std::uint64_t line, std::uint64_t at) { return matrix.place(line, at); }),
                       in_memory(one.scales, matrix.lines,
                                 [&](std::uint64_t line, std::uint64_t b) { return matrix.scale_place(line, b); })};
        test.answers = {std::move(answer)};
        collection_.add(part, sizes_of(matrix, dequantize_.block), std::move(test));
    }

    Dequantize dequantize_;
    std::vector<verdict::Judge> judges_;
    const PermitTable& permitted_;
    unsigned block_;
    Choices usual_;
    Collection collection_;
    std::optional<PointBugs> points_;
};

} // namespace

TestVectors quantize_vectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& golden) {
    return QuantizeVectors(operation, profile, golden).take();
}

TestVectors dequantize_vectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& golden) {
    return DequantizeVectors(operation, profile, golden).take();
}

} // namespace mxcert::test_vectors
