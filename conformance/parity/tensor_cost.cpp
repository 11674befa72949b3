// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/tensor_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "conformance/frames/words.hpp"
#include "conformance/measure/exact_sum.hpp"
#include "conformance/measure/measure_errors.hpp"
#include "conformance/parity/carried.hpp"
#include "conformance/suites/activation/activator.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::parity {
namespace {

constexpr std::uint64_t values_at_once = 1U << 22U;
/// The scale of a tensor follows from all of its values: they are given in one run.
constexpr std::uint64_t most_values_of_nvfp4 = 1U << 28U;

double to_double(const Format& format, Code code) {
    if (&format == &formats::fp32 || &format == &formats::fp16 || &format == &formats::bf16)
        return fast::widened(format, code);
    Choices choices;
    choices.overflow = Overflow::nosat;
    return std::bit_cast<double>(fast::convert(format, formats::fp64, choices, code));
}

/// A quantizer of matrices, whatever its operation.
class Quantizer {
  public:
    explicit Quantizer(const Pipeline& pipeline)
        : pipeline_(pipeline), is_block_(pipeline.operation.info->name == "quantize") {
        if (is_block_) {
            const Quantize quantize = as_quantize(pipeline.operation);
            source_ = quantize.format.value;
            element_ = quantize.format.element;
            scale_ = &formats::e8m0;
            const unsigned block = suites::asked_block(quantize.block);
            shape_ = quantize.axis == Axis::row ? BlockShape{1, block} : BlockShape{block, 1};
            run_block_ = block;
        } else {
            nvfp4_ = as_quantize_nvfp4(pipeline.operation);
            source_ = nvfp4_->source;
            element_ = &formats::e2m1;
            scale_ = nvfp4_->recipe->choices.scale;
            shape_ = nvfp4_->block;
        }
        if (pipeline.before != Activation::none) before_.emplace(*source_, pipeline.before);
    }

    void take_block(unsigned block) {
        (shape_.rows == 1 ? shape_.columns : shape_.rows) = block;
        run_block_ = block;
    }
    [[nodiscard]] const BlockShape& shape() const { return shape_; }
    [[nodiscard]] bool is_block() const { return is_block_; }
    [[nodiscard]] const Format& element() const { return *element_; }

    /// A piece of a tensor, quantized.
    struct Made {
        frames::RunAnswer answer;
        double tensor_scale = 1; ///< by which elements and scales are multiplied
    };
    [[nodiscard]] Made operator()(const Format& format, std::span<const Code> values, const Extent& extent) const {
        frames::RunCase run;
        run.shape = {extent.rows, extent.columns, is_block_ ? run_block_ : 0, 0};
        run.inputs = {frames::Values(values.size(), frames::bytes_of(*source_))};
        Code amax = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Code in_source = carried(format, *source_, values[i]);
            const Code given = before_ ? (*before_)(in_source) : in_source;
            run.inputs[0].set(i, given);
            if (!source_->is_nan(given)) amax = std::max(amax, given & source_->magnitude_mask());
        }
        const Extent scales = scales_of(extent, shape_);
        run.outputs = {frames::Values(values.size(), 1), frames::Values(scales.rows * scales.columns, 1)};
        if (nvfp4_ && nvfp4_->output != Nvfp4Output::none) run.outputs.emplace_back(1, 4);
        run.row = "tensor";
        run.name = fmt::format("a tensor of {} x {}", extent.rows, extent.columns);
        Made made{pipeline_.subject->run(pipeline_.operation, run), 1};
        if (nvfp4_ && made.answer.status == Status::pass) made.tensor_scale = tensor_scale(made.answer, amax);
        return made;
    }
    [[nodiscard]] double scale_value(Code code) const { return to_double(*scale_, code); }

  private:
    [[nodiscard]] double tensor_scale(const frames::RunAnswer& answer, Code amax) const {
        if (nvfp4_->output == Nvfp4Output::decode_scale) return to_double(formats::fp32, answer.outputs[2].get(0));
        if (nvfp4_->output == Nvfp4Output::encode_scale) return 1 / to_double(formats::fp32, answer.outputs[2].get(0));
        const recipe::TensorScales scales =
            fast::tensor_scales_of(nvfp4_->recipe->choices, carried(*source_, formats::fp32, amax));
        return to_double(formats::fp32, scales.decode);
    }

    const Pipeline& pipeline_;
    bool is_block_;
    std::optional<QuantizeNvfp4> nvfp4_;
    std::optional<suites::Activator> before_;
    const Format* source_ = nullptr;
    const Format* element_ = nullptr;
    const Format* scale_ = nullptr;
    BlockShape shape_;
    std::uint64_t run_block_ = 0;
};

/// The scale of a value, by its place in a matrix.
std::uint64_t scale_at(const BlockShape& shape, const Extent& extent, std::uint64_t row, std::uint64_t column) {
    return row / shape.rows * ((extent.columns + shape.columns - 1) / shape.columns) + column / shape.columns;
}

/// Sums up what both make of pieces.
class Cost {
  public:
    Cost(const Quantizer& a, const Quantizer& b, TensorCost& cost)
        : a_(a), b_(b), errors_a_(a.element()), errors_b_(b.element()), cost_(cost) {
        cost.same_scales = a.shape() == b.shape();
    }

    /// `wanted`: what quantizers would give without an error.
    void add(std::span<const double> wanted, const Extent& extent, const Quantizer::Made& a, const Quantizer::Made& b) {
        for (std::uint64_t row = 0; row < extent.rows; ++row)
            for (std::uint64_t column = 0; column < extent.columns; ++column) {
                const std::uint64_t at = row * extent.columns + column;
                const double of_a =
                    add_value(a_, errors_a_, wanted[at], a, at, scale_at(a_.shape(), extent, row, column));
                const double of_b =
                    add_value(b_, errors_b_, wanted[at], b, at, scale_at(b_.shape(), extent, row, column));
                ++cost_.values;
                cost_.differing_elements += a.answer.outputs[0].get(at) != b.answer.outputs[0].get(at) ? 1 : 0;
                // NaN is the same as NaN here.
                cost_.differing_values += of_a != of_b && !(std::isnan(of_a) && std::isnan(of_b)) ? 1 : 0;
                if (!std::isfinite(wanted[at]) || !std::isfinite(of_a) || !std::isfinite(of_b)) continue;
                ++cost_.between.compared;
                signal_.add(wanted[at] * wanted[at]);
                noise_.add((of_a - of_b) * (of_a - of_b));
            }
        cost_.scales += a.answer.outputs[1].count();
        if (!cost_.same_scales) return;
        for (std::uint64_t i = 0; i < a.answer.outputs[1].count(); ++i)
            cost_.differing_scales += a.answer.outputs[1].get(i) != b.answer.outputs[1].get(i) ? 1 : 0;
    }
    void end() {
        cost_.a = errors_a_.quality();
        cost_.b = errors_b_.quality();
        cost_.between.signal = signal_.value();
        cost_.between.noise = noise_.value();
    }

  private:
    static double add_value(const Quantizer& quantizer, measure::ErrorSums& errors, double wanted,
                            const Quantizer::Made& made, std::uint64_t at, std::uint64_t scale_at) {
        const auto element = static_cast<std::uint8_t>(made.answer.outputs[0].get(at));
        const double scale = quantizer.scale_value(made.answer.outputs[1].get(scale_at)) * made.tensor_scale;
        errors.add({&wanted, 1}, &element, scale);
        return errors.value_of(element) * scale;
    }

    const Quantizer& a_;
    const Quantizer& b_;
    measure::ErrorSums errors_a_;
    measure::ErrorSums errors_b_;
    measure::ExactSum signal_;
    measure::ExactSum noise_;
    TensorCost& cost_;
};

} // namespace

TensorCost cost_of(const Pipeline& a, const Pipeline& b, const tensors::TensorFile& file,
                   const ParityOptions& options) {
    TensorCost cost;
    const tensors::TensorInfo& info = file.info();
    cost.shape = info.shape;
    Quantizer make_a(a);
    Quantizer make_b(b);
    if (make_a.is_block() && make_b.is_block()) {
        const unsigned of_a = as_quantize(a.operation).block;
        const unsigned of_b = as_quantize(b.operation).block;
        if (of_a == 0 && of_b != 0) make_a.take_block(of_b);
        if (of_b == 0 && of_a != 0) make_b.take_block(of_a);
    }
    const std::uint64_t columns = info.shape.empty() ? 1 : info.shape.back();
    const std::uint64_t rows = info.values / columns;
    const bool whole = !make_a.is_block() || !make_b.is_block();
    if (whole && info.values > most_values_of_nvfp4) {
        cost.reason = fmt::format("a tensor of NVFP4 has up to {} values here", most_values_of_nvfp4);
        return cost;
    }
    const std::uint64_t down = std::max(make_a.shape().rows, make_b.shape().rows) * suites::whole_lines;
    const std::uint64_t at_once =
        whole ? rows : std::min(rows, std::max<std::uint64_t>(values_at_once / columns / down, 1) * down);
    const bool is_block = make_a.is_block() && make_b.is_block();
    const Activation activation =
        is_block && activation_of(a) == activation_of(b) ? activation_of(a) : Activation::none;
    std::optional<suites::Activator> activator;
    if (activation != Activation::none) activator.emplace(*info.format, activation);
    Cost sums(make_a, make_b, cost);
    std::vector<Code> values;
    std::vector<double> wanted;
    for (std::uint64_t row = 0; row < rows; row += at_once) {
        if (options.stop != nullptr && options.stop->load()) {
            cost.status = Status::incomplete;
            cost.reason = "stopped";
            return cost;
        }
        const Extent extent{std::min(at_once, rows - row), columns};
        frames::Values read(extent.rows * columns, frames::bytes_of(*info.format));
        file.read(row * columns, extent.rows * columns, read.bytes().data());
        values.clear();
        wanted.clear();
        for (std::uint64_t i = 0; i < read.count(); ++i) {
            values.push_back(read.get(i));
            wanted.push_back(to_double(*info.format, activator ? (*activator)(values.back()) : values.back()));
        }
        const Quantizer::Made of_a = make_a(*info.format, values, extent);
        const Quantizer::Made of_b = make_b(*info.format, values, extent);
        for (const Quantizer::Made* made : {&of_a, &of_b})
            if (made->answer.status != Status::pass) {
                cost.status = made->answer.status == Status::fail ? Status::error : made->answer.status;
                cost.reason = fmt::format("{}: {}", made == &of_a ? "A" : "B", made->answer.reason);
                return cost;
            }
        sums.add(wanted, extent, of_a, of_b);
        if (options.done) options.done((row + extent.rows) * columns);
    }
    sums.end();
    cost.status = Status::pass;
    return cost;
}

} // namespace mxcert::parity
