// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mxcert {

/// A function of one value that a quantizer applies before everything else. Its argument is widened to FP32, it is
/// computed there, and the result is rounded to the source's format, to nearest even and beyond the largest to Inf:
/// Transformer Engine d0067d0, common/util/math.h and common/cast/mxfp8/quantize_mxfp8.cuh.
enum class Activation : std::uint8_t {
    none,
    relu,  ///< fmaxf(x, 0), which is PTX's max.f32: +0 of NaN, and of -0
    srelu, ///< x > 0 ? x * x : 0: +0 of NaN
};

/// Every one, `none` first.
[[nodiscard]] std::span<const Activation> all_activations();
[[nodiscard]] std::string_view to_string(Activation activation);

/// Whether this names an activation: one of all_activations(), or one that find_activation() refuses by name.
[[nodiscard]] bool is_activation(std::string_view name);
/// Throws std::invalid_argument: for one with an exponential or hyperbolic tangent, whose last bits no document gives,
/// it says so.
[[nodiscard]] Activation find_activation(std::string_view name);

} // namespace mxcert
