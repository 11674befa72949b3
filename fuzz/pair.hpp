// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "fuzz/target.hpp"
#include "reference/format.hpp"

namespace mxcert::fuzz {

/// Source and target of a table, which its text does not name.
struct Pair {
    const Format* from;
    const Format* to;
};

/// Takes the line "fp32-e4m3" from the front of the input. Nullopt if it names no two formats.
[[nodiscard]] inline std::optional<Pair> take_pair(std::string_view& input) {
    const std::string_view line = take_line(input);
    const std::size_t dash = line.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const Pair pair{find_format(line.substr(0, dash)), find_format(line.substr(dash + 1))};
    if (pair.from == nullptr || pair.to == nullptr) return std::nullopt;
    return pair;
}

} // namespace mxcert::fuzz
