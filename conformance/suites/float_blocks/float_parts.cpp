// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/draw_matrix.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "conformance/suites/float_blocks/float_judge.hpp"
#include "conformance/suites/float_blocks/float_points.hpp"
#include "conformance/suites/float_blocks/float_sizes.hpp"
#include "conformance/suites/float_blocks/float_table_cases.hpp"

namespace mxcert::suites {
namespace {

// Of small suites.
constexpr unsigned few_float_amaxes = 64;
constexpr std::size_t few_float_scales = 64;

constexpr std::size_t most_seen = 4;              // wrong matrices that are kept to name what is wrong
constexpr std::uint64_t largest_seen = 1U << 16U; // values of one

constexpr std::uint64_t points_seed = 1;   // of the thresholds of random cases, which are those of certify
constexpr std::uint64_t drawn_scales = 12; // of a random case: exact products with each of many would take long

/// The expected answers of given cases are dropped after so many cases: a long run must not fill the memory.
constexpr std::size_t most_given = 64;

/// "the maximum in each lane: lane 5, block 0,5: ...".
template <class Case> std::string fault_text(const Case& block_case, const BlockFault& fault) {
    std::string title = block_case.name;
    if constexpr (requires { block_case.blocks; })
        title = block_case.title(fault.line * block_case.matrix.scales().columns + fault.block);
    return fmt::format("{}, block {},{}: {}", title, fault.line, fault.block, fault.text);
}

template <class Case>
Findings findings_of(const Case& block_case, std::uint64_t compared, const std::vector<BlockFault>& faults) {
    Findings findings{compared, 0, {}};
    for (const BlockFault& fault : faults) findings.add(fault_text(block_case, fault));
    return findings;
}

/// What the thread keeps for itself.
template <class Expected> std::shared_ptr<Expected> known(Expected& expected) {
    return {std::shared_ptr<void>(), &expected};
}

std::string failed_blocks(const verdict::Row& row) {
    return fmt::format("{} with values that are not expected", print::counted(row.differing, "block"));
}

/// The sizes of a matrix in blocks of a shape, drawn.
FloatMatrix draw_float_matrix(SplitMix64& random, const BlockShape& shape, cases::GivenCase& given_case) {
    const Extent extent = draw_extent(random, shape);
    given_case.sizes = {extent.rows, extent.columns};
    return {extent, shape};
}

// The smallest amax, one whose scale is no power of two, and 448, by which the inputs beside ties are ties but one bit.
std::vector<Code> few_amaxes_of(const Format& source) {
    const auto fraction_bits = static_cast<unsigned>(source.fraction_bits);
    const Code one = source.one_code();
    return {1, one + 1, one + (Code{8} << fraction_bits) + (Code{3} << (fraction_bits - 2))};
}

/// Matrices of a quantizer.
class QuantizePart final : public CasePart {
  public:
    QuantizePart(const SuiteRun& run, std::string_view part)
        : quantize_(as_quantize_float(run.operation)), options_(run.options), part_(part) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const Format& element = *quantize_.choices.scaling.element;
        const auto take = [&](const FloatCase& float_case, std::uint64_t compared, std::vector<const Format*> judged) {
            return ask(question(float_case, compared, std::move(judged), known(expected_of(quantize_))));
        };
        if (part_ == "scale") {
            for_each_scale_case(quantize_, amaxes_asked(), options_.seed,
                                [&](const FloatCase& float_case, std::uint64_t compared) {
                                    return take(float_case, compared, {nullptr, quantize_.scale});
                                });
        } else if (part_ == "elements") {
            const std::vector<Code> amaxes =
                is_small(options_.level) ? few_amaxes_of(*quantize_.source)
                                         : amaxes_of_elements(quantize_, options_.samples_per_step / 4, options_.seed);
            for_each_element_case(
                quantize_, amaxes,
                [&](Code amax) { return values_under(quantize_, amax, options_.samples_per_step, options_.seed); },
                [&](const FloatCase& float_case, std::uint64_t compared) {
                    return take(float_case, compared, {&element, quantize_.scale});
                });
        } else {
            bool goes_on = true;
            const auto take_block = [&](const FloatCase& float_case) {
                return goes_on = take(float_case, float_case.values.count(), {&element, quantize_.scale});
            };
            for_each_case(quantize_, take_block);
            if (is_small(options_.level)) return;
            for (const FloatCase& float_case : float_rings(quantize_))
                if (goes_on) take_block(float_case);
        }
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        const FloatCase float_case = case_of(quantize_, given_case);
        if (given_++ % most_given == 0) drawn_ = std::make_shared<FloatExpected>(quantize_);
        return question(float_case, float_case.values.count(), {quantize_.choices.scaling.element, quantize_.scale},
                        drawn_);
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        if (!values_)
            values_ = {quantize_.source, amaxes_of(quantize_, 1, points_seed),
                       [this](Code amax) { return values_under(quantize_, amax, 0, points_seed); }};
        cases::GivenCase given_case;
        const FloatMatrix matrix = draw_float_matrix(random, quantize_.block, given_case);
        given_case.tensors = {draw_blocks(random, matrix, *values_)};
        return given_case;
    }
    [[nodiscard]] bool is_sample() const override {
        return part_ == "elements" || (part_ == "scale" && !asks_every_amax(quantize_));
    }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override { return failed_blocks(row); }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        std::vector<KnownFault> known = suites::known_as(quantize_, samples_.list());
        return known.empty() ? suites::known_as(quantize_, seen_) : known;
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        std::vector<std::vector<SizeQuestion>> all;
        if (part_ != "blocks") return all;
        for (const FloatCase& ring : float_rings(quantize_))
            all.push_back({size_question(quantize_, ring, options_.level)});
        return all;
    }

  private:
    /// `compared`: how many of its inputs the case is about.
    [[nodiscard]] Question question(FloatCase asked_float_case, std::uint64_t compared,
                                    std::vector<const Format*> judged, const std::shared_ptr<FloatExpected>& expected) {
        auto float_case = std::make_shared<const FloatCase>(std::move(asked_float_case));
        Question question;
        question.name = float_case->name;
        question.may_refuse = float_case->matrix.has_tail();
        question.judged = std::move(judged);
        question.runs = [this, float_case] { return std::vector<frames::RunCase>{run_of(quantize_, *float_case)}; };
        // The first answer is the one that came, the others are spoilt.
        question.judge = [this, float_case, compared, expected,
                          wanted = std::optional<std::vector<FloatExpected::Block>>()](
                             std::size_t /*all*/, const std::vector<frames::Values>& outputs) mutable {
            FloatSamples* const samples = wanted ? nullptr : &samples_;
            if (!wanted) wanted = wanted_of(*expected, *float_case);
            return findings_of(*float_case, compared, suites::judge(quantize_, *wanted, *float_case, outputs, samples));
        };
        question.keep = [this, float_case](std::size_t /*all*/, const std::vector<frames::Values>& outputs,
                                           const Findings& findings) {
            if (!findings.wrong.empty() && seen_.size() < most_seen && float_case->values.count() <= largest_seen)
                seen_.push_back({*float_case, outputs});
        };
        return question;
    }

    [[nodiscard]] std::vector<Code> amaxes_asked() const {
        if (is_small(options_.level)) return amaxes_of_elements(quantize_, few_float_amaxes, options_.seed);
        if (asks_every_amax(quantize_)) return all_amaxes(*quantize_.source);
        const bool large = lanes_of(quantize_) > large_block;
        return amaxes_of(quantize_, large ? options_.samples_per_step / 8 : options_.samples_per_step, options_.seed);
    }

    QuantizeFloat quantize_;
    const verdict::CertifyOptions& options_;
    std::string part_;
    FloatSamples samples_;
    std::vector<FloatSeen> seen_; ///< wrong ones
    std::shared_ptr<FloatExpected> drawn_;
    std::size_t given_ = 0;
    std::optional<BlockValues> values_;
};

/// Matrices of a dequantizer.
class DequantizePart final : public CasePart {
  public:
    DequantizePart(const SuiteRun& run, std::string_view part)
        : dequantize_(as_dequantize_float(run.operation)), options_(run.options), part_(part) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const FloatDequantizeCase& float_dequantize_case, std::uint64_t compared) {
            return ask(question(float_dequantize_case, compared, known(expected_of(dequantize_))));
        };
        if (part_ == "values") return for_each_value_case(dequantize_, scales_to_ask(), take);
        for (const FloatDequantizeCase& float_dequantize_case : dequantize_cases(dequantize_))
            if (!take(float_dequantize_case, float_dequantize_case.elements.count())) return;
        if (is_small(options_.level)) return;
        for (const FloatDequantizeCase& float_dequantize_case : float_rings(dequantize_))
            if (!take(float_dequantize_case, float_dequantize_case.elements.count())) return;
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        const FloatDequantizeCase float_dequantize_case = case_of(dequantize_, given_case);
        if (given_++ % most_given == 0) drawn_ = std::make_shared<FloatValues>(dequantize_);
        return question(float_dequantize_case, float_dequantize_case.elements.count(), drawn_);
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        if (!scales_) scales_ = scales_asked(dequantize_, 0, points_seed);
        cases::GivenCase given_case;
        const FloatMatrix matrix = draw_float_matrix(random, dequantize_.block, given_case);
        given_case.tensors.push_back(draw_elements(random, count(matrix.values, "values"), *dequantize_.element));
        const std::vector<Code> few = draw_scales(random, drawn_scales, *dequantize_.scale, *scales_);
        std::vector<Code>& of_blocks = given_case.tensors.emplace_back(matrix.blocks());
        for (Code& scale : of_blocks) scale = few[random.below(few.size())];
        return given_case;
    }
    [[nodiscard]] bool is_sample() const override { return part_ == "values" && dequantize_.scale != &formats::e8m0; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override { return failed_blocks(row); }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override { return {}; }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        std::vector<std::vector<SizeQuestion>> all;
        if (part_ != "blocks") return all;
        for (const FloatDequantizeCase& ring : float_rings(dequantize_))
            all.push_back({size_question(dequantize_, ring, options_.level)});
        return all;
    }

  private:
    [[nodiscard]] Question question(FloatDequantizeCase asked_float_dequantize_case, std::uint64_t compared,
                                    const std::shared_ptr<FloatValues>& expected) {
        auto float_dequantize_case =
            std::make_shared<const FloatDequantizeCase>(std::move(asked_float_dequantize_case));
        Question question;
        question.name = float_dequantize_case->name;
        question.may_refuse = float_dequantize_case->matrix.has_tail();
        question.judged = {dequantize_.target};
        question.runs = [this, float_dequantize_case] {
            return std::vector<frames::RunCase>{run_of(dequantize_, *float_dequantize_case)};
        };
        question.judge = [this, float_dequantize_case, compared, expected](std::size_t /*all*/,
                                                                           const std::vector<frames::Values>& outputs) {
            return findings_of(*float_dequantize_case, compared,
                               suites::judge(dequantize_, *expected, *float_dequantize_case, outputs));
        };
        return question;
    }

    [[nodiscard]] std::vector<Code> scales_to_ask() const {
        const bool large = count(grid_of(dequantize_.block, 1).values, "values") > large_block;
        std::vector<Code> scales = scales_asked(dequantize_, large ? 0 : options_.samples_per_step / 32, options_.seed);
        if (!is_small(options_.level)) return scales;
        scales = cases::thinned(scales, few_float_scales);
        scales.push_back(1); // the smallest
        for (const Code scale : scales_beside_ties(dequantize_, dequantize_.scale->one_code(), options_.seed))
            scales.push_back(scale);
        std::sort(scales.begin(), scales.end());
        scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
        return scales;
    }

    DequantizeFloat dequantize_;
    const verdict::CertifyOptions& options_;
    std::string part_;
    std::optional<std::vector<Code>> scales_;
    std::shared_ptr<FloatValues> drawn_;
    std::size_t given_ = 0;
};

} // namespace

std::unique_ptr<CasePart> quantize_float_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<QuantizePart>(run, part);
}
std::unique_ptr<CasePart> dequantize_float_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<DequantizePart>(run, part);
}

} // namespace mxcert::suites
