// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/part.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/draw_matrix.hpp"
#include "conformance/suites/hadamard/cases.hpp"
#include "conformance/suites/kept_answers.hpp"
#include "conformance/suites/nvfp4/balanced.hpp"
#include "conformance/suites/nvfp4/faults.hpp"
#include "conformance/suites/nvfp4/judge.hpp"
#include "conformance/suites/nvfp4/points.hpp"
#include "conformance/suites/nvfp4/transformed.hpp"
#include "conformance/suites/ring_question.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t largest_tensor_kept = 1U << 16U; // values of a case that is kept to name what is wrong
// Of which one value is the largest: a sum over groups of threads that loses some of them has another.
constexpr std::uint64_t large_tensor = 1U << 20U;
constexpr std::uint64_t larger_tensor = 1U << 22U;
constexpr std::size_t most_tensors_wrong = 6; // of these
constexpr std::size_t most_tensors_right = 4;

class Nvfp4Part final : public CasePart {
  public:
    Nvfp4Part(const SuiteRun& run, std::string_view part)
        : quantize_(as_quantize_nvfp4(run.operation)), options_(run.options),
          part_(part), effort_{run.options.level, run.options.samples_per_step, run.options.seed},
          lower_(with_rounding(*quantize_.recipe, Rounding::toward_zero)),
          upper_(with_rounding(*quantize_.recipe, Rounding::away_from_zero)),
          expected_(quantize_.random ? by(lower_) : quantize_), away_(by(upper_)) {
        if (quantize_.hadamard) transform_.emplace(*quantize_.hadamard, *quantize_.source, formats::bf16);
    }

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const TileCase& tile_case) { return ask(question(tile_case)); };
        if (quantize_.hadamard) {
            for_each_transformed_case(quantize_, part_, expected_, effort_, take);
        } else if (part_ == "tensor") {
            for (const Code amax : amaxes_of_tensors(quantize_, effort_))
                if (!take(tensor_case(quantize_, amax, telling_amaxes(quantize_, amax)))) return;
        } else if (part_ == "scale") {
            for (const Code amax : amaxes_of_few_tensors(quantize_, effort_.level))
                if (!for_each_scale_case(quantize_, amax, amaxes_in_tensor(quantize_, expected_, amax, effort_), take))
                    return;
        } else if (part_ == "elements") {
            for (const Code amax : amaxes_of_few_tensors(quantize_, effort_.level))
                if (!for_each_element_case(quantize_, amax, values_in_tensor(quantize_, expected_, amax, effort_),
                                           take))
                    return;
        } else {
            if (!for_each_block_case(quantize_, is_small(effort_.level), take) ||
                !for_each_balanced_case(quantize_, is_small(effort_.level), take) || is_small(effort_.level))
                return;
            for (const std::uint64_t values : {large_tensor, larger_tensor})
                if ((values == large_tensor || effort_.level >= Level::standard) &&
                    !for_each_large_case(quantize_, values, take))
                    return;
            for (const TileCase& ring : tile_rings(maker_of(quantize_)))
                if (!take(ring)) return;
        }
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        return question(case_of(quantize_, given_case));
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        if (quantize_.hadamard) {
            TileCase tile_case = draw_transformed(quantize_, random);
            return {{tile_case.matrix.values.rows, tile_case.matrix.values.columns}, {std::move(tile_case.values)}};
        }
        const std::vector<Code> tensors = amaxes_of_few_tensors(quantize_, Level::standard);
        const Code tensor_amax = tensors[random.below(tensors.size())];
        const BlockValues values{quantize_.source,
                                 amaxes_in_tensor(quantize_, expected_, tensor_amax, {Level::quick, 1, 0}),
                                 [this, tensor_amax](Code amax) { return elements_change(tensor_amax, amax); }};
        const Extent extent = draw_extent(random, quantize_.block);
        std::vector<Code> drawn = draw_blocks(random, {extent, quantize_.block}, values);
        drawn[random.below(drawn.size())] = tensor_amax;
        return {{extent.rows, extent.columns}, {std::move(drawn)}};
    }
    [[nodiscard]] bool is_sample() const override {
        if (part_ == "blocks") return false;
        if (quantize_.hadamard) return true;
        if (part_ == "tensor") return !asks_every_amax(quantize_, effort_.level);
        // In some tensors only.
        if (quantize_.recipe->choices.tensor != recipe::TensorScale::none) return true;
        return part_ == "scale" ? !asks_every_amax(quantize_, effort_.level)
                                : !asks_every_value(quantize_, effort_.level);
    }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override {
        return fmt::format("{} with values that are not expected",
                           row.differing == 1 ? "1 block or tensor"
                                              : print::grouped(row.differing) + " blocks or tensors");
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        return suites::known_as(quantize_, kept_.all());
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        std::vector<std::vector<SizeQuestion>> all;
        // A large answer is compared with a repeated one.
        if (part_ != "blocks" || quantize_.random) return all;
        std::vector<BlockShape> arrays{{1, 1}, {1, 1}, quantize_.block};
        if (quantize_.output != Nvfp4Output::none) arrays.push_back({BlockShape::whole, BlockShape::whole});
        for (const TileCase& ring : quantize_.hadamard ? transformed_rings(quantize_) : tile_rings(maker_of(quantize_)))
            all.push_back({ring_question(ring.matrix, run_of(quantize_, ring), options_.level, arrays)});
        return all;
    }

  private:
    /// The quantizer by another recipe.
    [[nodiscard]] QuantizeNvfp4 by(const recipe::Nvfp4Preset& preset) const {
        QuantizeNvfp4 quantize = quantize_;
        quantize.recipe = &preset;
        return quantize;
    }

    /// Values up to an amax on both sides of which the element changes, in a tensor of that amax.
    [[nodiscard]] std::vector<Code> elements_change(Code tensor_amax, Code amax) {
        std::vector<Code> values{amax};
        const Code scale = expected_.scale(tensor_amax, amax);
        for (const CodeStep& step : expected_.element_steps(tensor_amax, scale, false))
            if (step.last < amax) values.insert(values.end(), {step.last, step.last + 1});
        return values;
    }

    [[nodiscard]] Question question(const TileCase& asked_tile_case) {
        auto tile_case = std::make_shared<const TileCase>(asked_tile_case);
        // Judged several times: answers that are right are spoilt, too.
        std::shared_ptr<const TileCase> seen = tile_case;
        std::vector<bool> open;
        if (transform_) {
            std::optional<TransformedCase> by_transform = transformed(*transform_, *tile_case);
            if (!by_transform) return not_judged(tile_case);
            open = std::move(by_transform->open);
            seen = std::make_shared<const TileCase>(std::move(by_transform->seen));
        }
        Nvfp4Answer answer = quantize_.random ? random_answer_of(expected_, away_, *seen) : answer_of(expected_, *seen);
        for (std::uint64_t place = 0; place < open.size(); ++place)
            if (open[place]) answer.elements[place] |= formats::e2m1.sign_bit() << recipe::nvfp4_open_shift;
        auto expected = std::make_shared<const Nvfp4Answer>(std::move(answer));
        Question question;
        question.name = tile_case->name;
        question.may_refuse = tile_case->matrix.has_tail() || (transform_ && may_be_refused(*tile_case));
        question.tensor = tile_case->matrix.values;
        // Where every bit is open, or a NaN that is spoilt is left one, nothing can be found.
        question.judged = {recipe::is_nvfp4_element(expected->elements.back(), ~expected->elements.back() & 0xFU)
                               ? nullptr
                               : &formats::e2m1,
                           quantize_.recipe->choices.scale};
        if (quantize_.output != Nvfp4Output::none)
            question.judged.push_back(formats::fp32.is_nan(expected->tensor_scale) ? nullptr : &formats::fp32);
        question.runs = [this, tile_case] { return std::vector<frames::RunCase>{run_of(quantize_, *tile_case)}; };
        question.judge = [this, seen, expected](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            Findings findings{seen->values.size(), 0, suites::judge(quantize_, *expected, *seen, outputs)};
            findings.differing = findings.wrong.size();
            return findings;
        };
        question.keep = [this, tile_case](std::size_t /*judge*/, const std::vector<frames::Values>& outputs,
                                          const Findings& findings) {
            const bool right = findings.wrong.empty();
            if (tile_case->values.size() <= largest_tensor_kept && kept_.takes(right))
                kept_.add(right, {quantize_, *tile_case, outputs});
        };
        return question;
    }

    /// A case with sums of a transform that depend on the order: what a tensor has for an amax is not known.
    [[nodiscard]] Question not_judged(const std::shared_ptr<const TileCase>& tile_case) const {
        Question question;
        question.name = tile_case->name;
        question.may_refuse = true;
        question.runs = [this, tile_case] { return std::vector<frames::RunCase>{run_of(quantize_, *tile_case)}; };
        question.judge = [](std::size_t /*all*/, const std::vector<frames::Values>& /*outputs*/) { return Findings(); };
        return question;
    }

    QuantizeNvfp4 quantize_;
    std::optional<HadamardExpected> transform_;
    const verdict::CertifyOptions& options_;
    std::string part_;
    Nvfp4Effort effort_;
    recipe::Nvfp4Preset lower_; ///< of elements that are rounded at random
    recipe::Nvfp4Preset upper_;
    Nvfp4Expected expected_; ///< of these with elements toward zero
    Nvfp4Expected away_;
    KeptAnswers<Nvfp4Seen> kept_{most_tensors_wrong, most_tensors_right};
};

} // namespace

std::unique_ptr<CasePart> nvfp4_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<Nvfp4Part>(run, part);
}

} // namespace mxcert::suites
