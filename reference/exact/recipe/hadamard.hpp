// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "reference/recipe/hadamard.hpp"

/// The Hadamard transform with rational numbers.
namespace mxcert::exact {

/// What the values of a transform may be, codes of `target`, from a group of codes of `source`: bf16, fp16 or fp32. A
/// group of fewer than 16 values, at the end of a line, is one whose other values are +0; as many come out. Throws
/// std::invalid_argument for a group of more than 16.
[[nodiscard]] std::vector<recipe::HadamardValue> hadamard(const recipe::Hadamard& transform, const Format& source,
                                                          const Format& target, std::span<const Code> group);

} // namespace mxcert::exact
