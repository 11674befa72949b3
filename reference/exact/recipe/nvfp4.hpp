// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "reference/block_shape.hpp"
#include "reference/recipe/nvfp4.hpp"

/// NVFP4 with rational numbers: each operation of binary32 is the exact one, rounded once.
namespace mxcert::exact {

/// The scales of a tensor from its amax, a code of binary32 without sign.
[[nodiscard]] recipe::TensorScales tensor_scales_of(const recipe::Nvfp4& choices, Code amax);

/// The scale of a block from its amax, a code of binary32 without sign.
[[nodiscard]] Code block_scale_of(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code amax);

/// The same of a block that is mapped to 4, and not to 6: from a quotient that is 1.5 times as large.
[[nodiscard]] Code block_scale_to_4(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code amax);

/// Whether recipe::FourOverSix maps a block to 4. `values`: those of the block in rows of `columns`, codes of binary32.
/// The errors of a row, or of a column where that is all, are added one after the other, and the sums of 16 rows by
/// halves.
[[nodiscard]] bool is_mapped_to_4(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code amax,
                                  const std::vector<Code>& values, std::size_t columns);

/// A value, a code of binary32, by the scale of its block: what is rounded to E2M1, a code of binary32.
[[nodiscard]] Code scaled_value_of(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code scale,
                                   Code value);

/// The E2M1 element of a value, a code of binary32, by the scale of its block.
[[nodiscard]] Code element_of(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code scale, Code value);

/// Quantizes a matrix of fp32, fp16 or bf16. `tensor_amax`: that of the tensor, a code of binary32 without sign. Throws
/// what check_nvfp4() throws.
[[nodiscard]] recipe::Nvfp4Quantized quantize(const recipe::Nvfp4& choices, const Format& value,
                                              const BlockShape& shape, const recipe::CodeMatrix& values,
                                              Code tensor_amax);

/// The largest magnitude of all values as binary32, NaN as the choice says.
[[nodiscard]] Code tensor_amax_of(const recipe::Nvfp4& choices, const Format& value, const recipe::CodeMatrix& values);

/// The factor of every element of a block, a code of binary32. `scale`: a code of Nvfp4::scale; `number`: of the
/// tensor, the code of binary32 that Nvfp4::factor asks for.
[[nodiscard]] Code factor_of(const recipe::Nvfp4& choices, Code scale, Code number);

/// What an E2M1 element stands for, a code of `target`: fp32, fp16 or bf16.
[[nodiscard]] Code value_of(const recipe::Nvfp4& choices, const Format& target, Code factor, Code element);

} // namespace mxcert::exact
