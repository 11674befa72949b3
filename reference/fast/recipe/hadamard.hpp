// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "reference/recipe/hadamard.hpp"

/// The Hadamard transform with integers.
namespace mxcert::fast {

/// As exact::hadamard().
[[nodiscard]] std::vector<recipe::HadamardValue> hadamard(const recipe::Hadamard& transform, const Format& source,
                                                          const Format& target, std::span<const Code> group);

} // namespace mxcert::fast
