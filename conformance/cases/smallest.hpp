// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/given_case.hpp"
#include "conformance/cases/shrink.hpp"
#include "conformance/cases/smallest_case.hpp"
#include "conformance/observe/subject.hpp"

namespace mxcert::cases {

/// What comes of asking for a case outside of a suite; nothing unless the outputs are there, twice the same.
[[nodiscard]] std::optional<std::vector<frames::Values>>
outputs_of(observe::Subject& subject, const Operation& operation, frames::RunCase run_case);

/// What is wrong in the answer to a case, in words; nothing if that cannot be said.
using FaultsOfCase = std::function<std::vector<std::string>(const GivenCase&)>;

/// Makes a case that fails smaller, until `stop` says so. Nothing if it does not fail again, or stays too large to be
/// an argument of a command.
[[nodiscard]] std::optional<SmallestCase> smallest_of(const CaseForm& form, const GivenCase& failing,
                                                      const FaultsOfCase& faults_of, const std::function<bool()>& stop);
/// A case as it is.
[[nodiscard]] SmallestCase described(const CaseForm& form, const GivenCase& given_case, std::string finding);

/// Finds it: of the cases that fail the smallest is kept, and made smaller.
class Smallest {
  public:
    using FaultsOf = FaultsOfCase;

    /// One that failed.
    void take(const frames::RunCase& failing);

    /// Asks for smaller ones, until `stop` says so. Nothing if none was taken, or the case does not fail again.
    [[nodiscard]] std::optional<SmallestCase> find(const CaseForm& form, const FaultsOf& faults_of,
                                                   const std::function<bool()>& stop) const;

  private:
    std::optional<frames::RunCase> failing_;
};

} // namespace mxcert::cases
