// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>

#include "conformance/run_arrays.hpp"

namespace mxcert {
namespace {

constexpr std::array<std::uint8_t, 2> poisons{0xA5, 0x5A};

/// Runs with larger arrays give their memory back.
constexpr std::uint64_t kept_bytes = std::uint64_t{16} << 20;

frames::RunRequest request_of(std::uint32_t index, const RunCase& asked) {
    frames::RunRequest request;
    request.operation = index;
    request.shape = asked.shape;
    for (const Values& input : asked.inputs) request.inputs.push_back({input.count(), input.width()});
    for (const Values& output : asked.outputs) request.outputs.push_back({output.count(), output.width()});
    return request;
}

// What the time limit is longer by for large arrays: a second for each 2^16 values.
std::chrono::milliseconds time_for(const RunCase& asked) {
    std::uint64_t values = 0;
    for (const std::vector<Values>* arrays : {&asked.inputs, &asked.outputs})
        for (const Values& array : *arrays) values += array.count();
    return std::chrono::milliseconds(values * 1000 >> 16);
}

Status status_of(Answer::Kind kind) {
    switch (kind) {
    case Answer::Kind::result: return Status::pass;
    case Answer::Kind::unsupported: return Status::unsupported;
    case Answer::Kind::stopped: return Status::incomplete;
    default: return Status::error;
    }
}

} // namespace

RunAnswer run_twice(WorkerClient& worker, std::uint32_t index, const RunCase& asked, const ObserveOptions& options) {
    frames::RunRequest request = request_of(index, asked);
    const std::span<std::byte> memory = worker.memory();
    RunAnswer answer;
    const std::vector<std::uint8_t> fills =
        asked.once ? std::vector{*asked.once} : std::vector(poisons.begin(), poisons.end());
    std::uint64_t end = 0;
    for (const std::uint8_t poison : fills) {
        // The second time elsewhere, as a multiple of the alignment.
        const bool again = poison != fills.front();
        end = place_arrays(request, layout::runs, again ? frames::array_alignment : 0);
        if (end > memory.size()) {
            answer.status = Status::error;
            answer.reason = "its arrays do not fit into the memory of a worker";
            return answer;
        }
        request.poison = poison;
        for (std::size_t i = 0; i < asked.inputs.size(); ++i)
            std::memcpy(memory.data() + request.inputs[i].offset, asked.inputs[i].bytes().data(),
                        asked.inputs[i].bytes().size());
        prepare_arrays(memory, request);
        worker.send(request);
        const Answer got = worker.receive(options.timeout + time_for(asked));
        if (got.kind != Answer::Kind::result)
            return {status_of(got.kind), got.message, got.kind == Answer::Kind::died ? worker.last_words() : "", {}};
        std::string damage = damage_of_arrays(memory, request);
        for (std::size_t i = 0; damage.empty() && i < asked.inputs.size(); ++i)
            if (std::memcmp(memory.data() + request.inputs[i].offset, asked.inputs[i].bytes().data(),
                            asked.inputs[i].bytes().size()) != 0)
                damage = "changed its input " + std::to_string(i);
        if (!damage.empty()) return {Status::error, damage, worker.last_words(), {}};
        std::vector<Values> outputs = asked.outputs;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            std::memcpy(outputs[i].bytes().data(), memory.data() + request.outputs[i].offset,
                        outputs[i].bytes().size());
        if (again)
            compare_answers(asked, poisons, outputs, answer);
        else
            answer.outputs = std::move(outputs);
    }
    if (end - layout::runs > kept_bytes) worker.forget_runs(end - layout::runs);
    return answer;
}

} // namespace mxcert
