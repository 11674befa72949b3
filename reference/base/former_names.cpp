// SPDX-License-Identifier: Apache-2.0
#include "reference/base/former_names.hpp"

#include <array>
#include <utility>

namespace mxcert {
namespace {

/// Former and present name. No present name contains a former one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> renamed{{
    {"scale_e4m3", "e8m0_for_e4m3"},
    {"scale_e5m2", "e8m0_for_e5m2"},
}};

} // namespace

std::string in_present_names(std::string_view text) {
    std::string present(text);
    for (const auto& [former, name] : renamed)
        for (std::size_t at = 0; (at = present.find(former, at)) != std::string::npos; at += name.size())
            present.replace(at, former.size(), name);
    return present == text ? "" : present;
}

} // namespace mxcert
