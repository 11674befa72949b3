// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/sweep.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "conformance/frames/frames.hpp"
#include "conformance/frames/run_arrays.hpp"
#include "conformance/frames/run_layout.hpp"
#include "conformance/frames/run_packing.hpp"
#include "conformance/frames/words.hpp"
#include "conformance/inputs/interleave.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/observe/schedule.hpp"
#include "conformance/print/text.hpp"
#include "conformance/process/shared_memory.hpp"
#include "conformance/suites/blocks/observe.hpp"
#include "conformance/suites/blocks/sweep_fill.hpp"
#include "conformance/suites/matrix.hpp"
#include "reference/code_text.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::suites {
namespace {

/// Elements of a request: the arrays of those in flight stay in the cache, and a frame costs little beside it.
constexpr std::uint64_t elements_at_once = 128 * 1024;

/// Requests of blocks, one in each line of a matrix. What differs is what the lanes hold.
class BlockExchange : public observe::Exchange {
  public:
    BlockExchange(const Quantize& quantize, const Operation& operation, unsigned block, const inputs::SweepOrder& order)
        : quantize_(quantize), packing_(operation), layout_(operation), block_(block), order_(order),
          in_block_(order.in_block()), lines_(std::max<std::uint64_t>(1, elements_at_once / block)) {
        frames::RunRequest largest = sizes(lines_, matrix_of(lines_, false));
        slot_bytes_ = (frames::place_arrays(largest, 0, frames::array_alignment) / process::layout::guard + 1) *
                      process::layout::guard;
    }

    [[nodiscard]] std::uint64_t at_once() const { return lines_ * in_block_; }

    [[nodiscard]] Code input_at(std::uint64_t position) const override { return order_.input_at(position); }
    [[nodiscard]] Code input_of(Code place) const override { return place; }
    [[nodiscard]] std::vector<inputs::CodeRange> covered(const inputs::Block& block) const override {
        return order_.inputs_of(block.first, block.count);
    }
    [[nodiscard]] std::string name_of(const inputs::Block& block) const override {
        if (block.count == 1) return fmt::format("input {}", code_text(from(), input_at(block.first)));
        return fmt::format("{}, {} to {} in {}", print::counted(block.count, "input"),
                           code_text(from(), input_at(block.first)),
                           code_text(from(), input_at(block.first + block.count - 1)),
                           print::counted(order_.part_at(block.first).streams.firsts.size(), "stream"));
    }
    [[nodiscard]] std::string place(const inputs::Block& block, Code place, bool again) const override {
        const inputs::Interleaving::Part part = part_of(block, {0, again});
        const auto& firsts = part.streams.firsts;
        const auto stream = std::find_if(firsts.begin(), firsts.end(), [&](Code first) {
            return first <= place && place - first < part.streams.length;
        });
        const std::uint64_t at =
            (place - *stream) * firsts.size() + static_cast<std::uint64_t>(stream - firsts.begin()) - part.first;
        return fmt::format("block {} of a request of {}", at / in_block_, print::counted(lines_of(block), "block"));
    }

    void prepare(observe::WorkerClient& worker) const override { process::set_backdrop(worker.memory()); }
    [[nodiscard]] std::string far_writes(const observe::WorkerClient& worker) const override {
        return process::backdrop_intact(worker.memory(), {}) ? "" : "wrote far outside its output buffers";
    }

    void send(observe::WorkerClient& worker, std::uint32_t index, const inputs::Block& block, Turn turn,
              Scratch& scratch) const override {
        frames::RunRequest request = request_of(block, turn);
        request.operation = index;
        const std::span<std::byte> memory = worker.memory();
        write(memory.data() + request.inputs[0].offset, pattern_of(block, turn, scratch));
        frames::prepare_arrays(memory, request);
        poison_scales(memory.subspan(request.outputs[1].offset, request.outputs[1].count), block, turn);
        worker.send(request);
    }

    [[nodiscard]] std::string damage(const observe::WorkerClient& worker, const inputs::Block& block, Turn turn,
                                     Scratch& scratch) const override {
        const frames::RunRequest request = request_of(block, turn);
        const std::span<const std::byte> memory = worker.memory();
        if (std::string reason = frames::damage_of_arrays(memory, request); !reason.empty()) return reason;
        const bool intact = has(memory.data() + request.inputs[0].offset, pattern_of(block, turn, scratch));
        return intact ? "" : "changed its input 0";
    }

    [[nodiscard]] Reading read(const observe::WorkerClient& worker, const inputs::Block& block, Turn turn,
                               Scratch& scratch) const override {
        const frames::RunRequest request = request_of(block, turn);
        const std::span<const std::byte> memory = worker.memory();
        std::span<const std::byte> elements = memory.subspan(request.outputs[0].offset, request.outputs[0].count);
        if (packing_.packs()) {
            scratch.codes.resize(request.inputs[0].count + slack());
            const std::span<std::byte> codes = std::span(scratch.codes).first(request.inputs[0].count);
            if (const auto row = packing_.unpack_rows(elements, request.shape[1], codes)) {
                Reading none;
                none.status = Status::fail;
                none.reason = packing_.stray_bits(*row, elements, request.shape[1]);
                return none;
            }
            elements = codes;
        }
        std::span<const std::byte> scales = memory.subspan(request.outputs[1].offset, request.outputs[1].count);
        std::vector<std::byte> in_rows;
        if (layout_.lays_out()) {
            const Extent extent{request.shape[0], request.shape[1]};
            if (std::string stray = layout_.stray_padding(extent, block_, scales); !stray.empty()) {
                Reading none;
                none.status = Status::fail;
                none.reason = std::move(stray);
                return none;
            }
            in_rows = layout_.rows(extent, block_, scales);
            scales = in_rows;
        }
        return read_blocks(elements, scales, block, turn, scratch);
    }

  protected:
    virtual void write(std::byte* to, const BlockPattern& pattern) const = 0;
    [[nodiscard]] virtual bool has(const std::byte* from, const BlockPattern& pattern) const = 0;
    [[nodiscard]] virtual Reading read_blocks(std::span<const std::byte> elements, std::span<const std::byte> scales,
                                              const inputs::Block& block, Turn turn, Scratch& scratch) const = 0;
    virtual void poison_scales(std::span<std::byte> /*scales*/, const inputs::Block& /*block*/, Turn /*turn*/) const {}
    [[nodiscard]] const Quantize& quantize() const { return quantize_; }
    [[nodiscard]] const frames::RunPacking& packing() const { return packing_; }

    /// The streams of a block. Whole rows begin with another one from block to block, and asked again have them in the
    /// reverse order: so every place of a request meets all of them.
    [[nodiscard]] inputs::Interleaving::Part part_of(const inputs::Block& block, Turn turn) const {
        inputs::Interleaving::Part part = order_.part_at(block.first);
        auto& firsts = part.streams.firsts;
        if (part.first % firsts.size() == 0 && block.count % firsts.size() == 0) {
            if (turn.again) std::reverse(firsts.begin(), firsts.end());
            std::rotate(firsts.begin(), firsts.begin() + static_cast<std::ptrdiff_t>(block.cut % firsts.size()),
                        firsts.end());
        }
        return part;
    }

    [[nodiscard]] virtual BlockPattern pattern_of(const inputs::Block& block, Turn turn, Scratch& scratch) const {
        const Format& value = *quantize_.format.value;
        BlockPattern pattern;
        pattern.axis = quantize_.axis;
        pattern.lines = lines_of(block);
        pattern.block = block_;
        pattern.width = frames::bytes_of(value);
        pattern.sign = static_cast<std::uint32_t>(value.sign_bit());
        const inputs::Interleaving::Part part = part_of(block, turn);
        const auto& firsts = part.streams.firsts;
        scratch.starts.assign(frames::most_streams, 0);
        for (std::size_t k = 0; k < firsts.size(); ++k)
            scratch.starts[k] = static_cast<std::uint32_t>(from().value_of(firsts[k]));
        pattern.starts = scratch.starts.data();
        pattern.streams = static_cast<std::uint32_t>(firsts.size());
        pattern.offset = static_cast<std::uint32_t>(part.first % firsts.size());
        pattern.row = static_cast<std::uint32_t>(part.first / firsts.size());
        pattern.count = block.count;
        return pattern;
    }
    [[nodiscard]] std::uint64_t lines_of(const inputs::Block& block) const {
        return (block.count + in_block_ - 1) / in_block_;
    }

    /// The steps of the answers to a block, one after the other in memory.
    [[nodiscard]] Reading read_streams(std::span<const std::byte> answers, const inputs::Block& block,
                                       Turn turn) const {
        Reading reading;
        inputs::StreamAnswers seen = inputs::take_apart(answers, 1, part_of(block, turn), block.count);
        reading.steps = std::move(seen.steps);
        reading.neighbours = seen.neighbours;
        reading.differing = seen.differing;
        return reading;
    }

  private:
    /// Rows of two blocks hold the same values in the same places as twice as many rows of one.
    [[nodiscard]] BlockMatrix matrix_of(std::uint64_t lines, bool paired) const {
        return paired ? BlockMatrix{quantize_.axis, lines / 2, 2 * std::uint64_t{block_}, block_}
                      : BlockMatrix{quantize_.axis, lines, block_, block_};
    }

    [[nodiscard]] frames::RunRequest sizes(std::uint64_t lines, const BlockMatrix& matrix) const {
        frames::RunRequest request;
        request.shape = matrix.shape();
        request.inputs = {{lines * block_, frames::bytes_of(*quantize_.format.value)}};
        request.outputs = {
            {request.shape[0] * packing_.row_bytes(request.shape[1]), 1},
            {layout_.lays_out() ? layout_.bytes({request.shape[0], request.shape[1]}, block_) : lines, 1}};
        return request;
    }

    [[nodiscard]] frames::RunRequest request_of(const inputs::Block& block, Turn turn) const {
        const std::uint64_t lines = lines_of(block);
        const bool paired = turn.again && quantize_.axis == Axis::row && lines % 2 == 0;
        frames::RunRequest request = sizes(lines, matrix_of(lines, paired));
        request.poison = block.poison[turn.again ? 1 : 0];
        (void)frames::place_arrays(request, process::layout::runs + turn.slot * slot_bytes_,
                                   turn.again ? frames::array_alignment : 0);
        return request;
    }

    const Quantize& quantize_;
    const frames::RunPacking packing_;
    const frames::RunLayout layout_;
    unsigned block_;
    const inputs::SweepOrder& order_;
    std::uint64_t in_block_; ///< inputs
    std::uint64_t lines_;    ///< of the largest request
    std::uint64_t slot_bytes_ = 0;
};

class ScaleExchange final : public BlockExchange {
  public:
    ScaleExchange(const Quantize& quantize, const Operation& operation, unsigned block, const inputs::SweepOrder& order)
        : BlockExchange(quantize, operation, block, order), block_(block) {}

    [[nodiscard]] const Format& from() const override { return *quantize().scale.from; }
    [[nodiscard]] const Format& to() const override { return *quantize().scale.to; }

  protected:
    void write(std::byte* to, const BlockPattern& pattern) const override { write_amaxes(to, pattern); }
    [[nodiscard]] bool has(const std::byte* memory, const BlockPattern& pattern) const override {
        return has_amaxes(memory, pattern);
    }
    [[nodiscard]] Reading read_blocks(std::span<const std::byte> elements, std::span<const std::byte> scales,
                                      const inputs::Block& block, Turn turn, Scratch& /*scratch*/) const override {
        Reading reading = read_streams(scales, block, turn);
        if (block.repeat) reading.rest = digest_of(elements, block, turn);
        return reading;
    }

  private:
    /// Of the elements of each block with its amax, wherever the block lies.
    [[nodiscard]] std::uint64_t digest_of(std::span<const std::byte> elements, const inputs::Block& block,
                                          Turn turn) const {
        const inputs::Interleaving::Part part = part_of(block, turn);
        std::vector<std::byte> bytes(block_);
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < block.count; ++i) {
            for (std::uint64_t l = 0; l < block_; ++l)
                bytes[l] = elements[quantize().axis == Axis::row ? i * block_ + l : l * block.count + i];
            sum += frames::digest(bytes.data(), bytes.size()) * (2 * part.streams.at(part.first + i) + 1);
        }
        return sum;
    }

    unsigned block_;
};

class PairExchange final : public BlockExchange {
  public:
    PairExchange(const Quantize& quantize, const Operation& operation, unsigned block, const inputs::SweepOrder& order,
                 std::span<const Code> amax_of_scale)
        : BlockExchange(quantize, operation, block, order), block_(block), amax_of_scale_(amax_of_scale),
          lanes_(at_once() / (block - 1) + block) {
        for (std::size_t line = 0; line < lanes_.size(); ++line)
            lanes_[line] = static_cast<std::uint32_t>(line % block);
    }

    [[nodiscard]] const Format& from() const override { return *quantize().element.from; }
    [[nodiscard]] const Format& to() const override { return *quantize().element.to; }
    /// The amax, of either sign.
    [[nodiscard]] std::vector<inputs::CodeRange> companions(std::uint64_t position) const override {
        const Code scale = from().scale_of(input_at(position));
        std::vector<inputs::CodeRange> both;
        for (const Code sign : {Code{0}, from().sign_bit()}) {
            const Code amax = from().code_of(scale, sign | amax_of_scale_[scale]);
            both.push_back({amax, amax});
        }
        return both;
    }

  protected:
    void write(std::byte* to, const BlockPattern& pattern) const override { write_pairs(to, pattern); }
    [[nodiscard]] bool has(const std::byte* memory, const BlockPattern& pattern) const override {
        return has_pairs(memory, pattern);
    }
    /// The lane of the amax moves on by one from block to block.
    [[nodiscard]] BlockPattern pattern_of(const inputs::Block& block, Turn turn, Scratch& scratch) const override {
        BlockPattern pattern = BlockExchange::pattern_of(block, turn, scratch);
        pattern.lanes = lanes_.data() + block.first / (block_ - 1) % block_;
        pattern.amax = static_cast<std::uint32_t>(amax_of_scale_[scale_of(block)]);
        return pattern;
    }
    // A byte that cannot be taken for the scale.
    void poison_scales(std::span<std::byte> scales, const inputs::Block& block, Turn turn) const override {
        const auto wanted = static_cast<unsigned>(scale_of(block));
        std::memset(scales.data(), static_cast<int>((wanted ^ (turn.again ? 0xAAU : 0x55U)) & 0xFF), scales.size());
    }
    [[nodiscard]] Reading read_blocks(std::span<const std::byte> elements, std::span<const std::byte> scales,
                                      const inputs::Block& block, Turn turn, Scratch& scratch) const override {
        const Code scale = scale_of(block);
        std::vector<Step> of_scale;
        inputs::encode_runs(scales, 1, 0, of_scale);
        const auto next =
            std::find_if(of_scale.begin(), of_scale.end(), [=](const Step& step) { return step.code != scale; });
        if (next != of_scale.end()) {
            Reading none;
            none.status = Status::fail;
            none.reason = fmt::format("an amax of {} gave the scale 0x{:02X}, and 0x{:02X} in another block",
                                      code_text(*quantize().scale.from, amax_of_scale_[scale]), scale, next->code);
            return none;
        }
        const BlockPattern pattern = pattern_of(block, turn, scratch);
        scratch.bytes.resize(at_once() + slack());
        // No code is the poison; of packed ones the bits of the poison are codes.
        const std::byte untouched =
            packing().packs() ? std::byte{0xFF} : static_cast<std::byte>(block.poison[turn.again ? 1 : 0]);
        const TopCodes tops = take_pairs(elements.data(), pattern, untouched, scratch.bytes.data());
        Reading reading = read_streams(std::span(scratch.bytes).first(block.count), block, turn);
        reading.flaw_status = Status::fail;
        if (!tops.alike)
            reading.flaw = fmt::format("an amax of {} gave other elements in other blocks of the scale 0x{:02X}",
                                       code_text(*quantize().scale.from, amax_of_scale_[scale]), scale);
        reading.rest = std::to_integer<std::uint64_t>(tops.plus) << 8 | std::to_integer<std::uint64_t>(tops.minus);
        return reading;
    }

  private:
    [[nodiscard]] Code scale_of(const inputs::Block& block) const { return from().scale_of(input_at(block.first)); }

    unsigned block_;
    std::span<const Code> amax_of_scale_;
    std::vector<std::uint32_t> lanes_; ///< of the amax, in blocks from one with lane 0 on
};

/// Sweeps part by part and joins what comes. `name` is that of the row, `more` what the answers depend on beside the
/// ranges of a part.
observe::Observation sweep_parts(observe::Subject& subject, const Operation& operation, const Conversion& conversion,
                                 const BlockExchange& exchange, const inputs::SweepOrder& order, std::uint64_t most,
                                 const std::string& name,
                                 const std::function<std::string(const inputs::CodeRange&)>& more,
                                 const PermitTable* permitted) {
    observe::Observation all;
    all.conversion = conversion;
    all.chosen = true;
    std::vector<Step> steps;
    observe::SweepPart part{operation,
                            conversion,
                            exchange,
                            order,
                            {},
                            {},
                            exchange.at_once(),
                            fmt::format("{}/{}", to_string(operation), name),
                            {},
                            0,
                            {},
                            0,
                            order.size()};
    const std::vector<inputs::SweepOrder::Stretch> parts = order.parts(most);
    for (std::size_t number = 0; number < parts.size(); ++number) {
        part.positions = parts[number];
        part.ranges = order.inputs_of(part.positions.first, part.positions.count);
        part.number = number;
        part.name = fmt::format("{}.{}.{}", to_string(operation), name, number);
        std::string ranges;
        for (const inputs::CodeRange& range : part.ranges)
            ranges += fmt::format(", {:X}-{:X}{}", range.first, range.last, more(range));
        part.key = fmt::format("{}, {} at once, interleaved from {}, {} ranges with the SHA-256 {}", part.row,
                               part.at_once, part.positions.first, part.ranges.size(), sha256(ranges));
        observe::Observation seen = subject.sweep(part, permitted);
        if (seen.kept)
            part.total -= seen.inputs;
        else
            part.before += seen.inputs;
        steps.insert(steps.end(), seen.partial.begin(), seen.partial.end());
        seen.kept = seen.kept || all.kept;
        seen.inputs += all.inputs;
        seen.places.in_batches = seen.inputs;
        seen.repeated += all.repeated;
        seen.places.neighbours += all.places.neighbours;
        seen.places.differing += all.places.differing;
        seen.seconds += all.seconds;
        all = std::move(seen);
        if (all.status == Status::pass && steps.size() > observe::Schedule::max_steps + part.ranges.size()) {
            steps = inputs::in_order(std::move(steps));
            if (steps.size() > observe::Schedule::max_steps + part.ranges.size()) {
                all.status = Status::incomplete;
                all.irregular = true;
                all.reason = fmt::format("irregular: more than {} steps in {} inputs",
                                         std::size_t{observe::Schedule::max_steps}, all.inputs);
            }
        }
        if (all.status != Status::pass) break;
    }
    all.partial = inputs::in_order(std::move(steps));
    return all;
}

} // namespace

observe::Observation sweep_scales(observe::Subject& subject, const Operation& operation, unsigned block,
                                  inputs::CodeRange amaxes, const PermitTable* permitted, std::uint64_t part) {
    const Quantize quantize = as_quantize(operation);
    const std::vector<std::vector<inputs::CodeRange>> sets{{amaxes}};
    const inputs::SweepOrder order(sets, 1);
    const ScaleExchange exchange(quantize, operation, block, order);
    return sweep_parts(
        subject, operation, quantize.scale, exchange, order, part, "scale",
        [](const inputs::CodeRange&) { return std::string(); }, permitted);
}

std::vector<inputs::CodeRange> reachable_pairs(const Format& by_scale, std::span<const Code> amax_of_scale) {
    std::vector<inputs::CodeRange> ranges;
    for (Code scale = 0; scale < amax_of_scale.size(); ++scale) {
        const Code amax = amax_of_scale[scale];
        // An element says nothing under a scale that is NaN (MX 5.1).
        if (amax == no_amax || by_scale.scale->is_nan(scale)) continue;
        const Code largest = std::min(amax, by_scale.max_code());
        for (const Code sign : {Code{0}, by_scale.sign_bit()})
            ranges.push_back({by_scale.code_of(scale, sign), by_scale.code_of(scale, sign | largest)});
    }
    return ranges;
}

observe::Observation sweep_elements(observe::Subject& subject, const Operation& operation, unsigned block,
                                    std::span<const inputs::CodeRange> ranges, std::span<const Code> amax_of_scale,
                                    const PermitTable* permitted, std::uint64_t part) {
    const Quantize quantize = as_quantize(operation);
    const Format& scaled = *quantize.element.from;
    // Both signs of a scale together.
    std::vector<std::vector<inputs::CodeRange>> sets;
    for (const inputs::CodeRange& range : ranges) {
        if (sets.empty() || scaled.scale_of(sets.back().back().first) != scaled.scale_of(range.first))
            sets.emplace_back();
        sets.back().push_back(range);
    }
    const inputs::SweepOrder order(sets, block - 1);
    const PairExchange exchange(quantize, operation, block, order, amax_of_scale);
    const auto amax_of = [&](const inputs::CodeRange& range) {
        return fmt::format(" by {:X}", amax_of_scale[scaled.scale_of(range.first)]);
    };
    return sweep_parts(subject, operation, quantize.element, exchange, order, part, "elements", amax_of, permitted);
}

} // namespace mxcert::suites
