// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/matmul/panels.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "reference/fast/matmul/kernels.hpp"

namespace mxcert::fast {
namespace {

/// 2^e exactly, -1022 <= e <= 1023.
double power(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); }

} // namespace

Units units_of(const DotFormat& format, const MatmulShape& shape) {
    const std::size_t most = std::size_t{1}
                             << std::min(sum_bits - integer_bits(*format.a) - integer_bits(*format.b), 16);
    // gcd(0, x) is x: an operand whose scale is that of all elements does not cut the sum.
    const std::size_t shared = std::gcd(format.scale_a == nullptr ? 0 : shape.a_scale.along,
                                        format.scale_b == nullptr ? 0 : shape.b_scale.along);
    Units units;
    units.k = shape.k;
    units.size = shared == 0 ? most : shared <= most ? shared : std::gcd(shared, most);
    units.count = shape.k / units.size + (shape.k % units.size != 0 ? 1 : 0);
    return units;
}

Panels::Panels(const Format& format, const Format* scale, std::size_t lines, std::size_t width, const Units& units,
               const Lines& from, unsigned threads)
    : width_(width), units_(units), bits_(integer_bits(format)), specials_(lines), sign_words_((units.k + 63) / 64),
      signs_(lines * sign_words_) {
    const std::size_t count = lines / width + (lines % width != 0 ? 1 : 0);
    bases_.resize(count);
    ranges_.resize(count);
    elements_.resize(count * units.k * width);
    shifts_.resize(count * units.count * width);
    unscales_.resize(count * units.count * width, 1.0);
    for (Code code = 0; code <= format.last_code(); ++code) {
        const Term term = term_of(format, code);
        const bool finite = term.kind == TermKind::finite;
        // Multiples of the smallest magnitude, whose exponent that of subnormals is.
        const double size = finite ? static_cast<double>(static_cast<std::uint64_t>(term.significand)) *
                                         power(term.exponent - (format.emin() - format.fraction_bits))
                                   : 0.0;
        values_.push_back(term.negative ? -size : size);
        special_codes_.push_back(finite ? 0 : 1);
    }
    in_threads(threads, [&](std::size_t first, std::size_t step) {
        for (std::size_t panel = first; panel < count; panel += step) {
            pack(format, scale, panel, lines, from);
            bases_[panel] += format.emin() - format.fraction_bits;
        }
    });
}

bool Panels::pack_unit(const Format& format, std::size_t line, std::size_t unit, const Lines& from) {
    const auto* const codes = static_cast<const unsigned char*>(from.elements) + line * from.line_stride;
    double* const elements = elements_.data() + line / width_ * units_.k * width_ + line % width_;
    const auto sign = static_cast<unsigned>(std::countr_zero(format.sign_bit()));
    const std::size_t end = std::min((unit + 1) * units_.size, units_.k);
    bool used = false;
    unsigned char special = 0;
    for (std::size_t begin = unit * units_.size; begin < end;) {
        const std::size_t word_end = std::min(end, (begin / 64 + 1) * 64);
        std::uint64_t signs = 0;
        for (std::size_t l = begin; l < word_end; ++l) {
            const unsigned code = codes[l * from.along_stride];
            elements[l * width_] = values_[code];
            special |= special_codes_[code];
            signs |= std::uint64_t{code >> sign & 1U} << l % 64;
            used |= values_[code] != 0;
        }
        signs_[line * sign_words_ + begin / 64] |= signs;
        begin = word_end;
    }
    specials_[line] |= special;
    return used;
}

void Panels::pack(const Format& format, const Format* scale, std::size_t panel, std::size_t lines, const Lines& from) {
    const std::size_t first = panel * width_;
    const std::size_t count = std::min(width_, lines - first);
    double* const elements = elements_.data() + panel * units_.k * width_;
    std::int32_t* const shifts = shifts_.data() + panel * units_.count * width_;
    double* const unscales = unscales_.data() + panel * units_.count * width_;
    int least = std::numeric_limits<int>::max();
    int most = std::numeric_limits<int>::min();
    std::vector<unsigned char> used(units_.count * width_); // units that are not all zeros
    for (std::size_t line = 0; line < count; ++line) {
        for (std::size_t unit = 0; unit < units_.count; ++unit)
            used[unit * width_ + line] = pack_unit(format, first + line, unit, from) ? 1 : 0;
        for (std::size_t unit = 0; unit < units_.count && scale != nullptr; ++unit) {
            const std::size_t t = from.along == 0 ? 0 : unit * units_.size / from.along;
            const Term term = term_of(*scale, load_at(*scale, from.scales, from.scale_at(first + line, t)));
            if (term.kind != TermKind::finite) specials_[first + line] = 1;
            shifts[unit * width_ + line] = term.exponent;
            if (used[unit * width_ + line] == 0 || term.kind != TermKind::finite) continue;
            least = std::min(least, term.exponent);
            most = std::max(most, term.exponent);
        }
    }
    if (least > most) { // no scales, or nothing but zeros
        std::fill(shifts, shifts + units_.count * width_, 0);
        return;
    }
    bases_[panel] = least;
    ranges_[panel] = most - least;
    for (std::size_t unit = 0; unit < units_.count; ++unit)
        for (std::size_t line = 0; line < width_; ++line) {
            const std::size_t at = unit * width_ + line;
            shifts[at] = used[at] != 0 ? std::clamp(shifts[at] - least, 0, most - least) : 0;
            unscales[at] = power(-shifts[at]);
            if (shifts[at] == 0) continue;
            const double up = power(shifts[at]);
            for (std::size_t l = unit * units_.size; l < std::min((unit + 1) * units_.size, units_.k); ++l)
                elements[l * width_ + line] *= up;
        }
}

} // namespace mxcert::fast
