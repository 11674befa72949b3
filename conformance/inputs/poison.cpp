// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/poison.hpp"

#include <algorithm>
#include <bitset>
#include <functional>

#include "conformance/process/shared_memory.hpp"
#include "reference/base/random.hpp"

namespace mxcert::inputs {
namespace {

constexpr std::uint64_t repeat_one_in = 16;
constexpr std::uint64_t small_block = 4096;

/// Makes blocks of [first, first + count) and halves those that have no poison. `range_of` gives the inputs of a block.
class Planner {
  public:
    using RangeOf = std::function<std::pair<Code, Code>(std::uint64_t first, std::uint64_t count)>;
    Planner(const PermitTable* permitted, RangeOf range_of, std::uint64_t seed, bool repeat_all)
        : permitted_(permitted), range_of_(std::move(range_of)), seed_(seed), repeat_all_(repeat_all) {}

    void add(std::uint64_t first, std::uint64_t count) {
        std::optional<std::array<std::uint8_t, 2>> poison = any_poison;
        if (permitted_ != nullptr) {
            const auto [low, high] = range_of_(first, count);
            poison = choose_poison(*permitted_, low, high);
        }
        if (!poison && count > 1) {
            add(first, count / 2);
            add(first + count / 2, count - count / 2);
            return;
        }
        const bool repeat = repeat_all_ || SplitMix64::at(seed_, blocks_.size()) % repeat_one_in == 0;
        blocks_.push_back({first, count, poison.value_or(any_poison), repeat, blocks_.size()});
    }
    [[nodiscard]] std::vector<Block> take() { return std::move(blocks_); }

  private:
    const PermitTable* permitted_;
    RangeOf range_of_;
    std::uint64_t seed_;
    bool repeat_all_;
    std::vector<Block> blocks_;
};

/// Bytes whose poison_code() may come out, and whether every NaN may.
struct Possible {
    std::bitset<256> bytes;
    bool any_nan = false;

    void add(Code code, const Format& to) {
        const auto byte = static_cast<std::uint8_t>(code);
        if (poison_code(byte, to) == code) bytes.set(byte);
    }
};

std::optional<std::array<std::uint8_t, 2>> choose_beside(const Possible& possible, const Format& to) {
    std::array<std::uint8_t, 2> chosen{};
    std::size_t found = 0;
    // An odd step visits every byte once, and starts far from the codes that real kernels give by mistake: 00, 7F, 80,
    // FF.
    for (unsigned i = 0; i < 256 && found < chosen.size(); ++i) {
        const auto byte = static_cast<std::uint8_t>(any_poison[0] + 0x4F * i);
        const Code code = poison_code(byte, to);
        const bool is_nan = code <= to.last_code() && to.is_nan(code);
        if (!possible.bytes[byte] && !(possible.any_nan && is_nan)) chosen[found++] = byte;
    }
    if (found < chosen.size()) return std::nullopt;
    return chosen;
}

} // namespace

Code poison_code(std::uint8_t byte, const Format& to) {
    Code code = byte;
    for (int filled = 1; filled < to.bytes(); ++filled) code = code << 8 | byte;
    return code;
}

std::optional<std::array<std::uint8_t, 2>> choose_poison(const PermitTable& permitted, Code first, Code last) {
    const CodeRange range{first, last};
    return choose_poison(permitted, std::span(&range, 1));
}

std::optional<std::array<std::uint8_t, 2>> choose_poison(const PermitTable& permitted,
                                                         std::span<const CodeRange> ranges) {
    Possible possible;
    for (const CodeRange& range : ranges) {
        for (std::size_t i = find_step(permitted, range.first);
             i < permitted.steps.size() && permitted.steps[i].first <= range.last; ++i) {
            const Permit& permit = permitted.steps[i].permit;
            possible.any_nan = possible.any_nan || permit.any_nan;
            for (const Code code : permit.codes) possible.add(code, *permitted.to);
        }
    }
    return choose_beside(possible, *permitted.to);
}

std::optional<std::array<std::uint8_t, 2>> choose_poison(const Format& to, std::span<const Code> codes) {
    Possible possible;
    for (const Code code : codes) possible.add(code, to);
    return choose_beside(possible, to);
}

std::vector<Block> plan_range(const Conversion& conversion, const PermitTable* permitted, std::uint64_t seed, Code low,
                              Code high) {
    Planner planner(
        permitted, [](std::uint64_t first, std::uint64_t count) { return std::pair(first, first + count - 1); }, seed,
        conversion.from->width() <= 16);
    const std::uint64_t size = conversion.from->width() <= 16 ? small_block : process::layout::max_count;
    const std::uint64_t end = high + 1; // sources of 64 bits are not asked in ranges
    for (std::uint64_t at = low; at < end; at += size) planner.add(at, std::min(size, end - at));
    return planner.take();
}

std::optional<std::vector<Block>> plan_interleaved(const Interleaving& order, const Conversion& conversion,
                                                   const PermitTable* permitted, std::uint64_t seed,
                                                   std::uint64_t most) {
    const bool repeat_all = conversion.from->width() <= 16;
    std::vector<Block> blocks;
    for (std::uint64_t at = 0; at < order.size();) {
        const std::uint64_t end = order.end_of_group(at);
        const std::uint64_t lanes = order.part_at(at).streams.firsts.size();
        std::array<std::uint8_t, 2> poison = any_poison;
        if (permitted != nullptr) {
            const auto chosen = choose_poison(*permitted, order.inputs_of(at, end - at));
            if (!chosen) return std::nullopt;
            poison = *chosen;
        }
        const std::uint64_t size = std::max<std::uint64_t>(1, most / lanes) * lanes;
        for (; at < end; at += std::min(size, end - at)) {
            const bool repeat = repeat_all || SplitMix64::at(seed, blocks.size()) % repeat_one_in == 0;
            blocks.push_back({at, std::min(size, end - at), poison, repeat, blocks.size()});
        }
    }
    return blocks;
}

std::vector<Block> plan_range(const Conversion& conversion, const PermitTable* permitted, std::uint64_t seed) {
    return plan_range(conversion, permitted, seed, 0, conversion.from->last_code());
}

std::vector<Block> plan_points(std::span<const Code> inputs, const PermitTable* permitted, std::uint64_t seed) {
    Planner planner(
        permitted,
        [inputs](std::uint64_t first, std::uint64_t count) {
            return std::pair(inputs[first], inputs[first + count - 1]);
        },
        seed, true);
    for (std::uint64_t first = 0; first < inputs.size(); first += process::layout::max_points)
        planner.add(first, std::min<std::uint64_t>(process::layout::max_points, inputs.size() - first));
    return planner.take();
}

} // namespace mxcert::inputs
