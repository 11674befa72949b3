// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"

namespace mxcert::certify {

/// What the small suites of a plan are.
struct SuiteStrength {
    std::uint64_t inputs = 0;
    std::size_t conversions = 0;
    std::size_t operations = 0; ///< a few cases of each
    std::size_t planted = 0;
    std::vector<std::string> escaped;  ///< "fp16-e4m3-nearest_even-sat: TOP_TIE: overflow_test=tie_overflows"
    std::vector<std::string> left_out; ///< what has no small suite: wide conversions, distributions
};

/// Cuts a plan down to small suites. `budget` as above, of each conversion. Operations stay where `operations` is true,
/// to be certified at a small level.
[[nodiscard]] SuiteStrength reduce(Plan& plan, std::uint64_t budget, bool operations, std::uint64_t seed);

/// Takes out the profiles of which a small suite has nothing: for profiles that nobody asked for by name. Where all
/// would go, all stay.
void drop_empty_profiles(Plan& plan);

/// What a verdict says of it: how many inputs, which planted bugs they show and which escape, and what no such suite
/// sees.
[[nodiscard]] std::string strength_text(const SuiteStrength& strength);

} // namespace mxcert::certify
