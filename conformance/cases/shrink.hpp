// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "conformance/cases/given_case.hpp"

namespace mxcert::cases {

/// How long a case is made smaller.
struct ShrinkLimits {
    unsigned attempts = 2000; ///< cases that are asked at most
    unsigned fewest = 300;    ///< cases that are asked though `time` has passed: the machine may be busy
    std::chrono::milliseconds time{3000};
    std::chrono::milliseconds longest{30'000}; ///< no case is asked after it
    std::function<bool()> stop{};              ///< true: no more is asked; may be empty
};

/// A failing case made as small as it gets within the limits, one change after the other as long as `fails` says that
/// it still fails: pieces of its axes are left out, the longest first; then codes become the plain ones of their
/// inputs; then what is left becomes 1, positive, a power of two, or loses bits of its fraction.
[[nodiscard]] GivenCase shrink(const CaseForm& form, const GivenCase& failing,
                               const std::function<bool(const GivenCase&)>& fails, const ShrinkLimits& limits = {});

} // namespace mxcert::cases
