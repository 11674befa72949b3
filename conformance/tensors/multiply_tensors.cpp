// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/multiply_tensors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/tensors/dequantize_tensor.hpp"
#include "conformance/tensors/multiply_nvfp4.hpp"
#include "conformance/tensors/pieces.hpp"
#include "conformance/tensors/tensor_output.hpp"
#include "reference/fast/codes.hpp"
#include "reference/fast/matmul/accumulate_matmul.hpp"
#include "reference/fast/matmul/matmul.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/sum/epilogue.hpp"

namespace mxcert::tensors {
namespace {

bool is_quantized(const std::filesystem::path& path, const TensorChoice& choice) {
    if (output_kind(path) == OutputKind::folder) return true;
    return output_kind(path) == OutputKind::safetensors && choice.name.empty() && choice.dtype.empty() &&
           safetensors_metadata(path).contains("format");
}

void set_size(MatrixOperand& operand, const std::vector<std::uint64_t>& shape) {
    if (shape.size() != 2)
        throw std::runtime_error(fmt::format("the shape {} is not that of a matrix", shape_text(shape)));
    operand.rows = shape[0];
    operand.columns = shape[1];
}

MatrixOperand read_quantized(const std::filesystem::path& path) {
    const Quantization how = read_quantization(read_metadata(path));
    MatrixOperand operand;
    set_size(operand, how.shape);
    operand.format = how.format->element;
    operand.scale = &how.scale();
    if (how.recipe != nullptr) operand.tensor = how.tensor;
    operand.axis = how.axis;
    operand.block = how.block;
    const QuantizedFiles files = files_of(path);
    const TensorFile elements(files.elements, elements_choice(files, how));
    const TensorFile scales(files.scales, scales_choice(files, how));
    operand.elements = read_codes(elements, how);
    operand.scales = read_scales(scales, how);
    return operand;
}

/// The sizes along and across the sum.
std::uint64_t along_of(const MatrixOperand& operand, bool sum_along_rows) {
    return sum_along_rows ? operand.columns : operand.rows;
}

SharedScale scale_of_operand(const MatrixOperand& operand, bool sum_along_rows, const char* name) {
    if (operand.scales.empty()) return {};
    if ((operand.axis == Axis::row) != sum_along_rows)
        throw std::invalid_argument(fmt::format("the blocks of {} lie along its {}, and the sum along its {}", name,
                                                operand.axis == Axis::row ? "rows" : "columns",
                                                sum_along_rows ? "rows" : "columns"));
    return {operand.block, 1};
}

DotFormat format_of(const Product& product) {
    DotFormat format;
    format.a = product.a.format;
    format.b = product.b.format;
    if (!product.a.scales.empty()) format.scale_a = product.a.scale;
    if (!product.b.scales.empty()) format.scale_b = product.b.scale;
    format.to = &sum_format(product);
    format.c = is_exact(*product.accumulator) ? product.c.format /* null: +0 */ : format.to;
    return format;
}

void check_tensor_scales(const Product& product) {
    const bool exact = is_exact(*product.accumulator);
    if (product.a.tensor.has_value() != product.b.tensor.has_value())
        throw std::invalid_argument("one operand is NVFP4, with a scale of the tensor, and the other is not");
    if (product.epilogue == nullptr) {
        if (product.a.tensor && !exact)
            throw std::invalid_argument(fmt::format(
                "{} adds elements and scales of blocks: --epilogue says how the scales of the tensors come to its sums",
                product.accumulator->name));
        return;
    }
    if (!product.a.tensor)
        throw std::invalid_argument(
            fmt::format("the epilogue {} is for operands with scales of their tensors", product.epilogue->name));
    if (&sum_format(product) != &formats::fp32)
        throw std::invalid_argument(fmt::format("the sums of {} are {}: the scales of the tensors come to FP32",
                                                product.accumulator->name, sum_format(product).name));
    if (product.c.format != nullptr)
        throw std::invalid_argument(fmt::format(
            "D by the epilogue {} is the sum times the scales of both tensors, without C", product.epilogue->name));
}

/// Sums in FP32 times the scales of their tensors, rounded to D.
std::vector<unsigned char> finished(const Product& product, const std::vector<unsigned char>& sums) {
    // Transformer Engine's epilogue makes the factor of the amaxes.
    const bool by_amax = product.epilogue != nullptr && product.epilogue->factor != 0;
    const auto factor = [&](const MatrixOperand& operand) {
        if (!operand.tensor) return Code{0};
        return by_amax ? operand.tensor->amax : operand.tensor->decode;
    };
    constexpr std::size_t from = 4;
    const auto bytes = static_cast<std::size_t>(product.to->bytes());
    std::vector<unsigned char> d(sums.size() / from * bytes);
    for (std::size_t i = 0; i * bytes < d.size(); ++i) {
        Code sum = fast::load(sums.data() + i * from, from);
        if (product.epilogue != nullptr)
            sum = fast::after_sum(*product.epilogue, {sum, factor(product.a), factor(product.b), {}});
        const float value = fast::widened(formats::fp32, sum);
        const Code code = std::isnan(value) ? product.to->inf_code() | 1U : fast::rounded_to(*product.to, value);
        fast::store(d.data() + i * bytes, static_cast<int>(bytes), code);
    }
    return d;
}

/// The sums, in rows, codes of their format.
std::vector<unsigned char> add(const Product& product, const MatmulShape& shape, unsigned threads,
                               const TensorRun& run) {
    const DotFormat format = format_of(product);
    std::vector<unsigned char> d(shape.m * shape.n * static_cast<std::size_t>(format.to->bytes()));
    fast::MatmulBuffers buffers{product.a.elements.data(), product.b.elements.data(),
                                product.a.scales.empty() ? nullptr : product.a.scales.data(),
                                product.b.scales.empty() ? nullptr : product.b.scales.data(),
                                product.c.format == nullptr ? nullptr : product.c.elements.data()};
    if (!is_exact(*product.accumulator)) {
        std::vector<unsigned char> zeros;
        if (buffers.c == nullptr) {
            zeros.resize(d.size());
            buffers.c = zeros.data();
        }
        std::atomic<std::uint64_t> done = 0;
        fast::matmul(*product.accumulator, format, shape, buffers, d.data(), threads, fast::best_isa(),
                     [&](std::uint64_t elements) {
                         done += elements;
                         if (run.progress != nullptr) run.progress->update(done);
                     });
        return d;
    }
    fast::matmul(format, dot_choices(), shape, buffers, d.data(), threads);
    return d;
}

} // namespace

const Format& sum_format(const Product& product) {
    if (!is_exact(*product.accumulator)) return *product.accumulator->result;
    return product.epilogue == nullptr ? *product.to : formats::fp32;
}

std::vector<Code> codes_of(const MatrixOperand& operand) {
    const int bytes = operand.format->bytes();
    std::vector<Code> codes(static_cast<std::size_t>(operand.rows * operand.columns));
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = fast::load(operand.elements.data() + i * static_cast<std::size_t>(bytes), bytes);
    return codes;
}

MatrixOperand read_operand(const std::filesystem::path& path, const TensorChoice& choice) try {
    if (is_quantized(path, choice)) return read_quantized(path);
    const TensorFile file(path, choice);
    MatrixOperand operand;
    set_size(operand, file.info().shape);
    operand.format = file.info().format;
    operand.elements.resize(
        static_cast<std::size_t>(file.info().values * static_cast<std::uint64_t>(operand.format->bytes())));
    file.read(0, static_cast<std::size_t>(file.info().values), operand.elements.data());
    return operand;
} catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", print::printable(path.string()), error.what()));
}

MatmulShape shape_of(const Product& product) {
    const bool a_along_rows = !product.a_transposed;
    const bool b_along_rows = product.b_transposed;
    const std::uint64_t k = along_of(product.a, a_along_rows);
    if (k != along_of(product.b, b_along_rows))
        throw std::invalid_argument(fmt::format("a sum of {} products in A, {} in B: --transpose says how they lie", k,
                                                along_of(product.b, b_along_rows)));
    if (product.a.scales.empty() != product.b.scales.empty())
        throw std::invalid_argument("one operand has scales and the other has none");
    check_tensor_scales(product);
    const DotFormat format = format_of(product);
    check(format, dot_choices());
    if (product.to != format.to && (format.to != &formats::fp32 || product.to->bytes() != 2))
        throw std::invalid_argument(
            fmt::format("D is {}: the sums of {} are {}, which may be rounded from fp32 to fp16 or bf16",
                        product.to->name, product.accumulator->name, format.to->name));
    if (!is_exact(*product.accumulator) && !takes(*product.accumulator, format))
        throw std::invalid_argument(fmt::format("the accumulator {} does not take {} and {}: `mxcert accumulators`",
                                                product.accumulator->name, format.a->name, format.b->name));
    if (!product.c.scales.empty() || (product.c.format != nullptr && product.c.format->bytes() == 1))
        throw std::invalid_argument("C is a matrix of fp64, fp32, fp16 or bf16, not quantized");
    if (product.c.format != nullptr && product.c.format != format.c)
        throw std::invalid_argument(
            fmt::format("C is {}: the sum is added to one of {}", product.c.format->name, format.c->name));
    MatmulShape shape;
    shape.m = static_cast<std::size_t>(along_of(product.a, !a_along_rows));
    shape.n = static_cast<std::size_t>(along_of(product.b, !b_along_rows));
    shape.k = static_cast<std::size_t>(k);
    if (product.c.format != nullptr && (product.c.rows != shape.m || product.c.columns != shape.n))
        throw std::invalid_argument(
            fmt::format("C is {} x {}, D is {} x {}", product.c.rows, product.c.columns, shape.m, shape.n));
    shape.a_transposed = product.a_transposed;
    shape.b_transposed = product.b_transposed;
    shape.a_scale = scale_of_operand(product.a, a_along_rows, "A");
    shape.b_scale = scale_of_operand(product.b, b_along_rows, "B");
    return shape;
}

std::vector<unsigned char> multiply(const Product& product, const TensorRun& run) {
    const MatmulShape shape = shape_of(product);
    const unsigned threads = run.threads != 0 ? run.threads : std::max(1U, std::thread::hardware_concurrency());
    if (product.a.tensor && product.epilogue == nullptr) return multiply_nvfp4(product, shape, threads);
    const std::vector<unsigned char> sums = add(product, shape, threads, run);
    return product.to == &sum_format(product) && product.epilogue == nullptr ? sums : finished(product, sums);
}

} // namespace mxcert::tensors
