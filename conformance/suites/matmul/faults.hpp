// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/suites/matmul/cases.hpp"
#include "reference/bug_class.hpp"

namespace mxcert::suites {

/// A way to compute a wrong product: it gives the right product of other operands, or of scales read as another format.
struct MatmulFault {
    std::string_view name;      ///< "the scales of A in columns"
    std::string_view bug_class; ///< the id of its class
    /// The operands that are multiplied; nothing if they are those of the case, or if the fault does not say what they
    /// are. Null: the operands are right.
    std::optional<MatmulCase> (*edit)(const Matmul&, const MatmulCase&);
    const Format* scales_as = nullptr; ///< the format that scales are read as; null: their own
    bool not_in_layers = false;        ///< the quantizers of a linear layer give no operands that show it

    [[nodiscard]] std::optional<MatmulCase> edited(const Matmul& matmul, const MatmulCase& matmul_case) const {
        return edit == nullptr ? std::nullopt : edit(matmul, matmul_case);
    }
    /// The operation with scales in `scales_as`, if that is set. Nothing if the scales have that format already, or if
    /// the accumulator does not take it.
    [[nodiscard]] std::optional<Matmul> read(const Matmul& matmul) const;
};

/// The class of a product that another accumulator made than the one that is wanted.
[[nodiscard]] const BugClass& bug_class_of(const Accumulator& wanted, const Accumulator& other_accumulator);

/// An accumulator that differs from the wanted one in one parameter.
struct AccumulatorSlip {
    Accumulator accumulator;
    std::string how; ///< "result rounded: toward_zero, not nearest_even"
    const BugClass* bug_class;
};
[[nodiscard]] std::vector<AccumulatorSlip> slips_of(const Accumulator& wanted);

/// Every fault that is known by its operands.
[[nodiscard]] std::span<const MatmulFault> matmul_faults();

} // namespace mxcert::suites
