// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/range_exchange.hpp"

#include <algorithm>

#include "conformance/frames/words.hpp"

namespace mxcert::observe {
namespace {

constexpr std::uint64_t most_inputs = std::uint64_t{1} << 26;
/// A right conversion has two steps for each code of 8 bits at most, once for each given scale.
constexpr std::uint64_t most_scales = 64;

} // namespace

std::vector<inputs::Block> RangeExchange::plan(Code low, Code high) const {
    const Format& from = *conversion_.from;
    const std::uint64_t of_scales =
        from.scale == nullptr || from.value_width() > 20 ? most_inputs : most_scales << from.value_width();
    const std::uint64_t size = std::min(most_inputs, of_scales);
    std::vector<inputs::Block> blocks;
    const std::uint64_t end = high + 1; // sources of 64 bits are not asked in ranges
    for (std::uint64_t at = low; at < end; at += size) blocks.push_back({at, std::min(size, end - at), {}, false, 0});
    return blocks;
}

void RangeExchange::prepare(WorkerClient& worker) const { process::set_backdrop(worker.memory()); }

void RangeExchange::send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn /*turn*/,
                         Scratch& /*scratch*/) const {
    worker.send(frames::RangeRequest{index, frames::most_range_steps, block.first, block.count});
}

Exchange::Reading RangeExchange::read(const WorkerClient& worker, const inputs::Block& block, Turn /*turn*/,
                                      Scratch& /*scratch*/) const {
    Reading reading;
    const unsigned out = frames::bytes_of(*conversion_.to);
    const Code end = block.first + block.count;
    Code next = block.first;
    for (const frames::RangeStep& step : worker.steps()) {
        if (step.last < next || step.last >= end) {
            reading.reason = "gave a range in steps that do not ascend within it";
            return reading;
        }
        if (out < sizeof(Code) && step.code >> (8 * out) != 0) {
            reading.reason = "gave the code " + std::to_string(step.code) + ", which is no value of " +
                             std::to_string(out) + " bytes";
            return reading;
        }
        reading.steps.push_back({next, step.last, step.code});
        next = step.last + 1;
    }
    if (next != end) reading.reason = "gave a range in steps that do not cover it";
    return reading;
}

std::string RangeExchange::far_writes(const WorkerClient& worker) const {
    return process::backdrop_intact(worker.memory(), {}) ? "" : "wrote to memory that was not its own";
}

} // namespace mxcert::observe
