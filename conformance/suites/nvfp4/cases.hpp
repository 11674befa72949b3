// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/suites/matrices/tile_cases.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

[[nodiscard]] TileMaker maker_of(const QuantizeNvfp4& quantize);

/// A tensor of this amax, which is the largest value of one block, another one from amax to amax, with blocks of other
/// amaxes.
[[nodiscard]] TileCase tensor_case(const QuantizeNvfp4& quantize, Code tensor_amax, std::span<const Code> amaxes);

/// Asks for the scale of a block of each amax in tensors of one amax, in a place and of a sign that change from block
/// to block, among smaller values. No amax is above that of the tensor. False if a call returned false.
bool for_each_scale_case(const QuantizeNvfp4& quantize, Code tensor_amax, std::span<const Code> amaxes,
                         const CallTileCase& call);

/// The values that are asked for under an amax: codes that may have a sign.
struct ValuesUnder {
    Code amax;
    std::vector<Code> values;
};

/// Asks for the elements of values in blocks of an amax, in tensors of one amax. False if a call returned false.
bool for_each_element_case(const QuantizeNvfp4& quantize, Code tensor_amax, std::span<const ValuesUnder> all,
                           const CallTileCase& call);

/// Asks for what joins values to their block and to the tensor: the largest value of a block in each place and of each
/// sign; special values in three places of a tensor and a block, and alone; matrices of several sizes, with the amax of
/// the tensor as the first value, the last, at the end of the first row and at the beginning of the last one. False if
/// a call returned false. `few`: of large matrices the last value alone.
bool for_each_block_case(const QuantizeNvfp4& quantize, bool few, const CallTileCase& call);

/// Tensors of so many values or a few more, all small but one: the first, one in the middle, or the last.
bool for_each_large_case(const QuantizeNvfp4& quantize, std::uint64_t values, const CallTileCase& call);

/// A run of a case. Outputs: elements, scales, and the scale of the tensor where it is given out.
[[nodiscard]] frames::RunCase run_of(const QuantizeNvfp4& quantize, const TileCase& tile_case);

/// A case that was written down.
[[nodiscard]] TileCase case_of(const QuantizeNvfp4& quantize, const cases::GivenCase& given_case);

} // namespace mxcert::suites
