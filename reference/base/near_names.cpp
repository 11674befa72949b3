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

/// Edits from a pattern to a text, of each start of the one to each start of the other.
class PatternEdits {
  public:
    PatternEdits(std::string_view pattern, std::string_view text)
        : pattern_(pattern), text_(text), edits_((pattern.size() + 1) * (text.size() + 1)) {
        for (std::size_t p = 0; p <= pattern.size(); ++p)
            for (std::size_t t = 0; t <= text.size(); ++t) at(p, t) = fewest(p, t);
    }

    [[nodiscard]] std::size_t edits() { return at(pattern_.size(), text_.size()); }

    /// The pattern after these edits.
    [[nodiscard]] std::string edited() {
        std::string reversed;
        for (std::size_t p = pattern_.size(), t = text_.size(); p != 0 || t != 0;) {
            if (p != 0 && pattern_[p - 1] == '*') {
                if (at(p, t) == at(p - 1, t)) {
                    reversed += '*';
                    --p;
                } else {
                    --t;
                }
            } else if (p != 0 && t != 0 && at(p, t) == at(p - 1, t - 1) + (matches(p, t) ? 0 : 1)) {
                reversed += matches(p, t) ? pattern_[p - 1] : text_[t - 1];
                --p;
                --t;
            } else if (p != 0 && at(p, t) == at(p - 1, t) + 1) {
                --p;
            } else {
                reversed += text_[--t];
            }
        }
        return {reversed.rbegin(), reversed.rend()};
    }

  private:
    std::size_t& at(std::size_t p, std::size_t t) { return edits_[p * (text_.size() + 1) + t]; }
    [[nodiscard]] bool matches(std::size_t p, std::size_t t) const {
        return pattern_[p - 1] == text_[t - 1] || pattern_[p - 1] == '?';
    }
    std::size_t fewest(std::size_t p, std::size_t t) {
        if (p == 0) return t;
        if (pattern_[p - 1] == '*') return t == 0 ? at(p - 1, 0) : std::min(at(p - 1, t), at(p, t - 1));
        if (t == 0) return at(p - 1, 0) + 1;
        return std::min({at(p - 1, t - 1) + (matches(p, t) ? 0 : 1), at(p - 1, t) + 1, at(p, t - 1) + 1});
    }

    std::string_view pattern_;
    std::string_view text_;
    std::vector<std::size_t> edits_;
};

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

NearPattern near_pattern(std::string_view pattern, std::span<const std::string> names) {
    const std::string* nearest = nullptr;
    std::size_t fewest = 0;
    for (const std::string& name : names) {
        const std::size_t edits = PatternEdits(pattern, name).edits();
        if (nearest != nullptr && edits >= fewest) continue;
        nearest = &name;
        fewest = edits;
    }
    return nearest == nullptr ? NearPattern{} : NearPattern{PatternEdits(pattern, *nearest).edited(), fewest};
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
