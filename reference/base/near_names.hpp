// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mxcert {

/// The names of `known` within two edits of `name`, or that contain it or lie in it, nearest first, three at most.
[[nodiscard]] std::vector<std::string_view> near_names(std::string_view name, std::span<const std::string_view> known);

/// A pattern with * (any characters) and ? (one character), with the fewest edits after which it matches a name.
struct NearPattern {
    std::string pattern;   ///< * and ? stay: "fp32-*-nearest-even-sat" gives "fp32-*-nearest_even-sat"
    std::size_t edits = 0; ///< characters that were replaced, added or left out; 0: it matches as it is
};
/// The nearest of all names; "" if there is no name.
[[nodiscard]] NearPattern near_pattern(std::string_view pattern, std::span<const std::string> names);

/// "unknown format 'e4m4'; did you mean e4m3?", or the list of all names when none is near.
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view name,
                                       std::span<const std::string_view> known);

/// The one of that `name`. Throws std::invalid_argument with unknown_name().
template <class All>
[[nodiscard]] const auto& find_named(std::string_view kind, std::string_view name, const All& all) {
    std::vector<std::string_view> names;
    for (const auto& item : all) {
        if (item.name == name) return item;
        names.push_back(item.name);
    }
    throw std::invalid_argument(unknown_name(kind, name, names));
}

} // namespace mxcert
