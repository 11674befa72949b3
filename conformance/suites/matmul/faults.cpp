// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/faults.hpp"

#include <algorithm>

#include "reference/exact/exact.hpp"

namespace mxcert::suites {
namespace {

/// A or B: which members are that operand's.
struct OperandMembers {
    std::vector<Code> MatmulCase::*codes;
    std::vector<Code> MatmulCase::*scales;
    const Format* DotFormat::*format;
    const Format* DotFormat::*scale;
    SharedScale MatmulShape::*shared;
    std::size_t MatmulShape::*lines; ///< rows of A, columns of B
    bool MatmulShape::*transposed;
    bool in_lines; ///< unless transposed, a line lies together
};
constexpr OperandMembers a{
    &MatmulCase::a,  &MatmulCase::scales_a,      &DotFormat::a, &DotFormat::scale_a, &MatmulShape::a_scale,
    &MatmulShape::m, &MatmulShape::a_transposed, true};
constexpr OperandMembers b{
    &MatmulCase::b,  &MatmulCase::scales_b,      &DotFormat::b, &DotFormat::scale_b, &MatmulShape::b_scale,
    &MatmulShape::n, &MatmulShape::b_transposed, false};

std::optional<MatmulCase> changed(const MatmulCase& made, const MatmulCase& given) {
    const bool same = made.a == given.a && made.b == given.b && made.scales_a == given.scales_a &&
                      made.scales_b == given.scales_b && made.c == given.c;
    return same ? std::nullopt : std::optional(made);
}

/// The products from `kept` on are left out.
std::optional<MatmulCase> cut(const Matmul& matmul, const MatmulCase& given, std::size_t kept) {
    MatmulCase made = given;
    for (std::size_t l = kept; l < given.shape.k; ++l)
        for (std::size_t i = 0; i < given.shape.m; ++i) made.a[given.shape.a_at(i, l)] = code_of(*matmul.format.a, 0);
    for (std::size_t l = kept; l < given.shape.k; ++l)
        for (std::size_t j = 0; j < given.shape.n; ++j) made.b[given.shape.b_at(l, j)] = code_of(*matmul.format.b, 0);
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
    for (std::size_t i = 0; i < given.shape.m; ++i) made.a[given.shape.a_at(i, 0)] = code_of(*matmul.format.a, 0);
    return changed(made, given);
}

/// What lies in `lines` of `along`, or in `along` of `lines`.
struct Lying {
    std::size_t lines;
    std::size_t along;
    bool in_lines;

    [[nodiscard]] std::size_t at(std::size_t line, std::size_t t) const {
        return in_lines ? line * along + t : t * lines + line;
    }
    [[nodiscard]] Lying other() const { return {lines, along, !in_lines}; }
};
Lying codes_lie(const MatmulShape& shape, const OperandMembers& of) {
    return {shape.*of.lines, shape.k, of.in_lines != shape.*of.transposed};
}
Lying scales_lie(const MatmulShape& shape, const OperandMembers& of) {
    const SharedScale& shared = shape.*of.shared;
    return {shared.count_across(shape.*of.lines), shared.count_along(shape.k), of.in_lines != shape.*of.transposed};
}

/// Codes taken from other places: from(line, t).
template <class From> void take(std::vector<Code>& codes, const Lying& lying, const From& from) {
    if (codes.empty()) return; // scales that the operation has not
    const std::vector<Code> given = codes;
    for (std::size_t line = 0; line < lying.lines; ++line)
        for (std::size_t t = 0; t < lying.along; ++t) codes[lying.at(line, t)] = given[from(line, t)];
}

template <const OperandMembers& of>
std::optional<MatmulCase> transposed(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    const Lying lying = codes_lie(given.shape, of);
    take(made.*of.codes, lying, [&](std::size_t line, std::size_t l) { return lying.other().at(line, l); });
    return changed(made, given);
}

template <const OperandMembers& of>
std::optional<MatmulCase> scales_transposed(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    const Lying lying = scales_lie(given.shape, of);
    take(made.*of.scales, lying, [&](std::size_t line, std::size_t t) { return lying.other().at(line, t); });
    return changed(made, given);
}

template <const OperandMembers& of>
std::optional<MatmulCase> scales_next(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    const Lying lying = scales_lie(given.shape, of);
    take(made.*of.scales, lying,
         [&](std::size_t line, std::size_t t) { return lying.at(line, (t + 1) % lying.along); });
    return changed(made, given);
}

/// As they lie in memory, whatever the layout.
template <const OperandMembers& of>
std::optional<MatmulCase> scales_after(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    std::vector<Code>& scales = made.*of.scales;
    if (!scales.empty()) std::rotate(scales.begin(), scales.begin() + 1, scales.end());
    return changed(made, given);
}

template <const OperandMembers&... of>
std::optional<MatmulCase> scales_first(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    const auto spread = [](std::vector<Code>& scales) {
        if (!scales.empty()) std::fill(scales.begin(), scales.end(), scales.front());
    };
    (spread(made.*of.scales), ...);
    return changed(made, given);
}

template <const OperandMembers&... of>
std::optional<MatmulCase> scales_ignored(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    const auto ignore = [&](const OperandMembers& operand) {
        for (Code& code : made.*operand.scales) code = code_of(*(matmul.format.*operand.scale), 1);
    };
    (ignore(of), ...);
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
template <const OperandMembers&... of>
std::optional<MatmulCase> scales_twice(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    const auto twice = [&](const OperandMembers& operand) {
        std::vector<Code>& scales = made.*operand.scales;
        return std::all_of(scales.begin(), scales.end(),
                           [&](Code& code) { return square(*(matmul.format.*operand.scale), code); });
    };
    if (!(twice(of) && ...)) return std::nullopt;
    return changed(made, given);
}

std::optional<MatmulCase> scales_exchanged(const Matmul& matmul, const MatmulCase& given) {
    if (matmul.format.scale_a != matmul.format.scale_b || given.scales_a.size() != given.scales_b.size())
        return std::nullopt;
    MatmulCase made = given;
    std::swap(made.scales_a, made.scales_b);
    return changed(made, given);
}

std::optional<MatmulCase> nan_scales_ignored(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (const OperandMembers* operand : {&a, &b})
        for (Code& code : made.*operand->scales)
            if ((matmul.format.*operand->scale)->is_nan(code)) code = code_of(*(matmul.format.*operand->scale), 1);
    return changed(made, given);
}

std::optional<MatmulCase> flushed(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (const OperandMembers* operand : {&a, &b}) {
        const Format& format = *(matmul.format.*operand->format);
        const Code smallest = Code{1} << static_cast<unsigned>(format.fraction_bits);
        for (Code& code : made.*operand->codes)
            if (!format.is_nan(code) && (code & format.magnitude_mask()) < smallest) code = code_of(format, 0);
    }
    return changed(made, given);
}

std::optional<MatmulCase> c_ignored(const Matmul& matmul, const MatmulCase& given) {
    MatmulCase made = given;
    for (Code& code : made.c) code = code_of(*matmul.format.c, 0);
    return changed(made, given);
}
std::optional<MatmulCase> c_transposed(const Matmul& /*matmul*/, const MatmulCase& given) {
    MatmulCase made = given;
    for (std::size_t i = 0; i < given.shape.m; ++i)
        for (std::size_t j = 0; j < given.shape.n; ++j) made.c[i * given.shape.n + j] = given.c[j * given.shape.m + i];
    return changed(made, given);
}

/// Bits of the fraction that sums keep, as far as one number says it.
int bits_of(const Accumulator& one) {
    const bool aligned =
        one.sum == GroupSum::aligned || one.sum == GroupSum::even_odd || one.sum == GroupSum::scaled_terms;
    constexpr int all = 1000;
    const int in_group = aligned ? one.fraction : one.sum == GroupSum::exact ? all : one.arithmetic->fraction_bits;
    return std::min(in_group, one.result_fraction);
}

constexpr MatmulFault table[] = {
    {"the last product left out", "TAIL_DROPPED", last},
    {"the first product left out", "TAIL_DROPPED", first},
    {"products after a multiple of 4 left out", "TAIL_DROPPED", tail<4>},
    {"products after a multiple of 8 left out", "TAIL_DROPPED", tail<8>},
    {"products after a multiple of 16 left out", "TAIL_DROPPED", tail<16>},
    {"products after a multiple of 32 left out", "TAIL_DROPPED", tail<32>},
    {"products after a multiple of 64 left out", "TAIL_DROPPED", tail<64>},
    {"products after a multiple of 128 left out", "TAIL_DROPPED", tail<128>},
    {"A taken for its transpose", "WRONG_AXIS", transposed<a>},
    {"B taken for its transpose", "WRONG_AXIS", transposed<b>},
    {"the scales of A taken for their transpose", "WRONG_AXIS", scales_transposed<a>},
    {"the scales of B taken for their transpose", "WRONG_AXIS", scales_transposed<b>},
    {"the scales of A of the next block", "OOB_SCALE", scales_next<a>},
    {"the scales of B of the next block", "OOB_SCALE", scales_next<b>},
    {"the scales of A one place further", "OOB_SCALE", scales_after<a>},
    {"the scales of B one place further", "OOB_SCALE", scales_after<b>},
    {"the first scale of A for all blocks", "OOB_SCALE", scales_first<a>},
    {"the first scale of B for all blocks", "OOB_SCALE", scales_first<b>},
    {"the first scales for all blocks", "OOB_SCALE", scales_first<a, b>},
    {"the scales of A ignored", "MISSING_SCALE_DEFAULT", scales_ignored<a>},
    {"the scales of B ignored", "MISSING_SCALE_DEFAULT", scales_ignored<b>},
    {"all scales ignored", "MISSING_SCALE_DEFAULT", scales_ignored<a, b>},
    {"the scales of A applied twice", "SCALE_TWICE", scales_twice<a>},
    {"the scales of B applied twice", "SCALE_TWICE", scales_twice<b>},
    {"all scales applied twice", "SCALE_TWICE", scales_twice<a, b>},
    {"the scales of A and B exchanged", "SCALE_A_B_SWAPPED", scales_exchanged},
    {"scales of NaN ignored", "NAN_X_ZERO_SCALE", nan_scales_ignored},
    {"subnormal elements flushed", "SUBNORMAL_FLUSH", flushed},
    {"c ignored", "ACCUMULATOR_INIT", c_ignored},
    {"c taken for its transpose", "WRONG_AXIS", c_transposed},
};

} // namespace

std::span<const MatmulFault> matmul_faults() { return table; }

const BugClass& bug_class_of(const Accumulator& wanted, const Accumulator& other) {
    const auto one_by_one = [](const Accumulator& one) {
        return one.sum == GroupSum::fma || one.sum == GroupSum::multiply_add;
    };
    const char* id = "ORDER_OF_SUM";
    if (other.flush && !wanted.flush)
        id = "SUBNORMAL_FLUSH";
    else if (bits_of(other) < bits_of(wanted))
        id = "REDUCED_ACCUMULATOR";
    else if (other.rounding != wanted.rounding || other.align != wanted.align)
        id = "TRUNCATE_VS_RNE";
    else if (one_by_one(wanted) && one_by_one(other) && wanted.sum != other.sum)
        id = "PER_PRODUCT_ROUNDING";
    return *find_bug_class(id);
}

} // namespace mxcert::suites
