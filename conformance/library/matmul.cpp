// SPDX-License-Identifier: Apache-2.0
// Products of matrices of mxcert.h.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "conformance/library/guarded.hpp"
#include "conformance/library/mxcert.h"
#include "conformance/library/options.hpp"
#include "conformance/tensors/multiply_tensors.hpp"
#include "conformance/tensors/tensor_file.hpp"
#include "reference/packing.hpp"

namespace mxcert::library {
namespace {

enum class Copy : bool { sizes, all };

/// Copies an operand, in which every byte must be a code: a product reads it many times. Without its elements it has
/// the sizes alone.
tensors::MatrixOperand operand_of(const mxcert_matrix& matrix, std::string_view name, Copy copy) {
    tensors::MatrixOperand operand;
    operand.format = &tensors::taken_format(given(matrix.format, "format"), tensors::file_formats);
    operand.rows = matrix.rows;
    operand.columns = matrix.columns;
    const auto values = static_cast<std::size_t>(tensors::values_of({matrix.rows, matrix.columns}));
    const auto* elements = static_cast<const unsigned char*>(given(matrix.elements, "elements"));
    if (copy == Copy::all)
        operand.elements.assign(elements, elements + values * static_cast<std::size_t>(operand.format->bytes()));
    if (operand.format->width() < 8) check_codes(*operand.format, operand.elements);
    if (matrix.scales == nullptr) return operand;

    const std::string_view axis = matrix.axis == nullptr ? "row" : matrix.axis;
    if (axis != "row" && axis != "column")
        throw std::invalid_argument(fmt::format("the axis of {} is row or column", name));
    if (matrix.block == 0) throw std::invalid_argument(fmt::format("the scales of {} need the size of a block", name));
    operand.axis = axis == "row" ? Axis::row : Axis::column;
    operand.block = matrix.block;
    if (matrix.scale_format != nullptr)
        operand.scale = &tensors::taken_format(matrix.scale_format, tensors::file_formats);
    if (operand.scale->bytes() != 1) throw std::invalid_argument(fmt::format("the scales of {} are bytes", name));
    const Extent scales =
        scales_of({matrix.rows, matrix.columns},
                  operand.axis == Axis::row ? shapes::rowwise(matrix.block) : shapes::columnwise(matrix.block));
    operand.scales.assign(matrix.scales, matrix.scales + scales.rows * scales.columns);
    if (matrix.has_tensor_scale != 0) {
        operand.tensor.emplace();
        operand.tensor->decode = matrix.tensor_scale;
        operand.tensor->amax = matrix.tensor_amax;
    }
    return operand;
}

tensors::Product product_of(const mxcert_matrix* a, const mxcert_matrix* b, const mxcert_matrix* c, const char* text,
                            Copy copy) {
    std::string transpose = "nn";
    std::string accumulator_name = "exact";
    std::string epilogue_name;
    std::string to;
    const OptionPlace places[] = {
        {"transpose", &transpose}, {"accumulator", &accumulator_name}, {"epilogue", &epilogue_name}, {"to", &to}};
    read_options(text, places);
    if (transpose.size() != 2 || transpose.find_first_not_of("nt") != std::string::npos)
        throw std::invalid_argument("transpose is nn, nt, tn or tt");
    tensors::Product product;
    product.a_transposed = transpose[0] == 't';
    product.b_transposed = transpose[1] == 't';
    product.accumulator = &accumulator(accumulator_name);
    if (!epilogue_name.empty()) product.epilogue = &epilogue(epilogue_name);
    product.to = !to.empty()                      ? &tensors::taken_format(to, tensors::file_formats)
                 : is_exact(*product.accumulator) ? &formats::fp32
                                                  : product.accumulator->result;
    if (product.to->bytes() == 1) throw std::invalid_argument("D is fp64, fp32, fp16 or bf16");
    product.a = operand_of(*given(a, "A"), "A", copy);
    product.b = operand_of(*given(b, "B"), "B", copy);
    if (c != nullptr) product.c = operand_of(*c, "C", copy);
    return product;
}

} // namespace
} // namespace mxcert::library

using namespace mxcert;

extern "C" {

int mxcert_matmul_shape(const mxcert_matrix* a, const mxcert_matrix* b, const mxcert_matrix* c, const char* options,
                        uint64_t* rows, uint64_t* columns, const char** format) {
    return library::guarded([&] {
        const tensors::Product product = library::product_of(a, b, c, options, library::Copy::sizes);
        const MatmulShape shape = tensors::shape_of(product);
        *library::given(rows, "rows") = shape.m;
        *library::given(columns, "columns") = shape.n;
        *library::given(format, "format") = product.to->name.data();
    });
}

int mxcert_matmul(const mxcert_matrix* a, const mxcert_matrix* b, const mxcert_matrix* c, const char* options, void* d,
                  uint32_t threads) {
    return library::guarded([&] {
        const tensors::Product product = library::product_of(a, b, c, options, library::Copy::all);
        tensors::TensorRun run;
        run.threads = threads;
        const std::vector<unsigned char> values = tensors::multiply(product, run);
        std::memcpy(library::given(d, "d"), values.data(), values.size());
    });
}

} // extern "C"
