// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/verdict/judge.hpp"

// How many sticky bits the inputs of each level show: each bit of the significand in turn is left out of the sticky OR
// of a rounding to nearest even, which is then wrong on one input beside a tie (docs/suites.md).
namespace mxcert::selftest {

/// What a level shows of one row.
struct StickyResult {
    std::string row;               ///< "fp32-e4m3-nearest_even-sat", "quantize-.../elements"
    std::string asked;             ///< "smoke", "budget 1000", "quick, standard", "offline boundaries"
    std::uint64_t inputs = 0;      ///< that were compared
    unsigned planted = 0;          ///< bits that some input of the row shows
    std::vector<unsigned> escaped; ///< of these, the ones whose wrong row passes
};

/// Rows that bits are planted in.
[[nodiscard]] std::vector<std::string> sticky_rows();

/// Every level of a row of sticky_rows(). Elements are those of a quantizer whose scales are right.
[[nodiscard]] std::vector<StickyResult> sticky_results(const std::string& row);

} // namespace mxcert::selftest
