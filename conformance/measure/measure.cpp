// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/measure.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/frames/words.hpp"
#include "conformance/measure/measure_errors.hpp"
#include "conformance/tensors/nvfp4.hpp"
#include "reference/fast/block.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::measure {
namespace {

/// A part of a matrix: whole rows, or a part of one that begins with a block.
struct Piece {
    std::uint64_t first = 0; ///< place of its first value in the tensor
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<std::byte> codes; ///< of the tensor's format
    std::vector<double> values;
    std::vector<std::uint8_t> elements; ///< room for what a method makes
    std::vector<std::uint8_t> scales;
    std::vector<float> scaled;

    [[nodiscard]] std::size_t size() const { return rows * columns; }
};

/// What an FP16, BF16 or FP32 code stands for.
float float_of(const Format& format, std::uint64_t code) {
    const auto bits = static_cast<std::uint32_t>(code);
    if (format.bytes() == 4) return std::bit_cast<float>(bits);
    if (format.exponent_bits == 8) return std::bit_cast<float>(bits << 16);
    const std::uint32_t sign = (bits & 0x8000) << 16;
    const std::uint32_t magnitude = (bits & 0x7FFF) << 13;
    if ((bits & 0x7C00) == 0x7C00) return std::bit_cast<float>(sign | 0x7F800000 | magnitude);
    // The exponent of FP16 counts from 15, that of FP32 from 127: the product is exact, of subnormals too.
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F));
}

void read(const TensorFile& file, Piece& piece) {
    const Format& format = *file.info().format;
    const unsigned bytes = frames::bytes_of(format);
    piece.codes.resize(piece.size() * bytes);
    piece.values.resize(piece.size());
    piece.elements.resize(piece.size());
    file.read(piece.first, piece.size(), piece.codes.data());
    for (std::size_t i = 0; i < piece.size(); ++i)
        piece.values[i] = float_of(format, frames::load(piece.codes.data() + i * bytes, bytes));
}

/// Calls `use` with one piece after the other. A piece has at most `most` values; the part of a row that it may be is
/// a multiple of `unit`.
template <class Use> void for_each_piece(const TensorFile& file, std::size_t most, std::size_t unit, Use use) {
    const TensorInfo& info = file.info();
    const std::uint64_t columns = info.shape.empty() ? 1 : info.shape.back();
    const std::uint64_t rows = info.values / columns;
    Piece piece;
    if (columns <= most) {
        for (std::uint64_t row = 0; row < rows; row += piece.rows) {
            piece.first = row * columns;
            piece.rows = static_cast<std::size_t>(std::min(most / columns, rows - row));
            piece.columns = static_cast<std::size_t>(columns);
            read(file, piece);
            use(piece);
        }
        return;
    }
    if (unit > most)
        throw std::invalid_argument(
            "blocks of these sizes do not go together in rows that are so long: fewer --block, or no --rule row");
    piece.rows = 1;
    for (std::uint64_t row = 0; row < rows; ++row)
        for (std::uint64_t column = 0; column < columns; column += piece.columns) {
            piece.first = row * columns + column;
            piece.columns = static_cast<std::size_t>(std::min<std::uint64_t>(most / unit * unit, columns - column));
            read(file, piece);
            use(piece);
        }
}

TensorSummary summarise(const TensorFile& file, std::size_t most) {
    TensorSummary summary;
    summary.values = file.info().values;
    double least = std::numeric_limits<double>::infinity();
    for_each_piece(file, most, 1, [&](const Piece& piece) {
        for (const double x : piece.values) {
            const double magnitude = std::abs(x);
            if (magnitude <= std::numeric_limits<float>::max()) {
                summary.amax = std::max(summary.amax, magnitude);
                if (magnitude == 0)
                    ++summary.zeros;
                else
                    least = std::min(least, magnitude);
            } else if (magnitude > 0) {
                ++summary.infs;
            } else {
                ++summary.nans;
            }
        }
    });
    if (summary.amax > 0) summary.least = least;
    return summary;
}

/// One method on its way over a tensor.
class Quantizer {
  public:
    Quantizer(const TensorInfo& info, const Method& method, double amax)
        : format_(*info.format), method_(method), errors_(*method.element) {
        if (method.kind == ScaleKind::block) {
            choices_.scale = BlockChoices::with_rule(method.rule);
            for (unsigned code = 0; code < scale_of_.size(); ++code)
                scale_of_[code] = std::bit_cast<double>(fast::convert(formats::e8m0, formats::fp64, {}, code));
        }
        largest_ = static_cast<float>(
            std::bit_cast<double>(fast::convert(*method.element, formats::fp64, {}, method.element->max_code())));
        if (method.kind == ScaleKind::tensor) tensor_inverse_ = inverse_of(amax);
        if (method.kind == ScaleKind::nvfp4) {
            nvfp4_ = *method.recipe;
            nvfp4_.choices.amax_nan = AmaxNan::ignored; // as everywhere here
            tensor_ = fast::tensor_scales_of(nvfp4_.choices, std::bit_cast<std::uint32_t>(static_cast<float>(amax)));
            const double decode = std::bit_cast<float>(static_cast<std::uint32_t>(tensor_.decode));
            for (unsigned code = 0; code < scale_of_.size(); ++code)
                scale_of_[code] = std::bit_cast<double>(fast::convert(formats::e4m3, formats::fp64, {}, code)) * decode;
        }
    }

    void add(Piece& piece) {
        switch (method_.kind) {
        case ScaleKind::block: return add_blocks(piece);
        case ScaleKind::absmax: return add_floats(piece, method_.block);
        case ScaleKind::row: return add_floats(piece, piece.columns);
        case ScaleKind::nvfp4: return add_nvfp4(piece);
        case ScaleKind::tensor:
            scale_by(tensor_inverse_, piece, 0, piece.size());
            convert(formats::fp32, piece.scaled.data(), piece);
            return errors_.add(piece.values, piece.elements.data(), 1 / tensor_inverse_);
        case ScaleKind::plain:
            convert(format_, piece.codes.data(), piece);
            return errors_.add(piece.values, piece.elements.data(), 1);
        }
    }

    [[nodiscard]] Quality quality() const { return errors_.quality(); }

  private:
    void convert(const Format& from, const void* values, Piece& piece) const {
        fast::convert_span(from, *method_.element, {}, values, nullptr, piece.elements.data(), piece.size());
    }

    /// As Transformer Engine has it: 1 where the amax is zero, never Inf.
    [[nodiscard]] float inverse_of(double amax) const {
        if (amax <= 0) return 1;
        return std::min(largest_ / static_cast<float>(amax), std::numeric_limits<float>::max());
    }

    /// Some values times an inverse scale: a binary32 product, rounded once.
    static void scale_by(float inverse, Piece& piece, std::size_t first, std::size_t count) {
        piece.scaled.resize(piece.size());
        for (std::size_t i = first; i < first + count; ++i)
            piece.scaled[i] = static_cast<float>(piece.values[i]) * inverse;
    }

    /// Calls with the place of the first value of each block, and how many it has.
    template <class Use> static void for_each_block(const Piece& piece, std::size_t block, Use use) {
        for (std::size_t row = 0; row < piece.rows; ++row)
            for (std::size_t column = 0; column < piece.columns; column += block)
                use(row * piece.columns + column, std::min(block, piece.columns - column));
    }

    void add_floats(Piece& piece, std::size_t block) {
        std::vector<float> inverses;
        for_each_block(piece, block, [&](std::size_t first, std::size_t count) {
            double amax = 0;
            for (std::size_t i = first; i < first + count; ++i)
                if (std::isfinite(piece.values[i])) amax = std::max(amax, std::abs(piece.values[i]));
            inverses.push_back(inverse_of(amax));
            scale_by(inverses.back(), piece, first, count);
        });
        convert(formats::fp32, piece.scaled.data(), piece);
        add_errors(piece, block, [&](std::size_t number) { return 1 / inverses[number]; });
    }

    void add_nvfp4(Piece& piece) {
        tensors::Quantization how;
        how.source = &format_;
        how.block = method_.block;
        how.recipe = &nvfp4_;
        how.tensor = tensor_;
        const Extent size{piece.rows, piece.columns};
        piece.scales.resize(count(scales_of(size, how.block_shape()), "scales"));
        tensors::quantize_nvfp4_piece(how, size, piece.codes.data(), piece.elements.data(), piece.scales.data());
        add_errors(piece, method_.block, [&](std::size_t number) { return scale_of_[piece.scales[number]]; });
    }

    /// `scale_of` gives the scale of the block of a number.
    template <class ScaleOf> void add_errors(const Piece& piece, std::size_t block, ScaleOf scale_of) {
        std::size_t number = 0;
        for_each_block(piece, block, [&](std::size_t first, std::size_t count) {
            errors_.add(std::span(piece.values).subspan(first, count), piece.elements.data() + first,
                        scale_of(number++));
        });
    }

    void add_blocks(Piece& piece) {
        const fast::MatrixShape shape{piece.rows, piece.columns, method_.block};
        piece.scales.resize(shape.scales(fast::Blocks::rowwise));
        fast::quantize({&format_, method_.element}, choices_, shape, fast::Blocks::rowwise, piece.codes.data(),
                       piece.elements.data(), piece.scales.data());
        add_errors(piece, method_.block, [&](std::size_t number) { return scale_of_[piece.scales[number]]; });
    }

    const Format& format_;
    const Method& method_;
    ErrorSums errors_;
    BlockChoices choices_;
    std::array<double, 256> scale_of_{}; ///< what a scale stands for, the tensor's among it
    float largest_ = 0;                  ///< element
    float tensor_inverse_ = 1;
    recipe::Nvfp4Preset nvfp4_{};
    recipe::TensorScales tensor_;
};

/// The least size that is a multiple of every block; a row is one of row scales.
std::size_t common_multiple(const TensorInfo& info, const std::vector<Method>& methods) {
    std::size_t unit = 1;
    for (const Method& method : methods) {
        if (method.block != 0) unit = std::lcm(unit, std::size_t{method.block});
        if (method.kind == ScaleKind::row && !info.shape.empty()) unit = std::max(unit, std::size_t{info.shape.back()});
    }
    return unit;
}

} // namespace

Measurement measure(const TensorFile& file, const std::vector<Method>& methods, std::size_t piece) {
    Measurement measurement;
    measurement.tensor = summarise(file, piece);
    std::vector<Quantizer> quantizers;
    quantizers.reserve(methods.size());
    for (const Method& method : methods) quantizers.emplace_back(file.info(), method, measurement.tensor.amax);
    for_each_piece(file, piece, common_multiple(file.info(), methods), [&](Piece& part) {
        for (Quantizer& quantizer : quantizers) quantizer.add(part);
    });
    for (const Quantizer& quantizer : quantizers) measurement.qualities.push_back(quantizer.quality());
    return measurement;
}

} // namespace mxcert::measure
