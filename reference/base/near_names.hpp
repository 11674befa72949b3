// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mxcert {

/// The names of `known` within two edits of `name`, or that contain it or lie in it, nearest first, three at most.
[[nodiscard]] std::vector<std::string_view> near_names(std::string_view name, std::span<const std::string_view> known);

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
