// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "reference/fast/dot.hpp"
#include "reference/fast/matmul/buffers.hpp"

// Operands of a matrix product as the inner loops want them.
namespace mxcert::fast {

/// Bits of a finite magnitude as a multiple of the smallest one.
[[nodiscard]] constexpr int integer_bits(const Format& format) {
    return format.emax() + 1 - (format.emin() - format.fraction_bits);
}

/// Neighbours along the sum that share both scales and whose sum of products is exact in binary64.
struct Units {
    std::size_t k = 0;     ///< products of a sum
    std::size_t size = 1;  ///< of a unit; the last one may be shorter
    std::size_t count = 0; ///< units of a sum
};
[[nodiscard]] Units units_of(const DotFormat& format, const MatmulShape& shape);

/// Where the elements and scales of a line lie: of a row of A, or a column of B.
struct Lines {
    const void* elements = nullptr; ///< a byte each
    const void* scales = nullptr;
    std::size_t along = 0;        ///< elements that share a scale; 0: all
    std::size_t line_stride = 0;  ///< elements from a line to the next one
    std::size_t along_stride = 0; ///< elements from a place along the sum to the next one
    std::function<std::size_t(std::size_t line, std::size_t t)> scale_at;
};

/// Lines packed in panels of `width` lines: for each place along the sum its `width` elements together, as integers
/// times the power of two by which their scale is above the smallest of the panel.
class Panels {
  public:
    /// Packs on so many threads. Precondition: format has eight bits at most.
    Panels(const Format& format, const Format* scale, std::size_t lines, std::size_t width, const Units& units,
           const Lines& from, unsigned threads);

    [[nodiscard]] std::size_t panels() const { return bases_.size(); }
    /// Bits of an element's magnitude without its scale.
    [[nodiscard]] int bits() const { return bits_; }
    /// The power of two that the integers of a panel are times, and how many binades its scales span.
    [[nodiscard]] int base(std::size_t panel) const { return bases_[panel]; }
    [[nodiscard]] int range(std::size_t panel) const { return ranges_[panel]; }
    [[nodiscard]] const double* elements(std::size_t panel, std::size_t l) const {
        return elements_.data() + (panel * units_.k + l) * width_;
    }
    /// For each line of a panel what the scale of a unit is above the base, and 2^-that.
    [[nodiscard]] const std::int32_t* shifts(std::size_t panel, std::size_t unit) const {
        return shifts_.data() + (panel * units_.count + unit) * width_;
    }
    [[nodiscard]] const double* unscales(std::size_t panel, std::size_t unit) const {
        return unscales_.data() + (panel * units_.count + unit) * width_;
    }
    /// Whether a line holds Inf, NaN or a scale that is NaN.
    [[nodiscard]] bool is_special(std::size_t line) const { return specials_[line] != 0; }
    /// The signs of its elements, 64 a word.
    [[nodiscard]] std::span<const std::uint64_t> signs(std::size_t line) const {
        return std::span(signs_).subspan(line * sign_words_, sign_words_);
    }

  private:
    void pack(const Format& format, const Format* scale, std::size_t panel, std::size_t lines, const Lines& from);
    /// Elements of a unit of one line; whether any of them is not zero.
    bool pack_unit(const Format& format, std::size_t line, std::size_t unit, const Lines& from);

    std::size_t width_;
    Units units_;
    int bits_;
    std::vector<int> bases_;
    std::vector<int> ranges_;
    std::vector<double> elements_;
    std::vector<std::int32_t> shifts_;
    std::vector<double> unscales_;
    std::vector<unsigned char> specials_;
    std::size_t sign_words_;
    std::vector<std::uint64_t> signs_;
    std::vector<double> values_; ///< of every code; 0 for Inf and NaN
    std::vector<unsigned char> special_codes_;
};

} // namespace mxcert::fast
