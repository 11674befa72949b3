// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/fuzz/fuzz_case.hpp"

namespace mxcert::fuzz {

/// Makes up cases for one conversion: inputs at and around the boundaries it is given, special values, both ends of
/// binades, random bits, values of the same case again, in several orders, numbers, cuts and alignments.
class FuzzGenerator {
  public:
    /// `firsts`: the first inputs of the steps of what is permitted; may be empty. `seed` and the number of a case
    /// decide what is in it, on every machine.
    FuzzGenerator(const Conversion& conversion, std::vector<Code> firsts, std::uint64_t seed);

    [[nodiscard]] FuzzCase operator()(std::uint64_t number) const;

  private:
    Conversion conversion_;
    std::vector<Code> firsts_;
    std::uint64_t seed_;
};

} // namespace mxcert::fuzz
