// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/run_arrays.hpp"

#include <cstring>

#include "conformance/process/shared_memory.hpp"

namespace mxcert::frames {
namespace {

std::uint64_t bytes_of(const frames::Array& array) { return array.count * array.width; }

} // namespace

std::uint64_t place_arrays(frames::RunRequest& request, std::uint64_t base, std::uint64_t shift) {
    constexpr std::uint64_t line = frames::array_alignment;
    static_assert(process::layout::guard % line == 0);
    std::uint64_t at = base + shift;
    for (auto* arrays : {&request.inputs, &request.outputs}) {
        for (frames::Array& array : *arrays) {
            at = (at + process::layout::guard + line - 1) / line * line;
            array.offset = at;
            at += bytes_of(array) + process::layout::guard;
        }
    }
    return at;
}

void prepare_arrays(std::span<std::byte> memory, const frames::RunRequest& request) {
    for (const frames::Array& array : request.inputs) process::set_guards(memory, array.offset, bytes_of(array));
    for (const frames::Array& array : request.outputs) {
        std::memset(memory.data() + array.offset, static_cast<int>(request.poison & 0xFF), bytes_of(array));
        process::set_guards(memory, array.offset, bytes_of(array));
    }
}

std::string damage_of_arrays(std::span<const std::byte> memory, const frames::RunRequest& request) {
    for (std::size_t i = 0; i < request.outputs.size(); ++i)
        if (!process::guards_intact(memory, request.outputs[i].offset, bytes_of(request.outputs[i])))
            return "wrote outside its output " + std::to_string(i);
    for (std::size_t i = 0; i < request.inputs.size(); ++i)
        if (!process::guards_intact(memory, request.inputs[i].offset, bytes_of(request.inputs[i])))
            return "wrote beside its input " + std::to_string(i);
    return {};
}

} // namespace mxcert::frames
