// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matrices/size_cases.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "conformance/suites/maker.hpp"
#include "conformance/suites/matrices/block_kinds.hpp"

namespace mxcert::suites {
namespace {

/// The bytes of these values, one after the other.
class Gathered {
  public:
    explicit Gathered(const frames::Values& values) : of_(values) {}
    void add(std::uint64_t index) {
        const auto value = of_.bytes().subspan(index * of_.width(), of_.width());
        bytes.insert(bytes.end(), value.begin(), value.end());
    }
    std::vector<std::byte> bytes;

  private:
    const frames::Values& of_;
};

/// An array of a matrix that has the blocks of the ring again and again.
frames::RepeatedArray repeated(const frames::Values& of_ring, const BlockMatrix& ring, const BlockMatrix& matrix,
                               bool of_blocks) {
    const bool is_row = matrix.axis == Axis::row;
    const std::uint64_t in_line = of_blocks ? matrix.blocks_in_line() : matrix.length;
    frames::RepeatedArray array{matrix.lines * in_line, of_ring.width(), is_row ? in_line : matrix.lines, {}};
    const auto add = [&](const std::function<void(Gathered&, std::uint64_t line)>& of_line) {
        Gathered period(of_ring);
        for (std::uint64_t line = 0; line < ring_blocks; ++line) of_line(period, line);
        array.periods.push_back(std::move(period.bytes));
    };
    if (of_blocks) {
        add([&](Gathered& period, std::uint64_t line) { period.add(ring.scale_place(line, 0)); });
    } else if (is_row || matrix.lines == 1) {
        add([&](Gathered& period, std::uint64_t line) {
            for (std::uint64_t lane = 0; lane < ring.block; ++lane) period.add(ring.place(line, lane));
        });
    } else {
        // In memory the same lane of all lines lies together.
        for (std::uint64_t lane = 0; lane < matrix.length; ++lane)
            add([&](Gathered& period, std::uint64_t line) { period.add(ring.place(line, lane)); });
    }
    return array;
}

} // namespace

QuantizeCase ring_case(const Quantize& quantize, unsigned block) {
    const Format& f = *quantize.format.value;
    const Maker maker(f);
    QuantizeCase quantize_case{"a ring of 61 blocks", {}, {quantize.axis, ring_blocks, block, block}, {}};
    const auto range = static_cast<Code>(f.emax() - f.emin() - 8);
    // Blocks of one special value, and some with one in lane 0, are among them: a tail is of the same kind.
    const bool activates = quantize.activation != Activation::none;
    const std::vector<Special> specials = specials_of(f);
    for (std::uint64_t line = 0; line < ring_blocks; ++line) {
        const std::uint64_t kind = line / 3;
        if (line % 3 == 1 && kind <= specials.size()) {
            quantize_case.values.insert(quantize_case.values.end(), block,
                                        kind < specials.size() ? specials[kind].code : 0);
            continue;
        }
        int exponent = f.emin() + 4 + static_cast<int>(inputs::far_apart(line, ring_blocks) % range);
        if (quantize.activation == Activation::srelu) exponent /= 2;
        for (std::uint64_t lane = 0; lane < block; ++lane) {
            const Code code = maker.ordinary(line * block + lane);
            const Code value = lane == 0 ? maker.normal(exponent, f.fraction_mask()) : maker.normal(exponent - 1, code);
            // What is negative counts for nothing behind an activation.
            const bool positive = lane == 0 && activates;
            quantize_case.values.push_back(value | (positive ? 0 : code & f.sign_bit()));
        }
        const auto first = quantize_case.values.end() - block;
        if (line % 6 == 2) std::fill(first + 1, quantize_case.values.end(), 0); // zeros but for one
        if (line % 3 == 2 && kind < specials.size() && (specials[kind].code & f.magnitude_mask()) == f.max_code() &&
            !(activates && (specials[kind].code & f.sign_bit()) != 0))
            *first = specials[kind].code;
    }
    quantize_case.lines.resize(ring_blocks);
    return quantize_case;
}

DequantizeCase ring_case(const Dequantize& dequantize, unsigned block) {
    DequantizeCase dequantize_case{"a ring of 61 blocks", {dequantize.axis, ring_blocks, block, block}, {}, {}};
    const BlockKinds kinds = element_block_kinds(*dequantize.element);
    for (std::uint64_t i = 0; i < dequantize_case.matrix.elements(); ++i)
        dequantize_case.elements.push_back(kinds.value(i / block, i % block, block));
    for (std::uint64_t i = 0; i < ring_blocks; ++i)
        dequantize_case.scales.push_back(
            scale_of_kind(formats::e8m0, i + 2, 120 + inputs::far_apart(i, ring_blocks) % 13));
    return dequantize_case;
}

std::vector<BlockMatrix> large_matrices(Axis axis, std::uint64_t block, Level level, std::uint64_t multiple) {
    if (is_small(level)) return {};
    const auto lines = [&](std::uint64_t blocks) { return (blocks + multiple - 1) / multiple * multiple; };
    constexpr std::uint64_t grid = (std::uint64_t{1} << 16U) + 1;
    std::vector<BlockMatrix> matrices{{axis, lines(grid), block, block}};
    const auto add = [&](std::uint64_t elements) {
        const std::uint64_t blocks = elements / block + 1;
        matrices.push_back({axis, lines(blocks), block, block});
        if (multiple != 1) return;
        matrices.push_back({axis, 1, blocks * block, block});
        if (elements % block != 0) matrices.push_back({axis, 1, elements, block});
    };
    // Sides that are multiples of 128, for which some have kernels of their own.
    if (multiple == 1) {
        constexpr std::uint64_t whole = 128;
        matrices.push_back({axis, grid - 1 + whole, block, block});
        if (axis == Axis::row) matrices.push_back({axis, 2 * whole + 1, whole * block, block});
    }
    for (const std::uint64_t elements : large_counts(level)) add(elements);
    return matrices;
}

frames::RepeatedRun large_run(const BlockMatrix& ring, const frames::RunCase& run_case,
                              const std::vector<frames::Values>& answers, const BlockMatrix& matrix,
                              const std::vector<bool>& of_blocks) {
    frames::RepeatedRun run{matrix.shape(),
                            {},
                            {},
                            matrix.elements(),
                            matrix.has_tail(),
                            fmt::format("{} lines of {}", matrix.lines, matrix.length)};
    std::size_t array = 0;
    for (const frames::Values& input : run_case.inputs)
        run.inputs.push_back(repeated(input, ring, matrix, of_blocks[array++]));
    for (const frames::Values& answer : answers)
        run.outputs.push_back(repeated(answer, ring, matrix, of_blocks[array++]));
    return run;
}

} // namespace mxcert::suites
