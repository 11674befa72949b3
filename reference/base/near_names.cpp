// SPDX-License-Identifier: Apache-2.0
#include "reference/base/near_names.hpp"

#include <algorithm>
#include <numeric>

#include "reference/base/former_names.hpp"

namespace mxcert {
namespace {

/// Levenshtein distance.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

std::size_t distance(std::string_view name, std::string_view candidate) {
    const bool inside = name.size() >= 2 && (candidate.find(name) != std::string_view::npos ||
                                             name.find(candidate) != std::string_view::npos);
    const std::size_t d = edits(name, candidate);
    return inside ? std::min<std::size_t>(d, 2) : d;
}

std::string joined(std::span<const std::string_view> names) {
    std::string text;
    for (std::string_view name : names) {
        if (!text.empty()) text += ", ";
        text += name;
    }
    return text;
}

} // namespace

std::vector<std::string_view> near_names(std::string_view name, std::span<const std::string_view> known) {
    std::vector<std::string_view> near;
    for (std::string_view candidate : known)
        if (distance(name, candidate) <= 2) near.push_back(candidate);
    std::stable_sort(near.begin(), near.end(),
                     [&](std::string_view a, std::string_view b) { return edits(name, a) < edits(name, b); });
    if (near.size() > 3) near.resize(3);
    return near;
}

std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string_view> known) {
    std::string text = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
    const std::string present = in_present_names(name);
    if (std::find(known.begin(), known.end(), present) != known.end()) return text + "; did you mean " + present + "?";
    const auto near = near_names(name, known);
    if (near.empty()) return text + "; there are: " + joined(known);
    return text + "; did you mean " + joined(near) + "?";
}

} // namespace mxcert
