// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/way.hpp"

#include <algorithm>
#include <utility>

#include "conformance/suites/hadamard/way.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::fp32;

/// The largest magnitude of values, as a way has it.
class Amax {
  public:
    explicit Amax(const Nvfp4Way& way) : way_(way) {}

    void add(Code value) {
        if (fp32.is_nan(value)) {
            any_nan_ = true;
            return;
        }
        any_number_ = true;
        if (way_.signed_amax && (value & fp32.sign_bit()) != 0) return;
        most_ = std::max(most_, value & fp32.magnitude_mask());
    }
    [[nodiscard]] Code get() const {
        const AmaxNan choice = way_.choices.amax_nan;
        const bool is_nan =
            choice == AmaxNan::propagated ? any_nan_ : choice == AmaxNan::if_alone && any_nan_ && !any_number_;
        return is_nan ? fp32.inf_code() | Code{1} << 22U : most_;
    }

  private:
    const Nvfp4Way& way_;
    Code most_ = 0;
    bool any_nan_ = false;
    bool any_number_ = false;
};

bool is_to_4(const Nvfp4Way& way, const Nvfp4Tensor& tensor, Code amax, const std::vector<Code>& values,
             std::uint64_t columns) {
    if (way.choices.four_over_six == recipe::FourOverSix::off) return false;
    if (way.always_to_4) return true;
    if (way.in_one_sum) columns = values.size();
    if (!way.ties_to_4) return fast::is_mapped_to_4(way.choices, tensor.scales, amax, values, columns);
    const auto error = [&](Code scale) {
        return fast::block_error(way.choices, tensor.scales, scale, values, columns);
    };
    return error(fast::block_scale_to_4(way.choices, tensor.scales, amax)) <=
           error(fast::block_scale_of(way.choices, tensor.scales, amax));
}

} // namespace

Nvfp4Matrix::Nvfp4Matrix(const QuantizeNvfp4& quantize, TileCase tile_case)
    : quantize_(quantize), tile_case_(std::move(tile_case)) {}

const Nvfp4Matrix::Blocks& Nvfp4Matrix::blocks_of(FirstTransform transform) const {
    if (!quantize_.hadamard) transform = FirstTransform::left_out;
    const auto [at, fresh] = blocks_.try_emplace(transform);
    if (!fresh) return at->second;
    TileCase seen = tile_case_;
    const Format* format = quantize_.source;
    if (transform != FirstTransform::left_out) {
        HadamardTransform first{quantize_.source, quantize_.source, *quantize_.hadamard, quantize_.block};
        HadamardWay way = right_way(first);
        if (transform == FirstTransform::without_signs) way.transform.signs = 0;
        if (transform == FirstTransform::signs_after) way.transform.inverse = true;
        way.other_axis = transform == FirstTransform::other_axis;
        if (transform == FirstTransform::without_factor) way.power = 0;
        if (transform == FirstTransform::not_rounded) first.target = &fp32;
        seen.values = values_by(first, way, tile_case_);
        format = first.target;
    }
    const std::uint64_t blocks = matrix().blocks();
    for (std::uint64_t block = 0; block < blocks; ++block) {
        std::vector<Code>& values = at->second.emplace_back(seen.values_of(block));
        for (Code& value : values) value = fast::bits_of(fast::widened(*format, value));
    }
    return at->second;
}

bool Nvfp4Matrix::is_transformed_zero(const Nvfp4Way& way, std::uint64_t block, std::uint64_t lane) const {
    return quantize_.hadamard && fp32.magnitude_of(blocks_of(way)[block][lane]) == 0;
}

Nvfp4Tensor Nvfp4Matrix::tensor_of(const Nvfp4Way& way) const {
    Amax amax(way);
    const bool before = way.transform == FirstTransform::after_tensor_amax;
    for (const std::vector<Code>& values : blocks_of(before ? FirstTransform::left_out : way.transform))
        for (const Code value : values) amax.add(value);
    return {amax.get(), fast::tensor_scales_of(way.choices, amax.get())};
}

Nvfp4Block Nvfp4Matrix::block_of(const Nvfp4Way& way, const Nvfp4Tensor& tensor, std::uint64_t block) const {
    const std::vector<Code>& values = blocks_of(way)[block];
    Amax amax(way);
    const std::size_t seen = way.last_left_out && values.size() > 1 ? values.size() - 1 : values.size();
    for (std::size_t lane = 0; lane < seen; ++lane) amax.add(values[lane]);
    const Code of_block = way.one_amax ? tensor.amax : amax.get();
    Code quotient = fast::block_quotient_of(way.choices, tensor.scales, of_block);
    if (is_to_4(way, tensor, of_block, values, matrix().block(block).size.columns))
        quotient = fast::bits_of(1.5F * fast::as_float(quotient));
    const Code scale = fast::rounded_scale_of(way.choices, quotient);
    const Code used = way.by_unrounded ? quotient : fast::convert(*way.choices.scale, fp32, {}, scale);
    std::vector<Code> elements = fast::elements_of(way.choices, tensor.scales, used, values);
    if (way.unsigned_elements)
        for (Code& element : elements) element &= ~formats::e2m1.sign_bit();
    return {scale, std::move(elements)};
}

Code Nvfp4Matrix::given_out(const Nvfp4Way& way, const Nvfp4Tensor& tensor) const {
    if (quantize_.output == Nvfp4Output::none) return 0;
    return quantize_.given_out(way.gives_inverse ? recipe::TensorScales{tensor.scales.decode, tensor.scales.encode}
                                                 : tensor.scales);
}

bool Nvfp4Seen::gives_tensor(const Nvfp4Way& way, const Nvfp4Tensor& tensor) const {
    return outputs_.size() < 3 || same(fp32, outputs_[2].get(0), matrix_.given_out(way, tensor));
}

bool Nvfp4Seen::has(const Nvfp4Way& way, std::uint64_t block, const std::vector<Nvfp4Block>& made) const {
    const Nvfp4Block& first = made.front();
    if (!same(*way.choices.scale, outputs_[1].get(matrix_.scale_place(way, block)), first.scale)) return false;
    const BlockRange range = matrix_.matrix().block(block);
    for (std::uint64_t lane = 0; lane < first.elements.size(); ++lane) {
        const Code answer = outputs_[0].get(matrix_.matrix().place(range, lane));
        const auto is = [&](const Nvfp4Block& one) {
            const bool zeros = ((answer | one.elements[lane]) & formats::e2m1.magnitude_mask()) == 0;
            return (zeros && matrix_.is_transformed_zero(way, block, lane)) ||
                   recipe::is_nvfp4_element(one.elements[lane], answer);
        };
        if (std::none_of(made.begin(), made.end(), is)) return false;
    }
    return true;
}

bool Nvfp4Seen::gives_block(const Nvfp4Way& way, const Nvfp4Tensor& tensor, std::uint64_t block) const {
    std::vector<Rounding> of_elements{way.choices.rounding};
    if (random_ && way.choices.rounding == of_recipe_) of_elements = {Rounding::toward_zero, Rounding::away_from_zero};
    std::vector<Rounding> of_scales{way.choices.scale_rounding};
    if (way.scales_at_random) of_scales = {Rounding::toward_zero, Rounding::up};
    return std::any_of(of_scales.begin(), of_scales.end(), [&](Rounding of_scale) {
        std::vector<Nvfp4Block> made;
        for (const Rounding of_element : of_elements) {
            Nvfp4Way one = way;
            one.choices.scale_rounding = of_scale;
            one.choices.rounding = of_element;
            made.push_back(matrix_.block_of(one, tensor, block));
        }
        return has(way, block, made);
    });
}

bool Nvfp4Seen::gives_all(const Nvfp4Way& way) const {
    const Nvfp4Tensor tensor = tensor_of(way);
    if (!gives_tensor(way, tensor)) return false;
    const std::uint64_t all = blocks();
    for (std::uint64_t block = 0; block < all; ++block)
        if (!gives_block(way, tensor, block)) return false;
    return true;
}

} // namespace mxcert::suites
