// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/frames/run.hpp"
#include "conformance/level.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "reference/recipe/partial_cast.hpp"

// Shards of matrices that a backend is asked to cast by given scales.
namespace mxcert::suites {

struct ShardCase {
    std::string name;
    FloatMatrix matrix;
    recipe::Shard shard; ///< of `matrix`
};
using CallShardCase = std::function<bool(const ShardCase&)>;

/// Matrices that are cast whole: under each of many scales the values at which an element changes, those beside them,
/// special values, and any. All values of 16 bits from level standard on, under some scales. False if a call returned
/// false.
bool for_each_scale_case(const recipe::PartialCast& cast, Level level, std::uint64_t seed, const CallShardCase& call);

/// Shards of matrices of several sizes, in which elements tell their place: all of it, none of it, one element, parts
/// of a row, of a block and of a group of four, several rows, and the parts of four ranks, which together are all of
/// it. False if a call returned false.
bool for_each_bounds_case(const recipe::PartialCast& cast, Level level, const CallShardCase& call);

/// The shards of one matrix; `few`: all of it, the parts of four ranks, and all but both ends. False if a call returned
/// false.
bool for_each_shard(const recipe::PartialCast& cast, const Extent& extent, bool few, const CallShardCase& call);

/// The last quarter of a matrix whose quarters, below each other, are 61 blocks beside each other, and of one whose
/// quarters are 61 below each other: what large matrices consist of. The sides of a quarter are multiples of 32.
inline constexpr std::uint64_t ring_pieces = 4;
[[nodiscard]] std::vector<ShardCase> shard_rings(const recipe::PartialCast& cast);

/// A shard of a matrix in which elements tell their place.
[[nodiscard]] ShardCase telling_shard(const recipe::PartialCast& cast, std::string name, const Extent& extent,
                                      std::uint64_t first, std::uint64_t length);

/// Whether it may be refused whatever the profile says: a smaller block at an end, or an empty shard.
[[nodiscard]] bool may_be_refused(const ShardCase& shard_case);

/// A run of a case. Shape: rows, columns, the first element of the shard, their number. Inputs: the shard's values, all
/// elements as they were, the scales, and the encoding scale of the tensor if GivenScale::nvfp4. Output: all elements.
[[nodiscard]] frames::RunCase run_of(const recipe::PartialCast& cast, const ShardCase& shard_case);

} // namespace mxcert::suites
