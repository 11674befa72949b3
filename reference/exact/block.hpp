// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "reference/block.hpp"
#include "reference/exact/exact.hpp"

namespace mxcert::exact {

/// The largest magnitude of a block's values, as a code of amax_of(value). Throws what decode() throws.
[[nodiscard]] Code amax(const BlockFormat& format, const BlockChoices& choices, std::span<const Code> values);

/// Quantizes a block of any size from 1 up (MX v1.0 6.3). Throws std::invalid_argument for an empty block, formats that
/// have no block, and what convert() throws.
[[nodiscard]] QuantizedBlock quantize(const BlockFormat& format, const BlockChoices& choices,
                                      std::span<const Code> values);

/// The values of a block (MX v1.0 5.1), codes of `to`.
[[nodiscard]] std::vector<Code> dequantize(const Format& element, const Format& to, const Choices& choices,
                                           const QuantizedBlock& block);

} // namespace mxcert::exact
