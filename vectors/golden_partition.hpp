// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reference/choices.hpp"
#include "vectors/golden.hpp"

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

/// Why some selection of the rows is not a partition of all inputs, or "". A selection gives every choice that the file
/// names one of the values the file names for it; it must then leave exactly one row for each input. Rows must be those
/// of read_golden(): valid `when`, at most 1,024 different ones.
[[nodiscard]] std::string not_a_partition(const GoldenFile& golden);

} // namespace mxcert
