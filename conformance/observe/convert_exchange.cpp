// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/convert_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "conformance/frames/words.hpp"
#include "conformance/inputs/run_length.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"

namespace mxcert::observe {
namespace {

/// A second request for the same values is cut and placed otherwise, so that a kernel's tail and alignment code is
/// seen.
struct Cut {
    std::uint64_t batch = 0; ///< values, odd
    std::uint64_t shift = 0; ///< values, 1 to 63
};

Cut cut_of(std::uint64_t seed, const inputs::Block& block) {
    const std::uint64_t count = block.count;
    const std::uint64_t random = SplitMix64::at(~seed, block.cut);
    // Of large requests there are so many that longer calls are enough; a call of Python costs as much as 1,500 values.
    const std::uint64_t times = count > 2 * process::layout::max_count   ? 16
                                : count > process::layout::max_count / 2 ? 4
                                                                         : 1;
    const std::uint64_t batch = 1024 * times - 3 - 2 * (random % (256 * times));
    return {batch < count ? batch : count / 3 | 1, 1 + (random >> 32) % 63};
}

} // namespace

std::string Exchange::place(const inputs::Block& block, Code place, bool /*again*/) const {
    return "index " + std::to_string(place - block.first) + " of a request of " + std::to_string(block.count) +
           " values";
}

std::string ConvertExchange::place(const inputs::Block& block, Code place, bool again) const {
    std::uint64_t at = place - block.first;
    if (order_ != nullptr) {
        const inputs::Interleaving::Part part = part_of(block, {0, again});
        const auto& firsts = part.streams.firsts;
        const auto stream = std::find_if(firsts.begin(), firsts.end(), [&](Code first) {
            return first <= place && place - first < part.streams.length;
        });
        at = (place - *stream) * firsts.size() + static_cast<std::uint64_t>(stream - firsts.begin()) - part.first;
    }
    const Cut cut = again || is_cut_ ? cut_of(seed_, block) : Cut{};
    // The worker chooses the calls of a request that is not cut, and gives each scale a call of its own.
    if (cut.batch == 0 || conversion_.from->scale != nullptr)
        return "index " + std::to_string(at) + " of a request of " + std::to_string(block.count) + " values";
    const std::uint64_t first = at / cut.batch * cut.batch;
    return "index " + std::to_string(at - first) + " of a call of " +
           std::to_string(std::min(cut.batch, block.count - first)) + " values";
}

void ConvertExchange::prepare(WorkerClient& worker) const { process::set_backdrop(worker.memory()); }

frames::ConvertRequest ConvertExchange::request_of(const inputs::Block& block, Turn turn) const {
    const unsigned in = frames::bytes_of(*conversion_.from);
    const unsigned out = frames::bytes_of(*conversion_.to);
    const Cut cut = turn.again || is_cut_ ? cut_of(seed_, block) : Cut{};
    const std::uint64_t base = turn.slot * process::layout::slot_bytes;
    frames::ConvertRequest request;
    request.first = block.first;
    request.count = block.count;
    request.output_offset = base + process::layout::outputs + cut.shift * out;
    request.batch = cut.batch;
    request.poison = block.poison[turn.again ? 1 : 0];
    if (order_ != nullptr && makes_) {
        request.inputs = frames::Inputs::interleaved;
        request.first = part_of(block, turn).first;
        return request;
    }
    if (!has_written_inputs()) return request;
    request.inputs = frames::Inputs::shared;
    request.first = 0;
    request.input_offset = base + process::layout::inputs + cut.shift * in;
    if (conversion_.random_bits != 0)
        request.random_offset = base + process::layout::randoms + cut.shift * sizeof(std::uint32_t);
    return request;
}

void ConvertExchange::send(WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn turn,
                           Scratch& /*scratch*/) const {
    frames::ConvertRequest request = request_of(block, turn);
    request.conversion = index;
    if (has_written_inputs()) write_inputs(worker, block, request, turn);
    const unsigned out = frames::bytes_of(*conversion_.to);
    const std::uint64_t bytes = block.count * out;
    std::memset(worker.memory().data() + request.output_offset, static_cast<int>(request.poison), bytes);
    process::set_guards(worker.memory(), request.output_offset, bytes);
    if (request.inputs == frames::Inputs::interleaved)
        worker.send(request, part_of(block, turn).streams, out);
    else
        worker.send(request, frames::bytes_of(*conversion_.from), out);
}

std::string ConvertExchange::name_of_input(Code place) const {
    const std::string input = Exchange::name_of_input(place);
    if (points_ == nullptr || conversion_.random_bits == 0) return input;
    return input + " with random bits " + code_text(formats::fp32, (*points_)[place].random);
}

std::string ConvertExchange::name_of(const inputs::Block& block) const {
    if (order_ == nullptr || block.count == 1) return Exchange::name_of(block);
    const std::size_t streams = order_->part_at(block.first).streams.firsts.size();
    return std::to_string(block.count) + " inputs, " + code_text(from(), input_at(block.first)) + " to " +
           code_text(from(), input_at(block.first + block.count - 1)) + " in " + std::to_string(streams) + " streams";
}

inputs::Interleaving::Part ConvertExchange::part_of(const inputs::Block& block, Turn turn) const {
    inputs::Interleaving::Part part = order_->part_at(block.first);
    auto& firsts = part.streams.firsts;
    if ((turn.again || is_cut_) && part.first % firsts.size() == 0 && block.count % firsts.size() == 0) {
        std::reverse(firsts.begin(), firsts.end());
        std::rotate(firsts.begin(), firsts.begin() + static_cast<std::ptrdiff_t>(block.cut % firsts.size()),
                    firsts.end());
    }
    return part;
}

void ConvertExchange::write_inputs(WorkerClient& worker, const inputs::Block& block,
                                   const frames::ConvertRequest& request, Turn turn) const {
    const unsigned in = frames::bytes_of(*conversion_.from);
    std::byte* inputs = worker.memory().data() + request.input_offset;
    if (points_ == nullptr) {
        const inputs::Interleaving::Part part = part_of(block, turn);
        for (std::uint64_t i = 0; i < block.count; ++i)
            frames::store(inputs + i * in, part.streams.at(part.first + i), in);
        return;
    }
    for (std::uint64_t i = 0; i < block.count; ++i)
        frames::store(inputs + i * in, (*points_)[block.first + i].input, in);
    if (request.random_offset == frames::no_offset) return;
    std::byte* randoms = worker.memory().data() + request.random_offset;
    for (std::uint64_t i = 0; i < block.count; ++i)
        frames::store(randoms + i * 4, (*points_)[block.first + i].random, 4);
}

std::string ConvertExchange::damage(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                    Scratch& /*scratch*/) const {
    const auto memory = worker.memory();
    const frames::ConvertRequest request = request_of(block, turn);
    if (!process::guards_intact(memory, request.output_offset, block.count * frames::bytes_of(*conversion_.to)))
        return "wrote outside its output buffer";
    if (!has_written_inputs()) return {};
    const unsigned in = frames::bytes_of(*conversion_.from);
    if (points_ == nullptr) {
        const inputs::Interleaving::Part part = part_of(block, turn);
        for (std::uint64_t i = 0; i < block.count; ++i)
            if (frames::load(memory.data() + request.input_offset + i * in, in) != part.streams.at(part.first + i))
                return "changed its input buffer";
        return {};
    }
    for (std::uint64_t i = 0; i < block.count; ++i) {
        const inputs::Point& point = (*points_)[block.first + i];
        if (frames::load(memory.data() + request.input_offset + i * in, in) != point.input)
            return "changed its input buffer"; // one that was chosen
        if (request.random_offset != frames::no_offset &&
            frames::load(memory.data() + request.random_offset + i * 4, 4) != point.random)
            return "changed its buffer of random words";
    }
    return {};
}

Exchange::Reading ConvertExchange::read(const WorkerClient& worker, const inputs::Block& block, Turn turn,
                                        Scratch& /*scratch*/) const {
    const unsigned out = frames::bytes_of(*conversion_.to);
    const auto outputs = worker.memory().subspan(request_of(block, turn).output_offset, block.count * out);
    Reading reading;
    if (order_ == nullptr) {
        inputs::encode_runs(outputs, out, block.first, reading.steps);
        return reading;
    }
    inputs::StreamAnswers answers = inputs::take_apart(outputs, out, part_of(block, turn), block.count);
    reading.steps = std::move(answers.steps);
    reading.neighbours = answers.neighbours;
    reading.differing = answers.differing;
    return reading;
}

std::string ConvertExchange::far_writes(const WorkerClient& worker) const {
    const bool points = has_written_inputs();
    const std::uint64_t outputs = largest_ * frames::bytes_of(*conversion_.to);
    const std::uint64_t inputs = points ? largest_ * frames::bytes_of(*conversion_.from) : 0;
    const std::uint64_t randoms = points_ != nullptr && conversion_.random_bits != 0 ? largest_ * 4 : 0;
    return process::backdrop_intact(worker.memory(), {inputs, randoms, outputs})
               ? ""
               : "wrote far outside its output buffer";
}

} // namespace mxcert::observe
