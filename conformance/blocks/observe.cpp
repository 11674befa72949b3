// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/observe.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "conformance/blocks/matrix.hpp"
#include "conformance/run_length.hpp"
#include "reference/random.hpp"
#include "vectors/permit.hpp"

namespace mxcert {
namespace {

constexpr std::uint64_t blocks_at_once = 4096;

// The amax stands alone in its lane; the others are smaller or as large, of either sign.
Code lane_value(const Format& value, Code amax, bool is_amax, std::uint64_t word) {
    const Code magnitude = is_amax ? amax : SplitMix64::at(amax, word) % (amax + 1);
    return magnitude | ((word & 1) != 0 ? value.sign_bit() : 0);
}

/// An observation of chosen inputs, or of all, on its way.
class Watch {
  public:
    explicit Watch(const Conversion& conversion) {
        seen_.conversion = conversion;
        seen_.status = Status::pass;
    }
    [[nodiscard]] Observation& seen() { return seen_; }
    /// The observation, as far as it has come.
    [[nodiscard]] Observation end() {
        seen_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        return std::move(seen_);
    }
    /// Ended early by an answer that is none.
    [[nodiscard]] Observation end(const RunAnswer& answer) {
        seen_.status = answer.status;
        seen_.reason = answer.reason;
        seen_.detail = answer.detail;
        return end();
    }

  private:
    Observation seen_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace

Observation observe_scales(Subject& subject, const Operation& operation, unsigned block, std::span<const Code> amaxes,
                           std::uint64_t number) {
    const Quantize quantize = as_quantize(operation);
    const Format& value = *quantize.format.value;
    Watch watch(quantize.scale);
    Observation& seen = watch.seen();
    seen.chosen = true;
    for (std::size_t done = 0; done < amaxes.size(); done += blocks_at_once) {
        const auto some = amaxes.subspan(done, std::min<std::size_t>(blocks_at_once, amaxes.size() - done));
        const BlockMatrix matrix{quantize.axis, some.size(), block, block};
        RunCase asked = run_of(quantize, matrix);
        asked.row = "scale";
        asked.name = fmt::format("amaxes from {}", hex(some.front(), *quantize.scale.from));
        for (std::size_t i = 0; i < some.size(); ++i) {
            const std::uint64_t at = number + done + i;
            for (std::uint64_t lane = 0; lane < block; ++lane)
                asked.inputs[0].set(matrix.place(i, lane),
                                    lane_value(value, some[i], lane == at % block, lane + at / block));
        }
        const RunAnswer answer = subject.run(operation, asked);
        if (answer.status != Status::pass) return watch.end(answer);
        for (std::size_t i = 0; i < some.size(); ++i)
            append_step(seen.partial, {some[i], some[i], answer.outputs[1].get(matrix.scale_place(i, 0))});
        seen.inputs = seen.repeated = done + some.size();
    }
    return watch.end();
}

Observation observe_elements(Subject& subject, const Operation& operation, unsigned block, std::span<const Code> codes,
                             std::span<const Code> amax_of_scale) {
    const Quantize quantize = as_quantize(operation);
    const Format& value = *quantize.format.value;
    const Format& by = *quantize.element.from;
    Watch watch(quantize.element);
    Observation& seen = watch.seen();
    seen.chosen = true;
    const std::uint64_t in_block = block - 1;
    std::size_t done = 0;
    while (done < codes.size()) {
        // Each block has values of one scale; the last one of a scale may have fewer, and repeats its last.
        struct Filled {
            std::size_t first;
            std::uint64_t count;
        };
        std::vector<Filled> filled;
        while (done < codes.size() && filled.size() < blocks_at_once) {
            const Code scale = by.scale_of(codes[done]);
            std::uint64_t count = 0;
            while (count < in_block && done + count < codes.size() && by.scale_of(codes[done + count]) == scale)
                ++count;
            filled.push_back({done, count});
            done += count;
        }
        const BlockMatrix matrix{quantize.axis, filled.size(), block, block};
        // In memory the lane of the amax comes between those of the values.
        const auto amax_lane = [&](std::size_t i) { return (filled[i].first + i) % block; };
        const auto lane_of = [&](std::size_t i, std::uint64_t k) { return k + (k >= amax_lane(i) ? 1 : 0); };
        RunCase asked = run_of(quantize, matrix);
        asked.row = "elements";
        asked.name = fmt::format("values from {}", hex(codes[filled.front().first], by));
        for (std::size_t i = 0; i < filled.size(); ++i) {
            const Filled& some = filled[i];
            const Code amax = amax_of_scale[by.scale_of(codes[some.first])];
            asked.inputs[0].set(matrix.place(i, amax_lane(i)), amax | (i % 2 != 0 ? value.sign_bit() : 0));
            for (std::uint64_t k = 0; k < in_block; ++k) {
                const Code code = codes[some.first + std::min(k, some.count - 1)];
                asked.inputs[0].set(matrix.place(i, lane_of(i, k)), by.value_of(code));
            }
        }
        const RunAnswer answer = subject.run(operation, asked);
        if (answer.status != Status::pass) return watch.end(answer);
        for (std::size_t i = 0; i < filled.size(); ++i) {
            const Code wanted = by.scale_of(codes[filled[i].first]);
            const Code got = answer.outputs[1].get(matrix.scale_place(i, 0));
            if (got != wanted) {
                seen.status = Status::error;
                seen.reason = fmt::format("an amax of {} gave the scale {:02X}, and {:02X} in another block",
                                          hex(amax_of_scale[wanted], *quantize.scale.from), wanted, got);
                return watch.end();
            }
            for (std::uint64_t k = 0; k < filled[i].count; ++k)
                append_step(seen.partial, {codes[filled[i].first + k], codes[filled[i].first + k],
                                           answer.outputs[0].get(matrix.place(i, lane_of(i, k)))});
        }
        seen.inputs = seen.repeated = done;
    }
    return watch.end();
}

Observation observe_values(Subject& subject, const Operation& operation, unsigned block) {
    const Dequantize dequantize = as_dequantize(operation);
    const Format& times = *dequantize.value.from;
    Watch watch(dequantize.value);
    Observation& seen = watch.seen();
    const std::uint64_t elements = dequantize.element->last_code() + 1;
    const std::uint64_t blocks = (elements + block - 1) / block; // of each scale
    const std::uint64_t scales = times.scale->last_code() + 1;
    const BlockMatrix matrix{dequantize.axis, scales * blocks, block, block};
    RunCase asked = run_of(dequantize, matrix);
    asked.row = "values";
    asked.name = "every element under every scale";
    // Lanes turn from scale to scale, so that each element is seen in many of them.
    const auto lane = [&](Code scale, Code element) { return (element + scale) % block; };
    const auto line = [&](Code scale, Code element) { return scale * blocks + element / block; };
    for (Code scale = 0; scale < scales; ++scale) {
        for (Code element = 0; element < blocks * block; ++element)
            asked.inputs[0].set(matrix.place(line(scale, element), lane(scale, element)),
                                std::min<Code>(element, elements - 1));
        for (std::uint64_t b = 0; b < blocks; ++b)
            asked.inputs[1].set(matrix.scale_place(scale * blocks + b, 0), scale);
    }
    const RunAnswer answer = subject.run(operation, asked);
    if (answer.status != Status::pass) return watch.end(answer);
    seen.table = {&times, dequantize.value.to, {}};
    for (Code scale = 0; scale < scales; ++scale)
        for (Code element = 0; element < elements; ++element) {
            const Code code = times.code_of(scale, element);
            append_step(seen.table.steps,
                        {code, code, answer.outputs[0].get(matrix.place(line(scale, element), lane(scale, element)))});
        }
    seen.inputs = seen.repeated = times.last_code() + 1;
    return watch.end();
}

} // namespace mxcert
