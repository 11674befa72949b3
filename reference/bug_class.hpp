// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "reference/choices.hpp"
#include "reference/format.hpp"

namespace mxcert {

/// A kind of bug that implementations of FP8 conversions and scales were seen to have. An id never changes its meaning.
struct BugClass {
    std::string_view id;    ///< "DOUBLE_ROUND_F16"
    std::string_view says;  ///< what such an implementation does, one line
    std::string_view cause; ///< what usually causes it, one line
    std::string_view
        reports; ///< where it was reported: "owner/name#number", separated by spaces; "" if it was measured
};

[[nodiscard]] std::span<const BugClass> all_bug_classes();
/// nullptr if there is none of that id.
[[nodiscard]] const BugClass* find_bug_class(std::string_view id);

/// The class of a conversion between these formats that has this value of a choice where another one is wanted. Never
/// nullptr: every choice of choices.hpp has one, the rounding and the overflow mode too. Throws std::out_of_range for a
/// value that the choice does not have.
[[nodiscard]] const BugClass& bug_class_of(Choice choice, unsigned value, const Format& from, const Format& to);

} // namespace mxcert
