// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/layout_cases.hpp"

#include <stdexcept>
#include <string_view>

namespace mxcert {
namespace {

constexpr std::uint64_t base = 254; // bytes 01 to FE

struct Use {
    std::string_view layout;
    BlockShape block;
};
constexpr Use uses[] = {
    {"linear", shapes::rowwise(32)},        {"linear", shapes::columnwise(32)},
    {"linear", shapes::tile(32)},           {"linear", shapes::per_row},
    {"linear", shapes::per_column},         {"linear", shapes::per_tensor},
    {"padded_128x4", shapes::rowwise(32)},  {"padded_4x128", shapes::columnwise(32)},
    {"swizzle_128x4", shapes::rowwise(32)}, {"swizzle_128x4_columnwise", shapes::columnwise(32)},
    {"shuffle_32x8", shapes::rowwise(32)},  {"padded_1x4", shapes::columnwise(128)},
    {"padded_1x4", shapes::tile(128)},      {"transposed_4x1", shapes::rowwise(128)},
    {"transposed_4x1", shapes::tile(128)},
};

// One value; one block; a tail in each axis; a tile, and one more or less; several tiles, in one axis and in both;
// sizes that neither the block nor the tile divides; and so large that a number of places takes three bytes.
constexpr Extent matrices[] = {
    {1, 1},     {1, 32},    {32, 1},    {31, 33},    {32, 32},    {33, 31},     {4, 64},      {64, 96},   {100, 160},
    {40, 288},  {127, 129}, {128, 128}, {129, 127},  {256, 256},  {300, 1000},  {1000, 300},  {500, 192}, {384, 640},
    {640, 384}, {1, 8192},  {8192, 1},  {257, 2080}, {2080, 257}, {1111, 2222}, {8192, 8192},
};

} // namespace

std::string LayoutCase::name() const {
    return std::string(direction == LayoutDirection::arrange ? "arrange " : "restore ") + std::string(layout->name) +
           " " + text(matrix) + " " + text(block);
}

ScaleMap LayoutCase::map() const { return {*layout, scales_of(matrix, block)}; }

std::uint64_t LayoutCase::operand_size() const {
    return direction == LayoutDirection::arrange ? count(scales_of(matrix, block), "scales") : map().size();
}

std::uint64_t LayoutCase::answer_size() const {
    return direction == LayoutDirection::arrange ? map().size() : count(scales_of(matrix, block), "scales");
}

std::vector<LayoutCase> layout_cases() {
    std::vector<LayoutCase> cases;
    for (const Use& use : uses)
        for (const Extent& matrix : matrices)
            for (const LayoutDirection direction : {LayoutDirection::arrange, LayoutDirection::restore})
                cases.push_back({matrix, use.block, &find_layout(use.layout), direction});
    return cases;
}

PlaceNumbers::PlaceNumbers(std::uint64_t places) : places_(places), repeated_(base + 1) {
    std::uint64_t numbers = base * base;
    while (digits_ < 8 && numbers - base < places) {
        numbers *= base;
        repeated_ = repeated_ * base + 1;
        ++digits_;
    }
    if (places == 0 || numbers - base < places)
        throw std::invalid_argument(std::to_string(places) + " scales cannot be numbered");
}

std::uint8_t PlaceNumbers::byte(std::uint64_t place, unsigned plane) const {
    if (place >= places_ || plane >= planes())
        throw std::out_of_range("place " + std::to_string(place) + " has no byte in plane " + std::to_string(plane));
    if (plane == digits_) return place % 2 == 0 ? 0x00 : 0xFF;
    // Of repeated_ numbers one has all bytes the same, and is left out.
    std::uint64_t number = place + 1 + place / (repeated_ - 1);
    for (unsigned p = 0; p < plane; ++p) number /= base;
    return static_cast<std::uint8_t>(number % base + 1);
}

PlaceNumbers::Reading PlaceNumbers::read(std::span<const std::uint8_t> bytes) const {
    if (bytes.size() != digits_)
        throw std::invalid_argument("a place has a byte in " + std::to_string(digits_) + " planes, not in " +
                                    std::to_string(bytes.size()));
    bool constant = true;
    bool numbered = true;
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        constant = constant && bytes[i] == bytes[0];
        numbered = numbered && bytes[i] != 0x00 && bytes[i] != 0xFF;
        number = number * base + (bytes[i] - std::uint64_t{1}) % base;
    }
    if (constant) return {Reading::constant, bytes[0]};
    const std::uint64_t place = number - 1 - number / repeated_;
    if (!numbered || place >= places_) return {Reading::nothing, 0};
    return {Reading::place, place};
}

std::vector<std::uint8_t> layout_operand(const LayoutCase& layout_case, unsigned plane) {
    const PlaceNumbers numbers(layout_case.operand_size());
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(numbers.places()));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = numbers.byte(i, plane);
    return bytes;
}

std::vector<std::uint8_t> layout_answer(const LayoutCase& layout_case, const std::vector<std::uint8_t>& operand) {
    const std::span<const std::uint8_t> bytes = operand;
    return layout_case.direction == LayoutDirection::arrange ? layout_case.map().arrange(bytes)
                                                             : layout_case.map().restore(bytes);
}

} // namespace mxcert
