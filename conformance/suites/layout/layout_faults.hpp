// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vectors/cases/layout_cases.hpp"

// The wrong layouts that implementations are known to make, or could: what a verdict names, and what the tests plant.
namespace mxcert::suites {

/// Where a byte of an answer comes from.
struct Origin {
    enum Kind : std::uint8_t {
        operand, ///< byte `index` of the operand
        padding, ///< written by the implementation
        unknown, ///< read from outside the operand
    } kind;
    std::uint64_t index = 0;

    friend bool operator==(const Origin&, const Origin&) = default;
};

/// A way to answer a case. It is a function, so nothing is stored for large cases.
struct LayoutMaker {
    std::string name;           ///< "right", "twice", ...
    std::string says;           ///< one line
    std::string_view bug_class; ///< the id of its class, "" of the right one
    /// Of each byte of the answer.
    std::function<Origin(std::uint64_t)> origin;
    std::string_view layout = {}; ///< the layout of the table that it is; "" if it is none
};

/// The right one, named "right", and every known wrong one. Some of these are right for small matrices.
[[nodiscard]] std::vector<LayoutMaker> layout_makers(const LayoutCase& layout_case);

/// The answer that a maker gives, with padding and what comes from outside as `padding`.
[[nodiscard]] std::vector<std::uint8_t> made_answer(const LayoutCase& layout_case, const LayoutMaker& maker,
                                                    const std::vector<std::uint8_t>& operand, std::uint8_t padding = 0);

} // namespace mxcert::suites
