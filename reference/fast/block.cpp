// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/block.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "reference/fast/block_loops.hpp"
#include "reference/fast/codes.hpp"
#include "reference/packing.hpp"
#include "reference/scaled_format.hpp"

namespace mxcert::fast {
namespace {

void check_shape(const MatrixShape& shape) {
    if (shape.block == 0) throw std::invalid_argument("a block has at least one value");
    if (shape.columns != 0 && shape.rows > SIZE_MAX / 8 / shape.columns)
        throw std::invalid_argument("a matrix of so many values does not fit into memory");
}

/// Calls `use` with the place in the row and the scale of each value that the fast loops leave out. `scales` are those
/// of runs of the row, and those that are not left out lie side by side, so that most rows need no more than two looks.
template <class LeftOut, class Use>
void for_each_left_out(const std::uint8_t* scales, std::size_t run, std::size_t columns, LeftOut left_out, Use use) {
    const std::size_t runs = columns / run + (columns % run != 0 ? 1 : 0);
    std::uint8_t low = 0xFF;
    std::uint8_t high = 0;
    for (std::size_t r = 0; r < runs; ++r) {
        low = std::min(low, scales[r]);
        high = std::max(high, scales[r]);
    }
    if (!left_out(low) && !left_out(high)) return;
    for (std::size_t r = 0; r < runs; ++r) {
        if (!left_out(scales[r])) continue;
        for (std::size_t i = r * run; i < std::min((r + 1) * run, columns); ++i) use(i, scales[r]);
    }
}

/// Quantizes a matrix with choices made ready.
class Quantizer {
  public:
    Quantizer(const BlockFormat& format, const BlockChoices& choices, const MatrixShape& shape, Isa isa)
        : format_(format), choices_(choices), shape_(shape), amax_(amax_of(*format.value)),
          by_(by_scale(*format.value)), scaler_(amax_, *format.element, choices.scale),
          loops_(quantize_loops(*format.value, *format.element, isa)),
          bytes_(format.value->bytes()), masks_{choices.amax_nan == AmaxNan::propagated ? ~0U : 0U,
                                                choices.amax_inf == AmaxInf::counted ? ~0U : 0U},
          outcomes_(outcomes_of<std::uint64_t>(formats::bf16, *format.element, choices.element, 0)),
          sums_(scaler_.sums()) {
        Choices plain = choices.element;
        plain.nan = NanRule::canonical;
        fast_ = loops_.row != nullptr && plain == Choices{};
    }

    void rowwise(const unsigned char* values, std::uint8_t* elements, std::uint8_t* scales) {
        const std::size_t blocks = shape_.blocks(Blocks::rowwise);
        if (fast_ && by_sums() && shape_.block == common_block && shape_.columns % common_block == 0) {
            whole_blocks(values, elements, scales, shape_.rows * blocks);
            return;
        }
        amaxes_.resize(blocks);
        lane_scales_.resize(shape_.columns);
        row_scales_.resize(lane_groups());
        for (std::size_t row = 0; row < shape_.rows; ++row) {
            quantize_row(values, elements, scales, blocks);
            convert_left_out(values, elements, scales, shape_.columns);
            values += shape_.columns * value_bytes();
            elements += shape_.columns;
            scales += blocks;
        }
    }

    void columnwise(const unsigned char* values, std::uint8_t* elements, std::uint8_t* scales) {
        const std::size_t row_bytes = shape_.columns * value_bytes();
        std::vector<std::size_t> by_value;
        row_scales_.resize(lane_groups());
        for (std::size_t begin = 0; begin < shape_.rows; begin += shape_.block) {
            const std::size_t size = std::min(shape_.block, shape_.rows - begin);
            amaxes_.assign(shape_.columns, 0);
            for (std::size_t i = 0; i < size; ++i)
                loops_.raise_amax(values + i * row_bytes, shape_.columns, masks_, amaxes_.data());
            find_scales(
                scales, shape_.columns, values, value_bytes(), [&](std::size_t /*c*/) { return size; }, row_bytes);
            by_value.clear();
            for (std::size_t c = 0; c < shape_.columns; ++c)
                if (left_out(scales[c])) by_value.push_back(c);
            if (fast_) loops_.set_scales(scales, shape_.columns, row_scales_.data());
            for (std::size_t i = 0; i < size; ++i) {
                if (fast_) loops_.row(values, elements, shape_.columns, row_scales_.data(), outcomes_);
                for (const std::size_t c : by_value) convert_value(values, elements, c, scales[c]);
                values += row_bytes;
                elements += shape_.columns;
            }
            scales += shape_.columns;
        }
    }

  private:
    [[nodiscard]] std::size_t value_bytes() const { return static_cast<std::size_t>(bytes_); }

    /// Whether the fast loops leave a block of this scale out.
    [[nodiscard]] bool left_out(unsigned scale) const { return !fast_ || !fits_half_scale(*format_.element, scale); }

    /// Entries of row_scales_.
    [[nodiscard]] std::size_t lane_groups() const { return (shape_.columns + lanes - 1) / lanes; }

    /// Quantizes n of the commonest blocks, which lie one after the other, whatever the length of a row.
    void whole_blocks(const unsigned char* values, std::uint8_t* elements, std::uint8_t* scales, std::size_t n) {
        constexpr std::size_t most = 1024;
        while (n != 0) {
            const std::size_t count = std::min(n, most);
            loops_.blocks(values, elements, scales, count, masks_, sums_, outcomes_);
            convert_left_out(values, elements, scales, count * common_block);
            values += count * common_block * value_bytes();
            elements += count * common_block;
            scales += count;
            n -= count;
        }
    }

    /// Converts what the fast loops left out of a row of n values.
    void convert_left_out(const unsigned char* values, std::uint8_t* elements, const std::uint8_t* scales,
                          std::size_t n) const {
        for_each_left_out(
            scales, shape_.block, n, [&](unsigned scale) { return left_out(scale); },
            [&](std::size_t i, Code scale) { convert_value(values, elements, i, scale); });
    }

    /// Whether the scale of a block follows from its amax by sums alone.
    [[nodiscard]] bool by_sums() const {
        return loops_.scales != nullptr && choices_.amax_nan != AmaxNan::if_alone && scaler_.has_sums();
    }

    /// Finds the scales of n blocks from their amaxes. `values` is the first of them, `next` the bytes from a
    /// block to the next, `size(i)` and `stride` the number of values in a block and the bytes between them.
    template <class Size> void find_scales(std::uint8_t* scales, std::size_t n, const unsigned char* values,
                                           std::size_t next, Size size, std::size_t stride) const {
        if (by_sums()) {
            loops_.scales(amaxes_.data(), n, sums_, scales);
            return;
        }
        for (std::size_t i = 0; i < n; ++i) scales[i] = scale_of_amax(amaxes_[i], values + i * next, size(i), stride);
    }

    /// A row of blocks of any size.
    void quantize_row(const unsigned char* values, std::uint8_t* elements, std::uint8_t* scales, std::size_t blocks) {
        loops_.amax_row(values, shape_.columns, shape_.block, masks_, amaxes_.data());
        const auto size = [&](std::size_t b) { return std::min(shape_.block, shape_.columns - b * shape_.block); };
        find_scales(scales, blocks, values, shape_.block * value_bytes(), size, value_bytes());
        if (!fast_) return;
        for (std::size_t b = 0; b < blocks; ++b)
            std::fill_n(lane_scales_.begin() + static_cast<std::ptrdiff_t>(b * shape_.block), size(b), scales[b]);
        loops_.set_scales(lane_scales_.data(), shape_.columns, row_scales_.data());
        loops_.row(values, elements, shape_.columns, row_scales_.data(), outcomes_);
    }

    /// The scale of a block whose amax the loops found. They do not know a block of zeros from one without a number.
    [[nodiscard]] std::uint8_t scale_of_amax(Code amax, const unsigned char* values, std::size_t n,
                                             std::size_t stride) const {
        if (amax == 0 && choices_.amax_nan == AmaxNan::if_alone) {
            bool has_number = false;
            for (std::size_t i = 0; i < n; ++i)
                has_number = has_number || format_.value->is_finite(load(values + i * stride, bytes_));
            if (!has_number) amax = amax_.magnitude_mask();
        }
        return static_cast<std::uint8_t>(scaler_(amax));
    }

    void convert_value(const unsigned char* row, std::uint8_t* elements, std::size_t i, Code scale) const {
        const Code code = by_.code_of(scale, load(row + i * value_bytes(), bytes_));
        elements[i] = static_cast<std::uint8_t>(convert(by_, *format_.element, choices_.element, code));
    }

    const BlockFormat& format_;
    const BlockChoices& choices_;
    const MatrixShape& shape_;
    const Format& amax_;
    const Format& by_;
    Scaler scaler_;
    QuantizeLoops loops_;
    int bytes_;
    AmaxMasks masks_;
    Outcomes<std::uint16_t> outcomes_;
    std::vector<HalfScales> row_scales_;
    std::vector<std::uint8_t> lane_scales_;
    ScaleSums sums_;
    bool fast_ = false; ///< whether the elements have fast loops
    std::vector<std::uint32_t> amaxes_;
};

} // namespace

bool offers_block(const BlockFormat& format, const BlockChoices& choices) {
    using detail::one_of;
    if (!one_of(*format.value, {&formats::fp32, &formats::fp16, &formats::bf16}) ||
        !is_scaled(*format.element, formats::e8m0))
        return false;
    return offers_scale(amax_of(*format.value), *format.element, choices.scale) &&
           offers(by_scale(*format.value), *format.element, choices.element) &&
           !is_stochastic(choices.element.rounding);
}

void quantize(const BlockFormat& format, const BlockChoices& choices, const MatrixShape& shape, Blocks along,
              const void* values, std::uint8_t* elements, std::uint8_t* scales, Isa isa) {
    if (!offers_block(format, choices)) throw std::invalid_argument("the fast model does not offer this block");
    check_shape(shape);
    require(isa);
    Quantizer quantizer(format, choices, shape, isa);
    if (along == Blocks::rowwise)
        quantizer.rowwise(static_cast<const unsigned char*>(values), elements, scales);
    else
        quantizer.columnwise(static_cast<const unsigned char*>(values), elements, scales);
}

void dequantize(const Format& element, const Format& to, const Choices& choices, const MatrixShape& shape, Blocks along,
                const std::uint8_t* elements, const std::uint8_t* scales, void* values, Isa isa) {
    const Format& times = times_scale(element);
    if (!offers(times, to, choices) || is_stochastic(choices.rounding))
        throw std::invalid_argument("the fast model does not offer this block");
    check_shape(shape);
    check_codes(element, {elements, shape.rows * shape.columns});
    require(isa);
    const DequantizeLoops loops = dequantize_loops(element, to, isa);
    const Outcomes<std::uint64_t> outcomes = outcomes_of<std::uint64_t>(element, to, choices, plan(element, to).guard);
    // Within these a product is normal, whatever the element.
    const int least = to.emin() - (element.emin() - element.fraction_bits);
    const int most = to.emax() - element.emax();
    const auto left_out = [&](unsigned scale) {
        const int exponent = static_cast<int>(scale) - 127;
        return loops.row == nullptr || scale == 0xFF || exponent < least || exponent > most;
    };
    const auto bytes = static_cast<std::size_t>(to.bytes());
    // Neighbours in a row with the same scale.
    const std::size_t run = along == Blocks::rowwise ? shape.block : 1;
    const std::size_t runs = along == Blocks::rowwise ? shape.blocks(along) : shape.columns;
    auto* out = static_cast<unsigned char*>(values);
    for (std::size_t row = 0; row < shape.rows; ++row) {
        const std::uint8_t* of_row = scales + (along == Blocks::rowwise ? row : row / shape.block) * runs;
        if (loops.row != nullptr && along == Blocks::rowwise)
            loops.row(elements, out, shape.columns, shape.block, of_row, outcomes);
        else if (loops.row != nullptr)
            loops.columns(elements, out, shape.columns, of_row, outcomes);
        for_each_left_out(of_row, run, shape.columns, left_out, [&](std::size_t i, Code scale) {
            store(out + i * bytes, to.bytes(), convert(times, to, choices, times.code_of(scale, elements[i])));
        });
        elements += shape.columns;
        out += shape.columns * bytes;
    }
}

} // namespace mxcert::fast
