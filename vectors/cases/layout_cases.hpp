// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/layout.hpp"

// Cases for an implementation that brings scales into a layout, or back. Their operands are such that each byte of an
// answer says which byte of the operand it was.
namespace mxcert {

/// One matrix, the blocks it is cut into, and the layout of their scales.
struct LayoutCase {
    Extent matrix; ///< of values
    BlockShape block;
    const ScaleLayout* layout = nullptr;
    LayoutDirection direction = LayoutDirection::arrange;

    /// "arrange swizzle_128x4 100x96 1x32".
    [[nodiscard]] std::string name() const;
    [[nodiscard]] ScaleMap map() const;
    /// Bytes that go in, and that come out.
    [[nodiscard]] std::uint64_t operand_size() const;
    [[nodiscard]] std::uint64_t answer_size() const;
};

/// Every layout with the blocks it is used for, in both directions, for matrices of 1x1 to 8192x8192 values, among them
/// many whose sizes nothing divides.
[[nodiscard]] std::vector<LayoutCase> layout_cases();

/// A scale is one byte, too little to say where it was. So a case is asked several times, with a plane of bytes each:
/// byte p of a place's number in plane p, and in a last plane the scales 00 and FF in turn, which an implementation
/// must not take for anything else. In the planes of the number
///  - no byte is 00, which is padding, or FF, which is free to poison outputs;
///  - the bytes of one place are never all the same, so no constant that is written everywhere is taken for a place.
class PlaceNumbers {
  public:
    /// For `places` bytes. Throws std::invalid_argument if they are 0 or more than 254^8 - 254.
    explicit PlaceNumbers(std::uint64_t places);

    [[nodiscard]] std::uint64_t places() const { return places_; }
    /// Planes of the number: 2 up to 64,262 places, then 3, ...
    [[nodiscard]] unsigned digits() const { return digits_; }
    /// Planes in all: the last one is that of 00 and FF.
    [[nodiscard]] unsigned planes() const { return digits_ + 1; }
    [[nodiscard]] std::uint8_t byte(std::uint64_t place, unsigned plane) const;

    /// What the bytes of one place of an answer, one from each plane of the number, say.
    struct Reading {
        enum Kind : std::uint8_t {
            place,    ///< byte `value` of the operand
            constant, ///< `value` in every plane
            nothing,  ///< no byte of the operand: bytes of different ones, or values that were never there
        } kind;
        std::uint64_t value;

        friend bool operator==(const Reading&, const Reading&) = default;
    };
    [[nodiscard]] Reading read(std::span<const std::uint8_t> bytes) const;

  private:
    std::uint64_t places_;
    unsigned digits_ = 2;
    std::uint64_t
        repeated_; ///< the number whose digits are all 1; those whose digits are all the same are its multiples
};

/// Plane `plane` of the operand of a case. Each byte of the buffer has a number when scales are restored, padding too:
/// padding is nobody's scale, so no answer may have it.
[[nodiscard]] std::vector<std::uint8_t> layout_operand(const LayoutCase& layout_case, unsigned plane);

/// The answer it must give.
[[nodiscard]] std::vector<std::uint8_t> layout_answer(const LayoutCase& layout_case,
                                                      const std::vector<std::uint8_t>& operand);

} // namespace mxcert
