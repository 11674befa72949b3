// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reference/dot/epilogue.hpp"

// Golden products with an epilogue: dot products whose sum every accumulator to FP32 has exactly, with what becomes of
// it by scales and a bias, and D in each format.
namespace mxcert {

/// "epilogue-product.csv"
[[nodiscard]] std::string epilogue_file(const Epilogue& epilogue);

/// The file of an epilogue: the columns of write_products(), where c is +0 and d the sum in FP32, and then
/// `scale_a,scale_b,bias,value,amax,d_scale,fp16,bf16,e4m3,e5m2`. Of `te_nvfp4` the scales are the amaxes of the
/// tensors. bias is empty where none is added; value is what the epilogue gives; amax the largest magnitude of the
/// values so far, empty from the first NaN on; fp16 and bf16 are D of the value, e4m3 and e5m2 of value x d_scale. As
/// few rows as tell it from the other epilogues, and each step from one that is left out or taken otherwise. Throws
/// std::logic_error if the two models disagree, or if such a way is not told.
[[nodiscard]] std::string golden_epilogue(const Epilogue& epilogue);

} // namespace mxcert
