// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/dequantize_nvfp4/cases.hpp"

// Dequantizing NVFP4 as somebody may do it, right or wrong, by the machine's arithmetic.
namespace mxcert::suites {

/// What a dequantizer does.
struct Nvfp4BackWay {
    recipe::Nvfp4Factor factor = recipe::Nvfp4Factor::times_amax;
    const Format* scale = &formats::e4m3; ///< that scales of blocks are read as
    bool once = false;                    ///< the exact product is rounded to the target alone
    bool factor_in_target = false;        ///< the factor is rounded to the target before it multiplies
    bool number_inverted = false;         ///< its reciprocal is taken
    bool number_left_out = false;         ///< values are element x scale
    float range = 2688;                   ///< that the amax of the tensor was mapped to: 448 x 6, or 256 x 6
    bool scales_in_columns = false;       ///< those of blocks lie in columns of blocks
    bool scale_of_first = false;          ///< of the first block of its row of blocks
    bool sign_of_scale_lost = false;      ///< a scale has none
    bool nan_is_480 = false;              ///< the scale 0x7F is the number 480
    bool subnormal_scales_flushed = false;
    bool pairs_exchanged = false;    ///< neighbours of a row
    bool minus_zero_is_zero = false; ///< the element -0 is read as +0
    bool zero_sign_lost = false;
    bool saturates = false; ///< a value beyond the target is its largest

    friend bool operator==(const Nvfp4BackWay&, const Nvfp4BackWay&) = default;
};

/// A slip with a name and the class it is of.
struct Nvfp4BackFault {
    std::string_view name;
    std::string_view bug_class;
    bool (*plant)(Nvfp4BackWay&); ///< false where it makes no difference
};
[[nodiscard]] std::span<const Nvfp4BackFault> nvfp4_back_faults();

/// The way of the recipe of an operation.
[[nodiscard]] Nvfp4BackWay right_way(const DequantizeNvfp4& dequantize);

/// The value of an element of a case by its place.
[[nodiscard]] Code value_by(const DequantizeNvfp4& dequantize, const Nvfp4BackWay& way, const Nvfp4BackCase& back_case,
                            std::uint64_t block, std::uint64_t place);

/// A case and what came back.
struct Nvfp4BackSeen {
    Nvfp4BackCase asked;
    std::vector<frames::Values> outputs;

    /// Whether a way gives all values of a block.
    [[nodiscard]] bool gives(const DequantizeNvfp4& dequantize, const Nvfp4BackWay& way, std::uint64_t block) const;
};

/// What is known to give all of these answers; nothing if they are right.
[[nodiscard]] std::vector<KnownFault> known_as(const DequantizeNvfp4& dequantize, std::span<const Nvfp4BackSeen> seen);

} // namespace mxcert::suites
