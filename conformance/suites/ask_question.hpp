// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/suites/question.hpp"

namespace mxcert::suites {

/// What came of the runs of a question.
struct AnsweredQuestion {
    frames::RunCase last;                ///< the last that was asked
    frames::RunAnswer answer;            ///< to it
    std::vector<frames::Values> outputs; ///< of all, one after the other, where all passed
    bool is_one = true;                  ///< there is one run
};

/// Asks the runs of a question one after the other, until one does not pass. `part`: of the operation's rows.
[[nodiscard]] AnsweredQuestion ask_question(observe::Subject& subject, const Operation& operation,
                                            std::string_view part, const Question& question);

/// The same question, whose answers are taken as they come the first time: those that change when asked again, too.
[[nodiscard]] Question asked_once(Question question);

} // namespace mxcert::suites
