// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/tensors/explain_tensor.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

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
        throw std::invalid_argument(
            fmt::format("{} has {} rows of {} columns, counted from 0", element.path, rows, columns));
    const bool along_row = axis == Axis::row;
    // Blocks along columns begin anew in each matrix.
    const std::uint64_t in_matrix = row % matrices.matrix.rows;
    const std::uint64_t lane = (along_row ? column : in_matrix) % block;
    const std::uint64_t left = along_row ? columns - (column - lane) : matrices.matrix.rows - (in_matrix - lane);
    const Format& format = *tensor.info().format;
    question.format.value = &format;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(block, left); ++i) {
        const Place place = along_row ? Place{row, column - lane + i} : Place{row - lane + i, column};
        unsigned char bytes[8];
        tensor.read(place.row * columns + place.column, 1, bytes);
        question.inputs.push_back(code_text(format, fast::load(bytes, format.bytes())));
    }
    question.lane = static_cast<std::size_t>(lane);
    question.place = fmt::format("{}, row {}, column {}: lane {} of block {} of its {}", element.path, row, column,
                                 lane, (along_row ? column : in_matrix) / block, along_row ? "row" : "column");
}

} // namespace mxcert::cli
