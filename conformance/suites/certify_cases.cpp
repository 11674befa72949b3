// SPDX-License-Identifier: Apache-2.0
// The one loop over the cases of an operation, and the one canary.
#include "conformance/suites/certify_cases.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/cases/smallest.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/ask_question.hpp"
#include "conformance/suites/certify_sizes.hpp"
#include "conformance/suites/packed_answers.hpp"
#include "conformance/suites/refusals.hpp"

namespace mxcert::suites {
namespace {

// A judge that finds nothing must find what is wrong: a verdict is only given by one that can fail.
void must_find_planted(const Question& question, std::size_t judge, const std::vector<frames::Values>& outputs) {
    const auto finds = [&](const std::vector<frames::Values>& spoilt) {
        return !question.judge(judge, spoilt).wrong.empty();
    };
    bool found = true;
    if (question.spoil) {
        std::vector<frames::Values> spoilt = outputs;
        question.spoil(spoilt);
        found = finds(spoilt);
    }
    for (std::size_t output = 0; output < question.judged.size() && found; ++output) {
        const Format* const format = question.judged[output];
        if (format == nullptr) continue;
        // The lowest bits of an exponent: no NaN is left one. Of the scales that stand for a NaN there may be two.
        std::vector<frames::Values> spoilt = outputs;
        const std::uint64_t last = outputs[output].count() - 1;
        const auto lowest = static_cast<unsigned>(format->fraction_bits);
        found = false;
        for (unsigned bit = lowest; bit < lowest + 3 && !found; ++bit) {
            spoilt[output].set(last, outputs[output].get(last) ^ Code{1} << bit);
            found = finds(spoilt);
        }
    }
    if (!found)
        throw std::logic_error(
            fmt::format("{}: a wrong value that was planted in the answer was not found", question.name));
}

/// The rows of a part on their way, one for each judge.
class CaseLoop {
  public:
    CaseLoop(const SuiteRun& run, std::string_view part, CasePart& cases)
        : run_(run), part_(part), cases_(cases), tracks_(cases.by_profile() ? run.profiles.size() : 1),
          packed_(run.operation) {
        for (Track& track : tracks_) {
            track.row.id = run.id(part);
            track.row.operation = to_string(run.operation);
            track.row.status = Status::pass;
            track.row.found = verdict::CaseFindings();
            track.row.sample = cases.is_sample() || is_small(run.options.level);
        }
    }

    [[nodiscard]] std::vector<verdict::Row> rows();

  private:
    /// What is known of a judge's row.
    struct Track {
        verdict::Row row;
        cases::Smallest smallest;
        Refusals refusals;
        std::string trouble; ///< why nothing more can be judged

        [[nodiscard]] verdict::CaseFindings& found() { return std::get<verdict::CaseFindings>(row.found); }
    };

    /// False if there is no use in going on.
    bool take(const Question& question);
    bool ask(const Question& question);
    void end(const AnsweredQuestion& answered_question, const Question& question);
    void judge(std::size_t number, const Question& question, const AnsweredQuestion& answered_question);
    void finish(std::size_t number);
    void explain(std::size_t number);
    [[nodiscard]] std::vector<KnownFault> known_by_neighbours(std::size_t number);
    [[nodiscard]] std::vector<KnownFault> known_once(std::size_t number, const Question& question);
    [[nodiscard]] std::vector<std::string> wrong_in(std::size_t number, const cases::GivenCase& given_case);
    [[nodiscard]] bool refuses_it(std::size_t number, const Question& question) const {
        if (!question.tensor) return false;
        return cases_.by_profile() ? refuses(*run_.profiles[number], *question.tensor)
                                   : refused_by_all(run_.profiles, question.tensor);
    }

    const SuiteRun& run_;
    std::string part_;
    CasePart& cases_;
    std::vector<Track> tracks_;
    PackedAnswers packed_;
    std::uint64_t asked_ = 0; ///< cases that came up
    std::vector<std::string> refused_;
    std::string digest_;
};

/// The case that is asked instead of those of a part, if one is.
std::optional<cases::GivenCase> given_case(const SuiteRun& run) {
    if (run.options.given().empty()) return std::nullopt;
    return cases::parse_given(cases::form_of(run.operation), run.options.given());
}

bool CaseLoop::take(const Question& question) {
    const std::uint64_t number = asked_++;
    const std::optional<std::uint64_t> only = run_.options.only();
    if (only && *only != number) return number < *only;
    if (is_small(run_.options.level) && !cases::is_small_case(run_.operation, part_, question.name)) return true;
    return ask(question);
}

bool CaseLoop::ask(const Question& question) {
    const AnsweredQuestion answered_question = ask_question(run_.subject, run_.operation, part_, question);
    const Status status = answered_question.answer.status;
    if (status == Status::unsupported && question.may_refuse) {
        refused_.push_back(question.name);
        return !question.filled || ask(question.filled());
    }
    if (status == Status::unsupported && refused_by_all(run_.profiles, question.tensor)) {
        for (Track& track : tracks_) ++track.refusals.refused;
        if (!question.filled) return true;
        const Question filled = question.filled();
        return refused_by_all(run_.profiles, filled.tensor) || ask(filled);
    }
    if (status != Status::pass) {
        end(answered_question, question);
        return status == Status::unsupported;
    }
    packed_.keep(answered_question);
    // What is drawn at random is another answer each time.
    if (!answered_question.last.once)
        for (const frames::Values& output : answered_question.outputs) digest_ = frames::digest_after(digest_, output);
    for (std::size_t number = 0; number < tracks_.size(); ++number) {
        if (!tracks_[number].trouble.empty()) continue;
        try {
            judge(number, question, answered_question);
        } catch (const std::exception& error) {
            tracks_[number].trouble = error.what();
        }
    }
    return std::any_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.trouble.empty(); });
}

// Notes which case ended the rows: asked alone, it does so again. Where it does not, because its answer depended on
// what was asked before, only the whole row shows it again.
void CaseLoop::end(const AnsweredQuestion& answered_question, const Question& question) {
    const Status status = answered_question.answer.status;
    const bool changes =
        frames::is_unstable(status) && run_.subject.run(run_.operation, answered_question.last).status != status;
    std::vector<KnownFault> known = answered_question.answer.known_as;
    if (frames::is_unstable(status) && known.empty()) known = known_by_neighbours(0);
    if (frames::is_unstable(status) && known.empty()) known = known_once(0, question);
    for (Track& track : tracks_) {
        if (!track.trouble.empty()) continue;
        if (track.row.status == Status::pass || track.row.status == Status::unsupported) track.row.status = status;
        track.row.detail = answered_question.answer.detail;
        // What ends it says more than what was refused before.
        if (!track.row.reason.empty() && status == Status::unsupported) continue;
        track.row.known_as = known;
        track.row.reason =
            fmt::format("{}: {}{}", question.name, answered_question.answer.reason, it_is(track.row.known_as));
        track.row.unstable = changes;
        track.found().ended_by = changes ? std::nullopt : std::optional(asked_ - 1);
    }
}

void CaseLoop::judge(std::size_t number, const Question& question, const AnsweredQuestion& answered_question) {
    Track& track = tracks_[number];
    verdict::Row& row = track.row;
    verdict::CaseFindings& found = track.found();
    if (refuses_it(number, question)) track.refusals.answer(question.name);
    const auto multiplications = [](const std::array<std::uint64_t, 3>& sizes) {
        return sizes[0] * sizes[1] * sizes[2];
    };
    const auto& product = answered_question.last.product;
    if (multiplications(product) > multiplications(found.largest_product)) found.largest_product = product;
    const Findings findings = question.judge(number, answered_question.outputs);
    row.compared += findings.compared;
    if (!answered_question.last.once) row.repeated += findings.compared;
    row.differing += findings.differing;
    for (const std::string& text : findings.wrong) {
        if (found.wrong.size() == run_.options.max_failures) break;
        found.wrong.push_back(text);
        found.cases.push_back(asked_ - 1);
    }
    if (question.keep) question.keep(number, answered_question.outputs, findings);
    if (!findings.wrong.empty()) {
        if (answered_question.is_one && run_.options.shrinks(run_.subject)) track.smallest.take(answered_question.last);
    } else if (findings.compared != 0) {
        must_find_planted(question, number, answered_question.outputs);
    }
}

std::vector<std::string> CaseLoop::wrong_in(std::size_t number, const cases::GivenCase& given_case) {
    const Question question = cases_.given(given_case);
    const std::optional<std::vector<frames::Values>> outputs =
        cases::outputs_of(run_.subject, run_.operation, question.runs().front());
    return outputs ? question.judge(number, *outputs).wrong : std::vector<std::string>();
}

// Many answers must be wrong beside unlike ones: a few are as likely to be missed between equal ones. What an earlier
// case left behind is gone when the same is asked a second or third time.
std::vector<KnownFault> CaseLoop::known_by_neighbours(std::size_t number) {
    constexpr int times = 3;
    constexpr std::size_t few = 16;
    const std::optional<Alike> alike = cases_.alike();
    if (!alike || alike->equal.size() < 2) return {};
    // Of answers that change all count as wrong; nothing: there was no answer.
    const auto wrong_in = [&](const Question& question) -> std::optional<std::size_t> {
        const AnsweredQuestion answered_question = ask_question(run_.subject, run_.operation, part_, question);
        if (frames::is_unstable(answered_question.answer.status)) return std::numeric_limits<std::size_t>::max();
        if (answered_question.answer.status != Status::pass) return std::nullopt;
        return question.judge(number, answered_question.outputs).wrong.size();
    };
    const auto becomes_right = [&](const Question& question) {
        for (int time = 0; time < times; ++time)
            if (wrong_in(question) == 0) return true;
        return false;
    };
    if (wrong_in(alike->mixed).value_or(0) < few ||
        !std::all_of(alike->equal.begin(), alike->equal.end(), becomes_right))
        return {};
    return {{find_bug_class("NEIGHBOUR_MIXED"), "right where all that is asked is equal"}};
}

// Answers that change when asked again say as much of what is wrong as those that stay. One case may have more
// explanations than there are: where there are no others to ask, nothing is said.
std::vector<KnownFault> CaseLoop::known_once(std::size_t number, const Question& question) {
    const std::optional<Alike> alike = cases_.alike();
    if (!alike) return {};
    for (const Question& once : {asked_once(question), alike->mixed}) {
        const AnsweredQuestion answered_question = ask_question(run_.subject, run_.operation, part_, once);
        if (answered_question.answer.status != Status::pass) return {};
        const Findings findings = once.judge(number, answered_question.outputs);
        if (findings.wrong.empty()) return {};
        once.keep(number, answered_question.outputs, findings);
    }
    return cases_.known_as(number);
}

// What is wrong stays so, whatever comes after it.
void CaseLoop::explain(std::size_t number) {
    Track& track = tracks_[number];
    verdict::Row& row = track.row;
    row.status = Status::fail;
    try {
        row.known_as =
            packed_.known_as([&](const cases::GivenCase& given_case, const std::vector<frames::Values>& outputs) {
                return cases_.given(given_case).judge(number, outputs).wrong;
            });
        if (row.known_as.empty()) row.known_as = cases_.known_as(number);
        if (row.known_as.empty()) row.known_as = known_by_neighbours(number);
        row.reason = cases_.failed(row) + it_is(row.known_as);
        if (run_.options.shrinks(run_.subject) && cases::can_be_given(run_.operation))
            track.found().smallest = track.smallest.find(
                cases::form_of(run_.operation),
                [&](const cases::GivenCase& given_case) { return wrong_in(number, given_case); },
                [&] { return run_.options.stopped(); });
    } catch (const std::exception& error) {
        track.trouble = error.what();
    }
    if (!track.trouble.empty()) row.reason += (row.reason.empty() ? "" : "; ") + track.trouble;
}

void CaseLoop::finish(std::size_t number) {
    Track& track = tracks_[number];
    verdict::Row& row = track.row;
    row.observed_sha256 = digest_;
    if (row.differing != 0) return explain(number);
    if (!track.trouble.empty()) {
        row.status = Status::untested; // a test that cannot be trusted has tested nothing
        row.reason = track.trouble;
    } else if (row.compared == 0 && row.status == Status::pass) {
        row.status = Status::untested;
        row.reason = verdict::nothing_compared(run_.options, asked_);
    }
    if (row.status != Status::pass) return;
    row.reason = cases_.left_out(refused_);
    const std::string sizes = track.refusals.text();
    if (!sizes.empty()) row.reason += (row.reason.empty() ? "" : "; ") + sizes;
}

std::vector<verdict::Row> CaseLoop::rows() {
    try {
        if (const auto stored_case = given_case(run_)) {
            ++asked_;
            const Question question = cases_.given(*stored_case);
            if (!question.open.empty()) throw std::invalid_argument(question.name + ": " + question.open);
            ask(question);
        } else {
            cases_.for_each_question([&](const Question& question) { return take(question); });
        }
    } catch (const std::exception& error) {
        for (Track& track : tracks_)
            if (track.trouble.empty()) track.trouble = error.what();
    }
    for (std::size_t number = 0; number < tracks_.size(); ++number) finish(number);
    std::vector<verdict::Row> rows;
    for (std::size_t i = 0; i < run_.profiles.size(); ++i) {
        verdict::Row& row = rows.emplace_back(tracks_[cases_.by_profile() ? i : 0].row);
        row.profile = run_.profiles[i]->name;
    }
    return rows;
}

} // namespace

std::vector<verdict::Row> certify_cases(const SuiteRun& run, std::string_view part, CasePart& cases) {
    std::vector<verdict::Row> rows = CaseLoop(run, part, cases).rows();
    if (!asks_sizes(run.options)) return rows;
    std::vector<verdict::Row*> all;
    for (verdict::Row& row : rows) all.push_back(&row);
    for (const std::vector<SizeQuestion>& questions : cases.sizes())
        certify_sizes(run.subject, run.operation, questions, all);
    return rows;
}

void ask_cases(const SuiteRun& run, std::string_view part, CasePart& cases) {
    cases.for_each_question([&](const Question& question) {
        if (is_small(run.options.level) && !cases::is_small_case(run.operation, part, question.name)) return true;
        Status status = ask_question(run.subject, run.operation, part, question).answer.status;
        if (status == Status::unsupported && question.filled) {
            const Question filled = question.filled();
            if (question.may_refuse || filled.tensor != question.tensor)
                status = ask_question(run.subject, run.operation, part, filled).answer.status;
        }
        return status == Status::pass || status == Status::unsupported;
    });
}

} // namespace mxcert::suites
