// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/block_shape.hpp"

// Where the scales of a matrix lie in memory (K22). A layout pads the matrix of scales and gives each place of the
// padded matrix an offset. Every layout known to us writes the offset as a number of mixed radix whose digits are
// digits of the row and of the column; so a layout is a short list of digits, and its inverse follows from the list.
namespace mxcert {

enum class LayoutDirection : std::uint8_t {
    arrange, ///< from the scales row by row to the buffer of the layout: "swizzle"
    restore, ///< from the buffer to the scales row by row: "unswizzle"
};

/// One digit of an offset: (row or column / step) % radix.
struct Digit {
    static constexpr std::uint64_t rest = 0;

    Axis axis = Axis::row;
    std::uint64_t step = 1;
    std::uint64_t radix = 1; ///< `rest` for the highest digit of an axis, which has as many values as it takes

    friend bool operator==(const Digit&, const Digit&) = default;
};

/// A layout as data. Offsets count scales, not bytes: a scale in FP32 at offset n is at byte 4n.
struct ScaleLayout {
    std::string_view name;
    Extent multiple;                     ///< rows and columns are padded to multiples of these
    std::array<Digit, 6> digits;         ///< the most significant first; those left over have radix 1
    std::optional<std::uint8_t> padding; ///< what padding holds; nothing: it is left undefined
    std::string_view users;              ///< who does it, and the source
};

/// Whether the digits of each axis make it up exactly, so that every padded matrix and its buffer correspond one to
/// one.
[[nodiscard]] constexpr bool is_bijective(const ScaleLayout& layout) {
    const auto find = [&](Axis axis, std::uint64_t step) -> const Digit* {
        for (const Digit& digit : layout.digits)
            if (digit.axis == axis && digit.step == step && digit.radix != 1) return &digit;
        return nullptr;
    };
    std::size_t found = 0;
    for (const Axis axis : {Axis::row, Axis::column}) {
        const std::uint64_t multiple = axis == Axis::row ? layout.multiple.rows : layout.multiple.columns;
        std::uint64_t step = 1;
        const Digit* digit = find(axis, step);
        for (; digit != nullptr && digit->radix != Digit::rest; digit = find(axis, step)) {
            ++found;
            step *= digit->radix;
        }
        if (digit == nullptr || multiple == 0 || multiple % step != 0) return false;
        ++found;
    }
    for (const Digit& digit : layout.digits)
        if (digit.radix == 1) ++found;
    return found == layout.digits.size();
}

/// The layouts that implementations use.
[[nodiscard]] std::span<const ScaleLayout> all_layouts();
/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const ScaleLayout& find_layout(std::string_view name);

/// A layout of a matrix of scales of a given size.
class ScaleMap {
  public:
    /// Throws std::invalid_argument if there are no scales, if padded they are 2^64 or more, or if the layout is not
    /// bijective.
    ScaleMap(const ScaleLayout& layout, const Extent& scales);

    [[nodiscard]] const ScaleLayout& layout() const { return layout_; }
    [[nodiscard]] const Extent& scales() const { return scales_; }
    [[nodiscard]] const Extent& padded() const { return padded_; }
    /// Scales in the buffer, padding counted in.
    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// The offset of a place of the padded matrix, in scales. Throws std::out_of_range outside of that.
    [[nodiscard]] std::uint64_t offset_of(const Place& place) const;
    /// The inverse. Throws std::out_of_range from size() on.
    [[nodiscard]] Place padded_place_of(std::uint64_t offset) const;
    /// The same, nothing for padding.
    [[nodiscard]] std::optional<Place> place_of(std::uint64_t offset) const;

    /// The buffer of scales that are given row by row. Undefined padding is 0 as well. Throws std::invalid_argument if
    /// they are not scales() many.
    template <class Scale> [[nodiscard]] std::vector<Scale> arrange(std::span<const Scale> scales) const;
    /// The scales of a buffer, row by row, whatever its padding holds. Throws std::invalid_argument if the buffer is
    /// not size() long.
    template <class Scale> [[nodiscard]] std::vector<Scale> restore(std::span<const Scale> buffer) const;

  private:
    void check_length(std::string_view what, std::uint64_t length, std::uint64_t expected) const;

    ScaleLayout layout_;
    Extent scales_;
    Extent padded_;
    std::uint64_t size_ = 0;
    std::vector<Digit> digits_; ///< with the radices of this size, and without those that are always 0
};

template <class Scale> std::vector<Scale> ScaleMap::arrange(std::span<const Scale> scales) const {
    check_length("scales", scales.size(), scales_.rows * scales_.columns);
    std::vector<Scale> buffer(static_cast<std::size_t>(size_), static_cast<Scale>(layout_.padding.value_or(0)));
    std::size_t next = 0;
    for (std::uint64_t row = 0; row < scales_.rows; ++row)
        for (std::uint64_t column = 0; column < scales_.columns; ++column)
            buffer[static_cast<std::size_t>(offset_of({row, column}))] = scales[next++];
    return buffer;
}

template <class Scale> std::vector<Scale> ScaleMap::restore(std::span<const Scale> buffer) const {
    check_length("scales with padding", buffer.size(), size_);
    std::vector<Scale> scales;
    scales.reserve(static_cast<std::size_t>(scales_.rows * scales_.columns));
    for (std::uint64_t row = 0; row < scales_.rows; ++row)
        for (std::uint64_t column = 0; column < scales_.columns; ++column)
            scales.push_back(buffer[static_cast<std::size_t>(offset_of({row, column}))]);
    return scales;
}

} // namespace mxcert
