// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/level.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// A matrix that a dequantizer of NVFP4 is asked for.
struct Nvfp4BackCase {
    std::string name;
    FloatMatrix matrix;
    std::vector<Code> elements; ///< of E2M1, in rows
    std::vector<Code> scales;   ///< of E4M3, in rows of blocks
    Code number = 0x3F800000;   ///< of the tensor, where one comes in
};

using CallNvfp4BackCase = std::function<bool(const Nvfp4BackCase&)>;

/// Numbers of tensors that are asked for: special ones, those at the ends of binades, and seeded ones. All of those
/// that there are where no number comes in: one.
[[nodiscard]] std::vector<Code> numbers_of_tensors(const DequantizeNvfp4& dequantize, Level level, std::uint64_t seed);

/// Every element under every scale, in a tensor of this number.
[[nodiscard]] Nvfp4BackCase values_case(const DequantizeNvfp4& dequantize, Code number);

/// Matrices of several sizes, with smaller blocks at their ends, in which values tell their place. False if a call
/// returned false.
bool for_each_place_case(const DequantizeNvfp4& dequantize, const CallNvfp4BackCase& call);

/// 61 blocks beside each other and below each other, each with a scale of its own.
[[nodiscard]] std::vector<Nvfp4BackCase> back_rings(const DequantizeNvfp4& dequantize);

/// A matrix in which values tell their place.
[[nodiscard]] Nvfp4BackCase telling_case(const DequantizeNvfp4& dequantize, std::string name, const Extent& extent);

/// A run of a case. Inputs: elements, scales, and the number of the tensor where one comes in.
[[nodiscard]] frames::RunCase run_of(const DequantizeNvfp4& dequantize, const Nvfp4BackCase& back_case);

/// A case that was written down.
[[nodiscard]] Nvfp4BackCase case_of(const DequantizeNvfp4& dequantize, const cases::GivenCase& given_case);

} // namespace mxcert::suites
