// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_cases.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "conformance/suites/maker.hpp"
#include "conformance/suites/matrices/block_kinds.hpp"

namespace mxcert::suites {
namespace {

/// A value of a case by the number of its block, its lane, and the lanes there are in the block.
using ValueOf = std::function<Code(std::uint64_t block, std::uint64_t lane, std::uint64_t lanes)>;
using AboutBlock = std::function<std::string(std::uint64_t block)>;

std::uint64_t side_of(std::uint64_t side) { return side == BlockShape::whole ? whole_side : side; }

FloatCase make(const Format& source, std::string name, const FloatMatrix& matrix, const ValueOf& value,
               const AboutBlock& about = {}) {
    FloatCase float_case{
        std::move(name), {}, matrix, frames::Values(count(matrix.values, "values"), frames::bytes_of(source))};
    const std::uint64_t blocks = matrix.blocks();
    for (std::uint64_t number = 0; number < blocks; ++number) {
        const BlockRange block = matrix.block(number);
        const std::uint64_t lanes = count(block.size, "values");
        for (std::uint64_t lane = 0; lane < lanes; ++lane)
            float_case.values.set(matrix.place(block, lane), value(number, lane, lanes));
        if (about) float_case.blocks.push_back(about(number));
    }
    return float_case;
}

/// Lanes that are worth a block each.
std::vector<std::uint64_t> lanes_worth_asking(std::uint64_t rows, std::uint64_t columns) {
    std::set<std::uint64_t> lanes;
    for (std::uint64_t row = 0; row < rows; ++row)
        for (std::uint64_t column = 0; column < columns; ++column)
            if (rows * columns <= large_block || row % columns == column || row == column % rows || row == 0 ||
                column == 0)
                lanes.insert(row * columns + column);
    return {lanes.begin(), lanes.end()};
}

std::vector<std::uint64_t> ends_of_powers(std::uint64_t count) {
    std::set<std::uint64_t> lanes{0, count - 1};
    for (std::uint64_t power = 1; power < count; power *= 2) lanes.insert({power - 1, power});
    return {lanes.begin(), lanes.end()};
}

/// Asks blocks of a list, as many at once as the limit and the shape permit.
template <class About> bool in_pieces(const QuantizeFloat& quantize, const std::string& name, std::uint64_t blocks,
                                      const std::function<bool(const FloatCase&)>& call, const ValueOf& value,
                                      const About& about) {
    const std::uint64_t lanes = side_of(quantize.block.rows) * side_of(quantize.block.columns);
    const std::uint64_t most = std::max<std::uint64_t>(1, values_at_once / lanes);
    for (std::uint64_t done = 0; done < blocks;) {
        const FloatMatrix matrix = grid_of(quantize.block, std::min(most, blocks - done));
        const std::uint64_t here = matrix.blocks();
        const auto number = [&](std::uint64_t block) { return std::min(done + block, blocks - 1); };
        if (!call(make(
                *quantize.source, name, matrix,
                [&](std::uint64_t block, std::uint64_t lane, std::uint64_t all) {
                    return value(number(block), lane, all);
                },
                [&](std::uint64_t block) { return about(number(block)); })))
            return false;
        done += here;
    }
    return true;
}

} // namespace

BlockRange FloatMatrix::block(std::uint64_t number) const {
    const std::uint64_t across = scales().columns;
    return block_at(values, shape, {number / across, number % across});
}

std::uint64_t FloatMatrix::place(const BlockRange& block, std::uint64_t lane) const {
    return (block.first.row + lane / block.size.columns) * values.columns + block.first.column +
           lane % block.size.columns;
}

bool FloatMatrix::has_tail() const { return refusal(find_size_policy("whole_blocks"), values, shape).has_value(); }

FloatMatrix grid_of(const BlockShape& shape, std::uint64_t blocks) {
    constexpr std::uint64_t usual = 7; // blocks of a row
    const std::uint64_t across = shape.columns == BlockShape::whole ? 1
                                 : shape.rows == BlockShape::whole  ? blocks
                                                                    : std::min(usual, blocks);
    const std::uint64_t down = shape.rows == BlockShape::whole ? 1 : (blocks + across - 1) / across;
    return {{down * side_of(shape.rows), across * side_of(shape.columns)}, shape};
}

std::string FloatCase::title(std::uint64_t block) const {
    return blocks.empty() ? name : fmt::format("{}: {}", name, blocks[block]);
}

void for_each_case(const QuantizeFloat& quantize, const std::function<bool(const FloatCase&)>& call,
                   SpecialLanes special_lanes) {
    const Format& f = *quantize.source;
    const Maker maker(f);
    const std::vector<Special> specials = specials_of(f);
    const std::uint64_t count = specials.size();
    const std::uint64_t high = side_of(quantize.block.rows);
    const std::uint64_t wide = side_of(quantize.block.columns);
    const std::vector<std::uint64_t> lanes = lanes_worth_asking(high, wide);
    // Few values, so that the exact answers are at hand.
    const auto ordinary = [&](std::uint64_t lane) { return maker.ordinary(lane % 37); };
    const auto lane_text = [&](std::uint64_t lane) {
        return high == 1 || wide == 1 ? fmt::format("lane {}", lane)
                                      : fmt::format("row {}, column {}", lane / wide, lane % wide);
    };

    const std::uint64_t signs = high * wide > large_block ? 1 : 2; // of each lane
    if (!in_pieces(
            quantize, "the maximum in each lane", signs * lanes.size(), call,
            [&](std::uint64_t block, std::uint64_t lane, std::uint64_t) {
                if (lane != lanes[block / signs]) return ordinary(lane);
                const Code largest = maker.normal(5, 0);
                return block % 2 != 0 ? maker.negative(largest) : largest;
            },
            [&](std::uint64_t block) {
                return fmt::format("{}, {}", lane_text(lanes[block / signs]), block % 2 != 0 ? "negative" : "positive");
            }))
        return;
    // Of a large tile the lanes of the diagonal and the ends.
    std::vector<std::uint64_t> few = special_lanes == SpecialLanes::each ? lanes : ends_of_powers(high * wide);
    if (high > 1 && wide > 1) {
        few.clear();
        const std::uint64_t diagonal = std::min(high, wide);
        for (std::uint64_t i = 0; i < diagonal; i += (diagonal + 7) / 8) few.push_back(i * wide + i);
        few.push_back(high * wide - 1);
    }
    if (!in_pieces(
            quantize, "a special value in each lane", count * few.size(), call,
            [&](std::uint64_t block, std::uint64_t lane, std::uint64_t) {
                return lane == few[block % few.size()] ? specials[block / few.size()].code : ordinary(lane);
            },
            [&](std::uint64_t block) {
                return fmt::format("{} in {}", specials[block / few.size()].name, lane_text(few[block % few.size()]));
            }))
        return;
    if (!in_pieces(
            quantize, "special values together", count * count, call,
            [&](std::uint64_t block, std::uint64_t lane, std::uint64_t) {
                return lane % 2 == 0 ? specials[block % count].code : specials[block / count].code;
            },
            [&](std::uint64_t block) {
                return block % count == block / count
                           ? fmt::format("nothing but {}", specials[block % count].name)
                           : fmt::format("{} and {}", specials[block % count].name, specials[block / count].name);
            }))
        return;
    // A special value in one block must not change the blocks beside it.
    const bool is_large = high * wide > large_block;
    const std::uint64_t blocks_of_line = is_large ? 3 : 8;
    for (const Special& special : specials) {
        if (quantize.block.columns == BlockShape::whole) break; // a line has one block
        if (is_large && special.name != "NaN" && special.name != "Inf" && special.name != "the largest value") continue;
        if (!call(make(f, fmt::format("{} in every fifth block from block 1, of {}", special.name, blocks_of_line),
                       {{high, blocks_of_line * wide}, quantize.block},
                       [&](std::uint64_t block, std::uint64_t lane, std::uint64_t) {
                           return block % 5 == 1 && lane == 1 ? special.code : ordinary(lane + block);
                       })))
            return;
    }
    if (!call(make(f, "zero", grid_of(quantize.block, 1),
                   [](std::uint64_t, std::uint64_t, std::uint64_t) { return Code{0}; })))
        return;
    // So many that a vector or a group of blocks has nothing else.
    for (const Special& special : specials)
        if (!call(make(f, fmt::format("blocks of nothing but {}", special.name),
                       grid_of(quantize.block, is_large ? 4 : 35),
                       [&](std::uint64_t, std::uint64_t, std::uint64_t) { return special.code; })))
            return;
    // After a block of large values nothing of them may be left in the next one.
    if (!call(make(f, "blocks that fall in size", grid_of(quantize.block, 12),
                   [&](std::uint64_t block, std::uint64_t lane, std::uint64_t) {
                       return maker.normal(12 - static_cast<int>(block), ordinary(lane + block));
                   })))
        return;
    // A smaller block at an end is larger than its neighbour in value, then smaller: it has its own scale, and nobody
    // else's. Then matrices of many blocks: the exponent is another one from block to block.
    const auto place = [&](std::uint64_t block, std::uint64_t lane, std::uint64_t) {
        const int lowest = -6; // above 1e-4, to which some recipes raise an amax
        const int range = std::min(f.emax(), 60) - lowest - 2;
        const Code value = ordinary(lane) ^ (maker.ordinary(block) & f.fraction_mask());
        const int exponent = lowest + static_cast<int>(block * 5 % static_cast<std::uint64_t>(range));
        return maker.normal(exponent, value) | (value & f.sign_bit());
    };
    std::vector<Extent> sizes{{1, 1},
                              {high, wide},
                              {3 * high, 1},
                              {1, 3 * wide},
                              {2 * high, 2 * wide},
                              {5 * high, 3 * wide},
                              {2 * high, 3 * wide + 1},
                              {2 * high + 1, 3 * wide},
                              {high + (high + 1) / 2, wide + (wide + 1) / 2},
                              {3 * high - 1, 2 * wide - 1},
                              {2 * high - 1, 3 * wide - 1},
                              {1, 4099},
                              {2503, 1},
                              {64, 48},
                              {129, 65}};
    for (const Extent& size : sizes)
        if (!call(make(f, fmt::format("a matrix of {}", text(size)), {size, quantize.block}, place))) return;
    // The same and larger ones with blocks of every kind.
    const BlockKinds kinds = block_kinds(f);
    std::uint64_t first = 0;
    sizes.push_back({256, 256});
    for (const Extent& size : sizes) {
        const FloatMatrix matrix{size, quantize.block};
        const Extent grid = matrix.scales();
        if (matrix.blocks() < 2) continue;
        if (!call(make(f, fmt::format("every kind of block, a matrix of {}", text(size)), matrix,
                       [&](std::uint64_t block, std::uint64_t lane, std::uint64_t lanes) {
                           return kinds.value(kinds.number_in(grid.rows, grid.columns, block, first), lane, lanes);
                       })))
            return;
        first += matrix.blocks();
    }
}

/// So many of one element, and of one scale, fill a vector.
constexpr std::uint64_t alike_elements = 128;
constexpr std::uint64_t alike_scales = 4;

std::vector<FloatDequantizeCase> dequantize_cases(const DequantizeFloat& dequantize) {
    const Format& scale = *dequantize.scale;
    const std::uint64_t high = side_of(dequantize.block.rows);
    const std::uint64_t wide = side_of(dequantize.block.columns);
    const Code one = scale.one_code();
    std::vector<FloatDequantizeCase> cases;
    const auto add = [&](const std::string& name, const FloatMatrix& matrix) {
        FloatDequantizeCase& added =
            cases.emplace_back(FloatDequantizeCase{name, matrix, frames::Values(count(matrix.values, "values"), 1),
                                                   frames::Values(matrix.blocks(), frames::bytes_of(scale))});
        // Finite elements, and scales next to 1 of many fractions: a value tells both.
        for (std::uint64_t i = 0; i < added.elements.count(); ++i)
            added.elements.set(i, finite_element(*dequantize.element, i));
        const Code step = scale.fraction_bits > 8 ? (Code{1} << static_cast<unsigned>(scale.fraction_bits - 8)) * 3 : 1;
        for (std::uint64_t i = 0; i < added.scales.count(); ++i) added.scales.set(i, one - 6 + i * 5 % 61 * step);
    };
    for (const Extent& size :
         {Extent{1, 1}, Extent{high, wide}, Extent{67 * high, 3 * wide}, Extent{2 * high, 2 * wide},
          Extent{high + 1, 3 * wide}, Extent{2 * high, wide + (wide + 1) / 2}, Extent{3 * high - 1, 2 * wide - 1},
          Extent{2503, 3}, Extent{1, 4099}}) {
        if (count(size, "values") <= 1U << 20U)
            add(fmt::format("a matrix of {}", text(size)), {size, dequantize.block});
    }
    // A vector or a group of blocks that has nothing else may take a path of its own.
    const FloatMatrix alike = grid_of(dequantize.block, 1 + alike_elements / (high * wide));
    for (const Special& special : element_specials(*dequantize.element)) {
        add(fmt::format("blocks of nothing but {}", special.name), alike);
        for (std::uint64_t i = 0; i < cases.back().elements.count(); ++i) cases.back().elements.set(i, special.code);
    }
    std::uint64_t first = 0; // of the kinds of a matrix
    for (const Extent& size : {Extent{67 * high, 3 * wide}, Extent{high + 1, 3 * wide}, Extent{2503, 3},
                               Extent{1, 4099}, Extent{256, 256}}) {
        const FloatMatrix matrix{size, dequantize.block};
        if (count(size, "values") > 1U << 20U || matrix.blocks() < 2) continue;
        add(fmt::format("every kind of block, a matrix of {}", text(size)), matrix);
        const BlockKinds kinds = element_block_kinds(*dequantize.element);
        const Extent grid = matrix.scales();
        for (std::uint64_t number = 0; number < matrix.blocks(); ++number) {
            const BlockRange block = matrix.block(number);
            const std::uint64_t lanes = count(block.size, "values");
            const std::uint64_t kind = kinds.number_in(grid.rows, grid.columns, number, first);
            for (std::uint64_t lane = 0; lane < lanes; ++lane)
                cases.back().elements.set(matrix.place(block, lane), kinds.value(kind, lane, lanes));
            cases.back().scales.set(number, scale_of_kind(scale, kind + 2, cases.back().scales.get(number)));
        }
        first += matrix.blocks();
    }
    add("blocks with NaN for a scale", grid_of(dequantize.block, alike_scales));
    for (std::uint64_t i = 0; i < cases.back().scales.count(); ++i) cases.back().scales.set(i, scale.magnitude_mask());
    return cases;
}

frames::RunCase run_of(const QuantizeFloat& quantize, const FloatCase& float_case) {
    frames::RunCase run;
    run.shape = {float_case.matrix.values.rows, float_case.matrix.values.columns, 0, 0};
    run.inputs = {float_case.values};
    run.outputs = {frames::Values(float_case.values.count(), frames::bytes_of(*quantize.choices.scaling.element)),
                   frames::Values(float_case.matrix.blocks(), frames::bytes_of(*quantize.scale))};
    return run;
}

frames::RunCase run_of(const DequantizeFloat& dequantize, const FloatDequantizeCase& float_dequantize_case) {
    frames::RunCase run;
    run.shape = {float_dequantize_case.matrix.values.rows, float_dequantize_case.matrix.values.columns, 0, 0};
    run.inputs = {float_dequantize_case.elements, float_dequantize_case.scales};
    run.outputs = {frames::Values(float_dequantize_case.elements.count(), frames::bytes_of(*dequantize.target))};
    return run;
}

FloatCase case_of(const QuantizeFloat& quantize, const cases::GivenCase& given_case) {
    return {"this case",
            {},
            {{given_case.sizes[0], given_case.sizes[1]}, quantize.block},
            frames::values_of(given_case.tensors[0], *quantize.source)};
}

FloatDequantizeCase case_of(const DequantizeFloat& dequantize, const cases::GivenCase& given_case) {
    return {"this case",
            {{given_case.sizes[0], given_case.sizes[1]}, dequantize.block},
            frames::values_of(given_case.tensors[0], *dequantize.element),
            frames::values_of(given_case.tensors[1], *dequantize.scale)};
}

} // namespace mxcert::suites
