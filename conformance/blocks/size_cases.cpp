// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/size_cases.hpp"

#include <cstring>

#include <fmt/format.h>

#include "conformance/blocks/maker.hpp"
#include "conformance/interleave.hpp"

namespace mxcert {
namespace {

/// Calls use(place in the matrix, place in the ring) for each value of an array.
template <class Use>
void each_value(const BlockMatrix& matrix, const BlockMatrix& ring, bool of_blocks, const Use& use) {
    const std::uint64_t in_line = matrix.blocks_in_line();
    for (std::uint64_t line = 0; line < matrix.lines; ++line)
        for (std::uint64_t b = 0; b < in_line; ++b) {
            const std::uint64_t of_ring = (line * in_line + b) % ring.lines;
            if (of_blocks) {
                use(matrix.scale_place(line, b), ring.scale_place(of_ring, 0));
                continue;
            }
            for (std::uint64_t lane = 0; lane < matrix.size_of(b); ++lane)
                use(matrix.place(line, b * matrix.block + lane), ring.place(of_ring, lane));
        }
}

/// Fills an array with what the ring has.
void repeat(const Values& of_ring, const BlockMatrix& ring, const BlockMatrix& matrix, bool of_blocks, Values& to) {
    each_value(matrix, ring, of_blocks, [&](std::uint64_t at, std::uint64_t from) { to.set(at, of_ring.get(from)); });
}

} // namespace

QuantizeCase ring_case(const Quantize& quantize, unsigned block) {
    const Format& f = *quantize.format.value;
    const Maker maker(f);
    QuantizeCase made{"a ring of 61 blocks", {}, {quantize.axis, ring_blocks, block, block}, {}};
    const auto range = static_cast<Code>(f.emax() - f.emin() - 8);
    for (std::uint64_t line = 0; line < ring_blocks; ++line) {
        const int exponent = f.emin() + 4 + static_cast<int>(far_apart(line, ring_blocks) % range);
        for (std::uint64_t lane = 0; lane < block; ++lane) {
            const Code some = maker.ordinary(line * block + lane);
            const Code value = lane == 0 ? maker.normal(exponent, f.fraction_mask()) : maker.normal(exponent - 1, some);
            made.values.push_back(value | (some & f.sign_bit()));
        }
    }
    made.lines.resize(ring_blocks);
    return made;
}

DequantizeCase ring_case(const Dequantize& dequantize, unsigned block) {
    DequantizeCase made{"a ring of 61 blocks", {dequantize.axis, ring_blocks, block, block}, {}, {}};
    for (std::uint64_t i = 0; i < made.matrix.elements(); ++i)
        made.elements.push_back(i * 37 % dequantize.element->max_code() + 1);
    for (std::uint64_t i = 0; i < ring_blocks; ++i) made.scales.push_back(120 + far_apart(i, ring_blocks) % 13);
    return made;
}

std::vector<BlockMatrix> large_matrices(Axis axis, std::uint64_t block, Level level) {
    if (is_small(level)) return {};
    constexpr std::uint64_t grid = (std::uint64_t{1} << 16U) + 1;
    std::vector<BlockMatrix> matrices{{axis, grid, block, block}};
    const auto add = [&](std::uint64_t elements) {
        const std::uint64_t blocks = elements / block + 1;
        matrices.push_back({axis, blocks, block, block});
        matrices.push_back({axis, 1, blocks * block, block});
        if (elements % block != 0) matrices.push_back({axis, 1, elements, block});
    };
    add((std::uint64_t{1} << 20U) + 3);
    if (level >= Level::standard) add((std::uint64_t{1} << 24U) + 5);
    return matrices;
}

LargeRun::LargeRun(const BlockMatrix& ring, const RunCase& asked, const std::vector<Values>& answers, RunCase large,
                   const BlockMatrix& of, const std::vector<bool>& arrays)
    : run(std::move(large)), matrix(of), expected(run.outputs),
      of_blocks(arrays.begin() + static_cast<std::ptrdiff_t>(run.inputs.size()), arrays.end()) {
    for (std::size_t i = 0; i < run.inputs.size(); ++i) repeat(asked.inputs[i], ring, matrix, arrays[i], run.inputs[i]);
    for (std::size_t i = 0; i < expected.size(); ++i) repeat(answers[i], ring, matrix, of_blocks[i], expected[i]);
    run.name = fmt::format("{} lines of {}", matrix.lines, matrix.length);
}

std::optional<LargeFault> compare(const LargeRun& large, const std::vector<Values>& outputs) {
    LargeFault fault;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Values& wanted = large.expected[i];
        if (outputs[i] == wanted) continue;
        // By line: the first one in memory need not be the first of the matrix.
        const BlockMatrix same{large.matrix.axis, large.matrix.lines, large.matrix.length, large.matrix.block};
        std::uint64_t number = 0;
        each_value(same, same, large.of_blocks[i], [&](std::uint64_t at, std::uint64_t /*ring*/) {
            const std::uint64_t here = number++;
            if (outputs[i].get(at) == wanted.get(at)) return;
            if (fault.values++ != 0) return;
            const std::uint64_t in_line = large.of_blocks[i] ? same.blocks_in_line() : same.length;
            const int digits = static_cast<int>(2 * outputs[i].width());
            fault.first =
                fmt::format("output {} has 0x{:0{}X} at line {}, {} {}, and 0x{:0{}X} in a matrix of 61 blocks", i,
                            outputs[i].get(at), digits, here / in_line, large.of_blocks[i] ? "block" : "element",
                            here % in_line, wanted.get(at), digits);
        });
    }
    if (fault.values == 0) return std::nullopt;
    return fault;
}

} // namespace mxcert
