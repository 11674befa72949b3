// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/recipe/float_block.hpp"

// Blocks with a float scale by the binary32 of the machine, as a kernel computes them, and the fast conversions. It
// needs the default floating-point environment (machine_float.hpp). Overflow is sat or nosat.
namespace mxcert::fast {

/// The element of a value under given scales. Precondition: the value is a code of fp32, bf16 or fp16.
[[nodiscard]] Code element_of(const recipe::FloatBlock& choices, const Format& value, const recipe::Scales& scales,
                              Code code);

/// Quantizes a matrix of fp32, bf16 or fp16 values. A NaN scale is 0x7FC00000. Throws as check() and scales_of() do.
[[nodiscard]] recipe::FloatQuantized quantize(const recipe::FloatBlock& choices, const Format& value,
                                              const BlockShape& shape, const recipe::CodeMatrix& values);

/// The reverse: element x scale, the product rounded to binary32, and from there to fp16 or bf16; or exactly, in fp64.
/// A NaN is the quiet one without sign. Throws as check() does. Precondition: the target is fp32, fp16, bf16 or fp64.
[[nodiscard]] recipe::CodeMatrix dequantize(const recipe::FloatBlock& choices, const BlockShape& shape,
                                            const recipe::FloatQuantized& quantized,
                                            const Format& target = formats::fp32);

/// A scale as a code of the format it is given out in, fp32, fp16, bf16 or e8m0, and back. E8M0 is the exponent field
/// of binary32: 0 is 2^-127, and an Inf becomes its NaN. Precondition: the scale, a bit pattern of binary32, is a value
/// of that format.
[[nodiscard]] Code scale_to(const Format& format, Code scale);
[[nodiscard]] Code scale_from(const Format& format, Code code);

} // namespace mxcert::fast
