// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "conformance/matmul/cases.hpp"

namespace mxcert {

/// A way to compute a wrong product, as an edit of its operands: the right product of these is what it gives.
struct MatmulFault {
    std::string_view name; ///< "the scales of A in columns"
    /// The operands that it works on; nothing if they are those it was given, or it does not say what they are.
    std::optional<MatmulCase> (*edit)(const Matmul&, const MatmulCase&);
};

/// Every fault that is known by its operands.
[[nodiscard]] std::span<const MatmulFault> matmul_faults();

} // namespace mxcert
