// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/recipe/partial_cast.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::fast {
namespace {

using formats::e2m1;
using formats::e4m3;
using formats::fp32;
using recipe::GivenScale;

Code nvfp4_multiplier_bits(float scale, float encode) {
    constexpr float largest = std::numeric_limits<float>::max();
    const float decode = 1.0F / (encode <= 0 ? 1.0F : encode);
    const float rounded = as_float(convert(e4m3, fp32, {}, convert(fp32, e4m3, {}, bits_of(scale))));
    if (!(rounded > 0)) return fp32.max_code();
    const float multiplier = 1.0F / (rounded * decode);
    return bits_of(multiplier <= largest ? multiplier : largest); // a NaN is no smaller number
}

/// 2^(127 - code): the exponent field of binary32 counts the other way.
Code e8m0_multiplier_bits(Code code) {
    constexpr Code half_of_the_smallest_normal = 0x00400000;
    if (code == 0xFF) return quiet_nan_bits;
    return code == 0xFE ? half_of_the_smallest_normal : (Code{254} - code) << 23U;
}

/// Casts values of one block; what it needs is kept from one to the next.
class Products {
  public:
    explicit Products(const recipe::PartialCast& cast) : cast_(cast) {}

    void cast(Code multiplier, std::span<const Code> values, Code* elements) {
        products_.resize(values.size());
        codes_.resize(values.size());
        const float factor = as_float(multiplier);
        for (std::size_t i = 0; i < values.size(); ++i)
            products_[i] = static_cast<std::uint32_t>(bits_of(widened(*cast_.source, values[i]) * factor));
        convert_span(fp32, *cast_.element, {}, products_.data(), nullptr, codes_.data(), values.size());
        for (std::size_t i = 0; i < values.size(); ++i) elements[i] = codes_[i];
        if (cast_.element != &e2m1) return;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (fp32.is_nan(products_[i])) elements[i] = e2m1.max_code();
    }

  private:
    const recipe::PartialCast& cast_;
    std::vector<std::uint32_t> products_;
    std::vector<std::uint8_t> codes_;
};

} // namespace

Code multiplier_of(GivenScale kind, Code scale, Code encode_scale) {
    switch (kind) {
    case GivenScale::encode: return scale;
    case GivenScale::e8m0: return e8m0_multiplier_bits(scale);
    case GivenScale::nvfp4: break;
    }
    return nvfp4_multiplier_bits(as_float(scale), as_float(encode_scale));
}

Code cast_element(const recipe::PartialCast& cast, Code multiplier, Code value) {
    Code element = 0;
    Products products(cast);
    products.cast(multiplier, {&value, 1}, &element);
    return element;
}

std::vector<Code> partial_cast(const recipe::PartialCast& cast, const recipe::Shard& shard) {
    check(cast, shard);
    const std::uint64_t columns = shard.matrix.columns;
    const std::uint64_t across = (columns - 1) / cast.block.columns + 1;
    std::vector<Code> after = shard.before;
    Products products(cast);
    // From one end of a block, or of a row, to the next.
    for (std::uint64_t done = 0; done < shard.values.size();) {
        const std::uint64_t row = (shard.first + done) / columns;
        const std::uint64_t column = (shard.first + done) - row * columns;
        const std::uint64_t block = column / cast.block.columns;
        const std::uint64_t left = std::min((block + 1) * cast.block.columns, columns) - column;
        const std::uint64_t here = std::min(left, shard.values.size() - done);
        const Code scale = shard.scales[row / cast.block.rows * across + block];
        const Code multiplier = multiplier_of(cast.scale, scale, shard.encode_scale);
        products.cast(multiplier, std::span(shard.values).subspan(done, here), &after[shard.first + done]);
        done += here;
    }
    return after;
}

} // namespace mxcert::fast
