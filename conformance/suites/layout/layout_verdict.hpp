// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vectors/cases/layout_cases.hpp"

namespace mxcert::suites {

/// A known way to come to the answers that were given.
struct LayoutExplanation {
    std::string name;                    ///< "right", or that of a wrong layout
    std::optional<std::uint8_t> padding; ///< the byte it pads with, where it pads and that is defined
    std::optional<std::uint8_t> zero;    ///< what it makes of a scale 00, which should be 00
    std::optional<std::uint8_t> nan;     ///< what it makes of a scale FF, which should be FF
    std::string_view bug_class = {};     ///< the id of the class of the wrong layout; "" if it is the right one
    std::string_view layout = {};        ///< the layout of the table that it is; "" if it is none

    friend bool operator==(const LayoutExplanation&, const LayoutExplanation&) = default;
};

/// "twice", "right, padded with 0x7F", "right, scale 0x00 changed to 0x7F".
[[nodiscard]] std::string text(const LayoutExplanation& explanation);
/// The id of the class of what it explains; "" if nothing is wrong.
[[nodiscard]] std::string_view bug_class_of(const LayoutExplanation& explanation);

/// What a case says of an implementation.
struct LayoutVerdict {
    bool right = false;
    std::uint64_t wrong = 0; ///< bytes of an answer, counted once for all planes
    /// The first thing that is wrong, with the place: "byte 4 is that of row 1, column 0 and should be padding".
    std::string first;
    /// Every known way to these answers; also those of a right answer, which cannot be told from right in this case.
    /// None: a way of its own.
    std::vector<LayoutExplanation> explanations;
};

/// Judges the answers to the planes of a case, in their order. What is not defined, padding in some layouts, is not
/// judged. Throws std::invalid_argument if there are not as many answers as planes; an answer of another length is
/// wrong.
[[nodiscard]] LayoutVerdict judge(const LayoutCase& layout_case, std::span<const std::vector<std::uint8_t>> answers);

/// What explains all verdicts, of cases of one layout and direction: the ways that each has among its own, with the
/// byte of the padding where any has one.
[[nodiscard]] std::vector<LayoutExplanation> common_explanations(std::span<const LayoutVerdict> verdicts);

} // namespace mxcert::suites
