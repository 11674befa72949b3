// SPDX-License-Identifier: Apache-2.0
#include "conformance/matmul/faults.hpp"

#include <algorithm>

#include "reference/exact/exact.hpp"

namespace mxcert {
namespace {

/// The zero and the one of a format; of a scale, too.
Code number(const Format& format, Code fp32_bits) {
    Choices choices;
    choices.overflow = Overflow::nosat;
    return exact::convert(formats::fp32, format, choices, fp32_bits).code;
}
Code zero(const Format& format) { return number(format, 0); }
Code one(const Format& format) { return number(format, 0x3F800000); }

std::optional<MatmulCase> changed(const MatmulCase& made, const MatmulCase& given) {
    const bool same = made.a == given.a && made.b == given.b && made.scales_a == given.scales_a &&
                      made.scales_b == given.scales_b && made.c == given.c;
    return same ? std::nullopt : std::optional(made);
}

/// The products from `kept` on are left out.
std::optional<MatmulCase> cut(const Matmul& matmul, const MatmulCase& given, std::size_t kept) {
    MatmulCase made = given;
    for (std::size_t l = kept; l < given.shape.k; ++l)
        for (std::size_t i = 0; i < given.shape.m; ++i) made.a[given.shape.a_at(i, l)] = zero(*matmul.format.a);
    for (std::size_t l = kept; l < given.shape.k; ++l)
        for (std::size_t j = 0; j < given.shape.n; ++j) made.b[given.shape.b_at(l, j)] = zero(*matmul.format.b);
    return changed(made, given);
}
template <std::size_t multiple> std::optional<MatmulCase> tail(const Matmul& matmul, const MatmulCase& given) {
    return cut(matmul, given, given.shape.k / multiple * multiple);
}
std::optional<MatmulCase> last(const Matmul& matmul, const MatmulCase& given) {
    return cut(matmul, given, given.shape.k - 1);
}
std::optional<MatmulCase> first(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (std::size_t i = 0; i < given.shape.m; ++i) made.a[given.shape.a_at(i, 0)] = zero(*matmul.format.a);
    return changed(made, given);
}

std::optional<MatmulCase> a_transposed(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    MatmulShape other = given.shape;
    other.a_transposed = !other.a_transposed;
    for (std::size_t i = 0; i < other.m; ++i)
        for (std::size_t l = 0; l < other.k; ++l) made.a[given.shape.a_at(i, l)] = given.a[other.a_at(i, l)];
    return changed(made, given);
}
std::optional<MatmulCase> b_transposed(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    MatmulShape other = given.shape;
    other.b_transposed = !other.b_transposed;
    for (std::size_t l = 0; l < other.k; ++l)
        for (std::size_t j = 0; j < other.n; ++j) made.b[given.shape.b_at(l, j)] = given.b[other.b_at(l, j)];
    return changed(made, given);
}

/// The lines of A's scales, and of B's: count_across(m) and count_across(n).
std::size_t lines_of_a(const MatmulShape& shape) { return shape.a_scale.count_across(shape.m); }
std::size_t lines_of_b(const MatmulShape& shape) { return shape.b_scale.count_across(shape.n); }

/// Scales by another rule for where they are: place(along, across) of `count_along` x `count_across`.
template <class From> std::vector<Code> moved(const std::vector<Code>& scales, std::size_t along, std::size_t across,
                                              bool across_first, From from) {
    std::vector<Code> made = scales;
    const auto at = [&](std::size_t t, std::size_t line) {
        return across_first ? line * along + t : t * across + line;
    };
    for (std::size_t t = 0; t < along; ++t)
        for (std::size_t line = 0; line < across; ++line) made[at(t, line)] = from(t, line, at);
    return made;
}
template <class From> std::vector<Code> a_scales(const MatmulCase& given, From from) {
    const MatmulShape& s = given.shape;
    return moved(given.scales_a, s.a_scale.count_along(s.k), lines_of_a(s), !s.a_transposed,
                 [&](std::size_t t, std::size_t line, auto at) { return given.scales_a[from(t, line, at)]; });
}
template <class From> std::vector<Code> b_scales(const MatmulCase& given, From from) {
    const MatmulShape& s = given.shape;
    return moved(given.scales_b, s.b_scale.count_along(s.k), lines_of_b(s), s.b_transposed,
                 [&](std::size_t t, std::size_t line, auto at) { return given.scales_b[from(t, line, at)]; });
}

std::optional<MatmulCase> a_scales_transposed(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    const std::size_t along = given.shape.a_scale.count_along(given.shape.k);
    const std::size_t lines = lines_of_a(given.shape);
    if (given.scales_a.empty()) return std::nullopt;
    made.scales_a = a_scales(given, [&](std::size_t t, std::size_t line, auto /*at*/) {
        return given.shape.a_transposed ? line * along + t : t * lines + line;
    });
    return changed(made, given);
}
std::optional<MatmulCase> b_scales_transposed(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    const std::size_t along = given.shape.b_scale.count_along(given.shape.k);
    const std::size_t lines = lines_of_b(given.shape);
    if (given.scales_b.empty()) return std::nullopt;
    made.scales_b = b_scales(given, [&](std::size_t t, std::size_t line, auto /*at*/) {
        return given.shape.b_transposed ? t * lines + line : line * along + t;
    });
    return changed(made, given);
}

std::optional<MatmulCase> a_scales_next(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    const std::size_t along = given.shape.a_scale.count_along(given.shape.k);
    if (given.scales_a.empty()) return std::nullopt;
    made.scales_a =
        a_scales(given, [&](std::size_t t, std::size_t line, auto at) { return at((t + 1) % along, line); });
    return changed(made, given);
}
std::optional<MatmulCase> b_scales_next(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    const std::size_t along = given.shape.b_scale.count_along(given.shape.k);
    if (given.scales_b.empty()) return std::nullopt;
    made.scales_b =
        b_scales(given, [&](std::size_t t, std::size_t line, auto at) { return at((t + 1) % along, line); });
    return changed(made, given);
}

std::optional<MatmulCase> a_scales_ignored(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (Code& code : made.scales_a) code = one(*matmul.format.scale_a);
    return changed(made, given);
}
std::optional<MatmulCase> b_scales_ignored(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (Code& code : made.scales_b) code = one(*matmul.format.scale_b);
    return changed(made, given);
}
std::optional<MatmulCase> scales_ignored(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (Code& code : made.scales_a) code = one(*matmul.format.scale_a);
    for (Code& code : made.scales_b) code = one(*matmul.format.scale_b);
    return changed(made, given);
}

/// The square of a scale that is a power of two, if the format has it.
bool square(const Format& format, Code& code) {
    if (format.is_nan(code)) return true;
    const auto doubled = exact::decode(format, code).magnitude;
    if (doubled == 0) return false;
    const int exponent = 2 * exact::floor_log2(doubled);
    const int lowest = 1 - format.bias;
    const int highest =
        static_cast<int>(format.max_code() >> static_cast<unsigned>(format.fraction_bits)) - format.bias;
    if (exact::power_of_two(exact::floor_log2(doubled)) != doubled || exponent < lowest || exponent > highest)
        return false;
    code = exact::encode(format, exact::power_of_two(exponent));
    return true;
}
template <bool of_a, bool of_b> std::optional<MatmulCase> scales_twice(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    if (of_a)
        for (Code& code : made.scales_a)
            if (!square(*matmul.format.scale_a, code)) return std::nullopt;
    if (of_b)
        for (Code& code : made.scales_b)
            if (!square(*matmul.format.scale_b, code)) return std::nullopt;
    return changed(made, given);
}

std::optional<MatmulCase> nan_scales_ignored(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (Code& code : made.scales_a)
        if (matmul.format.scale_a->is_nan(code)) code = one(*matmul.format.scale_a);
    for (Code& code : made.scales_b)
        if (matmul.format.scale_b->is_nan(code)) code = one(*matmul.format.scale_b);
    return changed(made, given);
}

std::optional<MatmulCase> flushed(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    const auto flush = [](std::vector<Code>& codes, const Format& format) {
        const Code smallest = Code{1} << static_cast<unsigned>(format.fraction_bits);
        for (Code& code : codes)
            if (!format.is_nan(code) && (code & format.magnitude_mask()) < smallest) code = zero(format);
    };
    flush(made.a, *matmul.format.a);
    flush(made.b, *matmul.format.b);
    return changed(made, given);
}

std::optional<MatmulCase> c_ignored(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (Code& code : made.c) code = zero(*matmul.format.c);
    return changed(made, given);
}
std::optional<MatmulCase> c_transposed(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    for (std::size_t i = 0; i < given.shape.m; ++i)
        for (std::size_t j = 0; j < given.shape.n; ++j) made.c[i * given.shape.n + j] = given.c[j * given.shape.m + i];
    return changed(made, given);
}

constexpr MatmulFault table[] = {
    {"the last product left out", last},
    {"the first product left out", first},
    {"products after a multiple of 4 left out", tail<4>},
    {"products after a multiple of 8 left out", tail<8>},
    {"products after a multiple of 16 left out", tail<16>},
    {"products after a multiple of 32 left out", tail<32>},
    {"products after a multiple of 64 left out", tail<64>},
    {"products after a multiple of 128 left out", tail<128>},
    {"A taken for its transpose", a_transposed},
    {"B taken for its transpose", b_transposed},
    {"the scales of A taken for their transpose", a_scales_transposed},
    {"the scales of B taken for their transpose", b_scales_transposed},
    {"the scales of A of the next block", a_scales_next},
    {"the scales of B of the next block", b_scales_next},
    {"the scales of A ignored", a_scales_ignored},
    {"the scales of B ignored", b_scales_ignored},
    {"all scales ignored", scales_ignored},
    {"the scales of A applied twice", scales_twice<true, false>},
    {"the scales of B applied twice", scales_twice<false, true>},
    {"all scales applied twice", scales_twice<true, true>},
    {"scales of NaN ignored", nan_scales_ignored},
    {"subnormal elements flushed", flushed},
    {"c ignored", c_ignored},
    {"c taken for its transpose", c_transposed},
};

} // namespace

std::span<const MatmulFault> matmul_faults() { return table; }

} // namespace mxcert
