// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reference/block_shape.hpp"
#include "reference/recipe/nvfp4.hpp"

/// NVFP4 by the binary32 of the machine. The functions are those of exact/recipe/nvfp4.hpp.
namespace mxcert::fast {

[[nodiscard]] recipe::TensorScales tensor_scales_of(const recipe::Nvfp4& choices, Code amax);
[[nodiscard]] Code block_scale_of(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code amax);
[[nodiscard]] Code block_scale_to_4(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code amax);
[[nodiscard]] bool is_mapped_to_4(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code amax,
                                  std::span<const Code> values, std::size_t columns);
/// The error of a block of such values under a scale, a code of E4M3, as binary32.
[[nodiscard]] float block_error(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code scale,
                                std::span<const Code> values, std::size_t columns);
/// The same in two steps: as a code of binary32, and that rounded to E4M3.
[[nodiscard]] Code block_quotient_of(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code amax);
[[nodiscard]] Code rounded_scale_of(const recipe::Nvfp4& choices, Code quotient);
[[nodiscard]] Code scaled_value_of(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code scale,
                                   Code value);
/// The elements of some values, codes of binary32, by the scale of their block, which is one as well.
[[nodiscard]] std::vector<Code> elements_of(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor,
                                            Code scale, std::span<const Code> values);
[[nodiscard]] Code element_of(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code scale, Code value);
[[nodiscard]] recipe::Nvfp4Quantized quantize(const recipe::Nvfp4& choices, const Format& value,
                                              const BlockShape& shape, const recipe::CodeMatrix& values,
                                              Code tensor_amax);
/// The same with the scales of the tensor in the place of its amax.
[[nodiscard]] recipe::Nvfp4Quantized quantize_by(const recipe::Nvfp4& choices, const Format& value,
                                                 const BlockShape& shape, const recipe::CodeMatrix& values,
                                                 const recipe::TensorScales& tensor);
[[nodiscard]] Code tensor_amax_of(const recipe::Nvfp4& choices, const Format& value, const recipe::CodeMatrix& values);

[[nodiscard]] Code factor_of(const recipe::Nvfp4& choices, Code scale, Code number);
[[nodiscard]] Code value_of(const recipe::Nvfp4& choices, const Format& target, Code factor, Code element);

} // namespace mxcert::fast
