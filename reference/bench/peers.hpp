// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/convert.hpp"

/// What the fast model is measured against, built with the same flags and for the same instruction sets.
namespace mxcert::peers {

/// Whether cuda_fp8.h was there when this was built.
[[nodiscard]] bool have_cuda();
/// __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3) on the host, value by value. Precondition: have_cuda().
void cuda_fp32_to_e4m3(const float* in, std::uint8_t* out, std::size_t n, fast::Isa isa);
/// Reads four bytes and writes one, and does nothing else: the speed of the memory.
void move(const std::uint32_t* in, std::uint8_t* out, std::size_t n, fast::Isa isa);
/// Reads one byte and writes four.
void spread(const std::uint8_t* in, std::uint32_t* out, std::size_t n, fast::Isa isa);

} // namespace mxcert::peers
