// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/suites/float_blocks/float_cases.hpp"
#include "reference/base/random.hpp"

// Random matrices for operations on blocks.
namespace mxcert::suites {

/// Rows and columns: one value, less than a block, whole blocks, and a tail in either axis. One in four has sides that
/// 32 divides, as some sources want them.
[[nodiscard]] Extent draw_extent(SplitMix64& random, const BlockShape& block);

/// Which values of a block are worth a try.
struct BlockValues {
    const Format* format = nullptr;
    std::vector<Code> amaxes; ///< at which the scale changes, without sign; not empty
    /// The values up to an amax at which the element changes under its scale.
    std::function<std::vector<Code>(Code amax)> thresholds;
};

/// A matrix of values, as it lies. The amax of a block is near one of a few at which the scale changes, or any; its
/// other values are near those at which an element changes, or anything up to the amax. Neighbouring blocks differ, and
/// some have NaN, Inf and other special values.
[[nodiscard]] std::vector<Code> draw_blocks(SplitMix64& random, const FloatMatrix& matrix, const BlockValues& values);

/// Codes of elements: any, or all of them finite, or zeros but for some.
[[nodiscard]] std::vector<Code> draw_elements(SplitMix64& random, std::uint64_t count, const Format& format);

/// Scales without sign: near 1, any, or one of `pool`, which may be empty.
[[nodiscard]] std::vector<Code> draw_scales(SplitMix64& random, std::uint64_t count, const Format& format,
                                            const std::vector<Code>& pool);

} // namespace mxcert::suites
