// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/certify_float.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/case_row.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "conformance/suites/float_blocks/float_judge.hpp"
#include "conformance/suites/float_blocks/float_points.hpp"
#include "conformance/suites/float_blocks/float_sizes.hpp"
#include "conformance/suites/float_blocks/float_table_cases.hpp"

namespace mxcert {
namespace {

// Of small suites.
constexpr unsigned few_float_amaxes = 64;
constexpr std::size_t few_float_scales = 64;

constexpr std::size_t most_seen = 4;              // wrong matrices that are kept to name what is wrong
constexpr std::uint64_t largest_seen = 1U << 16U; // values of one

/// A row on its way: matrices are asked and judged one after the other.
template <class Case> class FloatRow {
  public:
    /// What is wrong in the answers to a case, which are those of the backend, or spoilt.
    using JudgeCase = std::function<std::vector<BlockFault>(const Case&, const std::vector<Values>&, bool spoilt)>;

    /// `formats`: of the outputs.
    FloatRow(Subject& subject, const Operation& operation, const CertifyOptions& options, const char* part,
             std::function<RunCase(const Case&)> run, std::function<Case(const GivenCase&)> case_of,
             std::vector<const Format*> formats, JudgeCase judge)
        : subject_(subject), operation_(operation), run_(std::move(run)), case_of_(std::move(case_of)),
          formats_(std::move(formats)), judge_(std::move(judge)), row_(subject, operation, options, part) {}

    /// Asks for a matrix: false if there is no use in going on. `judged`: how many inputs that compares.
    bool ask(const Case& one, std::uint64_t judged, std::span<const Format* const> outputs) {
        return row_.ask(
            one.name, one.matrix.has_tail(), [&] { return std::vector<RunCase>{run_(one)}; },
            [&](const std::vector<Values>& got) {
                row_.add_compared(judged);
                const std::vector<BlockFault> faults = judge_(one, got, false);
                for (const BlockFault& fault : faults) row_.add_fault(text_of(one, fault));
                if (faults.empty()) {
                    must_find_planted(one, got, outputs);
                } else if constexpr (requires { one.values; }) {
                    if (seen_.size() < most_seen && one.values.count() <= largest_seen) seen_.push_back({one, got});
                }
            });
    }

    /// The row, after `ask(*this)` has asked what there is. `known_as(seen)` names what is wrong.
    template <class Ask, class KnownAs> [[nodiscard]] Row of(bool sample, const Ask& ask, const KnownAs& known_as) {
        return row_.finish(
            sample,
            [&] {
                if (const auto given = row_.given()) {
                    const Case one = case_of_(*given);
                    this->ask(one, one.matrix.values.rows * one.matrix.values.columns, formats_);
                } else {
                    ask(*this);
                }
            },
            [](const Row& row) { return fmt::format("{} with what is not expected", counted(row.differing, "block")); },
            [&] { return known_as(seen_); },
            [](const std::vector<std::string>& refused) {
                return refused.empty() ? "" : fmt::format("refused, as it may: {}", fmt::join(refused, "; "));
            },
            [&](const GivenCase& given) { return faults_of(case_of_(given)); });
    }

  private:
    /// What is wrong in the answer to a smaller one.
    [[nodiscard]] std::vector<std::string> faults_of(const Case& one) {
        std::vector<std::string> faults;
        if (const auto outputs = outputs_of(subject_, operation_, run_(one)))
            for (const BlockFault& fault : judge_(one, *outputs, true)) faults.push_back(text_of(one, fault));
        return faults;
    }

    [[nodiscard]] std::string text_of(const Case& one, const BlockFault& fault) const {
        std::string title = one.name;
        if constexpr (requires { one.blocks; })
            title = one.title(fault.line * one.matrix.scales().columns + fault.block);
        return fmt::format("{}, block {},{}: {}", title, fault.line, fault.block, fault.text);
    }

    // A judge that finds nothing must find a wrong code in each output: a verdict is only given by one that can fail.
    void must_find_planted(const Case& one, const std::vector<Values>& outputs,
                           std::span<const Format* const> formats) const {
        for (std::size_t i = 0; i < formats.size(); ++i) {
            if (formats[i] == nullptr) continue;
            std::vector<Values> wrong = outputs;
            const std::uint64_t last = wrong[i].count() - 1;
            // The lowest bit of an exponent: no NaN is left one.
            wrong[i].set(last, wrong[i].get(last) ^ Code{1} << static_cast<unsigned>(formats[i]->fraction_bits));
            if (judge_(one, wrong, true).empty())
                throw std::logic_error("a wrong code that was planted in output " + std::to_string(i) +
                                       " was not found");
        }
    }

    Subject& subject_;
    const Operation& operation_;
    std::function<RunCase(const Case&)> run_;
    std::function<Case(const GivenCase&)> case_of_;
    std::vector<const Format*> formats_;
    JudgeCase judge_;
    CaseRow row_;
    std::vector<FloatSeen> seen_; ///< wrong ones
};

using QuantizeRow = FloatRow<FloatCase>;

std::vector<Code> amaxes_asked(const QuantizeFloat& quantize, const CertifyOptions& options) {
    if (is_small(options.level)) return amaxes_of_elements(quantize, few_float_amaxes, options.seed);
    if (asks_every_amax(quantize)) return all_amaxes(*quantize.source);
    const bool large = lanes_of(quantize) > large_block;
    return amaxes_of(quantize, large ? options.samples_per_step / 8 : options.samples_per_step, options.seed);
}

void ask_scales(QuantizeRow& row, const QuantizeFloat& quantize, const CertifyOptions& options) {
    const Format* const outputs[] = {nullptr, quantize.scale};
    for_each_scale_case(quantize, amaxes_asked(quantize, options), options.seed,
                        [&](const FloatCase& one, std::uint64_t judged) { return row.ask(one, judged, outputs); });
}

// The smallest amax, one whose scale is no power of two, and 448, by which the inputs beside ties are ties but one bit.
std::vector<Code> few_amaxes(const Format& source) {
    const auto fraction_bits = static_cast<unsigned>(source.fraction_bits);
    const Code one = source.one_code();
    return {1, one + 1, one + (Code{8} << fraction_bits) + (Code{3} << (fraction_bits - 2))};
}

void ask_elements(QuantizeRow& row, const QuantizeFloat& quantize, const CertifyOptions& options) {
    const Format* const outputs[] = {quantize.choices.scaling.element, quantize.scale};
    const std::vector<Code> amaxes = is_small(options.level)
                                         ? few_amaxes(*quantize.source)
                                         : amaxes_of_elements(quantize, options.samples_per_step / 4, options.seed);
    for_each_element_case(
        quantize, amaxes,
        [&](Code amax) { return values_under(quantize, amax, options.samples_per_step, options.seed); },
        [&](const FloatCase& one, std::uint64_t judged) { return row.ask(one, judged, outputs); });
}

/// Matrices that are a small one again and again. `rows`: of the operation; those of its cases are compared.
template <class Of> void compare_sizes(Subject& subject, const Operation& operation, const CertifyOptions& options,
                                       const Of& of, std::vector<Row>& rows) {
    const std::vector<Row*> of_cases = rows_with_sizes(operation, options, rows);
    if (of_cases.empty()) return;
    for (const auto& ring : float_rings(of))
        certify_sizes(subject, operation, {size_question(of, ring, options.level)}, of_cases);
}

} // namespace

std::vector<Row> certify_quantize_float(Subject& subject, const Operation& operation, const CertifyOptions& options) {
    const QuantizeFloat quantize = as_quantize_float(operation);
    FloatExpected& expected = expected_of(quantize);
    std::vector<Row> rows;
    const auto row_of = [&](const char* part, bool sample, const auto& ask) {
        if (!selected(options.filters, to_string(operation) + '/' + part)) return;
        FloatSamples samples;
        QuantizeRow row(
            subject, operation, options, part, [&](const FloatCase& one) { return run_of(quantize, one); },
            [&](const GivenCase& given) { return case_of(quantize, given); },
            {quantize.choices.scaling.element, quantize.scale},
            [&](const FloatCase& one, const std::vector<Values>& outputs, bool spoilt) {
                FloatSamples dropped;
                return judge(quantize, expected, one, outputs, spoilt ? dropped : samples);
            });
        rows.push_back(row.of(sample, ask, [&](const std::vector<FloatSeen>& seen) {
            std::vector<KnownFault> known = known_as(quantize, samples.list());
            return known.empty() ? known_as(quantize, seen) : known;
        }));
    };
    row_of("scale", !asks_every_amax(quantize), [&](QuantizeRow& row) { ask_scales(row, quantize, options); });
    // The only value of a block of one is its amax: its elements are cases.
    if (lanes_of(quantize) > 1)
        row_of("elements", true, [&](QuantizeRow& row) { ask_elements(row, quantize, options); });
    row_of("blocks", false, [&](QuantizeRow& row) {
        const Format* const outputs[] = {quantize.choices.scaling.element, quantize.scale};
        bool goes_on = true;
        for_each_case(quantize,
                      [&](const FloatCase& one) { return goes_on = row.ask(one, one.values.count(), outputs); });
        if (!is_small(options.level))
            for (const FloatCase& one : float_rings(quantize))
                if (goes_on) goes_on = row.ask(one, one.values.count(), outputs);
    });
    compare_sizes(subject, operation, options, quantize, rows);
    return rows;
}

std::vector<Row> certify_dequantize_float(Subject& subject, const Operation& operation, const CertifyOptions& options) {
    const DequantizeFloat dequantize = as_dequantize_float(operation);
    FloatValues& expected = expected_of(dequantize);
    std::vector<Row> rows;
    const Format* const outputs[] = {dequantize.target};
    const auto row_of = [&](const char* part, bool sample, const auto& ask) {
        if (!selected(options.filters, to_string(operation) + '/' + part)) return;
        FloatRow<FloatDequantizeCase> row(
            subject, operation, options, part, [&](const FloatDequantizeCase& one) { return run_of(dequantize, one); },
            [&](const GivenCase& given) { return case_of(dequantize, given); }, {dequantize.target},
            [&](const FloatDequantizeCase& one, const std::vector<Values>& got, bool /*spoilt*/) {
                return judge(dequantize, expected, one, got);
            });
        rows.push_back(
            row.of(sample, ask, [](const std::vector<FloatSeen>& /*seen*/) { return std::vector<KnownFault>(); }));
    };
    row_of("values", dequantize.scale != &formats::e8m0, [&](FloatRow<FloatDequantizeCase>& row) {
        const bool large = count(grid_of(dequantize.block, 1).values, "values") > large_block;
        std::vector<Code> scales = scales_asked(dequantize, large ? 0 : options.samples_per_step / 32, options.seed);
        if (is_small(options.level)) {
            scales = thinned(scales, few_float_scales);
            scales.push_back(1); // the smallest
            for (const Code scale : scales_beside_ties(dequantize, dequantize.scale->one_code(), options.seed))
                scales.push_back(scale);
            std::sort(scales.begin(), scales.end());
            scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
        }
        for_each_value_case(dequantize, scales, [&](const FloatDequantizeCase& one, std::uint64_t judged) {
            return row.ask(one, judged, outputs);
        });
    });
    row_of("blocks", false, [&](FloatRow<FloatDequantizeCase>& row) {
        for (const FloatDequantizeCase& one : dequantize_cases(dequantize))
            if (!row.ask(one, one.elements.count(), outputs)) return;
        if (is_small(options.level)) return;
        for (const FloatDequantizeCase& one : float_rings(dequantize))
            if (!row.ask(one, one.elements.count(), outputs)) return;
    });
    compare_sizes(subject, operation, options, dequantize, rows);
    return rows;
}

} // namespace mxcert
