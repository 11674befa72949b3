// SPDX-License-Identifier: Apache-2.0
// Products of drawn values: what their sums show of an accumulator.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "conformance/suites/matmul/cases.hpp"
#include "reference/base/random.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

/// A finite code of the format by its magnitude, read as a number; of a scale without the sign.
Code finite(const Format& format, std::uint64_t magnitude, bool negative) {
    const Code code = magnitude % (format.max_code() + 1);
    return format.with_sign(code, negative);
}

/// How the elements of a case follow from a seed.
struct Pattern {
    const char* name;
    /// The code of element l of a line.
    Code (*element)(const Format& format, std::uint64_t random, std::size_t l, std::size_t k);
    bool is_small = false; ///< beside such products a c would be all that is seen
    bool is_long = false;  ///< in a long sum too
};

constexpr std::size_t long_values = 1100; ///< products of a sum beyond what is added in one go

constexpr Pattern patterns[] = {
    {"seeded",
     [](const Format& f, std::uint64_t r, std::size_t, std::size_t) { return finite(f, r >> 1U, (r & 1U) != 0); },
     false, true},
    {"one huge, the others small",
     [](const Format& f, std::uint64_t r, std::size_t l, std::size_t k) {
         return l == k / 3 ? finite(f, f.max_code(), false) : finite(f, code_of(f, 1) / 2 + r % 8, (r & 8U) != 0);
     }},
    {"large ones that cancel",
     [](const Format& f, std::uint64_t r, std::size_t l, std::size_t) {
         return l % 5 == 4 ? finite(f, r >> 1U & 7U, (r & 1U) != 0) : finite(f, f.max_code() - l % 2, l % 2 != 0);
     }},
    {"signs in turn",
     [](const Format& f, std::uint64_t r, std::size_t l, std::size_t) { return finite(f, r >> 1U, l % 2 != 0); }},
    {"every exponent",
     [](const Format& f, std::uint64_t r, std::size_t l, std::size_t) {
         const auto binades = (f.max_code() >> static_cast<unsigned>(f.fraction_bits)) + 1;
         return finite(f, (l % binades << static_cast<unsigned>(f.fraction_bits)) + r % 4, (r & 64U) != 0);
     }},
    {"subnormals",
     [](const Format& f, std::uint64_t r, std::size_t, std::size_t) {
         return finite(f, (r >> 1U) % (Code{1} << static_cast<unsigned>(f.fraction_bits)), (r & 1U) != 0);
     }},
    // A group whose sum may round to zero: whether that zero is aligned as one, or as the smallest subnormal number is.
    {"the smallest, but for small ones in the middle",
     [](const Format& f, std::uint64_t, std::size_t l, std::size_t k) {
         return finite(f, l / 16 == k / 32 ? 0x0B : 1, false);
     },
     true},
    {"all of one sign", [](const Format& f, std::uint64_t r, std::size_t, std::size_t) { return finite(f, r, false); }},
};

/// Exponents of scales.
struct Exponents {
    int lowest;
    unsigned count;
};
constexpr Exponents near_one{-3, 7};
constexpr Exponents smallest{-127, 12};
constexpr Exponents largest{116, 12};

/// How far the scales are from 1.
struct ScaleRange {
    const char* name;
    Exponents of_a;
    Exponents of_b;
    bool is_small = false; ///< a c would be all that is seen
};
constexpr ScaleRange ranges[] = {
    {"", near_one, near_one},
    {", small scales", smallest, near_one, true}, // the smallest of both would leave nothing of the products
    {", far scales", {-20, 41}, {-20, 41}},
};
/// Those of which one alone, or the sum of their exponents in the width of one, is out of range.
constexpr ScaleRange extreme_ranges[] = {
    {", small scales of B", near_one, smallest, true},
    {", the largest scales of A and the smallest of B", largest, smallest},
    {", the smallest scales of A and the largest of B", smallest, largest},
    {", scales whose product is large", {61, 8}, {61, 8}},
    {", scales whose product is small", {-80, 20}, {-80, 20}, true},
};

} // namespace

void for_each_value_case(const Matmul& matmul, unsigned samples, std::uint64_t seed, const TakeMatmulCase& take) {
    const std::size_t block =
        std::max({matmul.a_scale.along, matmul.b_scale.along, matmul.accumulator->group, std::size_t{32}});
    const bool scaled = matmul.format.scale_a != nullptr;
    std::uint64_t number = seed;
    const auto make = [&](const Pattern& pattern, const ScaleRange& range, std::size_t k) {
        MatmulCase matmul_case = zero_case(matmul, 4, 3, k);
        matmul_case.name = fmt::format("{}{}, {} products, number {}", pattern.name, range.name, k, number - seed);
        SplitMix64 random(number++);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t l = 0; l < k; ++l)
                matmul_case.a[matmul_case.shape.a_at(i, l)] = pattern.element(*matmul.format.a, random(), l, k);
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t l = 0; l < k; ++l)
                matmul_case.b[matmul_case.shape.b_at(l, j)] = pattern.element(*matmul.format.b, random(), l * 7, k);
        const auto scales = [&](std::vector<Code>& codes, const Format* format, const Exponents& within) {
            for (Code& code : codes) {
                const int most =
                    static_cast<int>(format->max_code() >> static_cast<unsigned>(format->fraction_bits)) - format->bias;
                const int lowest = format->fraction_bits == 0 ? -format->bias : 1 - format->bias;
                const int exponent =
                    std::min(most, std::max(within.lowest, lowest) + static_cast<int>(random() % within.count));
                // With all bits of a fraction, if there is one; no code above the largest number.
                const Code fraction = format->fraction_bits != 0 ? random() >> 12U : 0;
                code = std::min(
                    code_of(*format, std::bit_cast<double>(static_cast<Code>(1023 + exponent) << 52U | fraction)),
                    format->max_code());
            }
        };
        scales(matmul_case.scales_a, matmul.format.scale_a, range.of_a);
        scales(matmul_case.scales_b, matmul.format.scale_b, range.of_b);
        if (matmul.has_c && !range.is_small && !pattern.is_small)
            for (Code& code : matmul_case.c) {
                const int exponent = static_cast<int>(random() % 25) - 12;
                const auto value = std::bit_cast<double>((static_cast<Code>(1023 + exponent) << 52U) | random() >> 12U);
                code = code_of(*matmul.format.c, (random() & 1U) != 0 ? -value : value);
            }
        return matmul_case;
    };
    for (unsigned sample = 0; sample < std::max(1U, samples); ++sample)
        for (const Pattern& pattern : patterns)
            for (const ScaleRange& range : ranges) {
                if (!scaled && *range.name != '\0') continue;
                for (const std::size_t k : {std::size_t{3}, block, 2 * block + block / 2, long_values}) {
                    if (k == long_values && (!pattern.is_long || *range.name != '\0')) continue;
                    if (!take(make(pattern, range, k))) return;
                }
            }
    // Scales that are small floats have each code asked, and reach no further.
    if (!scaled || has_small_float_scales(matmul)) return;
    for (unsigned sample = 0; sample < std::max(1U, samples); ++sample)
        for (const ScaleRange& range : extreme_ranges)
            for (const std::size_t k : {std::size_t{1}, std::size_t{3}, block, 2 * block + block / 2})
                if (!take(make(patterns[0], range, k))) return;
}

} // namespace mxcert::suites
