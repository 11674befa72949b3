// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz_diagnose.hpp"

#include <chrono>
#include <optional>

#include "conformance/fuzz/fuzz_shrink.hpp"
#include "conformance/inputs/poison.hpp"
#include "reference/code_text.hpp"

namespace mxcert::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned wrong_attempts = 4000;
constexpr unsigned crash_attempts = 100;              ///< each of them starts a worker
constexpr unsigned hang_attempts = 8;                 ///< each of them takes the whole timeout
constexpr std::chrono::seconds longest_shrinking{20}; ///< a slow backend
constexpr unsigned repeats = 4;
constexpr std::uint8_t poison = 0x5A;
constexpr std::uint8_t other_poison = 0xC3;
constexpr const char* not_small = "not made small: ";

struct Seen {
    std::size_t at = 0;
    Code got = 0;
    verdict::ExpectedValue expected;
};

/// The first forbidden answer of a case that belongs to the same permitted step.
class Same {
  public:
    Same(const verdict::ValueJudge& judge, const verdict::ExpectedValue& expected, const AskFuzzCase& ask)
        : judge_(judge), expected_(expected), ask_(ask) {}

    [[nodiscard]] std::optional<Seen> operator()(const FuzzCase& fuzz_case, std::uint8_t byte = poison) const {
        const FuzzAnswer answer = ask_(fuzz_case, byte);
        if (answer.kind != FuzzAnswer::Kind::codes) interrupted_ = answer.reason;
        for (std::size_t i = 0; i < answer.codes.size(); ++i) {
            const auto now = judge_.forbids(fuzz_case.values[i].input, fuzz_case.values[i].random, answer.codes[i]);
            // A stochastic rounding has no steps: the clause alone tells its faults apart.
            const bool stochastic = is_stochastic(fuzz_case.conversion.rounding);
            if (now && now->clause == expected_.clause && (stochastic || now->first == expected_.first))
                return Seen{i, answer.codes[i], *now};
        }
        return std::nullopt;
    }

    /// Why a case had no answers; "" if all had.
    [[nodiscard]] const std::string& interrupted() const { return interrupted_; }

  private:
    const verdict::ValueJudge& judge_;
    const verdict::ExpectedValue& expected_;
    const AskFuzzCase& ask_;
    mutable std::string interrupted_;
};

/// A failure that could not be looked into: a signal, or a crash on the way.
FuzzFailure as_it_was(FuzzFailure failure, const std::string& why) {
    failure.kind = failure.fuzz_case.values.size() == 1 ? FuzzKind::wrong : FuzzKind::company;
    failure.reason = not_small + why;
    return failure;
}

void fill(FuzzFailure& failure, const FuzzCase& fuzz_case, const Seen& seen) {
    failure.fuzz_case = fuzz_case;
    failure.at = seen.at;
    failure.got = seen.got;
    failure.expected = seen.expected;
}

/// Where a value that is wrong alone is right: in a batch of its own kind. "" if it is wrong everywhere.
std::string right_elsewhere(const FuzzFailure& failure, const verdict::ValueJudge& judge, const AskFuzzCase& ask) {
    FuzzCase many = failure.fuzz_case;
    for (const std::size_t copies : {2U, 3U, 16U}) {
        many.values.assign(copies, failure.fuzz_case.values.front());
        const FuzzAnswer answer = ask(many, poison);
        for (const Code code : answer.codes)
            if (!judge.forbids(many.values.front().input, many.values.front().random, code))
                return "alone it gives " + code_text(*many.conversion.to, failure.got) + ", " + std::to_string(copies) +
                       " of it give " + code_text(*many.conversion.to, code);
    }
    return {};
}

} // namespace

bool is_wrong_alone(const verdict::ValueJudge& judge, const WrongAnswer& wrong, const AskFuzzCase& ask) {
    const FuzzValue& value = wrong.fuzz_case.values[wrong.at];
    const FuzzAnswer answer = ask({wrong.fuzz_case.conversion, {value}, 0, 0}, poison);
    if (answer.kind == FuzzAnswer::Kind::stopped) return true;
    return answer.kind == FuzzAnswer::Kind::codes &&
           judge.forbids(value.input, value.random, answer.codes.front()).has_value();
}

FuzzFailure diagnose_wrong(const verdict::ValueJudge& judge, const WrongAnswer& wrong, const AskFuzzCase& ask) {
    const Same same(judge, wrong.expected, ask);
    const Format& to = *wrong.fuzz_case.conversion.to;
    FuzzFailure failure;
    fill(failure, wrong.fuzz_case, {wrong.at, wrong.got, wrong.expected});
    for (unsigned i = 0; i < repeats; ++i) {
        if (same(wrong.fuzz_case)) continue;
        if (!same.interrupted().empty()) return as_it_was(std::move(failure), same.interrupted());
        failure.kind = FuzzKind::changing;
        failure.reason = "it gave " + code_text(to, wrong.got) + " once, and not when the same batch was asked again";
        return failure;
    }
    const auto deadline = Clock::now() + longest_shrinking;
    std::optional<Seen> last; // of the smallest
    const auto fails = [&](const FuzzCase& candidate) {
        const auto now = Clock::now() < deadline ? same(candidate) : std::nullopt;
        if (now) last = now;
        return now.has_value();
    };
    const FuzzCase small = shrink_case(wrong.fuzz_case, wrong.at, fails, wrong_attempts);
    const auto seen = same(small);
    const auto again = same(small, other_poison);
    if (!seen || !again) {
        if (!same.interrupted().empty()) {
            if (last) fill(failure, small, *last);
            return as_it_was(std::move(failure), same.interrupted());
        }
        failure.kind = FuzzKind::changing;
        failure.reason = "it gave " + code_text(to, wrong.got) + ", but not every time the same batch was asked";
        return failure;
    }
    fill(failure, small, *seen);
    if (seen->got == inputs::poison_code(poison, to) && again->got == inputs::poison_code(other_poison, to)) {
        failure.kind = FuzzKind::unwritten;
    } else if (small.values.size() > 1 || small.batch != 0 || small.shift != 0) {
        failure.kind = FuzzKind::company;
    } else if (failure.reason = right_elsewhere(failure, judge, ask); !failure.reason.empty()) {
        failure.kind = FuzzKind::changing;
    }
    return failure;
}

FuzzFailure diagnose_misbehaved(const FuzzCase& fuzz_case, const FuzzAnswer& answer, const AskFuzzCase& ask) {
    FuzzFailure failure;
    failure.kind = FuzzKind::misbehaved;
    failure.cause = answer.cause();
    FuzzAnswer last = answer; // of the smallest
    std::string interrupted;
    const auto fails = [&](const FuzzCase& candidate) {
        if (!interrupted.empty()) return false;
        FuzzAnswer now = ask(candidate, poison);
        if (now.kind == FuzzAnswer::Kind::stopped) interrupted = now.reason;
        if (now.cause() != failure.cause) return false;
        last = std::move(now);
        return true;
    };
    const bool hangs = answer.kind == FuzzAnswer::Kind::hung;
    failure.fuzz_case = shrink_case(fuzz_case, 0, fails, hangs ? hang_attempts : crash_attempts);
    failure.reason = last.reason;
    if (!interrupted.empty()) failure.reason += "; " + (not_small + interrupted);
    failure.detail = last.detail;
    return failure;
}

} // namespace mxcert::fuzz
