// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/stored_subject.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/level.hpp"
#include "conformance/observe/sweep.hpp"
#include "conformance/shards/recorder.hpp"
#include "reference/code_text.hpp"

namespace mxcert::shards {
namespace {

std::string key_of(const std::string& of, const std::string& question) { return of + '\n' + question; }

observe::Observation missing(const Conversion& conversion, const std::string& of, const std::string& question) {
    observe::Observation seen;
    seen.conversion = conversion;
    seen.status = Status::incomplete;
    seen.reason = fmt::format("no part has the answer: {}, {}", of, question);
    return seen;
}

/// Whether stored codes are of these formats: the file may come from anywhere.
bool fits(const observe::Observation& seen, const Conversion& conversion) {
    const Code in = conversion.from->last_code();
    const Code out = conversion.to->last_code();
    const auto has_step = [&](const Step& step) { return step.last <= in && step.code <= out; };
    return std::all_of(seen.table.steps.begin(), seen.table.steps.end(), has_step) &&
           std::all_of(seen.partial.begin(), seen.partial.end(), has_step) &&
           std::all_of(seen.points.begin(), seen.points.end(),
                       [&](const inputs::Point& point) { return point.input <= in && point.got <= out; });
}

std::optional<Code> answer_in(const std::vector<Step>& steps, Code input) {
    const auto at = std::lower_bound(steps.begin(), steps.end(), input,
                                     [](const Step& step, Code code) { return step.last < code; });
    if (at == steps.end() || at->first > input) return std::nullopt;
    return at->code;
}

bool has_same_input(const inputs::Point& a, const inputs::Point& b) {
    return a.input == b.input && a.random == b.random;
}

class StoredSubject final : public observe::Subject {
  public:
    explicit StoredSubject(AnswerStore& store) : store_(store) {}

    [[nodiscard]] const observe::BackendInfo& info() const override { return store_.info(); }

    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& permitted) override {
        const std::vector<observe::Piece>* pieces = store_.pieces_of(conversion);
        if (pieces == nullptr) {
            observe::Observation seen = answer(conversion, every_input);
            if (seen.status == Status::pass && observe::first_flaw(seen.table.steps, conversion.from->last_code())) {
                seen.status = Status::incomplete;
                seen.reason = "the stored table does not have every input once";
            }
            return seen;
        }
        observe::PieceJoiner joiner(conversion, permitted);
        for (const observe::Piece& piece : *pieces) joiner.add(piece, observe_piece(conversion, permitted, piece));
        return joiner.finish([&](const std::vector<Step>& answers, observe::Observation& seen) {
            look_at_places(conversion, permitted, answers, seen);
        });
    }

    [[nodiscard]] observe::Observation observe_piece(const Conversion& conversion,
                                                     const observe::Permitted& /*permitted*/,
                                                     const observe::Piece& piece) override {
        observe::Observation seen = answer(conversion, question_of(piece));
        seen.chosen = piece.count != 1;
        return seen;
    }

    [[nodiscard]] observe::Observation observe_places(const Conversion& conversion,
                                                      const observe::Permitted& /*permitted*/) override {
        return answer(conversion, every_place);
    }

    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* /*permitted*/) override {
        const std::string question = question_of(inputs);
        if (store_.find(to_string(conversion), question).second == nullptr && inputs.size() == 1)
            return one_of_all(conversion, inputs.front());
        observe::Observation seen = answer(conversion, question);
        if (seen.status == Status::pass &&
            !std::equal(seen.points.begin(), seen.points.end(), inputs.begin(), inputs.end(), has_same_input)) {
            seen.status = Status::incomplete;
            seen.reason = "the stored answers are not those to the inputs that were asked";
        }
        return seen;
    }

    [[nodiscard]] observe::Observation sweep(const observe::SweepPart& part, const PermitTable* permitted) override {
        const auto [unit, stored] = store_.find(part.row, question_of(part));
        if (stored == nullptr) return missing(part.conversion, part.row, question_of(part));
        if (end_.empty()) end_ = unit->end;
        observe::Observation seen = checked(*stored, part.conversion);
        seen.chosen = true;
        seen.seconds = unit->seconds;
        if (seen.status == Status::pass && !covers(seen.partial, part.ranges)) {
            seen.status = Status::incomplete;
            seen.reason = fmt::format("the answers to {} are not those of its inputs", part.name);
        }
        if (AskAgain* again = store_.again(); again != nullptr && seen.status == Status::pass)
            note(again->compare_sweep(unit->unit, part, permitted, seen), seen);
        return seen;
    }
    [[nodiscard]] bool can_sweep() const override { return true; }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        if (end_.empty()) end_ = store_.end_of(operation);
        return store_.run(operation, run_case);
    }
    [[nodiscard]] std::string end_runs() override { return std::exchange(end_, {}); }
    [[nodiscard]] frames::RepeatedAnswer run_repeated(const Operation& operation,
                                                      const frames::RepeatedRun& run) override {
        return store_.repeat(operation, run);
    }
    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        return observe::needs_points(conversion) &&
               !(asks_every_pair(store_.level()) && conversion.from->scale != nullptr);
    }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& /*conversion*/,
                                                        std::vector<inputs::Point> wanted) const override {
        return wanted;
    }
    [[nodiscard]] bool is_record() const override { return false; }
    [[nodiscard]] std::unique_ptr<observe::Subject> another() const override { return open_stored(store_); }

  private:
    /// Whether each range has its inputs, once, and nothing else is there.
    static bool covers(const std::vector<Step>& steps, const std::vector<inputs::CodeRange>& ranges) {
        std::size_t at = 0;
        for (const inputs::CodeRange& range : ranges)
            for (Code next = range.first; next <= range.last; ++at) {
                if (at == steps.size() || steps[at].first != next || steps[at].last > range.last) return false;
                next = steps[at].last + 1;
            }
        return at == steps.size();
    }

    static void note(const std::string& difference, observe::Observation& seen) {
        if (difference.empty()) return;
        seen.status = Status::fail;
        seen.unstable = true;
        seen.reason = "asked again, it answers otherwise: " + difference;
    }

    static observe::Observation checked(const observe::Observation& stored, const Conversion& conversion) {
        observe::Observation seen = stored;
        seen.conversion = conversion;
        if (!fits(seen, conversion)) {
            seen.table.steps.clear();
            seen.partial.clear();
            seen.points.clear();
            seen.inputs = 0;
            seen.status = Status::error;
            seen.reason = "stored codes are none of its formats";
        }
        if (!seen.table.steps.empty()) {
            seen.table.from = conversion.from;
            seen.table.to = conversion.to;
        }
        return seen;
    }

    [[nodiscard]] observe::Observation answer(const Conversion& conversion, const std::string& question) {
        const auto [unit, stored] = store_.find(to_string(conversion), question);
        if (stored == nullptr) return missing(conversion, to_string(conversion), question);
        observe::Observation seen = checked(*stored, conversion);
        seen.seconds = unit->seconds;
        if (AskAgain* again = store_.again(); again != nullptr)
            note(again->compare(unit->unit, conversion, seen), seen);
        return seen;
    }

    /// The answer of observe() to one input.
    [[nodiscard]] observe::Observation one_of_all(const Conversion& conversion, inputs::Point point) {
        std::vector<std::string> questions{every_input};
        if (const std::vector<observe::Piece>* pieces = store_.pieces_of(conversion)) {
            questions.clear();
            for (const observe::Piece& piece : *pieces) questions.push_back(question_of(piece));
        }
        for (const std::string& question : questions) {
            const observe::Observation* stored = store_.find(to_string(conversion), question).second;
            if (stored == nullptr) continue;
            const std::optional<Code> got =
                answer_in(stored->table.steps.empty() ? stored->partial : stored->table.steps, point.input);
            if (!got) continue;
            observe::Observation seen;
            seen.conversion = conversion;
            seen.status = Status::pass;
            point.got = *got;
            seen.points = {point};
            seen.inputs = 1;
            return seen;
        }
        return missing(conversion, to_string(conversion), "one input");
    }

    /// What WorkerPool does: the answers in every place must be those of the pieces.
    void look_at_places(const Conversion& conversion, const observe::Permitted& permitted,
                        const std::vector<Step>& answers, observe::Observation& seen) {
        if (seen.places.simplified) return;
        const observe::Observation places = observe_places(conversion, permitted);
        for (const inputs::Point& point : places.points) {
            if (answer_in(answers, point.input) == point.got) continue;
            seen.status = Status::fail;
            seen.unstable = true;
            seen.reason =
                fmt::format("input {} gave other answers in another unit", code_text(*conversion.from, point.input));
            return;
        }
        seen.status = places.status;
        seen.reason = places.reason;
        seen.detail = places.detail;
        seen.unstable = places.unstable;
        seen.places.placed = places.places.placed;
        seen.places.largest_call = places.places.largest_call;
        // Without a boundary there is nothing to ask, and then it says so.
        if (seen.status == Status::pass && places.points.empty()) {
            seen.status = Status::incomplete;
            seen.reason = "no boundary was repeated in other places";
        }
    }

    AnswerStore& store_;
    std::string end_; ///< why the worker of what was run did not end well
};

} // namespace

void AnswerStore::add(Answers answers) {
    const Answers& unit = *units_.emplace_back(std::make_unique<Answers>(std::move(answers)));
    const auto refuse = [&](const std::string& of, const std::string& question, const std::string& other) {
        throw std::runtime_error(fmt::format("units {} and {} both have {}, {}", other, unit.unit, of, question));
    };
    for (const StoredObservation& stored : unit.observations) {
        const auto [at, is_new] = observations_.try_emplace(key_of(stored.of, stored.question), &unit, &stored.seen);
        if (!is_new) refuse(stored.of, stored.question, at->second.first->unit);
    }
    std::size_t number = 0;
    for (const StoredRun& stored : unit.runs) {
        Runs& runs = runs_[key_of(stored.of, stored.question)];
        if (!runs.answers.empty() && runs.unit != &unit) refuse(stored.of, stored.question, runs.unit->unit);
        runs.unit = &unit;
        runs.number = number++;
        runs.answers.push_back(&stored);
        if (!unit.end.empty()) ends_[stored.of] = unit.end;
    }
    for (const StoredRepeat& stored : unit.repeats) repeats_.emplace(key_of(stored.of, stored.question), &stored);
}

void AnswerStore::cut(const Conversion& conversion, std::vector<observe::Piece> pieces) {
    pieces_[to_string(conversion)] = std::move(pieces);
}

std::pair<const Answers*, const observe::Observation*> AnswerStore::find(const std::string& of,
                                                                         const std::string& question) const {
    const auto found = observations_.find(key_of(of, question));
    return found == observations_.end() ? std::pair<const Answers*, const observe::Observation*>{} : found->second;
}

const std::vector<observe::Piece>* AnswerStore::pieces_of(const Conversion& conversion) const {
    const auto found = pieces_.find(to_string(conversion));
    return found == pieces_.end() ? nullptr : &found->second;
}

frames::RunAnswer AnswerStore::run(const Operation& operation, const frames::RunCase& run_case) {
    const std::string of = to_string(operation);
    const auto found = runs_.find(key_of(of, record::question_of(run_case)));
    const auto failed = [](Status status, std::string reason) {
        frames::RunAnswer answer;
        answer.status = status;
        answer.reason = std::move(reason);
        return answer;
    };
    if (found == runs_.end()) return failed(Status::incomplete, "no part has the answer to this run");
    Runs& runs = found->second;
    const StoredRun* stored = nullptr;
    {
        const std::scoped_lock lock(lock_);
        // Random draws were asked as often as they are asked now; other runs may be asked more often.
        if (run_case.once && runs.next == runs.answers.size())
            return failed(Status::incomplete, "no part has so many answers to this run");
        stored = runs.answers[std::min(runs.next++, runs.answers.size() - 1)];
    }
    frames::RunAnswer answer = record::replay_run(stored->run, run_case);
    if (again_ == nullptr) return answer;
    const std::string difference =
        again_->compare_run(runs.unit->unit, runs.number, runs.unit->runs.size(), operation, run_case, stored->run);
    return difference.empty() ? answer : failed(Status::fail, "asked again, it answers otherwise: " + difference);
}

frames::RepeatedAnswer AnswerStore::repeat(const Operation& operation, const frames::RepeatedRun& run) const {
    const auto found = repeats_.find(key_of(to_string(operation), question_of(run)));
    if (found != repeats_.end()) return found->second->answer;
    frames::RepeatedAnswer answer;
    answer.status = Status::incomplete;
    answer.reason = "no part has the answer to this run";
    return answer;
}

std::string AnswerStore::end_of(const Operation& operation) const {
    const auto found = ends_.find(to_string(operation));
    return found == ends_.end() ? std::string() : found->second;
}

std::unique_ptr<observe::Subject> open_stored(AnswerStore& store) { return std::make_unique<StoredSubject>(store); }

} // namespace mxcert::shards
