// SPDX-License-Identifier: Apache-2.0
// The operations "quantize" and "dequantize". A block that nothing joins to others is a test of its own, as hardware is
// fed; what joins blocks is a test of a whole matrix.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/diagnose/diagnose.hpp"
#include "conformance/export/cases.hpp"
#include "conformance/export/conversion_vectors.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/export/quantizer_rules.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

using suites::BlockPlace;
using suites::JoinFault;
using suites::QuantizeCase;

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
        : quantize_(as_quantize(operation)), rules_(quantize_, profile, golden),
          block_(suites::asked_block(quantize_.block)), collection_(head(operation, profile)) {
        if (quantize_.activation != Activation::none)
            throw std::invalid_argument(to_string(operation) + ": export the operation without its activation");
    }

    TestVectors take() {
        const QuantizeCase scale_case = ask_scales();
        const std::vector<QuantizeCase> element_cases = ask_elements();
        const std::vector<QuantizeCase> block_cases = suites::quantize_cases(quantize_, block_);
        std::vector<Code> pairs;
        for (const QuantizeCase& all : element_cases) add_pairs(all, pairs);
        for (const QuantizeCase& all : block_cases) add_pairs(all, pairs);
        rules_.expect(std::move(pairs));
        add_lines("scale", scale_case, false);
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
        vectors.origin = rules_.origin();
        vectors.choices = rules_.choices();
        vectors.sizes = {"rows", "columns"};
        if (quantize_.block == 0) vectors.sizes.emplace_back("block");
        vectors.inputs = {{"values", quantize_.format.value}};
        vectors.outputs = {{"elements", quantize_.element.to}, {"scales", &rules_.scales()}};
        return vectors;
    }

    [[nodiscard]] QuantizeCase ask_scales() const {
        const std::vector<Code> amaxes = rules_.scale_amaxes();
        std::vector<std::uint64_t> numbers;
        for (std::uint64_t number = 0; number < amaxes.size(); ++number) numbers.push_back(number);
        return suites::scale_case(quantize_, block_, amaxes, numbers);
    }

    [[nodiscard]] std::vector<QuantizeCase> ask_elements() const {
        if (block_ < 2) return {};
        const std::vector<Code> amax_of_scale = rules_.amax_of_few_scales();
        const suites::ElementOrder order(*quantize_.element.from, rules_.boundary_pairs(amax_of_scale), block_);
        std::vector<QuantizeCase> cases;
        for (std::size_t first = 0; first < order.lines.size(); first += suites::blocks_at_once)
            cases.push_back(suites::element_case(quantize_, block_, order, first, amax_of_scale).blocks);
        return cases;
    }

    /// The codes of the values of small cases, each with the scale of its block.
    void add_pairs(const QuantizeCase& all, std::vector<Code>& pairs) const {
        if (all.matrix.blocks_in_line() != 1 && all.matrix.elements() > most_values) return;
        for (std::uint64_t line = 0; line < all.matrix.lines; ++line)
            for (std::uint64_t b = 0; b < all.matrix.blocks_in_line(); ++b)
                rules_.add_pairs(suites::values_of(all, {line, b}), pairs);
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
                const std::vector<Code> right = rules_.scales_of(values);
                if (!single && right.size() != 1)
                    return collection_.leave_out("matrices of blocks for which several scales are right");
                answers.resize(std::max(answers.size(), right.size()), answers.front());
                for (std::size_t number = 0; number < right.size(); ++number)
                    fill(answers[number], matrix, {line, b}, values, right[number]);
                rules_.note(test, values, right, with_elements);
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
        for (std::uint64_t i = 0; i < values.size(); ++i)
            set_value(answer, 0, matrix.place(place.line, place.block * matrix.block + i),
                      rules_.element(scale, values[i]));
    }

    /// Whether a way to join values to blocks gives none of the right answers.
    [[nodiscard]] bool shows(const std::vector<VectorAnswer>& answers, const QuantizeCase& one,
                             const JoinFault& fault) const {
        return std::none_of(answers.begin(), answers.end(), [&](const VectorAnswer& answer) {
            const suites::JoinSeen<QuantizeCase> seen{
                &one,
                {values_of(answer.outputs[0], *quantize_.element.to), values_of(answer.outputs[1], rules_.scales())}};
            for (std::uint64_t line = 0; line < one.matrix.lines; ++line)
                for (std::uint64_t b = 0; b < one.matrix.blocks_in_line(); ++b)
                    if (!suites::gives(rules_.rules(), fault, seen, {line, b})) return false;
            return true;
        });
    }

    Quantize quantize_;
    QuantizerRules rules_;
    unsigned block_;
    Collection collection_;
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
            add_clause(test.clauses, step.clause);
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
