// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/choices.hpp"
#include "reference/format.hpp"

// Golden runs of instructions that add a bias byte below the bits they keep: AVX10.2's VCVTBIASPH2HF8 and its kin.
namespace mxcert {

/// An instruction from FP16, of one value.
struct BiasInstruction {
    std::string_view name; ///< "vcvtbiasph2hf8"
    const Format* to = nullptr;
    Overflow overflow = Overflow::nosat;
};
/// Those that have a file, "avx10_vcvtbiasph2hf8.csv".
[[nodiscard]] std::span<const BiasInstruction> bias_instructions();

/// One value converted.
struct BiasRun {
    Code value = 0;         ///< FP16
    std::uint32_t bias = 0; ///< 0 to 255
    Code code = 0;

    friend bool operator==(const BiasRun&, const BiasRun&) = default;
};

/// For each bias, in each binade of the target and among its subnormals, the least value between two codes that the
/// bias moves away from zero, and the one ulp nearer to zero, which it does not; then values about the largest, Inf,
/// NaN and zero. Left out is what overflows to a NaN, whose sign nothing decides. Throws std::logic_error if the two
/// models disagree.
[[nodiscard]] std::vector<BiasRun> golden_bias(const BiasInstruction& instruction);

/// As text: the line `a,bias,d`, then a row a run, upper-case hexadecimal. LF endings.
[[nodiscard]] std::string write_bias(const std::vector<BiasRun>& runs, const Format& to);

} // namespace mxcert
