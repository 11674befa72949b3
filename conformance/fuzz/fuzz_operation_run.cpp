// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz_operation_run.hpp"

#include <algorithm>
#include <cctype>
#include <exception>
#include <optional>

#include <fmt/format.h>

#include "conformance/cases/smallest.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/suites/ask_question.hpp"
#include "conformance/suites/refusals.hpp"
#include "conformance/suites/registry.hpp"
#include "reference/profile/profile.hpp"

namespace mxcert::fuzz {
namespace {

constexpr std::uint64_t most_errors = 32; ///< cases, then an operation is given up: each may cost a timeout
constexpr std::size_t most_parts = 4;
constexpr unsigned times_again = 2;

std::optional<FuzzKind> kind_of(Status status) {
    switch (status) {
    case Status::fail: return FuzzKind::changing;
    case Status::mistrusted: return FuzzKind::unwritten;
    case Status::error: return FuzzKind::misbehaved;
    default: return std::nullopt;
    }
}

suites::Question drawn(suites::CasePart& part, const cases::GivenCase& given_case) {
    suites::Question question = part.given(given_case);
    question.name = "a random case";
    return question;
}

/// A reason without its numbers, which may change from run to run.
std::string cause_of(std::string reason) {
    std::erase_if(reason, [](unsigned char c) { return std::isdigit(c) != 0; });
    return reason;
}

} // namespace

bool can_fuzz(const Operation& operation) { return !suites::suite_of(operation).drawn_part().empty(); }

std::vector<OperationTarget> operation_targets(const certify::Plan& plan) {
    std::vector<OperationTarget> targets;
    for (const certify::PlannedOperation& planned : plan.operations) {
        if (!can_fuzz(planned.operation)) continue;
        OperationTarget& target = targets.emplace_back(OperationTarget{planned.operation});
        std::copy_if(plan.profiles.begin(), plan.profiles.end(), std::back_inserter(target.profiles),
                     [&](const Profile* profile) { return covers(*profile, planned.operation); });
    }
    return targets;
}

suites::CasePart& OperationRun::part_of(std::size_t target) {
    const auto known =
        std::find_if(parts_.begin(), parts_.end(), [&](const auto& item) { return item.first == target; });
    if (known != parts_.end()) return *known->second;
    if (parts_.size() == most_parts) parts_.pop_front();
    const OperationTarget& operation_target = operations_.targets[target];
    const suites::Suite& suite = suites::suite_of(operation_target.operation);
    const suites::SuiteRun run{*operations_.subject, operation_target.operation, operation_target.profiles,
                               *operations_.golden, options_};
    return *parts_.emplace_back(target, suite.cases(run, suite.drawn_part())).second;
}

OperationRun::Seen OperationRun::ask(const OperationTarget& target, const suites::CasePart& part,
                                     const suites::Question& question) {
    suites::AnsweredQuestion answered_question = suites::ask_question(
        *operations_.subject, target.operation, suites::suite_of(target.operation).drawn_part(), question);
    Seen seen{std::move(answered_question.answer), std::move(answered_question.outputs), 0, {}};
    if (seen.answer.status != Status::pass) return seen;
    const std::size_t judges = part.by_profile() ? target.profiles.size() : 1;
    for (std::size_t judge = 0; judge < judges && seen.wrong.empty(); ++judge) {
        seen.judge = judge;
        seen.wrong = question.judge(judge, seen.outputs).wrong;
    }
    return seen;
}

bool OperationRun::one(std::size_t at, std::uint64_t round, std::uint64_t number, FuzzResult& result) {
    OperationTarget& target = operations_.targets[at];
    try {
        suites::CasePart& part = part_of(at);
        SplitMix64 random(SplitMix64::at(SplitMix64::at(~seed_, at), round));
        const cases::GivenCase given_case = part.draw(random);
        const suites::Question question = drawn(part, given_case);
        if (!question.open.empty()) throw std::logic_error(question.open);
        const Seen seen = ask(target, part, question);
        if (seen.answer.status == Status::incomplete) {
            result.stopped = true;
            return false;
        }
        ++target.cases;
        ++result.cases;
        ++result.operation_cases;
        if (seen.answer.status == Status::unsupported) {
            if (question.may_refuse || suites::refused_by_all(target.profiles, question.tensor))
                ++target.refused;
            else
                target.dropped = seen.answer.reason;
            return true;
        }
        if (seen.answer.status == Status::error && ++target.misbehaved >= most_errors)
            target.dropped = "given up: " + seen.answer.reason;
        for (const frames::Values& output : seen.outputs) {
            target.values += output.count();
            result.values += output.count();
            result.operation_values += output.count();
        }
        if (!seen.wrong.empty() || kind_of(seen.answer.status)) add(target, part, given_case, seen, number, result);
    } catch (const std::exception& error) {
        target.dropped = error.what(); // nothing can be judged
    }
    return true;
}

void OperationRun::add(const OperationTarget& target, suites::CasePart& part, const cases::GivenCase& given_case,
                       const Seen& seen, std::uint64_t number, FuzzResult& result) {
    OperationFailure failure;
    failure.kind = kind_of(seen.answer.status).value_or(FuzzKind::wrong);
    failure.operation = target.operation;
    if (failure.kind == FuzzKind::misbehaved) failure.cause = cause_of(seen.answer.reason);
    for (OperationFailure& known : result.operation_failures)
        if (known.operation == target.operation && known.kind == failure.kind && known.cause == failure.cause) {
            ++known.found;
            return;
        }
    if (result.count_failures() >= max_fuzz_failures) {
        ++result.more;
        return;
    }
    failure.row = fmt::format("{}/{}", to_string(target.operation), suites::suite_of(target.operation).drawn_part());
    failure.number = number;
    failure.profile = target.profiles[std::min(seen.judge, target.profiles.size() - 1)]->name;
    failure.detail = seen.answer.detail;
    make_small(target, part, given_case, seen, failure);
    result.operation_failures.push_back(std::move(failure));
}

void OperationRun::make_small(const OperationTarget& target, suites::CasePart& part,
                              const cases::GivenCase& stored_case, const Seen& seen, OperationFailure& failure) {
    const std::string wrong = seen.wrong.empty() ? seen.answer.reason : seen.wrong.front();
    const cases::CaseForm form = cases::form_of(target.operation);
    failure.smallest = cases::described(form, stored_case, wrong);
    std::string over;
    const cases::FaultsOfCase faults_of = [&](const cases::GivenCase& given_case) {
        if (over.empty()) over = over_();
        if (!over.empty()) return std::vector<std::string>();
        const Seen now = ask(target, part, drawn(part, given_case));
        if (now.answer.status == Status::incomplete) over = now.answer.reason;
        const bool misbehaves = now.answer.status == Status::error;
        if (now.answer.status != seen.answer.status || (misbehaves && cause_of(now.answer.reason) != failure.cause))
            return std::vector<std::string>();
        if (now.answer.status != Status::pass) return std::vector{now.answer.reason};
        return now.judge == seen.judge ? now.wrong : std::vector<std::string>();
    };
    // A crash may cost a timeout each time: it need not be repeated before it is made small.
    const unsigned times = failure.kind == FuzzKind::misbehaved ? 0 : times_again;
    bool again = true;
    for (unsigned i = 0; again && i < times; ++i) again = !faults_of(stored_case).empty();
    const auto smallest =
        again ? cases::smallest_of(form, stored_case, faults_of, [&] { return !over.empty(); }) : std::nullopt;
    if (smallest) {
        failure.smallest = *smallest;
    } else if (over.empty()) {
        if (failure.kind != FuzzKind::misbehaved) failure.kind = FuzzKind::changing;
        failure.reason = "it failed once, and not every time the same case was run";
    }
    if (!over.empty()) failure.reason = "not made small: " + over;
}

} // namespace mxcert::fuzz
