// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/block_shape.hpp"
#include "reference/format.hpp"

/// A part of a weight that is cast to its elements, by scales that are given: what each rank does with its own part
/// after all of them have reduced the amaxes. Facts are from Transformer Engine d0067d0, common/recipe.
namespace mxcert::recipe {

/// What a given scale is, and so which number the values of its block are multiplied by.
enum class GivenScale : std::uint8_t {
    encode, ///< "fp32": that number itself (fp8_block_scaling.cu)
    e8m0,   ///< 2^(127 - code), a subnormal binary32 for the code 254; NaN for 255 (mxfp8_scaling.cu)
    nvfp4,  ///< the decoding scale of the block in binary32, with the encoding scale of the tensor (nvfp4.cu)
};
[[nodiscard]] std::string_view to_string(GivenScale scale);
/// The format in which the scale of a block is given: fp32 or e8m0.
[[nodiscard]] const Format& format_of(GivenScale scale);

struct PartialCast {
    const Format* source = nullptr;  ///< fp32, fp16 or bf16
    const Format* element = nullptr; ///< e4m3 or e5m2; of nvfp4 e2m1
    GivenScale scale = GivenScale::encode;
    BlockShape block; ///< the values that share a scale; no side is BlockShape::whole
    /// Elements outside the shard may be anything after it where the shard has an element in the same strip of this
    /// size, counted from the first row and column; else, and where there is none, they stay as they were.
    std::optional<BlockShape> strip{};
};

/// A shard and what it is written into: elements `first` to `first` + values.size() of a matrix in rows.
struct Shard {
    Extent matrix;
    std::uint64_t first = 0;
    std::vector<Code> values;       ///< of the shard alone, codes of the source
    std::vector<Code> before;       ///< all elements of the matrix as they were
    std::vector<Code> scales;       ///< of all blocks of the matrix, in rows of blocks
    Code encode_scale = 0x3F800000; ///< of the tensor, a binary32; read by GivenScale::nvfp4 alone

    [[nodiscard]] std::uint64_t end() const { return first + values.size(); }
    [[nodiscard]] bool has(std::uint64_t element) const { return first <= element && element < end(); }
};

/// Throws std::invalid_argument where the shard is not within the matrix, or an array has another number of entries
/// than the matrix, or its blocks.
void check(const PartialCast& cast, const Shard& shard);

/// Of each element of the matrix whether it may be anything afterwards. Empty where none may.
[[nodiscard]] std::vector<bool> undefined_elements(const PartialCast& cast, const Shard& shard);

} // namespace mxcert::recipe
