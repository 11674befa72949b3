// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/choices.hpp"
#include "vectors/golden_store/golden.hpp"

namespace mxcert {

/// A `when` as data: for each choice the position of its value in ChoiceInfo::values, one past them for "any", or -1
/// where the choice is not named.
using When = std::array<std::int8_t, choice_count>;

/// Reads "rounding=up overflow=sat". "any" is a value of the choices nan and overflow_nan. Throws std::invalid_argument
/// on an unknown choice or value, a choice out of the order of all_choices(), or anything else write_golden() would not
/// write.
[[nodiscard]] When parse_when(std::string_view text);

/// The reverse.
[[nodiscard]] std::string to_string(const When& when);

/// A choice that a file names.
struct NamedChoice {
    std::string name;
    std::vector<std::string> values; ///< those the file names, in the order of ChoiceInfo::values, "any" last
    std::string default_value;       ///< one of them: what a reader may take for who says nothing
    friend bool operator==(const NamedChoice&, const NamedChoice&) = default;
};

/// The choices that a file names, in the order of all_choices(). The default is that of Choices{}, of the rule
/// ocp_floor. Rows must be those of read_golden(). Throws std::logic_error if the file does not name the default.
[[nodiscard]] std::vector<NamedChoice> named_choices(const GoldenFile& golden);

/// Why some selection of the rows is not a partition of all inputs, or "". A selection gives every choice that the file
/// names one of the values the file names for it; it must then leave exactly one row for each input. Rows must be those
/// of read_golden(): valid `when`, at most 1,024 different ones.
[[nodiscard]] std::string not_a_partition(const GoldenFile& golden);

} // namespace mxcert
