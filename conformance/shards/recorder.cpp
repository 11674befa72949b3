// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/recorder.hpp"

#include <utility>

namespace mxcert::shards {

void Recorder::note(Status status, const std::string& reason) {
    if (status == Status::pass || answers_.status != Status::pass) return;
    answers_.status = status;
    answers_.reason = reason;
}

observe::Observation Recorder::note(const std::string& of, std::string question, observe::Observation seen) {
    note(seen.status, seen.reason);
    answers_.observations.push_back({of, std::move(question), seen});
    return seen;
}

observe::Observation Recorder::observe(const Conversion& conversion, const observe::Permitted& permitted) {
    return note(to_string(conversion), every_input, subject_.observe(conversion, permitted));
}

observe::Observation Recorder::observe_piece(const Conversion& conversion, const observe::Permitted& permitted,
                                             const observe::Piece& piece) {
    return note(to_string(conversion), question_of(piece), subject_.observe_piece(conversion, permitted, piece));
}

observe::Observation Recorder::observe_places(const Conversion& conversion, const observe::Permitted& permitted) {
    return note(to_string(conversion), every_place, subject_.observe_places(conversion, permitted));
}

observe::Observation Recorder::observe_points(const Conversion& conversion, const std::vector<inputs::Point>& inputs,
                                              const PermitTable* permitted) {
    observe::Observation seen = subject_.observe_points(conversion, inputs, permitted);
    // One input alone is asked where something is wrong, and only to say so.
    if (inputs.size() == 1 && permitted == nullptr) return seen;
    return note(to_string(conversion), question_of(inputs), std::move(seen));
}

observe::Observation Recorder::sweep(const observe::SweepPart& part, const PermitTable* permitted) {
    const bool is_asked = sweeps_ == Sweeps::some && part.number % count_ == number_;
    if (is_asked) return note(part.row, question_of(part), subject_.sweep(part, permitted));
    observe::Observation seen;
    seen.conversion = part.conversion;
    seen.chosen = true;
    seen.status = sweeps_ == Sweeps::some ? Status::pass : Status::incomplete;
    seen.reason = sweeps_ == Sweeps::some ? "" : "it is swept by units of its own";
    left_.insert(part.row);
    return seen;
}

frames::RunAnswer Recorder::run(const Operation& operation, const frames::RunCase& run_case) {
    frames::RunAnswer answer = subject_.run(operation, run_case);
    const bool is_refused = answer.status == Status::unsupported;
    if (!is_refused) note(answer.status, answer.reason);
    StoredRun stored{to_string(operation), record::question_of(run_case), {}};
    if (!run_case.once && !known_.insert(stored.of + ' ' + stored.question).second) return answer;
    if (answer.status == Status::pass || is_refused)
        stored.run = record::record_run(run_case, answer, most_packed_);
    else
        stored.run = {run_case.row, run_case.name, stored.question, answer.status, answer.reason, {}, {}};
    answers_.runs.push_back(std::move(stored));
    return answer;
}

std::string Recorder::end_runs() {
    std::string reason = subject_.end_runs();
    if (!reason.empty()) note(Status::error, reason);
    answers_.end = reason;
    return reason;
}

frames::RepeatedAnswer Recorder::run_repeated(const Operation& operation, const frames::RepeatedRun& run) {
    frames::RepeatedAnswer answer = subject_.run_repeated(operation, run);
    // A matrix that is too large for the machine is none that failed.
    if (answer.status != Status::unsupported && answer.status != Status::untested) note(answer.status, answer.reason);
    answers_.repeats.push_back({to_string(operation), question_of(run), answer});
    return answer;
}

} // namespace mxcert::shards
