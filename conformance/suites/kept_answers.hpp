// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace mxcert::suites {

/// Answers that are kept to name what is wrong: the first wrong ones and the first right ones.
template <class Seen> class KeptAnswers {
  public:
    KeptAnswers(std::size_t most_wrong, std::size_t most_right) : free_wrong_(most_wrong), free_right_(most_right) {}

    void add(bool right, Seen seen) {
        std::size_t& free = right ? free_right_ : free_wrong_;
        if (free == 0) return;
        --free;
        has_wrong_ = has_wrong_ || !right;
        all_.push_back(std::move(seen));
    }
    /// Whether one more is kept.
    [[nodiscard]] bool takes(bool right) const { return (right ? free_right_ : free_wrong_) != 0; }
    [[nodiscard]] bool has_wrong() const { return has_wrong_; }
    [[nodiscard]] const std::vector<Seen>& all() const { return all_; }

  private:
    std::size_t free_wrong_;
    std::size_t free_right_;
    bool has_wrong_ = false;
    std::vector<Seen> all_;
};

} // namespace mxcert::suites
