// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "conformance/parity/comparison.hpp"

namespace mxcert::parity {

/// What two pipelines make of inputs that each have one answer: scales of amaxes, elements of values under a scale.
class Differences {
  public:
    /// What both gave to an input. Only what differs is kept.
    void add(Code tensor, Code scale, Code input, Code a, Code b) {
        if (a != b) all_.push_back({tensor, scale, input, a, b});
    }
    /// Inputs that were asked, in ascending order: neighbours among them with the same answers become one range. Others
    /// are neighbours only if their codes are.
    void take_asked(std::vector<Code> inputs) { asked_ = std::move(inputs); }

    /// Fills in the ranges of a part, and how many inputs differ.
    void fill(Part& part);

  private:
    struct Seen {
        Code tensor;
        Code scale;
        Code input;
        Code a;
        Code b;
        // NOLINTNEXTLINE(modernize-use-nullptr): a 0 of clang's own
        friend auto operator<=>(const Seen&, const Seen&) = default;
    };
    [[nodiscard]] bool are_neighbours(Code low, Code high) const;

    std::vector<Seen> all_;
    std::vector<Code> asked_;
};

} // namespace mxcert::parity
