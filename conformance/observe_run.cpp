// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe_run.hpp"

#include <array>
#include <string>

#include "conformance/frames.hpp"

namespace mxcert {
namespace {

constexpr std::array<std::uint8_t, 2> poisons{0xA5, 0x5A};

frames::RunRequest request_of(std::uint32_t index, const RunCase& asked, std::uint8_t poison) {
    frames::RunRequest request;
    request.operation = index;
    request.poison = poison;
    request.shape = asked.shape;
    for (const Values& input : asked.inputs) request.inputs.push_back({input.count(), input.width()});
    for (const Values& output : asked.outputs) request.outputs.push_back({output.count(), output.width()});
    return request;
}

// The arrays one after the other, as they are on the wire.
std::vector<std::byte> joined(const std::vector<Values>& arrays) {
    std::vector<std::byte> bytes;
    for (const Values& array : arrays) {
        const std::size_t at = bytes.size();
        bytes.resize(at + array.bytes().size());
        frames::copy_values(bytes.data() + at, array.bytes().data(), array.count(), array.width());
    }
    return bytes;
}

std::vector<Values> split(const std::vector<std::byte>& bytes, std::vector<Values> arrays) {
    const std::byte* at = bytes.data();
    for (Values& array : arrays) {
        frames::copy_values(array.bytes().data(), at, array.count(), array.width());
        at += array.bytes().size();
    }
    return arrays;
}

Status status_of(Answer::Kind kind) {
    switch (kind) {
    case Answer::Kind::result: return Status::pass;
    case Answer::Kind::unsupported: return Status::unsupported;
    case Answer::Kind::stopped: return Status::incomplete;
    default: return Status::error;
    }
}

// Why the two answers are not one, by the first place where they differ.
void compare(const RunCase& asked, const std::vector<Values>& again, RunAnswer& answer) {
    for (std::size_t a = 0; a < again.size(); ++a) {
        const auto once = answer.outputs[a].bytes();
        const auto twice = again[a].bytes();
        for (std::size_t i = 0; i < once.size(); ++i) {
            if (once[i] == twice[i]) continue;
            if (a == 0 && !asked.undefined.empty() && asked.undefined[i / again[a].width()]) continue;
            const bool unwritten = once[i] == std::byte{poisons[0]} && twice[i] == std::byte{poisons[1]};
            answer.status = unwritten ? Status::mistrusted : Status::error;
            answer.reason = (unwritten ? "not all of the output was written: value " : "answers changed: value ") +
                            std::to_string(i / again[a].width()) + " of output " + std::to_string(a);
            return;
        }
    }
}

} // namespace

RunAnswer run_twice(WorkerClient& worker, std::uint32_t index, const RunCase& asked, const ObserveOptions& options) {
    const std::vector<std::byte> inputs = joined(asked.inputs);
    RunAnswer answer;
    const std::vector<std::uint8_t> fills =
        asked.once ? std::vector{*asked.once} : std::vector(poisons.begin(), poisons.end());
    for (const std::uint8_t poison : fills) {
        worker.send(request_of(index, asked, poison), inputs);
        Answer got = worker.receive(options.timeout);
        if (got.kind != Answer::Kind::result)
            return {status_of(got.kind), got.message, got.kind == Answer::Kind::died ? worker.last_words() : "", {}};
        std::vector<Values> outputs = split(got.outputs, asked.outputs);
        if (poison == fills.front())
            answer.outputs = std::move(outputs);
        else
            compare(asked, outputs, answer);
    }
    return answer;
}

} // namespace mxcert
