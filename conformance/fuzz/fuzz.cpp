// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "conformance/fuzz/fuzz_diagnose.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"

namespace mxcert::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t most_misbehaved = 32; ///< cases, then a conversion is given up: each may cost a timeout

/// Runs cases and collects what fails.
class Run {
  public:
    Run(const AskFuzzCase& ask, const FuzzOptions& options)
        : begin_(options.now()), options_(options), ask_(ask),
          look_into_([this](const FuzzCase& fuzz_case, std::uint8_t poison) {
              if (is_over()) return FuzzAnswer{FuzzAnswer::Kind::stopped, {}, "the time was over", {}};
              return ask_(fuzz_case, poison);
          }) {}

    [[nodiscard]] bool is_over() const { return options_.now() - begin_ >= options_.time; }

    FuzzResult finish() {
        if (is_stopped()) result.stopped = true;
        result.seconds = std::chrono::duration<double>(options_.now() - begin_).count();
        return std::move(result);
    }

    /// Why no failure is to be looked into; "" as long as one may be.
    [[nodiscard]] std::string over() const { return is_over() ? "the time was over" : is_stopped() ? "stopped" : ""; }
    [[nodiscard]] bool is_stopped() const { return options_.stop != nullptr && options_.stop->load(); }

    /// False if the run is to end.
    bool one(FuzzTarget& target, const FuzzCase& fuzz_case, std::uint64_t number) {
        ++result.cases;
        ++target.cases;
        // Twice, as certify does: with another cut, another place and another poison.
        const FuzzCase second = cut_otherwise(fuzz_case);
        const FuzzAnswer a = ask_(fuzz_case, poisons[0]);
        if (!usable(target, fuzz_case, a, number)) return a.kind != FuzzAnswer::Kind::stopped;
        const FuzzAnswer b = ask_(second, poisons[1]);
        if (!usable(target, second, b, number)) return b.kind != FuzzAnswer::Kind::stopped;
        target.values += fuzz_case.values.size();
        result.values += fuzz_case.values.size();
        for (std::size_t i = 0; i < fuzz_case.values.size(); ++i) {
            const FuzzValue& value = fuzz_case.values[i];
            if (const auto expected = target.judge.forbids(value.input, value.random, a.codes[i])) {
                failed(target, {fuzz_case, i, a.codes[i], *expected}, number);
            } else if (const auto other_expected = target.judge.forbids(value.input, value.random, b.codes[i])) {
                failed(target, {second, i, b.codes[i], *other_expected}, number);
            } else if (a.codes[i] != b.codes[i]) {
                changed(target, fuzz_case, i, a.codes[i], b.codes[i], number);
            }
        }
        return true;
    }

    FuzzResult result;

  private:
    static FuzzCase cut_otherwise(FuzzCase fuzz_case) {
        const std::uint64_t size = fuzz_case.values.size();
        fuzz_case.batch = fuzz_case.batch == 0 ? size / 3 | 1 : 0;
        if (fuzz_case.batch >= size) fuzz_case.batch = 0;
        fuzz_case.shift = max_case_shift - fuzz_case.shift;
        return fuzz_case;
    }

    bool usable(FuzzTarget& target, const FuzzCase& fuzz_case, const FuzzAnswer& answer, std::uint64_t number) {
        switch (answer.kind) {
        case FuzzAnswer::Kind::codes: return true;
        case FuzzAnswer::Kind::stopped: result.stopped = true; return false;
        case FuzzAnswer::Kind::unsupported: target.dropped = answer.reason; return false;
        default: break;
        }
        if (++target.misbehaved >= most_misbehaved) target.dropped = "given up: " + answer.reason;
        const std::string cause = answer.cause();
        for (FuzzFailure& known : result.failures)
            if (known.kind == FuzzKind::misbehaved && known.fuzz_case.conversion == target.conversion &&
                known.cause == cause) {
                ++known.found;
                return false;
            }
        FuzzFailure failure = diagnose_misbehaved(fuzz_case, answer, look_into_);
        failure.number = number;
        keep(std::move(failure));
        return false;
    }

    void failed(const FuzzTarget& target, const WrongAnswer& wrong, std::uint64_t number) {
        // A fault usually shows at many inputs of a step: the first is made small, the others are counted. A stochastic
        // rounding has no steps: its clause alone tells.
        const bool stochastic = is_stochastic(target.conversion.rounding);
        for (FuzzFailure& known : result.failures)
            if (known.kind != FuzzKind::misbehaved && known.fuzz_case.conversion == target.conversion &&
                known.expected.clause == wrong.expected.clause &&
                (stochastic || known.expected.first == wrong.expected.first)) {
                ++known.found;
                return;
            }
        // What is right alone shows everywhere, and takes long to make small: once for a conversion.
        for (FuzzFailure& known : result.failures)
            if (known.kind != FuzzKind::misbehaved && known.kind != FuzzKind::wrong &&
                known.fuzz_case.conversion == target.conversion && !is_wrong_alone(target.judge, wrong, look_into_)) {
                ++known.found;
                return;
            }
        if (result.count_failures() >= max_fuzz_failures) {
            ++result.more;
            return;
        }
        FuzzFailure failure = diagnose_wrong(target.judge, wrong, look_into_);
        failure.number = number;
        keep(std::move(failure));
    }

    void changed(const FuzzTarget& target, const FuzzCase& fuzz_case, std::size_t at, Code a, Code b,
                 std::uint64_t number) {
        for (FuzzFailure& known : result.failures)
            if (known.kind == FuzzKind::changing && known.fuzz_case.conversion == target.conversion) {
                ++known.found;
                return;
            }
        FuzzFailure failure;
        failure.kind = FuzzKind::changing;
        failure.fuzz_case = fuzz_case;
        failure.at = at;
        failure.got = a;
        failure.reason = "permitted, and not the same: " + code_text(*target.conversion.to, a) + ", then " +
                         code_text(*target.conversion.to, b) + " where the batch is cut and placed otherwise";
        failure.number = number;
        keep(std::move(failure));
    }

    void keep(FuzzFailure failure) {
        if (result.count_failures() < max_fuzz_failures)
            result.failures.push_back(std::move(failure));
        else
            ++result.more;
    }

    static constexpr std::array<std::uint8_t, 2> poisons{0xA5, 0x5A};
    Clock::time_point begin_;
    const FuzzOptions& options_;
    const AskFuzzCase& ask_;
    const AskFuzzCase look_into_; ///< the same, as long as there is time
};

/// What takes its turns with others of its kind.
struct Lane {
    std::size_t targets;
    std::uint64_t cases_of_turn;
    std::function<bool(std::size_t at)> dropped;
    std::function<bool(std::size_t at, std::uint64_t round, std::uint64_t number)> one; ///< false if the run is to end

    [[nodiscard]] bool is_empty() const {
        std::size_t at = 0;
        while (at < targets && dropped(at)) ++at;
        return at == targets;
    }
    /// The target of a case of the lane, and which of its cases that is.
    [[nodiscard]] std::pair<std::size_t, std::uint64_t> place(std::uint64_t number) const {
        const std::uint64_t turn = number / cases_of_turn;
        return {turn % targets, turn / targets * cases_of_turn + number % cases_of_turn};
    }
};

constexpr std::uint64_t cases_of_turn = 8; ///< of an operation: reading its tables takes as long as many cases

} // namespace

std::string_view to_string(FuzzKind kind) {
    constexpr std::array<std::string_view, 5> names{"WRONG", "WRONG IN COMPANY", "NOT WRITTEN", "NOT DETERMINISTIC",
                                                    "MISBEHAVED"};
    return names.at(static_cast<std::size_t>(kind));
}

FuzzResult fuzz(std::vector<FuzzTarget>& targets, const AskFuzzCase& ask, FuzzedOperations& operations,
                const FuzzOptions& options) {
    Run run(ask, options);
    OperationRun of_operations(operations, options.seed, [&run] { return run.over(); });
    std::vector<FuzzGenerator> generators;
    for (std::size_t i = 0; i < targets.size(); ++i)
        generators.emplace_back(targets[i].conversion, targets[i].judge.firsts(), SplitMix64::at(options.seed, i));
    std::vector<Lane> lanes;
    if (!targets.empty())
        lanes.push_back({targets.size(), 1, [&](std::size_t at) { return !targets[at].dropped.empty(); },
                         [&](std::size_t at, std::uint64_t round, std::uint64_t number) {
                             return run.one(targets[at], generators[at](round), number);
                         }});
    if (!operations.targets.empty())
        lanes.push_back({operations.targets.size(), cases_of_turn,
                         [&](std::size_t at) { return !operations.targets[at].dropped.empty(); },
                         [&](std::size_t at, std::uint64_t round, std::uint64_t number) {
                             return of_operations.one(at, round, number, run.result);
                         }});
    const auto over = [&](std::uint64_t number) {
        if (run.is_stopped()) run.result.stopped = true;
        return run.result.stopped || run.is_over() || (options.cases != 0 && number >= options.cases);
    };
    // A target that is dropped leaves its turn empty, so that the cases of the others stay what they are.
    for (std::uint64_t number = 0; !over(number); ++number) {
        if (std::all_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.is_empty(); })) break;
        const Lane& lane = lanes[number % lanes.size()];
        const auto [at, round] = lane.place(number / lanes.size());
        if (lane.dropped(at)) continue;
        if (!lane.one(at, round, number)) break;
        if (options.progress) options.progress(run.result.cases, run.result.values, run.result.count_failures());
    }
    return run.finish();
}

FuzzResult fuzz(std::vector<FuzzTarget>& targets, const AskFuzzCase& ask, const FuzzOptions& options) {
    FuzzedOperations none;
    return fuzz(targets, ask, none, options);
}

FuzzResult fuzz_one(FuzzTarget& target, const FuzzCase& fuzz_case, const AskFuzzCase& ask, const FuzzOptions& options) {
    Run run(ask, options);
    (void)run.one(target, fuzz_case, 0);
    return run.finish();
}

FuzzVerdict verdict_of(const FuzzResult& result) {
    const auto any = [&](bool misbehaved) {
        const auto is_one = [&](const auto& failure) { return (failure.kind == FuzzKind::misbehaved) == misbehaved; };
        return std::any_of(result.failures.begin(), result.failures.end(), is_one) ||
               std::any_of(result.operation_failures.begin(), result.operation_failures.end(), is_one);
    };
    if (any(false)) return {1, "FOUND", Status::fail};
    if (any(true)) return {3, "FOUND", Status::fail};
    if (!result.misbehaved.empty()) return {3, "MISBEHAVED", Status::error};
    if (result.stopped) return {3, "STOPPED", Status::incomplete};
    if (result.values == 0) return {4, "NOTHING CHECKED", Status::incomplete};
    return {0, "NOTHING FOUND", Status::pass};
}

} // namespace mxcert::fuzz
