// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/html/heat_map.hpp"
#include "conformance/html/markup.hpp"
#include "reference/code_text.hpp"

namespace mxcert::html {
namespace {

bool has_scale(const verdict::InputMap& map) { return map.from->scale != nullptr; }

const Format& element_of(const verdict::InputMap& map) { return verdict::column_format(*map.from, *map.to); }

// The first input of a binade, or the element.
std::string column_text(const verdict::InputMap& map, std::uint32_t column) {
    if (has_scale(map)) return code_text(element_of(map), column);
    const Format& from = *map.from;
    const Code first = Code{column} << static_cast<unsigned>(from.fraction_bits);
    if (from.is_twos_complement()) return code_text(from, first);
    if (column == 0 && from.has_subnormals) return from.fraction_bits == 0 ? "0" : "zero, subnormals";
    if (from.specials == Specials::ieee && first >= from.inf_code()) return "Inf, NaN";
    return fmt::format("2^{}", static_cast<int>(column) - from.bias);
}

// The scale, or where in a binade.
std::string row_text(const verdict::InputMap& map, std::uint32_t row) {
    if (has_scale(map)) return code_text(*map.from->scale, row);
    const std::uint32_t parts = std::uint32_t{1} << static_cast<unsigned>(verdict::row_bits(*map.from));
    const std::uint32_t part = row & (parts - 1);
    const char* sign = !map.from->is_signed ? "" : row >= parts ? "-" : "+";
    return fmt::format("{}{:.6g}", sign, 1 + static_cast<double>(part) / parts);
}

} // namespace

std::string axes_text(const verdict::InputMap& map) {
    if (!has_scale(map))
        return fmt::format("Across: binades of {}, from zero to the largest exponent. Down: {}where in the binade, by "
                           "the first {} of the fraction, from 1 to 2 times its power of two.",
                           map.from->title, map.from->is_signed ? "the sign, and " : "",
                           verdict::row_bits(*map.from) == 1 ? "bit"
                                                             : fmt::format("{} bits", verdict::row_bits(*map.from)));
    return fmt::format("Across: the {} code {}. Down: the code of the scale, {}.", element_of(map).title,
                       &element_of(map) == map.to             ? "that is permitted"
                       : map.from->scaling == Scaling::divide ? "that is divided"
                                                              : "that is multiplied",
                       map.from->scale->title);
}

std::string columns_text(const verdict::InputMap& map, std::uint32_t first, std::uint32_t last) {
    if (first == last) return column_text(map, first);
    return fmt::format("{} to {}", column_text(map, first), column_text(map, last));
}

std::string rows_text(const verdict::InputMap& map, std::uint32_t first, std::uint32_t last) {
    if (first == 0 && last + 1 == map.rows) return "all";
    if (first == last) return row_text(map, first);
    return fmt::format("{} to {}", row_text(map, first), row_text(map, last));
}

} // namespace mxcert::html
