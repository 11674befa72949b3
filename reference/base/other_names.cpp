// SPDX-License-Identifier: Apache-2.0
#include "reference/base/other_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mxcert {
namespace {

/// The suffixes of RISC-V's and PTX's instructions.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> roundings{{
    {"rne", "nearest_even"},
    {"rn", "nearest_even"},
    {"rna", "nearest_away"},
    {"rmm", "nearest_away"},
    {"rtz", "toward_zero"},
    {"rz", "toward_zero"},
    {"rup", "up"},
    {"rp", "up"},
    {"rdn", "down"},
    {"rm", "down"},
    {"rod", "to_odd"},
}};

} // namespace

std::string_view rounding_name(std::string_view name) {
    const auto* const known =
        std::find_if(roundings.begin(), roundings.end(), [&](const auto& row) { return row.first == name; });
    return known == roundings.end() ? name : known->second;
}

std::string with_rounding_names(std::string_view text) {
    std::string named;
    for (std::size_t start = 0;; ++start) {
        const std::size_t end = std::min(text.find('-', start), text.size());
        named += rounding_name(text.substr(start, end - start));
        if (end == text.size()) return named;
        named += '-';
        start = end;
    }
}

} // namespace mxcert
