// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/tensors/explain_tensor.hpp"

#include <charconv>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/tensors/quantization.hpp"
#include "reference/exact/number.hpp"
#include "reference/fast/codes.hpp"

namespace mxcert::cli {
namespace {

bool read_number(std::string_view text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

} // namespace

std::optional<ElementPlace> parse_element_place(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const std::size_t comma = text.rfind(',');
    if (colon == std::string::npos || comma == std::string::npos || comma < colon) return {};
    ElementPlace element{text.substr(0, colon), {}};
    const std::string_view rest(text);
    if (!read_number(rest.substr(colon + 1, comma - colon - 1), element.place.row) ||
        !read_number(rest.substr(comma + 1), element.place.column))
        return {};
    return element;
}

void take_block(explain::BlockQuestion& question, const ElementPlace& element, const TensorInput& input, Axis axis,
                unsigned block) {
    const tensors::TensorFile tensor(element.path, input.choice(tensors::value_formats));
    const tensors::Matrices matrices = tensors::matrices_of(tensor.info().shape);
    const std::uint64_t rows = matrices.count * matrices.matrix.rows;
    const std::uint64_t columns = matrices.matrix.columns;
    const auto& [row, column] = element.place;
    if (row >= rows || column >= columns)
        throw std::invalid_argument(fmt::format("{} has {} of {}, counted from 0", element.path,
                                                print::counted(rows, "row"), print::counted(columns, "column")));
    // Blocks along columns begin anew in each matrix.
    const Place in_matrix{row % matrices.matrix.rows, column};
    const BlockShape shape = axis == Axis::row ? shapes::rowwise(block) : shapes::columnwise(block);
    const Place scale = scale_place(matrices.matrix, shape, in_matrix);
    const auto& [first, size] = block_at(matrices.matrix, shape, scale);
    const std::uint64_t lane = in_matrix.row - first.row + in_matrix.column - first.column;
    const Format& format = *tensor.info().format;
    question.format.value = &format;
    const std::uint64_t start = (row - in_matrix.row + first.row) * columns + first.column;
    const std::uint64_t step = axis == Axis::row ? 1 : columns;
    for (std::uint64_t i = 0; i < size.rows * size.columns; ++i) {
        unsigned char bytes[8];
        tensor.read(start + i * step, 1, bytes);
        question.inputs.push_back(code_text(format, fast::load(bytes, format.bytes())));
    }
    question.lane = static_cast<std::size_t>(lane);
    question.place =
        fmt::format("{}, row {}, column {}: lane {} of block {} of its {}", element.path, row, column, lane,
                    axis == Axis::row ? scale.column : scale.row, axis == Axis::row ? "row" : "column");
}

} // namespace mxcert::cli
