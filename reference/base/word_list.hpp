// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace mxcert {

/// Whether a name is among those of a table's cell: words separated by one space each.
[[nodiscard]] constexpr bool listed(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const std::size_t space = list.find(' ');
        if (list.substr(0, space) == name) return true;
        list = space == std::string_view::npos ? std::string_view{} : list.substr(space + 1);
    }
    return false;
}

/// The words of such a list, in order.
[[nodiscard]] inline std::vector<std::string_view> list_of(std::string_view list) {
    std::vector<std::string_view> words;
    while (!list.empty()) {
        const std::size_t space = list.find(' ');
        words.push_back(list.substr(0, space));
        list = space == std::string_view::npos ? std::string_view{} : list.substr(space + 1);
    }
    return words;
}

} // namespace mxcert
