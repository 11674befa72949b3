// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "conformance/suites/matmul/cases.hpp"
#include "reference/bug_class.hpp"

namespace mxcert::suites {

/// A way to compute a wrong product, as an edit of its operands: the right product of these is what it gives.
struct MatmulFault {
    std::string_view name;      ///< "the scales of A in columns"
    std::string_view bug_class; ///< the id of its class
    /// The operands that it works on; nothing if they are those it was given, or it does not say what they are.
    std::optional<MatmulCase> (*edit)(const Matmul&, const MatmulCase&);
};

/// The class of a product that another accumulator made than the one that is wanted.
[[nodiscard]] const BugClass& bug_class_of(const Accumulator& wanted, const Accumulator& other_accumulator);

/// Every fault that is known by its operands.
[[nodiscard]] std::span<const MatmulFault> matmul_faults();

} // namespace mxcert::suites
