// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "vectors/faults/conversion_fault.hpp"

namespace mxcert {

/// Every one. The order is that in which they are looked for: of two that give the same the first is found.
[[nodiscard]] std::span<const ConversionFault> conversion_faults();

} // namespace mxcert
