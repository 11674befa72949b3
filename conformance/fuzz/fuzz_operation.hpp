// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/certify/certify.hpp"
#include "reference/base/random.hpp"

namespace mxcert {

/// How an operation is fuzzed: what its random cases are, and what judges the answers to them. It refers to its golden
/// source.
struct FuzzedOperation {
    std::string row; ///< that takes such a case after '@': "quantize-.../blocks"
    CaseForm form;
    std::function<GivenCase(SplitMix64&)> make;
    /// What a backend is asked: one run, or a few.
    std::function<std::vector<RunCase>(const GivenCase&)> runs;
    std::size_t judges = 1; ///< the first so many profiles differ in what they permit
    /// What one of these does not permit, in words. `outputs`: of the runs, one after the other. Throws std::exception
    /// if nothing can be judged.
    std::function<std::vector<std::string>(std::size_t judge, const GivenCase&, const std::vector<Values>& outputs)>
        faults;
    /// Whether a backend may refuse these sizes.
    std::function<bool(const GivenCase&)> may_refuse;
};

/// Whether cases of this operation can be made up and written down.
[[nodiscard]] bool can_fuzz(const Operation& operation);

/// Precondition: can_fuzz(), and each of the profiles covers it; there is at least one.
[[nodiscard]] FuzzedOperation fuzzed(const Operation& operation, const std::vector<const Profile*>& profiles,
                                     GoldenSource& golden);

} // namespace mxcert
