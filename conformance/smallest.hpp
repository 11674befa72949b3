// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/given_case.hpp"
#include "conformance/shrink.hpp"
#include "conformance/smallest_case.hpp"
#include "conformance/subject.hpp"

namespace mxcert {

/// What comes of asking for a case outside of a suite; nothing unless the outputs are there, twice the same.
[[nodiscard]] std::optional<std::vector<Values>> outputs_of(Subject& subject, const Operation& operation,
                                                            RunCase asked);

/// Finds it: of the cases that fail the smallest is kept, and made smaller.
class Smallest {
  public:
    /// What is wrong in the answer to a case, in words; nothing if that cannot be said.
    using FaultsOf = std::function<std::vector<std::string>(const GivenCase&)>;

    /// One that failed.
    void take(const RunCase& failing);

    /// Asks for smaller ones, until `stop` says so. Nothing if none was taken, or the case does not fail again.
    [[nodiscard]] std::optional<SmallestCase> find(const CaseForm& form, const FaultsOf& faults_of,
                                                   const std::function<bool()>& stop) const;

  private:
    std::optional<RunCase> failing_;
};

} // namespace mxcert
