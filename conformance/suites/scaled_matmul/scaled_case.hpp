// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/suites/matmul/cases.hpp"

namespace mxcert::suites {

/// 1 in binary32.
inline constexpr Code fp32_one = formats::fp32.one_code();

/// One product: its sizes and its operands, as codes in the order they lie in.
struct ScaledCase {
    std::string name;
    MatmulShape shape;
    std::vector<Code> a;
    std::vector<Code> b;
    std::vector<Code> block_scales_a; ///< of the scales of Matmul; empty where only tensors or lines have some
    std::vector<Code> block_scales_b;
    std::vector<Code> scales_a; ///< of binary32: one, or one a row of A
    std::vector<Code> scales_b;
    std::vector<Code> bias; ///< of the format of the bias, one a column of D; empty without
    Code d_scale = 0;       ///< of binary32; 1 without
};

/// Takes a case; false if there is no use in going on.
using TakeScaledCase = std::function<bool(const ScaledCase&)>;

} // namespace mxcert::suites
