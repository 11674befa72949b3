// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/arrays.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "conformance/tensors/dequantize_tensor.hpp"
#include "conformance/tensors/nvfp4.hpp"
#include "conformance/tensors/pieces.hpp"
#include "conformance/tensors/quantize_tensor.hpp"
#include "vectors/base/parallel.hpp"

namespace mxcert::tensors {
namespace {

/// The most values of a piece whose values, elements and scales each lie together: with blocks along columns those are
/// whole rows of blocks.
std::uint64_t most_together(const Quantization& how) {
    if (how.axis == Axis::row) return most_values;
    const Extent matrix = matrices_of(how.shape).matrix;
    return std::max(most_values, std::min<std::uint64_t>(how.block, matrix.rows) * matrix.columns);
}

/// One piece is done by the caller's own thread: to start others takes longer than small tensors do.
unsigned threads_for(std::uint64_t pieces, unsigned threads) { return pieces <= 1 ? 1 : threads; }

/// Where a piece begins among the values of all matrices, which lie in rows.
std::uint64_t first_of(const Matrices& matrices, const Piece& piece) {
    return (piece.matrix * matrices.matrix.rows + piece.first.row) * matrices.matrix.columns + piece.first.column;
}

/// Calls `work` with each piece, the place of its first value and that of its first scale.
void for_each_place(const Quantization& how, unsigned threads,
                    const std::function<void(const Piece&, std::uint64_t, std::uint64_t)>& work) {
    const Matrices matrices = matrices_of(how.shape);
    const Matrices scales = scale_matrices(how);
    const std::uint64_t most = most_together(how);
    for_each_piece(
        how, threads_for(Pieces(how, most).count(), threads), nullptr,
        [&](const Piece& piece) {
            work(piece, first_of(matrices, piece), first_of(scales, scales_of_piece(how, piece)));
        },
        most);
}

/// Calls `work` with each matrix of scales: its map, the place of its first scale in rows, and that in the layout.
void for_each_layout(const Quantization& how,
                     const std::function<void(const ScaleMap&, std::size_t, std::size_t)>& work) {
    const Matrices places = scale_matrices(how);
    const ScaleMap map(*how.layout, places.matrix);
    for (std::uint64_t m = 0; m < places.count; ++m)
        work(map, static_cast<std::size_t>(m * places.matrix.rows * places.matrix.columns),
             static_cast<std::size_t>(m * map.size()));
}

} // namespace

void convert_array(const Format& from, const Format& to, const Choices& choices, const void* in,
                   const RandomBits& random, void* out, std::uint64_t count, unsigned threads) {
    check_single_values(to);
    const std::uint64_t pieces = count / most_values + (count % most_values != 0);
    const auto* source = static_cast<const unsigned char*>(in);
    auto* target = static_cast<unsigned char*>(out);
    in_parallel(static_cast<std::size_t>(pieces), threads_for(pieces, threads), [&](std::size_t piece) {
        const std::uint64_t first = piece * most_values;
        const RandomBits bits{random.values == nullptr ? nullptr : random.values + first, random.bits};
        convert_values(from, to, choices, source + first * static_cast<unsigned>(from.bytes()), bits,
                       target + first * static_cast<unsigned>(to.bytes()), first,
                       static_cast<std::size_t>(std::min(most_values, count - first)));
    });
}

Code tensor_amax_of(const Quantization& how, const void* values, unsigned threads) {
    const Matrices matrices = matrices_of(how.shape);
    const auto bytes = static_cast<std::uint64_t>(how.source->bytes());
    const auto* from = static_cast<const unsigned char*>(values);
    const auto read = [&](const Piece& piece) {
        std::vector<unsigned char> copy(static_cast<std::size_t>(piece.size.rows * piece.size.columns * bytes));
        for_each_run(matrices, piece, [&](std::uint64_t first, std::uint64_t at, std::uint64_t n) {
            std::memcpy(copy.data() + at * bytes, from + first * bytes, static_cast<std::size_t>(n * bytes));
        });
        return copy;
    };
    TensorRun run;
    run.threads = threads_for(Pieces(how).count(), threads);
    return tensor_amax_of(how, read, run);
}

void quantize_array(const Quantization& how, const void* values, std::uint8_t* elements, std::uint8_t* scales,
                    unsigned threads) {
    const auto bytes = static_cast<std::uint64_t>(how.source->bytes());
    const auto* from = static_cast<const unsigned char*>(values);
    // A layout puts scales where it likes: those of all matrices are kept in rows until the end.
    const Matrices scale_places = scale_matrices(how);
    const auto of_matrix = static_cast<std::size_t>(scale_places.matrix.rows * scale_places.matrix.columns);
    std::vector<std::uint8_t> kept(how.layout == nullptr ? 0
                                                         : of_matrix * static_cast<std::size_t>(scale_places.count));
    std::uint8_t* in_rows = how.layout == nullptr ? scales : kept.data();
    for_each_place(how, threads, [&](const Piece& piece, std::uint64_t first, std::uint64_t first_scale) {
        if (!how.is_packed())
            return quantize_piece(how, piece.size, from + first * bytes, elements + first, in_rows + first_scale);
        std::vector<std::uint8_t> codes(static_cast<std::size_t>(piece.size.rows * piece.size.columns));
        quantize_piece(how, piece.size, from + first * bytes, codes.data(), in_rows + first_scale);
        const std::vector<std::uint8_t> packed = pack(*how.packing, *how.format->element, codes, how.block);
        std::memcpy(elements + first * how.element_bits() / 8, packed.data(), packed.size());
    });
    if (how.layout == nullptr) return;
    for_each_layout(how, [&](const ScaleMap& map, std::size_t first, std::size_t arranged) {
        const std::vector<std::uint8_t> matrix =
            map.arrange(std::span<const std::uint8_t>(kept).subspan(first, of_matrix));
        std::memcpy(scales + arranged, matrix.data(), matrix.size());
    });
}

void dequantize_array(const Quantization& how, const Format& to, const Choices& choices, const std::uint8_t* elements,
                      const std::uint8_t* scales, void* values, unsigned threads) {
    const Format& element = *how.format->element;
    const std::vector<Code> products = products_of(how, to, choices);
    std::vector<std::uint8_t> kept;
    if (how.layout != nullptr)
        for_each_layout(how, [&](const ScaleMap& map, std::size_t, std::size_t arranged) {
            const std::vector<std::uint8_t> matrix =
                map.restore(std::span<const std::uint8_t>(scales + arranged, static_cast<std::size_t>(map.size())));
            kept.insert(kept.end(), matrix.begin(), matrix.end());
        });
    const std::uint8_t* in_rows = how.layout == nullptr ? scales : kept.data();
    auto* target = static_cast<unsigned char*>(values);
    for_each_place(how, threads, [&](const Piece& piece, std::uint64_t first, std::uint64_t first_scale) {
        const auto count = static_cast<std::size_t>(piece.size.rows * piece.size.columns);
        const auto bytes = static_cast<std::size_t>(packed_bytes(*how.packing, element, count, how.block));
        const std::span<const std::uint8_t> packed(elements + first * how.element_bits() / 8, bytes);
        std::vector<std::uint8_t> unpacked;
        if (how.is_packed())
            unpacked = unpack(*how.packing, element, packed, count, how.block);
        else
            check_codes(element, packed);
        dequantize_piece(how, piece.size, to, choices, products, how.is_packed() ? unpacked.data() : packed.data(),
                         in_rows + first_scale, target + first * static_cast<unsigned>(to.bytes()));
    });
}

} // namespace mxcert::tensors
