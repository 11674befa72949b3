// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/measure.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "conformance/measure/measure_errors.hpp"
#include "conformance/measure/measure_percentile.hpp"
#include "conformance/measure/measure_pieces.hpp"
#include "conformance/tensors/nvfp4.hpp"
#include "reference/fast/block.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::measure {
namespace {

TensorSummary summarise(const TensorFile& file, std::size_t most) {
    TensorSummary summary;
    summary.values = file.info().values;
    double least = std::numeric_limits<double>::infinity();
    for_each_piece(file, most, {}, [&](const Piece& piece) {
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

/// Whether the scale of a method is an FP32 from the amax of the values that share it.
bool has_own_floats(ScaleKind kind) {
    return kind == ScaleKind::absmax || kind == ScaleKind::tile || kind == ScaleKind::row;
}

/// One method on its way over a tensor.
class Quantizer {
  public:
    /// `amax`: of the tensor, or what stands for it.
    Quantizer(const TensorInfo& info, const Method& method, double amax)
        : format_(*info.format), method_(method), errors_(*method.element), is_listed_(info.values <= most_listed) {
        if (method.kind == ScaleKind::block) {
            choices_.scale = BlockChoices::with_rule(method.rule);
            for (unsigned code = 0; code < scale_of_.size(); ++code)
                scale_of_[code] = std::bit_cast<double>(fast::convert(formats::e8m0, formats::fp64, {}, code));
        }
        largest_ = static_cast<float>(
            std::bit_cast<double>(fast::convert(*method.element, formats::fp64, {}, method.element->max_code())));
        tensor_inverse_ = inverse_of(amax);
        if (method.kind == ScaleKind::nvfp4) {
            nvfp4_ = *method.recipe;
            nvfp4_.choices.amax_nan = AmaxNan::ignored; // as everywhere here
            tensor_ = fast::tensor_scales_of(nvfp4_.choices, std::bit_cast<std::uint32_t>(static_cast<float>(amax)));
            const double decode = std::bit_cast<float>(static_cast<std::uint32_t>(tensor_.decode));
            for (unsigned code = 0; code < scale_of_.size(); ++code)
                scale_of_[code] =
                    std::bit_cast<double>(fast::convert(*nvfp4_.choices.scale, formats::fp64, {}, code)) * decode;
        }
    }

    void add(Piece& piece) {
        switch (method_.kind) {
        case ScaleKind::block: return add_blocks(piece);
        case ScaleKind::nvfp4: return add_nvfp4(piece);
        case ScaleKind::absmax:
        case ScaleKind::tile:
        case ScaleKind::row:
        case ScaleKind::tensor:
        case ScaleKind::percentile: return add_floats(piece);
        case ScaleKind::plain:
            convert(format_, piece.codes.data(), piece);
            return add_errors(piece, [](std::size_t) { return 1.0; });
        }
    }

    [[nodiscard]] Quality quality() const { return errors_.quality(); }
    [[nodiscard]] const std::vector<EachValue>& each() const { return each_; }

  private:
    void convert(const Format& from, const void* values, Piece& piece) const {
        fast::convert_span(from, *method_.element, {}, values, nullptr, piece.elements.data(), piece.size());
    }

    /// As Transformer Engine has it: 1 where the amax is zero, never Inf.
    [[nodiscard]] float inverse_of(double amax) const {
        if (amax <= 0) return 1;
        return std::min(largest_ / static_cast<float>(amax), std::numeric_limits<float>::max());
    }

    /// Calls with the number of a block, counted in rows of blocks, the place of some of its values that lie one after
    /// the other, and how many they are.
    template <class Use> void for_each_run(const Piece& piece, Use use) const {
        const BlockShape shape = method_.shape();
        const std::size_t height = shape.rows == BlockShape::whole ? piece.rows : shape.rows;
        const std::size_t width = shape.columns == BlockShape::whole ? piece.columns : shape.columns;
        const std::size_t across = (piece.columns + width - 1) / width;
        for (std::size_t row = 0; row < piece.rows; ++row)
            for (std::size_t block = 0; block < across; ++block)
                use(row / height * across + block, row * piece.columns + block * width,
                    std::min(width, piece.columns - block * width));
    }

    [[nodiscard]] std::size_t blocks_of(const Piece& piece) const {
        return static_cast<std::size_t>(count(scales_of({piece.rows, piece.columns}, method_.shape()), "scales"));
    }

    /// The inverse scale of each block of a piece.
    [[nodiscard]] std::vector<float> inverses_of(const Piece& piece) const {
        std::vector<float> inverses(blocks_of(piece), tensor_inverse_);
        if (!has_own_floats(method_.kind)) return inverses;
        std::vector<double> amaxes(inverses.size());
        for_each_run(piece, [&](std::size_t number, std::size_t first, std::size_t count) {
            for (std::size_t i = first; i < first + count; ++i)
                if (std::isfinite(piece.values[i]))
                    amaxes[number] = std::max(amaxes[number], std::abs(piece.values[i]));
        });
        std::transform(amaxes.begin(), amaxes.end(), inverses.begin(), [&](double amax) { return inverse_of(amax); });
        return inverses;
    }

    /// Values times an inverse scale: a binary32 product, rounded once.
    void add_floats(Piece& piece) {
        const std::vector<float> inverses = inverses_of(piece);
        piece.scaled.resize(piece.size());
        for_each_run(piece, [&](std::size_t number, std::size_t first, std::size_t count) {
            for (std::size_t i = first; i < first + count; ++i)
                piece.scaled[i] = static_cast<float>(piece.values[i]) * inverses[number];
        });
        convert(formats::fp32, piece.scaled.data(), piece);
        add_errors(piece, [&](std::size_t number) { return 1 / inverses[number]; });
    }

    void add_nvfp4(Piece& piece) {
        tensors::Quantization how;
        how.source = &format_;
        how.block = method_.block;
        how.recipe = &nvfp4_;
        how.tensor = tensor_;
        piece.scales.resize(blocks_of(piece));
        tensors::quantize_nvfp4_piece(how, {piece.rows, piece.columns}, piece.codes.data(), piece.elements.data(),
                                      piece.scales.data());
        add_errors(piece, [&](std::size_t number) { return scale_of_[piece.scales[number]]; });
    }

    /// `scale_of` gives the scale of the block of a number.
    template <class ScaleOf> void add_errors(const Piece& piece, ScaleOf scale_of) {
        for_each_run(piece, [&](std::size_t number, std::size_t first, std::size_t count) {
            const double scale = scale_of(number);
            errors_.add(std::span(piece.values).subspan(first, count), piece.elements.data() + first, scale);
            if (!is_listed_) return;
            for (std::size_t i = first; i < first + count; ++i)
                each_.push_back(
                    {piece.values[i], piece.elements[i], scale, errors_.value_of(piece.elements[i]) * scale});
        });
    }

    void add_blocks(Piece& piece) {
        const fast::MatrixShape shape{piece.rows, piece.columns, method_.block};
        piece.scales.resize(shape.scales(fast::Blocks::rowwise));
        fast::quantize({&format_, method_.element}, choices_, shape, fast::Blocks::rowwise, piece.codes.data(),
                       piece.elements.data(), piece.scales.data());
        add_errors(piece, [&](std::size_t number) { return scale_of_[piece.scales[number]]; });
    }

    const Format& format_;
    const Method& method_;
    ErrorSums errors_;
    bool is_listed_;
    std::vector<EachValue> each_;
    BlockChoices choices_;
    std::array<double, 256> scale_of_{}; ///< what a scale stands for, the tensor's among it
    float largest_ = 0;                  ///< element
    float tensor_inverse_ = 1;
    recipe::Nvfp4Preset nvfp4_{};
    recipe::TensorScales tensor_;
};

/// What stands for the amax of the tensor in each method: its amax, or a percentile.
std::vector<double> amaxes_of(const TensorFile& file, const std::vector<Method>& methods, const TensorSummary& tensor,
                              std::size_t most) {
    std::vector<recipe::Percentile> percentiles;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        if (methods[i].kind != ScaleKind::percentile) continue;
        percentiles.push_back(methods[i].of_elements->percentile);
        places.push_back(i);
    }
    std::vector<double> amaxes(methods.size(), tensor.amax);
    const std::vector<float> found = percentiles_of(file, percentiles, tensor.values - tensor.nans - tensor.infs, most);
    for (std::size_t i = 0; i < places.size(); ++i) amaxes[places[i]] = found[i];
    return amaxes;
}

/// The methods that go over a tensor together, by the rows of a piece, and the least piece of whole blocks of each.
std::map<std::uint64_t, PieceUnit> units_of(const Extent& matrix, const std::vector<Method>& methods) {
    std::map<std::uint64_t, PieceUnit> units;
    for (const Method& method : methods) {
        const BlockShape shape = method.shape();
        const std::uint64_t rows = std::max<std::uint64_t>(shape.rows, 1);
        PieceUnit& unit = units.try_emplace(rows, PieceUnit{rows, 1}).first->second;
        if (shape == shapes::per_row)
            unit.columns = std::max(unit.columns, matrix.columns);
        else if (shape.columns != BlockShape::whole)
            unit.columns = std::lcm(unit.columns, shape.columns);
    }
    return units;
}

} // namespace

Measurement measure(const TensorFile& file, const std::vector<Method>& methods, std::size_t piece) {
    Measurement measurement;
    measurement.tensor = summarise(file, piece);
    const std::vector<double> amaxes = amaxes_of(file, methods, measurement.tensor, piece);
    std::vector<Quantizer> quantizers;
    quantizers.reserve(methods.size());
    for (std::size_t i = 0; i < methods.size(); ++i) quantizers.emplace_back(file.info(), methods[i], amaxes[i]);
    for (const auto& group : units_of(matrix_of(file.info()), methods)) {
        const std::uint64_t rows = group.first;
        for_each_piece(file, piece, group.second, [&](Piece& part) {
            for (std::size_t i = 0; i < methods.size(); ++i)
                if (std::max<std::uint64_t>(methods[i].shape().rows, 1) == rows) quantizers[i].add(part);
        });
    }
    for (const Quantizer& quantizer : quantizers) {
        measurement.qualities.push_back(quantizer.quality());
        if (measurement.tensor.values <= most_listed) measurement.each.push_back(quantizer.each());
    }
    return measurement;
}

} // namespace mxcert::measure
