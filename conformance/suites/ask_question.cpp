// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/ask_question.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mxcert::suites {

AnsweredQuestion ask_question(observe::Subject& subject, const Operation& operation, std::string_view part,
                              const Question& question) {
    AnsweredQuestion asked;
    std::vector<frames::RunCase> runs = question.runs();
    asked.is_one = runs.size() == 1;
    for (frames::RunCase& run : runs) {
        run.row = part;
        run.name = question.name;
        asked.answer = subject.run(operation, run);
        asked.last = std::move(run);
        if (asked.answer.status != Status::pass) break;
        std::move(asked.answer.outputs.begin(), asked.answer.outputs.end(), std::back_inserter(asked.outputs));
    }
    return asked;
}

} // namespace mxcert::suites
