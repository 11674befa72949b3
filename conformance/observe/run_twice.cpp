// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/run_twice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "conformance/frames/run_arrays.hpp"

namespace mxcert::observe {
namespace {

constexpr std::array<std::uint8_t, 2> poisons{0xA5, 0x5A};

/// Runs with larger arrays give their memory back.
constexpr std::uint64_t kept_bytes = std::uint64_t{16} << 20;

frames::RunRequest request_of(std::uint32_t index, const frames::RunCase& run_case) {
    frames::RunRequest request;
    request.operation = index;
    request.shape = run_case.shape;
    for (const frames::Values& input : run_case.inputs) request.inputs.push_back({input.count(), input.width()});
    for (const frames::Values& output : run_case.outputs) request.outputs.push_back({output.count(), output.width()});
    return request;
}

frames::RunRequest request_of(std::uint32_t index, const frames::RepeatedRun& run) {
    frames::RunRequest request;
    request.operation = index;
    request.shape = run.shape;
    for (const frames::RepeatedArray& input : run.inputs) request.inputs.push_back({input.count, input.width});
    for (const frames::RepeatedArray& output : run.outputs) request.outputs.push_back({output.count, output.width});
    return request;
}

// What the time limit is longer by for large arrays: a second for each 2^16 values.
std::chrono::milliseconds time_for(const frames::RunRequest& request) {
    std::uint64_t values = 0;
    for (const auto* arrays : {&request.inputs, &request.outputs})
        for (const frames::Array& array : *arrays) values += array.count;
    return std::chrono::milliseconds(values * 1000 >> 16);
}
// The same for a product of matrices: a second for each 2^20 numbers that are multiplied.
std::chrono::milliseconds time_for(const frames::RunCase& run_case) {
    return std::chrono::milliseconds(run_case.product[0] * run_case.product[1] * run_case.product[2] * 1000 >> 20);
}

Status status_of(Answer::Kind kind) {
    switch (kind) {
    case Answer::Kind::result: return Status::pass;
    case Answer::Kind::unsupported: return Status::unsupported;
    case Answer::Kind::stopped: return Status::incomplete;
    default: return Status::error;
    }
}

// Why a run is too large for what a worker shares and may take; "" if it is not.
std::string too_large(const WorkerClient& worker, const frames::RunRequest& request, std::uint64_t end,
                      const WorkerLimits& limits) {
    constexpr double gibibyte = 1U << 30U;
    const std::uint64_t bytes = end - process::layout::runs;
    const auto takes = [&](std::string_view what, std::uint64_t most) {
        return fmt::format("it takes {:.1f} GiB, and {} {:.1f} GiB", static_cast<double>(bytes) / gibibyte, what,
                           static_cast<double>(most) / gibibyte);
    };
    if (end > worker.memory().size()) return takes("runs may have", worker.memory().size() - process::layout::runs);
    if (limits.memory != 0 && bytes > limits.memory / 8 * 7) return takes("a worker may take", limits.memory);
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
    for (const frames::Array& array : request.inputs) inputs += array.count * array.width;
    for (const frames::Array& array : request.outputs) outputs += array.count * array.width;
    constexpr std::uint64_t of_header = 4096;
    if (!worker.shares_runs() && std::max(inputs, outputs) + of_header > frames::max_payload)
        return takes("a frame has", frames::max_payload);
    return {};
}

std::span<std::byte> array_in(std::span<std::byte> memory, const frames::Array& array) {
    return memory.subspan(array.offset, array.count * array.width);
}

/// Why a run has no outputs to compare.
struct Failure {
    Status status;
    std::string reason;
    std::string detail;
};

/// Sends a run once. `write(i, memory)` writes an input, `is_same(i, memory)` says whether it still is what it was.
template <class Write, class IsSame>
std::optional<Failure> send_once(WorkerClient& worker, frames::RunRequest& request, std::uint8_t poison,
                                 std::chrono::milliseconds timeout, const Write& write, const IsSame& is_same) {
    const std::span<std::byte> memory = worker.memory();
    request.poison = poison;
    for (std::size_t i = 0; i < request.inputs.size(); ++i) write(i, array_in(memory, request.inputs[i]));
    frames::prepare_arrays(memory, request);
    worker.send(request);
    const Answer answer = worker.receive(timeout + time_for(request));
    if (answer.kind != Answer::Kind::result)
        return Failure{status_of(answer.kind), answer.message,
                       answer.kind == Answer::Kind::died ? worker.last_words() : ""};
    std::string damage = frames::damage_of_arrays(memory, request);
    for (std::size_t i = 0; damage.empty() && i < request.inputs.size(); ++i)
        if (!is_same(i, array_in(memory, request.inputs[i]))) damage = fmt::format("changed its input {}", i);
    if (damage.empty()) return std::nullopt;
    return Failure{Status::error, damage, worker.last_words()};
}

/// The first output with a mismatch, and which it is.
std::optional<std::pair<std::size_t, frames::Mismatch>>
mismatch_of(std::span<const std::byte> memory, const frames::RepeatedRun& run, const frames::RunRequest& request) {
    for (std::size_t i = 0; i < run.outputs.size(); ++i)
        if (const auto found =
                frames::mismatch(run.outputs[i], memory.subspan(request.outputs[i].offset, run.outputs[i].bytes())))
            return {{i, *found}};
    return std::nullopt;
}

/// What the mismatches of both times say.
frames::RepeatedAnswer answer_of(const frames::RepeatedRun& run,
                                 const std::optional<std::pair<std::size_t, frames::Mismatch>>& once,
                                 const std::optional<std::pair<std::size_t, frames::Mismatch>>& twice) {
    if (!once && !twice) return {};
    // The place that comes first, and what it had each time.
    const auto place = [](const auto& item) {
        return item ? std::pair(item->first, item->second.first) : std::pair(~0UL, ~0UL);
    };
    const auto& first = place(twice) < place(once) ? *twice : *once;
    const auto got = [&](const auto& item) {
        return item && place(item) == place(std::optional(first)) ? item->second.got : first.second.wanted;
    };
    frames::RepeatedAnswer answer{Status::fail, {}, {}, first.second, first.first};
    const frames::RepeatedArray& output = run.outputs[first.first];
    if (got(once) != got(twice))
        std::tie(answer.status, answer.reason) = frames::what_changed(
            {first.first, first.second.first, output.count, output.width, got(once), got(twice)}, poisons);
    return answer;
}

} // namespace

frames::RepeatedAnswer run_twice(WorkerClient& worker, std::uint32_t index, const frames::RepeatedRun& run,
                                 const ObserveOptions& options) {
    frames::RunRequest request = request_of(index, run);
    std::array<std::optional<std::pair<std::size_t, frames::Mismatch>>, poisons.size()> found;
    std::uint64_t end = 0;
    for (std::size_t time = 0; time < poisons.size(); ++time) {
        end = frames::place_arrays(request, process::layout::runs, time == 0 ? 0 : frames::array_alignment);
        if (const std::string reason = too_large(worker, request, end + frames::array_alignment, options.limits);
            !reason.empty())
            return {Status::untested, reason, {}, {}};
        const auto failure = send_once(
            worker, request, poisons[time], options.timeout,
            [&](std::size_t i, std::span<std::byte> to) { frames::fill(run.inputs[i], to); },
            [&](std::size_t i, std::span<const std::byte> now) { return !frames::mismatch(run.inputs[i], now); });
        if (failure) return {failure->status, failure->reason, failure->detail, {}};
        found[time] = mismatch_of(worker.memory(), run, request);
    }
    if (end - process::layout::runs > kept_bytes) worker.forget_runs(end - process::layout::runs);
    return answer_of(run, found[0], found[1]);
}

frames::RunAnswer run_twice(WorkerClient& worker, std::uint32_t index, const frames::RunCase& run_case,
                            const ObserveOptions& options) {
    frames::RunRequest request = request_of(index, run_case);
    const std::span<std::byte> memory = worker.memory();
    frames::RunAnswer answer;
    const std::vector<std::uint8_t> fills =
        run_case.once ? std::vector{*run_case.once} : std::vector(poisons.begin(), poisons.end());
    std::uint64_t end = 0;
    for (const std::uint8_t poison : fills) {
        // The second time elsewhere, as a multiple of the alignment.
        const bool again = poison != fills.front();
        end = frames::place_arrays(request, process::layout::runs, again ? frames::array_alignment : 0);
        if (end > memory.size()) {
            answer.status = Status::error;
            answer.reason = "its arrays do not fit into the memory of a worker";
            return answer;
        }
        const auto failure = send_once(
            worker, request, poison, options.timeout + time_for(run_case),
            [&](std::size_t i, std::span<std::byte> to) {
                std::memcpy(to.data(), run_case.inputs[i].bytes().data(), to.size());
            },
            [&](std::size_t i, std::span<const std::byte> now) {
                return std::memcmp(now.data(), run_case.inputs[i].bytes().data(), now.size()) == 0;
            });
        if (failure) return {failure->status, failure->reason, failure->detail, {}};
        std::vector<frames::Values> outputs = run_case.outputs;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            std::memcpy(outputs[i].bytes().data(), array_in(memory, request.outputs[i]).data(),
                        outputs[i].bytes().size());
        if (again)
            frames::compare_answers(run_case, poisons, outputs, answer);
        else
            answer.outputs = std::move(outputs);
    }
    if (end - process::layout::runs > kept_bytes) worker.forget_runs(end - process::layout::runs);
    return answer;
}

} // namespace mxcert::observe
