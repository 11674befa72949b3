// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/matmul_mx.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/exact/block.hpp"

namespace mxcert::exact {

MxMatrix matmul_mx(const DotFormat& format, const Choices& choices, const MatmulShape& shape,
                   const MatmulOperands& operands, const Format& element, const BlockChoices& block_choices,
                   std::size_t block, std::span<const Code> given_scales) {
    if (block == 0) throw std::invalid_argument("a block has at least one value");
    const std::size_t blocks = shape.n / block + (shape.n % block != 0 ? 1 : 0);
    if (!given_scales.empty() && given_scales.size() != shape.m * blocks)
        throw std::invalid_argument("one scale for each block of D is needed");
    const std::vector<Code> d = matmul(format, choices, shape, operands);
    const BlockFormat of_block{format.to, &element};
    const Format& scaled = by_scale(*format.to);
    MxMatrix result;
    for (std::size_t row = 0; row < shape.m; ++row)
        for (std::size_t first = 0; first < shape.n; first += block) {
            const auto values = std::span(d).subspan(row * shape.n + first, std::min(block, shape.n - first));
            if (given_scales.empty()) {
                const QuantizedBlock quantized = quantize(of_block, block_choices, values);
                result.scales.push_back(quantized.scale);
                result.elements.insert(result.elements.end(), quantized.elements.begin(), quantized.elements.end());
                continue;
            }
            const Code scale = given_scales[row * blocks + first / block];
            result.scales.push_back(scale);
            for (const Code value : values)
                result.elements.push_back(
                    convert(scaled, element, block_choices.element, scaled.code_of(scale, value)).code);
        }
    return result;
}

} // namespace mxcert::exact
