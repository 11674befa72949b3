// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/draw_matrix.hpp"

#include <algorithm>

#include "conformance/inputs/draw.hpp"
#include "conformance/suites/blocks/quantize_cases.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t most_values = 1U << 12U; ///< of a matrix, unless a block has more: judging takes its time
constexpr std::uint64_t most_distinct = 512;     ///< values of a block, for the same reason
constexpr std::uint64_t most_levels = 4;

std::uint64_t between(SplitMix64& random, std::uint64_t first, std::uint64_t last) {
    return first + random.below(last - first + 1);
}

std::uint64_t draw_side(SplitMix64& random, std::uint64_t block) {
    constexpr std::uint64_t few = 4; // blocks
    switch (inputs::draw<6>(random, {2, 2, 3, 3, 2, 1})) {
    case 0: return 1;
    case 1: return between(random, 1, block);
    case 2: return block * between(random, 1, few);
    case 3: {
        const std::uint64_t tail = random.below(block); // a draw a statement: the order counts
        return block * between(random, 1, few - 1) + tail;
    }
    case 4: return block * between(random, 1, few) + 1;
    default: return block == 1 ? between(random, few, 70) : block * between(random, 2, few) - 1;
    }
}

/// An amax that blocks of a matrix have, and the values near which an element changes under its scale.
struct AmaxLevel {
    Code amax = 0;
    std::vector<Code> thresholds;
};

Code up_to(Code magnitude, Code amax) { return std::min(magnitude, amax); }

/// A value of a block, without sign.
Code draw_magnitude(SplitMix64& random, const AmaxLevel& level, const Format& format) {
    const Code amax = level.amax;
    switch (inputs::draw<6>(random, {level.thresholds.empty() ? 0U : 8U, 3, 2, 1, 1, 1})) {
    case 0: {
        const Code place = level.thresholds[random.below(level.thresholds.size())] & format.magnitude_mask();
        return up_to(inputs::draw_near(random, place, format) & format.magnitude_mask(), amax);
    }
    case 1: return random.below(amax + 1);
    case 2: { // some binades below
        const Code binades = random.below(20) << static_cast<unsigned>(format.fraction_bits);
        const Code lower = amax > binades ? amax - binades : 0;
        return up_to((lower & ~format.fraction_mask()) | (random() & format.fraction_mask()), amax);
    }
    case 3: return up_to(inputs::draw_sparse(random, format) & format.magnitude_mask(), amax);
    case 4: return amax;
    default: return 0;
    }
}

Code draw_sign(SplitMix64& random, const Format& format) { return random.below(2) == 0 ? 0 : format.sign_bit(); }

} // namespace

Extent draw_extent(SplitMix64& random, const BlockShape& block) {
    constexpr std::uint64_t usual = 24; // of a side that is all of the matrix
    const auto side = [](std::uint64_t of_block) { return of_block == BlockShape::whole ? usual : of_block; };
    Extent extent;
    extent.rows = draw_side(random, side(block.rows));
    extent.columns = draw_side(random, side(block.columns));
    const std::uint64_t most = std::max(most_values, 2 * side(block.rows) * side(block.columns));
    while (extent.rows * extent.columns > most) {
        std::uint64_t& longer = extent.rows > extent.columns ? extent.rows : extent.columns;
        longer = (longer + 1) / 2;
    }
    if (random.below(4) != 0) return extent;
    const auto filled = [](std::uint64_t length) { return (length + whole_lines - 1) / whole_lines * whole_lines; };
    return {filled(extent.rows), filled(extent.columns)};
}

std::vector<Code> draw_blocks(SplitMix64& random, const FloatMatrix& matrix, const BlockValues& values) {
    const Format& format = *values.format;
    std::vector<AmaxLevel> levels(between(random, 1, most_levels));
    for (AmaxLevel& level : levels) {
        const Code place = values.amaxes[random.below(values.amaxes.size())];
        level.amax = std::min(inputs::draw_near(random, place, format) & format.magnitude_mask(), format.max_code());
        level.thresholds = values.thresholds(level.amax);
    }
    std::vector<Code> codes(count(matrix.values, "values"));
    for (std::uint64_t number = 0; number < matrix.blocks(); ++number) {
        const BlockRange block = matrix.block(number);
        const std::uint64_t lanes = count(block.size, "values");
        const auto set = [&](std::uint64_t lane, Code code) { codes[matrix.place(block, lane)] = code; };
        const std::size_t kind = inputs::draw<4>(random, {10, 3, 1, 1});
        const AmaxLevel any{random.below(format.max_code() + 1), {}};
        const AmaxLevel& level = kind == 0 ? levels[random.below(levels.size())] : any;
        const Code same = inputs::draw_special(random, format);
        std::vector<Code> drawn(std::min(lanes, most_distinct));
        for (Code& code : drawn) {
            const Code sign = draw_sign(random, format);
            const Code special = kind == 2 ? same : sign; // of one value, or of zeros
            code = kind < 2 ? draw_magnitude(random, level, format) | sign : special;
        }
        for (std::uint64_t lane = 0; lane < lanes; ++lane)
            set(lane, drawn[lane < drawn.size() ? lane : random.below(drawn.size())]);
        const Code largest = level.amax | draw_sign(random, format);
        if (kind != 2) set(random.below(lanes), largest);
        if (random.below(4) == 0)
            for (std::uint64_t some = between(random, 1, 2); some != 0; --some) {
                const std::uint64_t lane = random.below(lanes);
                set(lane, inputs::draw_special(random, format));
            }
    }
    return codes;
}

std::vector<Code> draw_elements(SplitMix64& random, std::uint64_t count, const Format& format) {
    std::vector<Code> codes(count);
    const std::size_t kind = inputs::draw<3>(random, {3, 3, 1});
    for (Code& code : codes) {
        do code = random() & format.last_code();
        while (kind != 0 && !format.is_finite(code));
        if (kind == 2 && random.below(8) != 0) code = 0;
    }
    return codes;
}

std::vector<Code> draw_scales(SplitMix64& random, std::uint64_t count, const Format& format,
                              const std::vector<Code>& pool) {
    constexpr Code binades = 8; // to either side of 1
    const Code step = Code{1} << static_cast<unsigned>(format.fraction_bits);
    const Code magnitude = format.last_code() & ~format.sign_bit();
    std::vector<Code> codes(count);
    for (Code& code : codes) {
        switch (inputs::draw<3>(random, {8, 2, pool.empty() ? 0U : 4U})) {
        case 0: {
            const Code lowest = format.one_code() > binades * step ? format.one_code() - binades * step : 0;
            code = std::min(lowest + random.below(2 * binades * step + 1), magnitude);
            break;
        }
        case 1: code = random() & magnitude; break;
        default: code = pool[random.below(pool.size())]; break;
        }
    }
    return codes;
}

} // namespace mxcert::suites
