// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/known_fault.hpp"
#include "conformance/suites/case_part.hpp"
#include "conformance/suites/identified.hpp"
#include "conformance/suites/suite_run.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// Gives the answer to a question of an operation.
using AnswerRun = std::function<frames::RunAnswer(const frames::RunCase&)>;

/// A part of an operation's rows.
struct SuitePart {
    std::string_view name; ///< "elements"
    bool counted = false;  ///< how many inputs there are is known; else it is open
};

/// What is asked of an operation, and how the answers are judged. Each operation has one, in a folder of its own;
/// registry.cpp lists them.
class Suite {
  public:
    Suite() = default;
    virtual ~Suite() = default;
    Suite(const Suite&) = delete;
    Suite& operator=(const Suite&) = delete;

    [[nodiscard]] virtual std::string_view operation() const = 0; ///< "quantize"
    [[nodiscard]] virtual std::vector<SuitePart> parts(const Operation& operation) const = 0;

    /// A part that consists of cases; null of one that is a table.
    [[nodiscard]] virtual std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const = 0;

    /// Asks for every part that is wanted, and judges it: the rows of the tables, then those of the cases.
    [[nodiscard]] virtual std::vector<verdict::Row> certify(const SuiteRun& run) const;
    /// Asks the same, as a record has it, and judges nothing. A part ends at the first answer that is neither given nor
    /// refused.
    virtual void ask(const SuiteRun& run) const;

    /// What can be wrong with the operation, as far as it is known.
    [[nodiscard]] virtual std::vector<KnownFault> faults() const = 0;
    /// Finds what the implementation does, from its answers; NotIdentified if nothing is looked for.
    [[nodiscard]] virtual std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                           verdict::GoldenSource& golden) const = 0;

    /// The part that random cases are drawn of; "" if there is none.
    [[nodiscard]] virtual std::string_view drawn_part() const { return {}; }
    /// Whether a run at this level asks a sample of the inputs where their number is known.
    [[nodiscard]] virtual bool is_sampled(const Operation& /*operation*/, Level /*level*/) const { return false; }
    /// The parts that are asked by sweeps (observe/sweep.hpp) at a level, wholly or beside chosen inputs.
    [[nodiscard]] virtual std::vector<std::string_view> swept(const Operation& /*operation*/, Level /*level*/) const {
        return {};
    }
    /// Whether it answers otherwise each time, by random numbers of its own: nothing of it is recorded or compared.
    [[nodiscard]] virtual bool draws_randomly(const Operation& /*operation*/) const { return false; }
    /// Gives answers by which the questions can go on where the subject has yet to give its own: zeros, unless what is
    /// asked next depends on them.
    [[nodiscard]] virtual AnswerRun stand_in(const Operation& operation) const;

  protected:
    /// Asks for the parts that are tables, where they are wanted, and judges them: a row for each profile, none where
    /// nobody judges.
    [[nodiscard]] virtual std::vector<verdict::Row> tables(const SuiteRun& /*run*/) const { return {}; }
};

} // namespace mxcert::suites
