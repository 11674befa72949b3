// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/block_cases.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "conformance/suites/activation/identify.hpp"
#include "conformance/suites/activation/inputs.hpp"
#include "conformance/suites/ask_question.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/block_part.hpp"
#include "conformance/suites/blocks/quantize_judges.hpp"
#include "conformance/suites/draw_matrix.hpp"

namespace mxcert::suites {
namespace {

constexpr std::array<std::uint64_t, 8> any_blocks{1, 2, 3, 16, 24, 32, 64, 128};

/// Those of every run, and those of the larger levels.
template <class Case, class Of>
std::vector<Case> with_larger(std::vector<Case> cases, const Of& found, unsigned block, Level level) {
    if (!is_small(level)) cases.push_back(ring_case(found, block));
    if (level >= Level::standard) cases.push_back(square_case(found, block));
    if (asks_every_pair(level)) cases.push_back(large_case(found, block));
    return cases;
}

template <class Case> void take_each(std::vector<Case> cases, const std::function<bool(Case)>& take) {
    for (Case& block_case : cases)
        if (!take(std::move(block_case))) return;
}

class QuantizeBlocks final : public BlockPart<QuantizeCase> {
  public:
    /// `values`: the part "values" of a quantizer with an activation; else "blocks".
    QuantizeBlocks(const SuiteRun& run, bool values)
        : judges_(as_quantize(run.operation), run.profiles, run.golden), quantize_(judges_.quantize),
          block_(asked_block(quantize_.block)), level_(run.options.level), operation_(run.operation),
          golden_(run.golden), activator_(*quantize_.format.value, quantize_.activation) {
        if (values) inputs_.emplace(operation_, activator_, run.golden, run.options);
    }

    [[nodiscard]] bool is_sample() const override { return inputs_.has_value(); }

    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        if (!values_) values_ = worth_a_try();
        const DrawnMatrix drawn = draw_block_matrix(random, quantize_.axis, quantize_.block);
        return {drawn.sizes, {draw_blocks(random, {drawn.extent, drawn.shape}, *values_)}};
    }
    [[nodiscard]] std::optional<Alike> alike() override {
        if (activates()) return {};
        std::vector<Code> blocks = some_blocks();
        if (blocks.empty()) return {};
        Alike alike;
        for (std::size_t at = 0; at < blocks.size(); at += block_)
            alike.equal.push_back(
                question("equal blocks", {blocks.begin() + static_cast<std::ptrdiff_t>(at),
                                          blocks.begin() + static_cast<std::ptrdiff_t>(at + block_)}));
        alike.mixed = question("unlike blocks", std::move(blocks));
        return alike;
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        if (inputs_) return {};
        return {size_questions(quantize_, ring_case(quantize_, block_), level_, {false, false, true})};
    }

  private:
    void for_each_case(const std::function<bool(QuantizeCase)>& take) override {
        if (inputs_)
            for_each_activation_case(quantize_, block_, *inputs_, take);
        else
            take_each(with_larger(quantize_cases(quantize_, block_), quantize_, block_, largest_level()), take);
    }
    /// The largest matrix is held once, and not a second time behind its activation.
    [[nodiscard]] Level largest_level() const { return activates() ? std::min(level_, Level::standard) : level_; }
    /// What is quantized: a case behind its activation.
    [[nodiscard]] QuantizeCase activated(const QuantizeCase& quantize_case) const { return activator_(quantize_case); }
    [[nodiscard]] bool activates() const { return quantize_.activation != Activation::none; }
    [[nodiscard]] std::string after_activation() const {
        return activates() ? fmt::format(" after {}", to_string(quantize_.activation)) : "";
    }
    [[nodiscard]] QuantizeCase case_given(const cases::GivenCase& given_case) const override {
        return case_of(quantize_, given_case);
    }
    [[nodiscard]] frames::RunCase run(const QuantizeCase& quantize_case) const override {
        return run_of(quantize_, quantize_case);
    }
    [[nodiscard]] std::vector<std::string> wrong_in(std::size_t profile, const QuantizeCase& quantize_case,
                                                    const std::vector<frames::Values>& outputs) const override {
        std::vector<std::string> texts;
        const std::vector<BlockFault> faults = activates()
                                                   ? judge(judges_.rules(profile), activated(quantize_case), outputs)
                                                   : judge(judges_.rules(profile), quantize_case, outputs);
        for (const BlockFault& fault : faults)
            texts.push_back(fmt::format("{}, block {}{}: {}", quantize_case.title(fault.line), fault.block,
                                        after_activation(), fault.text));
        return texts;
    }
    [[nodiscard]] std::vector<KnownFault> explain(std::size_t profile,
                                                  std::span<const JoinSeen<QuantizeCase>> seen) const override {
        if (!activates()) return suites::known_as(judges_.rules(profile), seen);
        const ActivationJudges by_activation(operation_, activator_, judges_, golden_);
        std::vector<KnownFault> known = suites::known_as(by_activation.rules(profile), seen);
        if (!known.empty()) return known;
        std::deque<QuantizeCase> cases;
        std::vector<JoinSeen<QuantizeCase>> behind;
        for (const JoinSeen<QuantizeCase>& asked : seen)
            behind.push_back({&cases.emplace_back(activated(*asked.asked)), asked.outputs});
        return suites::known_as(judges_.rules(profile), behind);
    }
    // Under a scale that is NaN any element is permitted.
    [[nodiscard]] std::vector<const Format*> judged() const override { return {nullptr, quantize_.scale.to}; }

    /// Amaxes at which the scale changes, and values at which the element does.
    [[nodiscard]] BlockValues worth_a_try() const {
        return {quantize_.format.value, verdict::boundaries(judges_.scales),
                [this, pairs = verdict::boundaries(judges_.elements)](Code amax) {
                    const PermitTable& scale = judges_.scales.front().permitted;
                    const Format& scaled = *quantize_.element.from;
                    const Code first = scaled.code_of(one_of(scale.steps[find_step(scale, amax)].permit, *scale.to), 0);
                    std::vector<Code> values;
                    for (auto at = std::lower_bound(pairs.begin(), pairs.end(), first);
                         at != pairs.end() && scaled.scale_of(*at) == scaled.scale_of(first); ++at)
                        if ((scaled.value_of(*at) & scaled.magnitude_mask()) <= amax)
                            values.push_back(scaled.value_of(*at));
                    return values;
                }};
    }

    using BlockPart<QuantizeCase>::question;
    /// These blocks, of which there is one at least, again and again. Asked once: what is left of an earlier case
    /// spoils the first of them, and a worker whose answers change when asked again is not asked any more.
    [[nodiscard]] Question question(std::string name, std::vector<Code> blocks) {
        QuantizeCase asked{std::move(name), {}, {quantize_.axis, 0, block_, block_}, {}};
        for (; asked.matrix.lines < 3 * whole_lines; asked.matrix.lines += blocks.size() / block_)
            asked.values.insert(asked.values.end(), blocks.begin(), blocks.end());
        return asked_once(question(std::make_shared<const QuantizeCase>(std::move(asked))));
    }
    /// Some blocks of the cases, no two after each other from the same lines.
    [[nodiscard]] std::vector<Code> some_blocks() const {
        constexpr std::size_t of_a_case = 4;
        std::vector<Code> values;
        std::vector<QuantizeCase> cases = quantize_cases(quantize_, block_);
        for (std::size_t number = 0; number < of_a_case; ++number)
            for (const QuantizeCase& some_case : cases) {
                const BlockMatrix& matrix = some_case.matrix;
                if (matrix.length < block_ || values.size() == whole_lines * block_) continue;
                const std::vector<Code> block = values_of(some_case, {matrix.lines * number / of_a_case, 0});
                values.insert(values.end(), block.begin(), block.end());
            }
        return values;
    }

    QuantizeJudges judges_;
    const Quantize& quantize_;
    unsigned block_;
    Level level_;
    Operation operation_;
    verdict::GoldenSource& golden_;
    Activator activator_;
    std::optional<ActivationInputs> inputs_;
    std::optional<BlockValues> values_;
};

class DequantizeBlocks final : public BlockPart<DequantizeCase> {
  public:
    explicit DequantizeBlocks(const SuiteRun& run)
        : dequantize_(as_dequantize(run.operation)), block_(asked_block(dequantize_.block)),
          values_(verdict::judges_of(dequantize_.value, run.profiles, run.golden)), level_(run.options.level) {}

    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        const DrawnMatrix drawn = draw_block_matrix(random, dequantize_.axis, dequantize_.block);
        cases::GivenCase given_case{drawn.sizes, {}};
        given_case.tensors.push_back(draw_elements(random, count(drawn.extent, "values"), *dequantize_.element));
        const std::uint64_t blocks = count(mxcert::scales_of(drawn.extent, drawn.shape), "scales");
        given_case.tensors.push_back(draw_scales(random, blocks, formats::e8m0, {}));
        return given_case;
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        return {size_questions(dequantize_, ring_case(dequantize_, block_), level_, {false, true, false})};
    }

  private:
    void for_each_case(const std::function<bool(DequantizeCase)>& take) override {
        take_each(with_larger(dequantize_cases(dequantize_, block_), dequantize_, block_, level_), take);
    }
    [[nodiscard]] DequantizeCase case_given(const cases::GivenCase& given_case) const override {
        return case_of(dequantize_, given_case);
    }
    [[nodiscard]] frames::RunCase run(const DequantizeCase& dequantize_case) const override {
        return run_of(dequantize_, dequantize_case);
    }
    [[nodiscard]] std::vector<std::string> wrong_in(std::size_t profile, const DequantizeCase& dequantize_case,
                                                    const std::vector<frames::Values>& outputs) const override {
        std::vector<std::string> texts;
        for (const BlockFault& fault : judge(values_[profile].permitted, dequantize_case, outputs))
            texts.push_back(
                fmt::format("{}: line {}, block {}: {}", dequantize_case.name, fault.line, fault.block, fault.text));
        return texts;
    }
    [[nodiscard]] std::vector<KnownFault> explain(std::size_t profile,
                                                  std::span<const JoinSeen<DequantizeCase>> seen) const override {
        return suites::known_as(values_[profile].permitted, seen);
    }
    [[nodiscard]] std::vector<const Format*> judged() const override { return {dequantize_.value.to}; }

    Dequantize dequantize_;
    unsigned block_;
    std::vector<verdict::Judge> values_;
    Level level_;
};

} // namespace

DrawnMatrix draw_block_matrix(SplitMix64& random, Axis axis, unsigned declared) {
    const std::uint64_t block = declared != 0 ? declared : any_blocks[random.below(any_blocks.size())];
    DrawnMatrix drawn{axis == Axis::row ? shapes::rowwise(block) : shapes::columnwise(block), {}, {}};
    drawn.extent = draw_extent(random, drawn.shape);
    drawn.sizes = {drawn.extent.rows, drawn.extent.columns};
    if (declared == 0) drawn.sizes.push_back(block);
    return drawn;
}

std::unique_ptr<CasePart> quantize_blocks(const SuiteRun& run) { return std::make_unique<QuantizeBlocks>(run, false); }
std::unique_ptr<CasePart> quantize_activated(const SuiteRun& run) {
    return std::make_unique<QuantizeBlocks>(run, true);
}
std::unique_ptr<CasePart> dequantize_blocks(const SuiteRun& run) { return std::make_unique<DequantizeBlocks>(run); }

} // namespace mxcert::suites
