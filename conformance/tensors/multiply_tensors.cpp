// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/multiply_tensors.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/tensors/dequantize_tensor.hpp"
#include "conformance/tensors/pieces.hpp"
#include "conformance/tensors/tensor_output.hpp"
#include "reference/fast/codes.hpp"
#include "reference/fast/matmul/accumulate_matmul.hpp"
#include "reference/fast/matmul/matmul.hpp"

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
    if (how.recipe != nullptr)
        throw std::runtime_error("products take MX formats: the scales of NVFP4 are no powers of two");
    MatrixOperand operand;
    set_size(operand, how.shape);
    operand.format = how.format->element;
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
    if (is_exact(*product.accumulator)) {
        format.to = product.to;
        format.c = product.c.format; // null: +0
    } else {
        format.c = format.to = product.accumulator->result;
    }
    return format;
}

} // namespace

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
    const DotFormat format = format_of(product);
    check(format, dot_choices());
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
    const DotFormat format = format_of(product);
    std::vector<unsigned char> d(shape.m * shape.n * static_cast<std::size_t>(format.to->bytes()));
    const unsigned threads = run.threads != 0 ? run.threads : std::max(1U, std::thread::hardware_concurrency());
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

} // namespace mxcert::tensors
