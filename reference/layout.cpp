// SPDX-License-Identifier: Apache-2.0
#include "reference/layout.hpp"

#include <algorithm>
#include <limits>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

constexpr Axis row = Axis::row;
constexpr Axis column = Axis::column;
constexpr std::uint64_t rest = Digit::rest;

// Padding is 0 where the source says so; aiter and Transformer Engine's rows of scales are allocated and left as they
// are. Transformer Engine cleared these until August 2025; a kernel may still write 00 into some of their rows.
// clang-format off
constexpr ScaleLayout layouts[] = {
    {"linear", {1, 1}, {{{row, 1, rest}, {column, 1, rest}}}, 0,
     "row by row, no padding: torchao 36027d8 unless told to swizzle, microxcaling"},
    {"padded_128x4", {128, 4}, {{{row, 1, rest}, {column, 1, rest}}}, std::nullopt,
     "Transformer Engine d0067d0, pytorch/csrc/quantizer.cpp: rowwise, before the swizzle"},
    {"padded_4x128", {4, 128}, {{{row, 1, rest}, {column, 1, rest}}}, std::nullopt,
     "Transformer Engine d0067d0, pytorch/csrc/quantizer.cpp: columnwise, before the swizzle"},
    {"swizzle_128x4", {128, 4}, {{{row, 128, rest}, {column, 4, rest}, {row, 1, 32}, {row, 32, 4}, {column, 1, 4}}}, 0,
     "cuDNN, cuBLAS, CUTLASS, torchao to_blocked; Transformer Engine a5db70a, swizzle.cuh: rowwise"},
    {"swizzle_128x4_columnwise", {4, 128}, {{{column, 128, rest}, {row, 4, rest}, {column, 1, 32}, {column, 32, 4}, {row, 1, 4}}}, 0,
     "Transformer Engine a5db70a, swizzle.cuh: columnwise, a row of it is a column of the matrix"},
    {"shuffle_32x8", {256, 8}, {{{row, 32, rest}, {column, 8, rest}, {column, 1, 4}, {row, 1, 16}, {column, 4, 2}, {row, 16, 2}}}, std::nullopt,
     "AMD CDNA4: aiter 0122c48 shuffle_scale, Quark; Triton 02cca62 CDNA4MXScaleLayout without padding"},
    {"padded_1x4", {1, 4}, {{{row, 1, rest}, {column, 1, rest}}}, std::nullopt,
     "Transformer Engine 001b23c, Float8BlockScaling: 128x1 columnwise, 128x128 rowwise; scales in FP32"},
    {"transposed_4x1", {4, 1}, {{{column, 1, rest}, {row, 1, rest}}}, std::nullopt,
     "Transformer Engine 001b23c, Float8BlockScaling: 1x128 rowwise, 128x128 columnwise; scales in FP32"},
};
// clang-format on
static_assert(std::all_of(std::begin(layouts), std::end(layouts), is_bijective));

std::uint64_t rounded_up(std::uint64_t length, std::uint64_t multiple) {
    const std::uint64_t missing = length % multiple == 0 ? 0 : multiple - length % multiple;
    if (missing > std::numeric_limits<std::uint64_t>::max() - length)
        throw std::invalid_argument(std::to_string(length) + " scales padded to a multiple of " +
                                    std::to_string(multiple) + " are 2^64 or more");
    return length + missing;
}

std::uint64_t radix_of(const Digit& digit, const Extent& padded) {
    if (digit.radix != rest) return digit.radix;
    return (digit.axis == Axis::row ? padded.rows : padded.columns) / digit.step;
}

} // namespace

std::span<const ScaleLayout> all_layouts() { return layouts; }

const ScaleLayout& find_layout(std::string_view name) { return find_named("scale layout", name, layouts); }

ScaleMap::ScaleMap(const ScaleLayout& layout, const Extent& scales) : layout_(layout), scales_(scales) {
    if (!is_bijective(layout))
        throw std::invalid_argument("the digits of the layout '" + std::string(layout.name) +
                                    "' do not give every place an offset of its own");
    static_cast<void>(count(scales, "scales"));
    padded_ = {rounded_up(scales.rows, layout.multiple.rows), rounded_up(scales.columns, layout.multiple.columns)};
    size_ = count(padded_, "scales with padding");
    for (const Digit& digit : layout.digits) {
        const std::uint64_t radix = radix_of(digit, padded_);
        if (radix != 1) digits_.push_back({digit.axis, digit.step, radix});
    }
}

std::uint64_t ScaleMap::offset_of(const Place& place) const {
    if (place.row >= padded_.rows || place.column >= padded_.columns)
        throw std::out_of_range("row " + std::to_string(place.row) + ", column " + std::to_string(place.column) +
                                " is outside the padded " + text(padded_) + " scales");
    std::uint64_t offset = 0;
    for (const Digit& digit : digits_)
        offset = offset * digit.radix + (digit.axis == Axis::row ? place.row : place.column) / digit.step % digit.radix;
    return offset;
}

Place ScaleMap::padded_place_of(std::uint64_t offset) const {
    if (offset >= size_)
        throw std::out_of_range("offset " + std::to_string(offset) + " is outside the buffer of " +
                                std::to_string(size_) + " scales");
    Place place;
    for (std::size_t i = digits_.size(); i-- > 0;) {
        const Digit& digit = digits_[i];
        (digit.axis == Axis::row ? place.row : place.column) += offset % digit.radix * digit.step;
        offset /= digit.radix;
    }
    return place;
}

std::optional<Place> ScaleMap::place_of(std::uint64_t offset) const {
    const Place place = padded_place_of(offset);
    if (place.row >= scales_.rows || place.column >= scales_.columns) return std::nullopt;
    return place;
}

void ScaleMap::check_length(std::string_view what, std::uint64_t length, std::uint64_t expected) const {
    if (length == expected) return;
    throw std::invalid_argument("the layout " + std::string(layout_.name) + " of " + text(scales_) + " takes " +
                                std::to_string(expected) + " " + std::string(what) + ", not " + std::to_string(length));
}

} // namespace mxcert
