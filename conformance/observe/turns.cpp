// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/turns.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "conformance/observe/ask_places.hpp"
#include "conformance/observe/run_twice.hpp"
#include "conformance/observe/workers.hpp"

namespace mxcert::observe {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{16} << 10U; ///< of the arrays of a run
constexpr std::chrono::seconds longest{120};                   ///< for more turns than forward and backward
constexpr std::uint64_t turns_of_quick = 2048;
constexpr std::uint64_t turns_of_standard = 20'000;

std::uint64_t bytes_of(const std::vector<frames::Values>& arrays) {
    return std::accumulate(arrays.begin(), arrays.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const frames::Values& values) { return sum + values.bytes().size(); });
}

std::uint64_t bytes_of(const frames::RunCase& run_case) {
    return bytes_of(run_case.inputs) + bytes_of(run_case.outputs);
}

/// What came of a call that was asked once more.
struct Answered {
    Status status = Status::pass;
    std::string reason; ///< why its answer is not the one that came before
    std::string detail;
};

std::string name_of(const Call& call) {
    return std::visit(
        [](const auto& asked) {
            if constexpr (std::is_same_v<std::decay_t<decltype(asked)>, ConversionCall>)
                return to_string(asked.conversion);
            else
                return to_string(asked.operation);
        },
        call);
}

Answered ask_call(WorkerClient& worker, const ConversionCall& call, const ObserveOptions& options, std::uint64_t most) {
    const std::uint64_t count = call.ring.inputs.size();
    const std::vector<PlaceRequest> requests{{&call.ring, most == 0 ? count : std::min(count, most), count}};
    const PlaceExchange exchange(call.conversion, requests);
    const inputs::Block block = exchange.blocks().front();
    Exchange::Scratch scratch;
    exchange.send(worker, call.index, block, {}, scratch);
    const Answer answer = worker.receive(options.timeout);
    if (answer.kind != Answer::Kind::result)
        return {answer.kind == Answer::Kind::stopped ? Status::incomplete : Status::error, answer.message,
                answer.kind == Answer::Kind::died ? worker.last_words() : ""};
    if (const std::string damage = exchange.damage(worker, block, {}, scratch); !damage.empty())
        return {Status::error, damage, worker.last_words()};
    const Exchange::Reading reading = exchange.read(worker, block, {}, scratch);
    if (!reading.flaw.empty()) return {reading.flaw_status, reading.flaw, {}};
    if (!reading.reason.empty()) return {reading.status, reading.reason, {}};
    return {};
}

Answered ask_call(WorkerClient& worker, const OperationCall& call, const ObserveOptions& options,
                  std::uint64_t /*most*/) {
    const frames::RunAnswer answer = run_twice(worker, call.index, call.run_case, options);
    if (answer.status != Status::pass) return {answer.status, answer.reason, answer.detail};
    for (std::size_t i = 0; i < answer.outputs.size(); ++i)
        for (std::uint64_t at = 0; at < answer.outputs[i].count(); ++at) {
            const bool is_undefined = i == 0 && at < call.run_case.undefined.size() && call.run_case.undefined[at];
            const Code now = answer.outputs[i].get(at);
            const Code before = call.outputs[i].get(at);
            if (now == before || is_undefined) continue;
            return {Status::fail,
                    fmt::format("{}: value {} of output {} is 0x{:X}, and was 0x{:X}", call.run_case.name, at, i, now,
                                before),
                    {}};
        }
    return {};
}

} // namespace

void Turns::keep(const Conversion& conversion, std::uint32_t index, const std::vector<inputs::Ring>& rings) {
    const std::lock_guard<std::mutex> held(lock_);
    std::erase_if(conversions_, [&](const ConversionCall& call) { return call.conversion == conversion; });
    for (const inputs::Ring& ring : rings) conversions_.push_back({conversion, index, ring});
}

void Turns::keep(const Operation& operation, std::uint32_t index, const frames::RunCase& run_case,
                 const std::vector<frames::Values>& outputs) {
    if (run_case.once || bytes_of(run_case) > most_bytes) return;
    const std::lock_guard<std::mutex> held(lock_);
    const auto known = std::find_if(operations_.begin(), operations_.end(),
                                    [&](const OperationCall& call) { return call.operation == operation; });
    if (known == operations_.end())
        operations_.push_back({operation, index, run_case, outputs});
    else if (bytes_of(known->run_case) < bytes_of(run_case))
        *known = {operation, index, run_case, outputs};
}

std::vector<Call> Turns::calls() const {
    const std::lock_guard<std::mutex> held(lock_);
    std::vector<ConversionCall> conversions = conversions_;
    std::ranges::stable_sort(conversions, {}, &ConversionCall::index);
    std::vector<Call> all(conversions.begin(), conversions.end());
    std::vector<OperationCall> operations = operations_;
    std::ranges::sort(operations, {}, &OperationCall::index);
    all.insert(all.end(), operations.begin(), operations.end());
    return all;
}

std::vector<std::size_t> order_of_turns(std::size_t calls, std::uint64_t most) {
    std::vector<std::size_t> order;
    for (std::size_t turn = 0; turn + 1 < calls; ++turn) {
        // Forward, backward, then in ever longer steps.
        const std::size_t step = turn == 0 ? 1 : turn == 1 ? calls - 1 : turn;
        const std::size_t circles = std::gcd(step, calls);
        if (turn > 1 && order.size() + calls + circles > most) break;
        for (std::size_t circle = 0; circle < circles; ++circle)
            for (std::size_t i = 0; i <= calls / circles; ++i) order.push_back((circle + i * step) % calls);
    }
    return order;
}

bool has_every_pair(const std::vector<std::size_t>& order, std::size_t calls) {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 1; i < order.size(); ++i)
        if (order[i - 1] != order[i]) pairs.emplace(order[i - 1], order[i]);
    return pairs.size() == calls * (calls - 1);
}

std::uint64_t most_turns(Level level) {
    if (is_small(level)) return 0;
    return level == Level::quick ? turns_of_quick : turns_of_standard;
}

TurnsSeen Workers::ask_turns() const {
    TurnsSeen seen;
    const std::vector<Call> calls = turns->calls();
    if (calls.size() < 2 || most_turns(options.level) == 0) return seen;
    seen.rows = calls.size();
    const std::vector<std::size_t> order = order_of_turns(calls.size(), most_turns(options.level));
    const auto ended = [&](Status status, std::string reason, std::string detail = {}) {
        const bool is_stopped = options.stop != nullptr && options.stop->load();
        seen.status = is_stopped ? Status::incomplete : status;
        seen.reason = is_stopped ? "stopped" : std::move(reason);
        seen.detail = std::move(detail);
        return seen;
    };
    try {
        const std::unique_ptr<WorkerClient> worker = start();
        process::set_backdrop(worker->memory());
        std::size_t before = calls.size();
        const auto began = std::chrono::steady_clock::now();
        for (const std::size_t number : order) {
            // Forward and backward, whatever it takes.
            if (seen.calls > 2 * (calls.size() + 1) && std::chrono::steady_clock::now() - began > longest) break;
            const Answered answered = std::visit(
                [&](const auto& call) { return ask_call(*worker, call, options, info.max_batch); }, calls[number]);
            if (answered.status != Status::pass) {
                seen.failed = {name_of(calls[number])};
                if (before != calls.size()) seen.failed.push_back(name_of(calls[before]));
                return ended(answered.status,
                             fmt::format("{} {}: {}", seen.failed.front(),
                                         before == calls.size() ? "in a new process" : "after " + seen.failed.back(),
                                         answered.reason),
                             answered.detail);
            }
            before = number;
            ++seen.calls;
        }
        if (const std::string end = worker->finish(options.timeout); !end.empty()) return ended(Status::error, end);
    } catch (const std::exception& error) {
        return ended(Status::error, error.what());
    }
    seen.every_pair = seen.calls == order.size() && has_every_pair(order, calls.size());
    seen.status = Status::pass;
    return seen;
}

} // namespace mxcert::observe
