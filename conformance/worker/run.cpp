// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/worker/refused.hpp"
#include "conformance/worker/serve.hpp"

namespace mxcert::worker {
namespace {

/// An array of a request as a plugin sees it. The decoder takes widths of 1, 2, 4 and 8 only.
mxcert_array array_at(std::byte* data, const frames::Array& array) {
    return {data, array.count, static_cast<std::uint32_t>(array.width), 0};
}

} // namespace

Server::Answer Server::run_operation(const frames::Frame& frame) {
    const bool shared = frame.header.type == frames::Type::run_shared;
    std::span<const std::byte> bytes;
    const frames::RunRequest request =
        shared ? frames::decode_shared_run(frame.payload) : frames::decode_run(frame.payload, bytes);
    counts_.values += request.output_values(); // of refused ones too: END tells what was asked
    if (start_.status != MXCERT_OK) throw Refused(start_.status, start_.message);
    if (request.operation >= plugin_.operations().size())
        refuse_request("operation " + std::to_string(request.operation) + " of " +
                       std::to_string(plugin_.operations().size()));
    if (shared) {
        call_run(request, shared_arrays(request));
        return {{request.output_values(), 0}, {}};
    }
    const Arrays arrays = own_arrays(request, bytes.data());
    call_run(request, arrays);
    return gather(request, arrays);
}

// Where the request says. The harness has filled the outputs, and looks at what is around them afterwards.
Server::Arrays Server::shared_arrays(const frames::RunRequest& request) const {
    const auto place = [&](const std::vector<frames::Array>& arrays) {
        std::vector<mxcert_array> placed;
        for (const frames::Array& array : arrays) {
            std::byte* const at = shared_.at(array.offset, array.count, static_cast<unsigned>(array.width));
            if (at == nullptr)
                refuse_request("an array of " + std::to_string(array.count) + " values of " +
                               std::to_string(array.width) + " bytes at offset " + std::to_string(array.offset) +
                               " of " + std::to_string(shared_.size()) + " bytes of shared memory: outside it");
            placed.push_back(array_at(at, array));
        }
        return placed;
    };
    return {place(request.inputs), place(request.outputs)};
}

// Each array on a cache line of its own; the outputs between guards.
Server::Arrays Server::own_arrays(const frames::RunRequest& request, const std::byte* bytes) {
    constexpr std::uint64_t line = frames::array_alignment;
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
    Arrays arrays;
    for (const frames::Array& array : request.inputs) {
        frames::copy_values(in, bytes, array.count, static_cast<unsigned>(array.width));
        arrays.inputs.push_back(array_at(in, array));
        bytes += array.count * array.width;
        in += room(array);
    }
    for (const frames::Array& array : request.outputs) {
        arrays.outputs.push_back(array_at(out + guard_bytes, array));
        out += room(array) + 2 * guard_bytes;
    }
    return arrays;
}

void Server::call_run(const frames::RunRequest& request, const Arrays& arrays) {
    mxcert_run_args args{};
    args.struct_size = sizeof(args);
    args.operation = request.operation;
    std::copy(request.shape.begin(), request.shape.end(), args.shape);
    args.input_count = static_cast<std::uint32_t>(arrays.inputs.size());
    args.output_count = static_cast<std::uint32_t>(arrays.outputs.size());
    args.inputs = arrays.inputs.data();
    args.outputs = arrays.outputs.data();
    const Outcome outcome = plugin_.run(args);
    if (outcome.status != MXCERT_OK) throw Refused(outcome.status, outcome.message);
}

Server::Answer Server::gather(const frames::RunRequest& request, const Arrays& arrays) {
    gathered_.clear();
    for (const mxcert_array& array : arrays.outputs) {
        auto* const data = static_cast<std::byte*>(array.data);
        const std::uint64_t bytes = array.count * array.width;
        check_guards(data, bytes, request.poison);
        frames::copy_values(data, data, array.count, static_cast<unsigned>(array.width));
        gathered_.insert(gathered_.end(), data, data + bytes);
    }
    return {{request.output_values(), frames::digest(gathered_.data(), gathered_.size())}, gathered_};
}

} // namespace mxcert::worker
