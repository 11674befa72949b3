// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "conformance/suites/matmul/cases.hpp"
#include "reference/bug_class.hpp"

namespace mxcert::suites {

/// A way to compute a wrong product: the right product of other operands, or of scales that are read as another format,
/// is what it gives.
struct MatmulFault {
    std::string_view name;      ///< "the scales of A in columns"
    std::string_view bug_class; ///< the id of its class
    /// The operands that it works on; nothing if they are those it was given, or it does not say what they are. Null:
    /// it works on those it was given.
    std::optional<MatmulCase> (*edit)(const Matmul&, const MatmulCase&);
    const Format* scales_as = nullptr; ///< the format that scales are read as; null: their own
    bool of_given_scales = false;      ///< shows with scales that the quantizers of a linear layer do not give

    [[nodiscard]] std::optional<MatmulCase> edited(const Matmul& matmul, const MatmulCase& matmul_case) const {
        return edit == nullptr ? std::nullopt : edit(matmul, matmul_case);
    }
    /// The operation that it takes the given one for. Nothing if that is no other where it has to be one, or one that
    /// the accumulator does not take.
    [[nodiscard]] std::optional<Matmul> read(const Matmul& matmul) const;
};

/// The class of a product that another accumulator made than the one that is wanted.
[[nodiscard]] const BugClass& bug_class_of(const Accumulator& wanted, const Accumulator& other_accumulator);

/// Every fault that is known by its operands.
[[nodiscard]] std::span<const MatmulFault> matmul_faults();

} // namespace mxcert::suites
