// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "reference/format.hpp"

// What becomes of the sums of a matrix product whose operands have scales of whole tensors, or of rows and columns: the
// scales are factors of a sum, not of its products.
namespace mxcert {

/// How scales and bias come to a sum, in binary32; every operation rounds to nearest even.
struct Epilogue {
    std::string_view name;
    std::string_view summary;
    bool scales_first = false; ///< both scales are multiplied first; else the sum by that of A, then by that of B
    bool fma = false;          ///< the last multiplication and the addition of the bias round once
    Code factor = 0;           ///< not 0: a code of binary32 that the product of both scales is multiplied by
};

/// Every epilogue there is.
[[nodiscard]] std::span<const Epilogue> epilogues();

/// The epilogue of that name. Throws std::invalid_argument that names the near ones.
[[nodiscard]] const Epilogue& epilogue(std::string_view name);

/// The operands of one element of D, as codes of binary32.
struct EpilogueOperands {
    Code sum = 0;
    Code scale_a = 0;
    Code scale_b = 0;
    std::optional<Code> bias{}; ///< nothing: none is added
};

} // namespace mxcert
