// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/dequantize_tensor.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/print/text.hpp"
#include "conformance/tensors/nvfp4.hpp"
#include "conformance/tensors/pieces.hpp"
#include "conformance/tensors/tensor_output.hpp"
#include "reference/exact/block.hpp"
#include "reference/fast/block.hpp"
#include "reference/fast/codes.hpp"

namespace mxcert::tensors {
namespace {

TensorChoice choice_of(const std::filesystem::path& path, const Format& format, const char* name,
                       const std::vector<std::uint64_t>& shape) {
    TensorChoice choice;
    choice.dtype = std::string(format.name);
    choice.taken = file_formats;
    if (output_kind(path) == OutputKind::safetensors) choice.name = name;
    if (output_kind(path) == OutputKind::values) choice.shape = shape;
    return choice;
}

void check_shape(const TensorFile& file, const char* what, const std::vector<std::uint64_t>& expected) {
    if (values_of(file.info().shape) != values_of(expected))
        throw std::runtime_error(fmt::format("the {} have the shape {}, and {} is that of the quantization", what,
                                             shape_text(file.info().shape), shape_text(expected)));
}

/// Elements that lie together, from the place `first` of the tensor on, a byte each.
std::vector<std::uint8_t> codes_of_run(const TensorFile& file, const Quantization& how, std::uint64_t first,
                                       std::uint64_t count) {
    const Format& element = *how.format->element;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(packed_bytes(*how.packing, element, count, how.block)));
    file.read(first * how.element_bits() / 8, bytes.size(), bytes.data());
    try {
        return unpack(*how.packing, element, bytes, static_cast<std::size_t>(count), how.block);
    } catch (const std::out_of_range& error) {
        throw std::runtime_error(fmt::format("of the elements from {} on, {}", first, error.what()));
    }
}

void dequantize_mx_piece(const Quantization& how, const Extent& size, const Format& to, const Choices& choices,
                         const std::uint8_t* elements, const std::uint8_t* scales, unsigned char* values) {
    const Format& element = *how.format->element;
    if (fast::offers(times_scale(element), to, choices) && !is_stochastic(choices.rounding)) {
        const fast::MatrixShape shape{static_cast<std::size_t>(size.rows), static_cast<std::size_t>(size.columns),
                                      how.block};
        return fast::dequantize(element, to, choices, shape,
                                how.axis == Axis::row ? fast::Blocks::rowwise : fast::Blocks::columnwise, elements,
                                scales, values);
    }
    const BlockShape block = how.block_shape();
    const std::uint64_t across = scales_of(size, block).columns;
    for (std::uint64_t row = 0; row < size.rows; ++row) {
        const std::uint8_t* line = scales + row / block.rows * across;
        for (std::uint64_t column = 0; column < size.columns; ++column, ++elements, values += to.bytes()) {
            const Code scale = line[column / block.columns];
            fast::store(values, to.bytes(), exact::dequantize(element, to, choices, {scale, {*elements}}).front());
        }
    }
}

} // namespace

void dequantize_piece(const Quantization& how, const Extent& size, const Format& to, const Choices& choices,
                      const std::vector<Code>& products, const std::uint8_t* elements, const std::uint8_t* scales,
                      unsigned char* values) {
    if (how.recipe != nullptr) return dequantize_nvfp4_piece(how, size, to, products, elements, scales, values);
    dequantize_mx_piece(how, size, to, choices, elements, scales, values);
}

std::vector<Code> products_of(const Quantization& how, const Format& to, const Choices& choices) {
    return how.recipe == nullptr ? std::vector<Code>{} : nvfp4_values(how, to, choices);
}

std::map<std::string, std::string> read_metadata(const std::filesystem::path& quantized) {
    if (output_kind(quantized) == OutputKind::safetensors) return safetensors_metadata(quantized);
    const std::filesystem::path path = quantized / metadata_file;
    std::map<std::string, std::string> metadata;
    const files::Json json = files::read_json(path);
    if (!json.is_object()) throw std::runtime_error(fmt::format("{}: no object", print::printable(path.string())));
    for (const auto& [name, value] : json.items()) {
        if (!value.is_string())
            throw std::runtime_error(
                fmt::format("{}: '{}' is no text", print::printable(path.string()), print::printable(name)));
        metadata[name] = value.get<std::string>();
    }
    return metadata;
}

QuantizedFiles files_of(const std::filesystem::path& quantized) {
    if (output_kind(quantized) == OutputKind::safetensors) return {quantized, quantized};
    return {quantized / fmt::format("{}.npy", elements_name), quantized / fmt::format("{}.npy", scales_name)};
}

TensorChoice elements_choice(const QuantizedFiles& files, const Quantization& how) {
    // Bytes of packed codes are taken as they are: as those of any format of eight bits.
    const Format& format = how.is_packed() ? formats::e4m3 : *how.format->element;
    return choice_of(files.elements, format, elements_name, elements_shape(how));
}

TensorChoice scales_choice(const QuantizedFiles& files, const Quantization& how) {
    return choice_of(files.scales, how.scale(), scales_name, scales_shape(how));
}

std::vector<std::uint8_t> read_codes(const TensorFile& file, const Quantization& how) {
    check_shape(file, "elements", elements_shape(how));
    return codes_of_run(file, how, 0, values_of(how.shape));
}

std::vector<std::uint8_t> read_scales(const TensorFile& file, const Quantization& how) {
    check_shape(file, "scales", scales_shape(how));
    const Matrices places = scale_matrices(how);
    std::vector<std::uint8_t> scales(static_cast<std::size_t>(file.info().values));
    file.read(0, scales.size(), scales.data());
    if (how.layout == nullptr) return scales;
    const ScaleMap map(*how.layout, places.matrix);
    std::vector<std::uint8_t> rows;
    for (std::uint64_t m = 0; m < places.count; ++m) {
        const std::vector<std::uint8_t> matrix =
            map.restore(std::span<const std::uint8_t>(scales).subspan(m * map.size(), map.size()));
        rows.insert(rows.end(), matrix.begin(), matrix.end());
    }
    return rows;
}

void dequantize_tensor(const TensorFile& elements, const TensorFile& scales, const Quantization& how, const Format& to,
                       const Choices& choices, const std::filesystem::path& path, const TensorRun& run) {
    check(how);
    check_shape(elements, "elements", elements_shape(how));
    const Matrices matrices = matrices_of(how.shape);
    const Matrices scale_places = scale_matrices(how);
    const std::vector<std::uint8_t> all_scales = read_scales(scales, how);
    TensorOutput output(path, {{"values", &to, how.shape}});
    const std::vector<Code> products = products_of(how, to, choices);
    for_each_piece(
        how, run.threads, run.progress,
        [&](const Piece& piece) {
            const auto count = static_cast<std::size_t>(piece.size.rows * piece.size.columns);
            std::vector<std::uint8_t> codes(count);
            for_each_run(matrices, piece, [&](std::uint64_t first, std::uint64_t at, std::uint64_t n) {
                const std::vector<std::uint8_t> run = codes_of_run(elements, how, first, n);
                std::copy(run.begin(), run.end(), codes.begin() + static_cast<std::ptrdiff_t>(at));
            });
            const Piece scale_piece = scales_of_piece(how, piece);
            std::vector<std::uint8_t> piece_scales;
            for_each_run(scale_places, scale_piece, [&](std::uint64_t first, std::uint64_t, std::uint64_t n) {
                const auto begin = all_scales.begin() + static_cast<std::ptrdiff_t>(first);
                piece_scales.insert(piece_scales.end(), begin, begin + static_cast<std::ptrdiff_t>(n));
            });
            std::vector<unsigned char> values(count * static_cast<std::size_t>(to.bytes()));
            dequantize_piece(how, piece.size, to, choices, products, codes.data(), piece_scales.data(), values.data());
            for_each_run(matrices, piece, [&](std::uint64_t first, std::uint64_t at, std::uint64_t n) {
                output.write(0, first, static_cast<std::size_t>(n),
                             values.data() + at * static_cast<std::size_t>(to.bytes()));
            });
        },
        run.most_values);
    output.finish();
}

} // namespace mxcert::tensors
