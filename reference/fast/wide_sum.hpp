// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/fast/term.hpp"

namespace mxcert::fast {

/// A sum without rounding: a fixed-point number in two's complement as wide as all terms need (Kulisch).
class WideSum {
  public:
    /// For up to 2^62 terms, each a multiple of 2^lowest and below 2^highest in magnitude.
    WideSum(int lowest, int highest);

    void clear();
    /// Adds a finite number. Precondition: it is in range.
    void add(const Term& term);

    /// The sum as 128 bits from its leading one on, and whether anything is below. A sum of zero is +0.
    struct Leading {
        Term term;
        bool sticky = false;
    };
    [[nodiscard]] Leading leading() const;

  private:
    int lowest_;
    std::vector<std::uint64_t> words_; ///< the lowest first
};

} // namespace mxcert::fast
