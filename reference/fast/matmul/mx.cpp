// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/matmul/mx.hpp"

#include <stdexcept>
#include <vector>

#include "reference/fast/codes.hpp"

namespace mxcert::fast {

void matmul_mx(const DotFormat& format, const Choices& choices, const MatmulShape& shape, const MatmulBuffers& operands,
               const Format& element, const BlockChoices& block_choices, std::size_t block,
               const std::uint8_t* given_scales, std::uint8_t* elements, std::uint8_t* scales, unsigned threads,
               Isa isa) {
    const BlockFormat of_block{format.to, &element};
    if (block == 0) throw std::invalid_argument("a block has at least one value");
    if (!offers_block(of_block, block_choices))
        throw std::invalid_argument("the fast model does not offer these blocks");
    const auto bytes = static_cast<std::size_t>(format.to->bytes());
    std::vector<unsigned char> d(shape.m * shape.n * bytes + 1);
    matmul(format, choices, shape, operands, d.data(), threads, isa);
    const MatrixShape matrix{shape.m, shape.n, block};
    if (given_scales == nullptr)
        return quantize(of_block, block_choices, matrix, Blocks::rowwise, d.data(), elements, scales, isa);
    const Format& scaled = by_scale(*format.to);
    const std::size_t blocks = matrix.blocks(Blocks::rowwise);
    for (std::size_t i = 0; i < matrix.scales(Blocks::rowwise); ++i) scales[i] = given_scales[i];
    for (std::size_t row = 0; row < shape.m; ++row)
        for (std::size_t column = 0; column < shape.n; ++column) {
            const std::size_t at = row * shape.n + column;
            const Code value = load(d.data() + at * bytes, format.to->bytes());
            const Code code = scaled.code_of(given_scales[row * blocks + column / block], value);
            elements[at] = static_cast<std::uint8_t>(convert(scaled, element, block_choices.element, code));
        }
}

} // namespace mxcert::fast
