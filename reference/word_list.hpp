// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

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

} // namespace mxcert
