// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/worker/refused.hpp"
#include "conformance/worker/serve.hpp"

namespace mxcert::worker {
namespace {

constexpr std::uint64_t line = 64; ///< bytes an array is aligned to

} // namespace

Server::Answer Server::run_operation(const frames::Frame& frame) {
    if (start_.status != MXCERT_OK) throw Refused(start_.status, start_.message);
    std::span<const std::byte> given;
    const frames::RunRequest request = frames::decode_run(frame.payload, given);
    counts_.values += request.output_values();
    if (request.operation >= plugin_.operations().size())
        refuse_request("operation " + std::to_string(request.operation) + " of " +
                       std::to_string(plugin_.operations().size()));

    // Each array on a cache line of its own; the outputs between guards.
    const auto room = [](const frames::Array& array) { return (array.count * array.width + line - 1) / line * line; };
    const auto total = [&](const std::vector<frames::Array>& arrays, std::uint64_t around) {
        std::uint64_t sum = 0;
        for (const frames::Array& array : arrays) sum += room(array) + around;
        return sum;
    };
    const std::uint64_t output_room = total(request.outputs, 2 * guard_bytes);
    std::byte* in = inputs_.reserve(0, 1, total(request.inputs, 0) + 1); // never no memory at all
    std::byte* out = outputs_.reserve(0, 1, output_room + 1);
    std::memset(out, static_cast<int>(request.poison & 0xFF), static_cast<std::size_t>(output_room));
    std::vector<mxcert_array> inputs;
    std::vector<mxcert_array> outputs;
    const std::byte* from = given.data();
    for (const frames::Array& array : request.inputs) {
        frames::copy_values(in, from, array.count, static_cast<unsigned>(array.width));
        inputs.push_back({in, array.count, array.width});
        from += array.count * array.width;
        in += room(array);
    }
    for (const frames::Array& array : request.outputs) {
        outputs.push_back({out + guard_bytes, array.count, array.width});
        out += room(array) + 2 * guard_bytes;
    }

    mxcert_run_args args{};
    args.struct_size = sizeof(args);
    args.operation = request.operation;
    std::copy(request.shape.begin(), request.shape.end(), args.shape);
    args.input_count = static_cast<std::uint32_t>(inputs.size());
    args.output_count = static_cast<std::uint32_t>(outputs.size());
    args.inputs = inputs.data();
    args.outputs = outputs.data();
    const Outcome outcome = plugin_.run(args);
    if (outcome.status != MXCERT_OK) throw Refused(outcome.status, outcome.message);

    gathered_.clear();
    for (const mxcert_array& array : outputs) {
        auto* const data = static_cast<std::byte*>(array.data);
        const std::uint64_t bytes = array.count * array.width;
        check_guards(data, bytes, request.poison);
        frames::copy_values(data, data, array.count, static_cast<unsigned>(array.width));
        gathered_.insert(gathered_.end(), data, data + bytes);
    }
    Answer answer;
    answer.result = {request.output_values(), frames::digest(gathered_.data(), gathered_.size())};
    answer.outputs = gathered_;
    return answer;
}

} // namespace mxcert::worker
