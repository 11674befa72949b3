// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/ask_question.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mxcert::suites {

AnsweredQuestion ask_question(observe::Subject& subject, const Operation& operation, std::string_view part,
                              const Question& question) {
    AnsweredQuestion answered_question;
    std::vector<frames::RunCase> runs = question.runs();
    answered_question.is_one = runs.size() == 1;
    for (frames::RunCase& run : runs) {
        run.row = part;
        run.name = question.name;
        run.has_filled = question.may_refuse && question.filled;
        answered_question.answer = subject.run(operation, run);
        answered_question.last = std::move(run);
        if (answered_question.answer.status != Status::pass) break;
        std::move(answered_question.answer.outputs.begin(), answered_question.answer.outputs.end(),
                  std::back_inserter(answered_question.outputs));
    }
    return answered_question;
}

Question asked_once(Question question) {
    static constexpr std::uint8_t before = 0xA5; // what the outputs are filled with
    question.runs = [runs = std::move(question.runs)] {
        std::vector<frames::RunCase> all = runs();
        for (frames::RunCase& run_case : all) run_case.once = before;
        return all;
    };
    return question;
}

} // namespace mxcert::suites
