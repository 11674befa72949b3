// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vectors/faults/conversion_fault.hpp"

// Faults in families: of one place, or such as differ in a number.
namespace mxcert {

/// What decides a tie, of which a part is lost.
[[nodiscard]] std::vector<ConversionFault> sticky_faults();
/// Tiny numbers that are shifted by more bits than a word has.
[[nodiscard]] std::vector<ConversionFault> shift_faults();
/// What goes wrong at the ends of a format: overflow, underflow, Inf and NaN.
[[nodiscard]] std::vector<ConversionFault> edge_faults();
/// What goes wrong with a given scale.
[[nodiscard]] std::vector<ConversionFault> scaled_faults();
/// What goes wrong in a rectifier before a conversion.
[[nodiscard]] std::vector<ConversionFault> rectifier_faults();
/// A fault that conversions of positive inputs also have after a rectifier, if they have it without one.
[[nodiscard]] ConversionFault also_after_rectifier(ConversionFault fault);
/// What goes wrong with the integers of INT8, and with scales without sign.
[[nodiscard]] std::vector<ConversionFault> encoding_faults();
/// A bit that is not read, two bits exchanged, a field with too few bits.
[[nodiscard]] std::vector<ConversionFault> wire_faults();
/// Flags that are missing, or raised by something else.
[[nodiscard]] std::vector<ConversionFault> flag_faults();

} // namespace mxcert
