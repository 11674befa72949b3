// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxcert {

/// The part of a conversion that decides an input. Which clause states it depends on the target format: clauses.hpp.
enum class Rule : std::uint8_t {
    value,             ///< the source value is a value of the target by format: widening, decoding
    via,               ///< a first rounding to another format
    flush,             ///< a subnormal that became zero
    scaled,            ///< divided by its scale, or times it
    scale_nan,         ///< a scale that is NaN
    nan,               ///< NaN source
    inf_sat,           ///< Inf source, saturating
    inf_nosat,         ///< Inf source, not saturating
    zero,              ///< zero source
    negative,          ///< negative source, unsigned target
    lowest_binade,     ///< between zero and the second code of a format without subnormals
    round,             ///< rounded to a neighbour
    underflow,         ///< rounded to zero
    overflow_sat,      ///< finite, beyond the largest, saturating
    overflow_nosat,    ///< finite, beyond the largest, not saturating
    directed_overflow, ///< the same under a rounding that points toward zero there, or to odd
};

} // namespace mxcert
