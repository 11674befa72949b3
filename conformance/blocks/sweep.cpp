// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/sweep.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "conformance/blocks/matrix.hpp"
#include "conformance/blocks/observe.hpp"
#include "conformance/blocks/sweep_fill.hpp"
#include "conformance/observe_schedule.hpp"
#include "conformance/run_arrays.hpp"
#include "conformance/run_length.hpp"
#include "conformance/shared_memory.hpp"
#include "conformance/words.hpp"
#include "reference/number.hpp"

namespace mxcert {
namespace {

/// Elements of a request: the arrays of those in flight stay in the cache, and a frame costs little beside it.
constexpr std::uint64_t elements_at_once = 128 * 1024;

/// Requests of blocks, one in each line of a matrix. What differs is what the lanes hold.
class BlockExchange : public Exchange {
  public:
    /// `in_block`: inputs of a block.
    BlockExchange(const Quantize& quantize, unsigned block, std::uint64_t in_block)
        : quantize_(quantize), block_(block), in_block_(in_block),
          lines_(std::max<std::uint64_t>(1, elements_at_once / block)) {
        frames::RunRequest largest = sizes(lines_);
        slot_bytes_ = (place_arrays(largest, 0, frames::array_alignment) / layout::guard + 1) * layout::guard;
    }

    [[nodiscard]] std::uint64_t at_once() const { return lines_ * in_block_; }

    void prepare(WorkerClient& worker) const override { set_backdrop(worker.memory()); }
    [[nodiscard]] std::string far_writes(const WorkerClient& worker) const override {
        return backdrop_intact(worker.memory(), {}) ? "" : "wrote far outside its output buffers";
    }

    void send(WorkerClient& worker, std::uint32_t index, const Block& block, Turn turn,
              Scratch& scratch) const override {
        frames::RunRequest request = request_of(block, turn);
        request.operation = index;
        const std::span<std::byte> memory = worker.memory();
        write(memory.data() + request.inputs[0].offset, pattern_of(block, scratch));
        prepare_arrays(memory, request);
        poison_scales(memory.subspan(request.outputs[1].offset, request.outputs[1].count), block, turn);
        worker.send(request);
    }

    [[nodiscard]] std::string damage(const WorkerClient& worker, const Block& block, Turn turn,
                                     Scratch& scratch) const override {
        const frames::RunRequest request = request_of(block, turn);
        const std::span<const std::byte> memory = worker.memory();
        if (std::string reason = damage_of_arrays(memory, request); !reason.empty()) return reason;
        const bool intact = has(memory.data() + request.inputs[0].offset, pattern_of(block, scratch));
        return intact ? "" : "changed its input 0";
    }

    [[nodiscard]] Reading read(const WorkerClient& worker, const Block& block, Turn turn,
                               Scratch& scratch) const override {
        const frames::RunRequest request = request_of(block, turn);
        const std::span<const std::byte> memory = worker.memory();
        return read_blocks(memory.subspan(request.outputs[0].offset, request.outputs[0].count),
                           memory.subspan(request.outputs[1].offset, request.outputs[1].count), block, turn, scratch);
    }

  protected:
    virtual void write(std::byte* to, const BlockPattern& pattern) const = 0;
    [[nodiscard]] virtual bool has(const std::byte* from, const BlockPattern& pattern) const = 0;
    [[nodiscard]] virtual Reading read_blocks(std::span<const std::byte> elements, std::span<const std::byte> scales,
                                              const Block& block, Turn turn, Scratch& scratch) const = 0;
    virtual void poison_scales(std::span<std::byte> /*scales*/, const Block& /*block*/, Turn /*turn*/) const {}
    /// The lane of the amax in the first block; it moves on by one from block to block.
    [[nodiscard]] virtual std::uint64_t first_lane(const Block& block) const = 0;

    [[nodiscard]] const Quantize& quantize() const { return quantize_; }

    [[nodiscard]] virtual BlockPattern pattern_of(const Block& block, Scratch& scratch) const {
        const Format& value = *quantize_.format.value;
        BlockPattern pattern;
        pattern.axis = quantize_.axis;
        pattern.lines = lines_of(block);
        pattern.block = block_;
        pattern.width = bytes_of(value);
        pattern.sign = static_cast<std::uint32_t>(value.sign_bit());
        scratch.lanes.resize(pattern.lines);
        auto lane = static_cast<std::uint32_t>(first_lane(block) % block_);
        for (std::uint32_t& of_line : scratch.lanes) {
            of_line = lane;
            lane = lane + 1 == block_ ? 0 : lane + 1;
        }
        pattern.lanes = scratch.lanes.data();
        return pattern;
    }

  private:
    [[nodiscard]] std::uint64_t lines_of(const Block& block) const { return (block.count + in_block_ - 1) / in_block_; }

    [[nodiscard]] frames::RunRequest sizes(std::uint64_t lines) const {
        frames::RunRequest request;
        request.inputs = {{lines * block_, bytes_of(*quantize_.format.value)}};
        request.outputs = {{lines * block_, bytes_of(*quantize_.format.element)}, {lines, 1}};
        return request;
    }

    [[nodiscard]] frames::RunRequest request_of(const Block& block, Turn turn) const {
        const std::uint64_t lines = lines_of(block);
        frames::RunRequest request = sizes(lines);
        request.poison = block.poison[turn.again ? 1 : 0];
        // Rows of two blocks hold the same values in the same places as twice as many rows of one.
        const bool paired = turn.again && quantize_.axis == Axis::row && lines % 2 == 0;
        request.shape = paired ? BlockMatrix{quantize_.axis, lines / 2, 2 * std::uint64_t{block_}, block_}.shape()
                               : BlockMatrix{quantize_.axis, lines, block_, block_}.shape();
        (void)place_arrays(request, layout::runs + turn.slot * slot_bytes_, turn.again ? frames::array_alignment : 0);
        return request;
    }

    const Quantize& quantize_;
    unsigned block_;
    std::uint64_t in_block_;
    std::uint64_t lines_; ///< of the largest request
    std::uint64_t slot_bytes_ = 0;
};

class ScaleExchange final : public BlockExchange {
  public:
    ScaleExchange(const Quantize& quantize, unsigned block) : BlockExchange(quantize, block, 1) {}

    [[nodiscard]] const Format& from() const override { return *quantize().scale.from; }
    [[nodiscard]] const Format& to() const override { return *quantize().scale.to; }

  protected:
    void write(std::byte* to, const BlockPattern& pattern) const override { write_amaxes(to, pattern); }
    [[nodiscard]] bool has(const std::byte* memory, const BlockPattern& pattern) const override {
        return has_amaxes(memory, pattern);
    }
    [[nodiscard]] std::uint64_t first_lane(const Block& block) const override { return block.first; }
    [[nodiscard]] BlockPattern pattern_of(const Block& block, Scratch& scratch) const override {
        BlockPattern pattern = BlockExchange::pattern_of(block, scratch);
        pattern.first = static_cast<std::uint32_t>(block.first);
        pattern.words = block.first;
        return pattern;
    }
    [[nodiscard]] Reading read_blocks(std::span<const std::byte> elements, std::span<const std::byte> scales,
                                      const Block& block, Turn /*turn*/, Scratch& /*scratch*/) const override {
        Reading reading;
        encode_runs(scales, 1, block.first, reading.steps);
        if (block.repeat) reading.rest = frames::digest(elements.data(), elements.size());
        return reading;
    }
};

class PairExchange final : public BlockExchange {
  public:
    PairExchange(const Quantize& quantize, unsigned block, std::span<const Code> amax_of_scale)
        : BlockExchange(quantize, block, block - 1), amax_of_scale_(amax_of_scale), in_block_(block - 1) {}

    [[nodiscard]] const Format& from() const override { return *quantize().element.from; }
    [[nodiscard]] const Format& to() const override { return *quantize().element.to; }

  protected:
    void write(std::byte* to, const BlockPattern& pattern) const override { write_pairs(to, pattern); }
    [[nodiscard]] bool has(const std::byte* memory, const BlockPattern& pattern) const override {
        return has_pairs(memory, pattern);
    }
    [[nodiscard]] std::uint64_t first_lane(const Block& block) const override { return block.first / in_block_; }
    [[nodiscard]] BlockPattern pattern_of(const Block& block, Scratch& scratch) const override {
        BlockPattern pattern = BlockExchange::pattern_of(block, scratch);
        pattern.first = static_cast<std::uint32_t>(from().value_of(block.first));
        pattern.last = static_cast<std::uint32_t>(from().value_of(block.first + block.count - 1));
        pattern.amax = static_cast<std::uint32_t>(amax_of_scale_[from().scale_of(block.first)]);
        return pattern;
    }
    // A byte that cannot be taken for the scale.
    void poison_scales(std::span<std::byte> scales, const Block& block, Turn turn) const override {
        const auto wanted = static_cast<unsigned>(from().scale_of(block.first));
        std::memset(scales.data(), static_cast<int>((wanted ^ (turn.again ? 0xAAU : 0x55U)) & 0xFF), scales.size());
    }
    [[nodiscard]] Reading read_blocks(std::span<const std::byte> elements, std::span<const std::byte> scales,
                                      const Block& block, Turn turn, Scratch& scratch) const override {
        Reading reading;
        const Code scale = from().scale_of(block.first);
        std::vector<Step> of_scale;
        encode_runs(scales, 1, 0, of_scale);
        const auto other =
            std::find_if(of_scale.begin(), of_scale.end(), [=](const Step& step) { return step.code != scale; });
        if (other != of_scale.end()) {
            reading.status = Status::fail;
            reading.reason = fmt::format("an amax of {} gave the scale 0x{:02X}, and 0x{:02X} in another block",
                                         code_text(*quantize().scale.from, amax_of_scale_[scale]), scale, other->code);
            return reading;
        }
        const BlockPattern pattern = pattern_of(block, scratch);
        scratch.bytes.resize(at_once() + slack());
        const TopCodes tops = take_pairs(
            elements.data(), pattern, static_cast<std::byte>(block.poison[turn.again ? 1 : 0]), scratch.bytes.data());
        if (!tops.alike)
            reading.flaw = fmt::format("an amax of {} gave other elements in other blocks of the scale 0x{:02X}",
                                       code_text(*quantize().scale.from, amax_of_scale_[scale]), scale);
        reading.rest = std::to_integer<std::uint64_t>(tops.plus) << 8 | std::to_integer<std::uint64_t>(tops.minus);
        encode_runs(std::span(scratch.bytes).first(block.count), 1, block.first, reading.steps);
        return reading;
    }

  private:
    std::span<const Code> amax_of_scale_;
    std::uint64_t in_block_;
};

/// The ranges cut into parts of up to so many inputs.
std::vector<std::vector<CodeRange>> cut(std::span<const CodeRange> ranges, std::uint64_t part) {
    std::vector<std::vector<CodeRange>> parts;
    std::uint64_t room = 0;
    for (CodeRange range : ranges) {
        for (;;) {
            if (room == 0) {
                parts.emplace_back();
                room = part;
            }
            const std::uint64_t left = range.last - range.first + 1;
            const std::uint64_t some = std::min(left, room);
            parts.back().push_back({range.first, range.first + some - 1});
            room -= some;
            if (some == left) break;
            range.first += some;
        }
    }
    return parts;
}

/// Sweeps part by part and joins what comes. `name` is that of the row, `more` what the answers depend on beside the
/// ranges of a part.
Observation sweep_parts(Subject& subject, const Operation& operation, const Conversion& conversion,
                        const BlockExchange& exchange, const std::vector<std::vector<CodeRange>>& parts,
                        const std::string& name, const std::function<std::string(const CodeRange&)>& more,
                        const PermitTable* permitted) {
    Observation all;
    all.conversion = conversion;
    all.chosen = true;
    std::vector<Step> steps;
    SweepPart part{
        operation, conversion, exchange, {}, exchange.at_once(), fmt::format("{}/{}", to_string(operation), name),
        {},        {},         0,        0};
    for (const std::vector<CodeRange>& ranges : parts)
        for (const CodeRange& range : ranges) part.total += range.last - range.first + 1;
    for (std::size_t number = 0; number < parts.size(); ++number) {
        part.ranges = parts[number];
        part.name = fmt::format("{}.{}.{}", to_string(operation), name, number);
        part.key = fmt::format("{}, {} at once", part.row, part.at_once);
        for (const CodeRange& range : part.ranges)
            part.key += fmt::format(", {:X}-{:X}{}", range.first, range.last, more(range));
        Observation seen = subject.sweep(part, permitted);
        if (seen.kept)
            part.total -= seen.inputs;
        else
            part.before += seen.inputs;
        for (const Step& step : seen.partial) append_step(steps, step);
        seen.kept = seen.kept || all.kept;
        seen.inputs += all.inputs;
        seen.repeated += all.repeated;
        seen.seconds += all.seconds;
        all = std::move(seen);
        if (all.status == Status::pass && steps.size() > Schedule::max_steps) {
            all.status = Status::incomplete;
            all.irregular = true;
            all.reason = fmt::format("irregular: more than {} steps up to input {}", std::size_t{Schedule::max_steps},
                                     hex(steps.back().last, *conversion.from));
        }
        if (all.status != Status::pass) break;
    }
    all.partial = std::move(steps);
    return all;
}

} // namespace

Observation sweep_scales(Subject& subject, const Operation& operation, unsigned block, CodeRange amaxes,
                         const PermitTable* permitted, std::uint64_t part) {
    const Quantize quantize = as_quantize(operation);
    const ScaleExchange exchange(quantize, block);
    return sweep_parts(
        subject, operation, quantize.scale, exchange, cut(std::span(&amaxes, 1), part), "scale",
        [](const CodeRange&) { return std::string(); }, permitted);
}

std::vector<CodeRange> reachable_pairs(const Format& by_scale, std::span<const Code> amax_of_scale) {
    std::vector<CodeRange> ranges;
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

Observation sweep_elements(Subject& subject, const Operation& operation, unsigned block,
                           std::span<const CodeRange> ranges, std::span<const Code> amax_of_scale,
                           const PermitTable* permitted, std::uint64_t part) {
    const Quantize quantize = as_quantize(operation);
    const PairExchange exchange(quantize, block, amax_of_scale);
    const auto amax_of = [&](const CodeRange& range) {
        return fmt::format(" by {:X}", amax_of_scale[quantize.element.from->scale_of(range.first)]);
    };
    return sweep_parts(subject, operation, quantize.element, exchange, cut(ranges, part), "elements", amax_of,
                       permitted);
}

} // namespace mxcert
