// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/smallest.hpp"
#include "conformance/verdict/judge.hpp"

namespace mxcert {

/// The case that is asked instead of those of a row, if one is.
[[nodiscard]] std::optional<GivenCase> given_case(const Operation& operation, const CertifyOptions& options);

/// Notes in a row which case ended it, with a status that is not pass: asked alone, it does so again. Where it does
/// not, because its answer depended on what was asked before, only the whole row shows it again.
void note_end(Row& row, Subject& subject, const Operation& operation, const RunCase& asked, Status status,
              std::uint64_t number);

/// A row whose inputs are cases, asked and judged one after the other. Each is a run of an operation, or a few.
class CaseRow {
  public:
    /// `part`: of the operation's rows, "blocks".
    CaseRow(Subject& subject, const Operation& operation, const CertifyOptions& options, const char* part);

    [[nodiscard]] std::optional<GivenCase> given() const { return given_case(operation_, options_); }

    /// Asks for one, if it is wanted, and gives the outputs of its runs, one after the other, to `judge`, unless
    /// nothing is judged. A backend may refuse it where `may_refuse`. False if there is no use in going on.
    bool ask(const std::string& name, bool may_refuse, const std::function<std::vector<RunCase>()>& runs,
             const std::function<void(const std::vector<Values>&)>& judge);

    /// Of the case that is judged: values that were compared, and of these one that is not permitted.
    void add_compared(std::uint64_t values);
    void add_fault(const std::string& text);

    /// The row, after `ask_all` has asked what there is. What that throws ends the row: nothing may be judged.
    /// `failed` says what is wrong and `explain` what is known to do so; `left_out` what a row that passes does not
    /// say. `faults_of` judges smaller cases.
    [[nodiscard]] Row finish(bool sample, const std::function<void()>& ask_all,
                             const std::function<std::string(const Row&)>& failed,
                             const std::function<std::vector<KnownFault>()>& explain,
                             const std::function<std::string(const std::vector<std::string>& refused)>& left_out,
                             const Smallest::FaultsOf& faults_of);

  private:
    Subject& subject_;
    const Operation& operation_;
    const CertifyOptions& options_;
    std::string part_;
    std::uint64_t asked_ = 0; ///< cases that came up
    std::vector<std::string> refused_;
    Smallest smallest_;
    Row row_;
};

} // namespace mxcert
