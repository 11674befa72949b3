// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operations of the plugin with float scales (conformance/planted/float_quantizer.cpp).
namespace mxcert::test::float_operations {

inline constexpr const char* absmax = "quantize_float-fp32-e4m3-fp32-absmax-1x32";
inline constexpr const char* narrow = "quantize_float-fp32-e4m3-fp16-absmax-1x32";
inline constexpr const char* deepgemm = "quantize_float-fp32-e4m3-fp32-deepgemm-1x128";
inline constexpr const char* te = "quantize_float-fp32-e4m3-fp32-te_float8_block_fp32_scales-1x128";
inline constexpr const char* back = "dequantize_float-e4m3-fp32-fp32-1x32";
inline constexpr const char* narrow_back = "dequantize_float-e4m3-fp32-bf16-1x32";

} // namespace mxcert::test::float_operations
