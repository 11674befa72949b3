// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/quantize_tensor.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/tensors/nvfp4.hpp"
#include "conformance/tensors/pieces.hpp"
#include "conformance/tensors/tensor_output.hpp"
#include "reference/exact/block.hpp"
#include "reference/fast/block.hpp"
#include "reference/fast/codes.hpp"

namespace mxcert::tensors {
namespace {

/// A block by the exact model: `stride` values lie between its own.
void quantize_block(const Quantization& how, const unsigned char* values, std::uint8_t* elements, std::uint64_t count,
                    std::uint64_t stride, std::uint8_t& scale) {
    const int bytes = how.source->bytes();
    std::vector<Code> codes(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = fast::load(values + i * stride * static_cast<std::size_t>(bytes), bytes);
    const QuantizedBlock block = exact::quantize(how.block_format(), how.choices, codes);
    scale = static_cast<std::uint8_t>(block.scale);
    for (std::size_t i = 0; i < codes.size(); ++i) elements[i * stride] = static_cast<std::uint8_t>(block.elements[i]);
}

} // namespace

void quantize_piece(const Quantization& how, const Extent& size, const void* values, std::uint8_t* elements,
                    std::uint8_t* scales) {
    if (how.recipe != nullptr) return quantize_nvfp4_piece(how, size, values, elements, scales);
    const bool rows = how.axis == Axis::row;
    if (fast::offers_block(how.block_format(), how.choices)) {
        const fast::MatrixShape shape{static_cast<std::size_t>(size.rows), static_cast<std::size_t>(size.columns),
                                      how.block};
        fast::quantize(how.block_format(), how.choices, shape, rows ? fast::Blocks::rowwise : fast::Blocks::columnwise,
                       values, elements, scales);
        return;
    }
    const auto* from = static_cast<const unsigned char*>(values);
    const auto bytes = static_cast<std::uint64_t>(how.source->bytes());
    const std::uint64_t lines = rows ? size.rows : size.columns;
    const std::uint64_t length = rows ? size.columns : size.rows;
    const std::uint64_t stride = rows ? 1 : size.columns;
    const std::uint64_t blocks = length / how.block + (length % how.block != 0);
    for (std::uint64_t line = 0; line < lines; ++line)
        for (std::uint64_t b = 0; b < blocks; ++b) {
            const std::uint64_t first = line * (rows ? size.columns : 1) + b * how.block * stride;
            const std::uint64_t count = std::min<std::uint64_t>(how.block, length - b * how.block);
            quantize_block(how, from + first * bytes, elements + first, count, stride,
                           scales[rows ? line * blocks + b : b * size.columns + line]);
        }
}

void quantize_tensor(const TensorFile& tensor, const Quantization& how, const std::filesystem::path& to,
                     std::map<std::string, std::string> metadata, const TensorRun& run) {
    check(how);
    metadata.merge(to_text(how));
    const Format& element = *how.format->element;
    std::vector<OutputTensor> tensors{{elements_name, how.is_packed() ? nullptr : &element, elements_shape(how)},
                                      {scales_name, &how.scale(), scales_shape(how)}};
    if (how.recipe != nullptr) tensors.push_back({tensor_scale_name, how.format->tensor_scale, {1}});
    TensorOutput output(to, std::move(tensors), std::move(metadata));
    const auto tensor_scale = static_cast<std::uint32_t>(how.tensor.decode);
    if (how.recipe != nullptr) output.write(2, 0, 1, &tensor_scale);
    const Matrices matrices = matrices_of(how.shape);
    const Matrices scale_places = scale_matrices(how);
    // A layout puts scales where it likes: those of all matrices are kept until the end.
    const std::uint64_t of_matrix = scale_places.matrix.rows * scale_places.matrix.columns;
    std::vector<std::uint8_t> kept(how.layout == nullptr ? 0
                                                         : static_cast<std::size_t>(of_matrix * scale_places.count));
    for_each_piece(
        how, run.threads, run.progress,
        [&](const Piece& piece) {
            const std::vector<unsigned char> values = read_piece(tensor, matrices, piece);
            std::vector<std::uint8_t> elements(static_cast<std::size_t>(piece.size.rows * piece.size.columns));
            const Piece scale_piece = scales_of_piece(how, piece);
            std::vector<std::uint8_t> scales(
                static_cast<std::size_t>(scale_piece.size.rows * scale_piece.size.columns));
            quantize_piece(how, piece.size, values.data(), elements.data(), scales.data());
            for_each_run(matrices, piece, [&](std::uint64_t first, std::uint64_t at, std::uint64_t n) {
                if (!how.is_packed()) return output.write(0, first, static_cast<std::size_t>(n), elements.data() + at);
                const std::vector<std::uint8_t> packed =
                    pack(*how.packing, element, std::span(elements).subspan(at, n), how.block);
                output.write(0, first * how.element_bits() / 8, packed.size(), packed.data());
            });
            for_each_run(scale_places, scale_piece, [&](std::uint64_t first, std::uint64_t at, std::uint64_t n) {
                if (how.layout == nullptr)
                    output.write(1, first, static_cast<std::size_t>(n), scales.data() + at);
                else
                    std::memcpy(kept.data() + first, scales.data() + at, static_cast<std::size_t>(n));
            });
        },
        run.most_values);
    if (how.layout != nullptr) {
        const ScaleMap map(*how.layout, scale_places.matrix);
        for (std::uint64_t m = 0; m < scale_places.count; ++m) {
            const std::vector<std::uint8_t> buffer = map.arrange(
                std::span<const std::uint8_t>(kept).subspan(static_cast<std::size_t>(m * of_matrix), of_matrix));
            output.write(1, m * map.size(), buffer.size(), buffer.data());
        }
    }
    output.finish();
}

} // namespace mxcert::tensors
