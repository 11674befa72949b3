// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/nvfp4.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "conformance/tensors/pieces.hpp"
#include "reference/exact/arithmetic.hpp"
#include "reference/fast/codes.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::tensors {
namespace {

recipe::CodeMatrix matrix_of(const Quantization& how, const Extent& size, const void* values) {
    recipe::CodeMatrix matrix{static_cast<std::size_t>(size.rows), static_cast<std::size_t>(size.columns), {}};
    const auto* from = static_cast<const unsigned char*>(values);
    const int bytes = how.source->bytes();
    for (std::size_t i = 0; i < matrix.rows * matrix.columns; ++i, from += bytes)
        matrix.codes.push_back(fast::load(from, bytes));
    return matrix;
}

/// A magnitude with its sign, rounded as the choices say; beyond the largest, Inf or that.
Code rounded(const Format& to, const Choices& choices, bool negative, const exact::Rational& magnitude) {
    const Code sign = negative ? to.sign_bit() : 0;
    if (magnitude.is_zero()) return sign;
    const exact::Rational value = exact::round(to, magnitude, negative, choices.rounding).value;
    if (value <= exact::decode(to, to.max_code()).magnitude) return sign | exact::encode(to, value);
    return sign | (choices.overflow == Overflow::nosat ? to.inf_code() : to.max_code());
}

} // namespace

Code tensor_amax_of(const TensorFile& tensor, const Quantization& how, const TensorRun& run) {
    const Matrices matrices = matrices_of(how.shape);
    return tensor_amax_of(
        how, [&](const Piece& piece) { return read_piece(tensor, matrices, piece); }, run);
}

Code tensor_amax_of(const Quantization& how, const std::function<std::vector<unsigned char>(const Piece&)>& read,
                    const TensorRun& run) {
    std::mutex mutex;
    recipe::CodeMatrix amaxes{1, 0, {}}; // of the pieces
    for_each_piece(
        how, run.threads, run.progress,
        [&](const Piece& piece) {
            const std::vector<unsigned char> values = read(piece);
            const Code amax =
                fast::tensor_amax_of(how.recipe->choices, *how.source, matrix_of(how, piece.size, values.data()));
            const std::lock_guard lock(mutex);
            amaxes.codes.push_back(amax);
        },
        run.most_values);
    amaxes.columns = amaxes.codes.size();
    return fast::tensor_amax_of(how.recipe->choices, formats::fp32, amaxes);
}

void quantize_nvfp4_piece(const Quantization& how, const Extent& size, const void* values, std::uint8_t* elements,
                          std::uint8_t* scales) {
    const recipe::CodeMatrix matrix = matrix_of(how, size, values);
    const recipe::Nvfp4Quantized quantized =
        fast::quantize_by(how.recipe->choices, *how.source, how.block_shape(), matrix, how.tensor);
    std::transform(quantized.elements.codes.begin(), quantized.elements.codes.end(), elements,
                   [](Code code) { return static_cast<std::uint8_t>(code); });
    std::transform(quantized.scales.begin(), quantized.scales.end(), scales,
                   [](Code code) { return static_cast<std::uint8_t>(code); });
}

std::vector<Code> nvfp4_values(const Quantization& how, const Format& to, const Choices& choices) {
    using exact::Kind;
    const exact::Value tensor = exact::decode(formats::fp32, how.tensor.decode);
    std::vector<Code> values;
    for (Code scale = 0; scale <= how.scale().last_code(); ++scale)
        for (Code element = 0; element <= how.format->element->last_code(); ++element) {
            const exact::Value by = exact::decode(how.scale(), scale);
            const exact::Value of = exact::decode(*how.format->element, element);
            const bool negative = of.negative != by.negative;
            if (by.kind == Kind::nan || tensor.kind == Kind::nan ||
                (tensor.kind == Kind::inf && (of.magnitude.is_zero() || by.magnitude.is_zero())))
                values.push_back(exact::quiet_nan(to));
            else if (tensor.kind == Kind::inf)
                values.push_back(to.inf_code() | (negative ? to.sign_bit() : 0));
            else
                values.push_back(rounded(to, choices, negative, of.magnitude * by.magnitude * tensor.magnitude));
        }
    return values;
}

void dequantize_nvfp4_piece(const Quantization& how, const Extent& size, const Format& to,
                            const std::vector<Code>& products, const std::uint8_t* elements, const std::uint8_t* scales,
                            unsigned char* values) {
    const BlockShape block = how.block_shape();
    const std::uint64_t across = scales_of(size, block).columns;
    const std::size_t codes = how.format->element->last_code() + 1;
    for (std::uint64_t row = 0; row < size.rows; ++row) {
        const std::uint8_t* line = scales + row / block.rows * across;
        for (std::uint64_t column = 0; column < size.columns; ++column, ++elements, values += to.bytes())
            fast::store(values, to.bytes(), products.at(line[column / block.columns] * codes + *elements));
    }
}

} // namespace mxcert::tensors
