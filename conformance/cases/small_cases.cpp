// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/small_cases.hpp"

#include <algorithm>

#include "conformance/print/text.hpp"

namespace mxcert::cases {
namespace {

struct SmallRow {
    std::string_view operation;
    std::string_view part;
    std::string_view name; ///< with * for any characters
};

constexpr SmallRow table[] = {
    {"quantize", "blocks", "a special value in each lane"},
    {"quantize", "blocks", "special values together"}, // Inf and the largest value: elements under the scale of Inf
    {"quantize", "blocks", "a NaN of each payload bit"},
    {"quantize", "blocks", "a tail of *"},
    {"quantize", "values", "*, from number 0"}, // with an activation
    {"dequantize", "blocks", "a tail of *"},
    {"dequantize", "blocks", "a square"}, // for those who refuse a tail
    {"quantize_2d", "scale", "*, from number 0"},
    {"quantize_2d", "elements", "* of 0x3F*"},
    {"quantize_float", "blocks", "special values together"},
    {"quantize_float", "blocks", "a matrix of 64x48"},
    {"layout", "places", "* 32x1 *"},
    {"layout", "places", "* 129x127 *"},
    {"layout", "places", "* 1000x300 *"},
    {"matmul", "places", "*, 3x2x33*"},
    {"matmul", "places", "*, 5x7x*"},
    {"matmul", "places", "*, 16x16x32*"},
    {"matmul", "scales", "0x01 as a scale of *"},
    {"matmul", "scales", "0x?F as a scale of *"},
    {"linear", "values", "lines far apart, *"},
    {"linear", "values", "values of one binade or two, 7x19x70"},
    {"linear", "values", "*, 5x131x263"},
    {"linear", "special", "* in row *"},
};

} // namespace

bool is_small_case(const Operation& operation, std::string_view part, std::string_view name) {
    if (print::glob_matches("*every kind of block*", name)) return false;
    bool restricted = false;
    for (const SmallRow& row : table) {
        if (row.operation != operation.info->name || row.part != part) continue;
        if (print::glob_matches(row.name, name)) return true;
        restricted = true;
    }
    return !restricted;
}

std::vector<Code> thinned(const std::vector<Code>& codes, std::size_t count) {
    if (codes.size() <= count || count < 2) return codes;
    std::vector<Code> some_codes;
    for (std::size_t i = 0; i < count; ++i) some_codes.push_back(codes[i * (codes.size() - 1) / (count - 1)]);
    return some_codes;
}

} // namespace mxcert::cases
