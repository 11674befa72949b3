// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/faults.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "reference/dot/accumulator_change.hpp"
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

std::optional<MatmulCase> changed(const MatmulCase& faulty, const MatmulCase& matmul_case) {
    const bool same = faulty.a == matmul_case.a && faulty.b == matmul_case.b &&
                      faulty.scales_a == matmul_case.scales_a && faulty.scales_b == matmul_case.scales_b &&
                      faulty.c == matmul_case.c;
    return same ? std::nullopt : std::optional(faulty);
}

/// The products from `kept` on are left out.
std::optional<MatmulCase> cut(const Matmul& matmul, const MatmulCase& matmul_case, std::size_t kept) {
    MatmulCase faulty = matmul_case;
    for (std::size_t l = kept; l < matmul_case.shape.k; ++l)
        for (std::size_t i = 0; i < matmul_case.shape.m; ++i)
            faulty.a[matmul_case.shape.a_at(i, l)] = code_of(*matmul.format.a, 0);
    for (std::size_t l = kept; l < matmul_case.shape.k; ++l)
        for (std::size_t j = 0; j < matmul_case.shape.n; ++j)
            faulty.b[matmul_case.shape.b_at(l, j)] = code_of(*matmul.format.b, 0);
    return changed(faulty, matmul_case);
}
template <std::size_t multiple> std::optional<MatmulCase> tail(const Matmul& matmul, const MatmulCase& matmul_case) {
    return cut(matmul, matmul_case, matmul_case.shape.k / multiple * multiple);
}
std::optional<MatmulCase> last(const Matmul& matmul, const MatmulCase& matmul_case) {
    return cut(matmul, matmul_case, matmul_case.shape.k - 1);
}
std::optional<MatmulCase> first(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    for (std::size_t i = 0; i < matmul_case.shape.m; ++i)
        faulty.a[matmul_case.shape.a_at(i, 0)] = code_of(*matmul.format.a, 0);
    return changed(faulty, matmul_case);
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
Lying codes_lie(const MatmulShape& shape, const OperandMembers& members) {
    return {shape.*members.lines, shape.k, members.in_lines != shape.*members.transposed};
}
Lying scales_lie(const MatmulShape& shape, const OperandMembers& members) {
    const SharedScale& shared = shape.*members.shared;
    return {shared.count_across(shape.*members.lines), shared.count_along(shape.k),
            members.in_lines != shape.*members.transposed};
}

/// Codes taken from other places: from(line, t).
template <class From> void take(std::vector<Code>& codes, const Lying& lying, const From& from) {
    if (codes.empty()) return; // scales that the operation has not
    const std::vector<Code> given_codes = codes;
    for (std::size_t line = 0; line < lying.lines; ++line)
        for (std::size_t t = 0; t < lying.along; ++t) codes[lying.at(line, t)] = given_codes[from(line, t)];
}

template <const OperandMembers& of>
std::optional<MatmulCase> transposed(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const Lying lying = codes_lie(matmul_case.shape, of);
    take(faulty.*of.codes, lying, [&](std::size_t line, std::size_t l) { return lying.other().at(line, l); });
    return changed(faulty, matmul_case);
}

/// The two elements of a byte in each other's places, where FP4 is packed along the sum.
template <const OperandMembers& of>
std::optional<MatmulCase> pairs_exchanged(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const Lying lying = codes_lie(matmul_case.shape, of);
    take(faulty.*of.codes, lying,
         [&](std::size_t line, std::size_t l) { return lying.at(line, (l ^ 1U) < lying.along ? l ^ 1U : l); });
    return changed(faulty, matmul_case);
}

/// Two lanes of four in each other's places.
template <const OperandMembers& of>
std::optional<MatmulCase> lanes_exchanged(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const Lying lying = codes_lie(matmul_case.shape, of);
    take(faulty.*of.codes, lying, [&](std::size_t line, std::size_t l) {
        const std::size_t other = l % 4 < 2 ? l ^ 1U : l;
        return lying.at(line, other < lying.along ? other : l);
    });
    return changed(faulty, matmul_case);
}

template <const OperandMembers& of>
std::optional<MatmulCase> scales_transposed(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const Lying lying = scales_lie(matmul_case.shape, of);
    take(faulty.*of.scales, lying, [&](std::size_t line, std::size_t t) { return lying.other().at(line, t); });
    return changed(faulty, matmul_case);
}

template <const OperandMembers& of>
std::optional<MatmulCase> scales_next(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const Lying lying = scales_lie(matmul_case.shape, of);
    take(faulty.*of.scales, lying,
         [&](std::size_t line, std::size_t t) { return lying.at(line, (t + 1) % lying.along); });
    return changed(faulty, matmul_case);
}

/// As they lie in memory, whatever the layout.
template <const OperandMembers& of>
std::optional<MatmulCase> scales_after(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    std::vector<Code>& scales = faulty.*of.scales;
    if (!scales.empty()) std::rotate(scales.begin(), scales.begin() + 1, scales.end());
    return changed(faulty, matmul_case);
}

template <const OperandMembers&... of>
std::optional<MatmulCase> scales_first(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const auto spread = [](std::vector<Code>& scales) {
        if (!scales.empty()) std::fill(scales.begin(), scales.end(), scales.front());
    };
    (spread(faulty.*of.scales), ...);
    return changed(faulty, matmul_case);
}

/// The scales of blocks twice as long, of which there are half as many, from the same memory.
template <const OperandMembers&... of>
std::optional<MatmulCase> scales_of_long_blocks(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const auto read = [&](const OperandMembers& operand) {
        const Lying lying = scales_lie(matmul_case.shape, operand);
        const Lying half{lying.lines, (lying.along + 1) / 2, lying.in_lines};
        take(faulty.*operand.scales, lying, [&](std::size_t line, std::size_t t) { return half.at(line, t / 2); });
    };
    (read(of), ...);
    return changed(faulty, matmul_case);
}

/// Each scale of an even block for the next one as well.
template <const OperandMembers&... of>
std::optional<MatmulCase> scales_of_two_blocks(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const auto read = [&](const OperandMembers& operand) {
        const Lying lying = scales_lie(matmul_case.shape, operand);
        take(faulty.*operand.scales, lying, [&](std::size_t line, std::size_t t) { return lying.at(line, t / 2 * 2); });
    };
    (read(of), ...);
    return changed(faulty, matmul_case);
}

/// Every scale changed by a function of its format and code.
template <Code (*change)(const Format&, Code)>
std::optional<MatmulCase> scales_changed(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    for (const OperandMembers* operand : {&a, &b})
        for (Code& code : faulty.*operand->scales) code = change(*(matmul.format.*operand->scale), code);
    return changed(faulty, matmul_case);
}
Code without_sign(const Format& format, Code code) { return code & ~format.sign_bit(); }
Code without_subnormal(const Format& format, Code code) {
    const bool subnormal = format.has_subnormals && (code & format.magnitude_mask()) <= format.fraction_mask();
    return subnormal ? code & format.sign_bit() : code;
}

template <const OperandMembers&... of>
std::optional<MatmulCase> scales_ignored(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const auto ignore = [&](const OperandMembers& operand) {
        for (Code& code : faulty.*operand.scales) code = code_of(*(matmul.format.*operand.scale), 1);
    };
    (ignore(of), ...);
    return changed(faulty, matmul_case);
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
std::optional<MatmulCase> scales_twice(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const auto twice = [&](const OperandMembers& operand) {
        std::vector<Code>& scales = faulty.*operand.scales;
        return std::all_of(scales.begin(), scales.end(),
                           [&](Code& code) { return square(*(matmul.format.*operand.scale), code); });
    };
    if (!(twice(of) && ...)) return std::nullopt;
    return changed(faulty, matmul_case);
}

std::optional<MatmulCase> scales_exchanged(const Matmul& matmul, const MatmulCase& matmul_case) {
    if (matmul.format.scale_a != matmul.format.scale_b || matmul_case.scales_a.size() != matmul_case.scales_b.size())
        return std::nullopt;
    MatmulCase faulty = matmul_case;
    std::swap(faulty.scales_a, faulty.scales_b);
    return changed(faulty, matmul_case);
}

std::optional<MatmulCase> nan_scales_ignored(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    for (const OperandMembers* operand : {&a, &b})
        for (Code& code : faulty.*operand->scales)
            if ((matmul.format.*operand->scale)->is_nan(code)) code = code_of(*(matmul.format.*operand->scale), 1);
    return changed(faulty, matmul_case);
}

std::optional<MatmulCase> scale_code_zero_as_zero(const Matmul& matmul, const MatmulCase& matmul_case) {
    if (matmul.format.scale_a != &formats::e8m0) return std::nullopt;
    const MatmulShape& shape = matmul_case.shape;
    const auto block_of = [](std::size_t along, std::size_t l) { return along == 0 ? 0 : l / along; };
    MatmulCase faulty = matmul_case;
    for (std::size_t l = 0; l < shape.k; ++l) {
        for (std::size_t i = 0; i < shape.m; ++i)
            if (matmul_case.scales_a[shape.a_scale_at(i, block_of(shape.a_scale.along, l))] == 0)
                faulty.a[shape.a_at(i, l)] = 0;
        for (std::size_t j = 0; j < shape.n; ++j)
            if (matmul_case.scales_b[shape.b_scale_at(block_of(shape.b_scale.along, l), j)] == 0)
                faulty.b[shape.b_at(l, j)] = 0;
    }
    return changed(faulty, matmul_case);
}

std::optional<MatmulCase> flushed(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    for (const OperandMembers* operand : {&a, &b}) {
        const Format& format = *(matmul.format.*operand->format);
        const Code smallest = Code{1} << static_cast<unsigned>(format.fraction_bits);
        for (Code& code : faulty.*operand->codes)
            if (!format.is_nan(code) && (code & format.magnitude_mask()) < smallest) code = code_of(format, 0);
    }
    return changed(faulty, matmul_case);
}

/// As if the exponent field 0 were 1.
std::optional<MatmulCase> led(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    for (const OperandMembers* operand : {&a, &b}) {
        const Format& format = *(matmul.format.*operand->format);
        if (format.is_twos_complement() || !format.has_subnormals) continue;
        const Code leading = Code{1} << static_cast<unsigned>(format.fraction_bits);
        for (Code& code : faulty.*operand->codes)
            if ((code & format.magnitude_mask()) < leading) code |= leading;
    }
    return changed(faulty, matmul_case);
}

/// The same of the zeros, -0 times 0, that fill up the last group of a unit that adds whole groups.
std::optional<MatmulCase> led_in_whole_groups(const Matmul& matmul, const MatmulCase& matmul_case) {
    const std::size_t group = matmul.accumulator->group;
    const Format& of_a = *matmul.format.a;
    if (group == 0 || !of_a.is_signed || !matmul_case.scales_a.empty() || !matmul_case.scales_b.empty())
        return std::nullopt;
    MatmulCase whole = matmul_case;
    whole.shape.k = (matmul_case.shape.k + group - 1) / group * group;
    whole.a.assign(whole.shape.m * whole.shape.k, of_a.sign_bit());
    whole.b.assign(whole.shape.k * whole.shape.n, 0);
    for (std::size_t l = 0; l < matmul_case.shape.k; ++l) {
        for (std::size_t i = 0; i < whole.shape.m; ++i)
            whole.a[whole.shape.a_at(i, l)] = matmul_case.a[matmul_case.shape.a_at(i, l)];
        for (std::size_t j = 0; j < whole.shape.n; ++j)
            whole.b[whole.shape.b_at(l, j)] = matmul_case.b[matmul_case.shape.b_at(l, j)];
    }
    return led(matmul, whole);
}

std::optional<MatmulCase> inf_as_nan(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    const auto replace = [](const Format& format, std::vector<Code>& codes) {
        for (Code& code : codes)
            if (format.is_inf(code)) code |= 1;
    };
    for (const OperandMembers* operand : {&a, &b}) replace(*(matmul.format.*operand->format), faulty.*operand->codes);
    replace(*matmul.format.c, faulty.c);
    return changed(faulty, matmul_case);
}

/// Negative integers as if their other bits were a magnitude.
std::optional<MatmulCase> integers_misread(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    for (const OperandMembers* operand : {&a, &b}) {
        const Format& format = *(matmul.format.*operand->format);
        if (!format.is_twos_complement()) continue;
        for (Code& code : faulty.*operand->codes)
            if (format.is_negative(code)) code = format.with_sign(code & format.magnitude_mask(), true);
    }
    return changed(faulty, matmul_case);
}

/// Leaves out what is multiplied with nothing but zeros: NaN, Inf, and the scales of zeros alone.
std::optional<MatmulCase> zeros_not_multiplied(const Matmul& matmul, const MatmulCase& matmul_case) {
    const MatmulShape& shape = matmul_case.shape;
    const auto zero_in_a = [&](Code code) { return matmul.format.a->magnitude_of(code) == 0; };
    const auto zero_in_b = [&](Code code) { return matmul.format.b->magnitude_of(code) == 0; };
    const auto drop = [](const Format* format, Code& code) { code = format->is_finite(code) ? code : 0; };
    MatmulCase faulty = matmul_case;
    for (std::size_t l = 0; l < shape.k; ++l) {
        bool all_in_a = true;
        bool all_in_b = true;
        for (std::size_t i = 0; i < shape.m; ++i) all_in_a = all_in_a && zero_in_a(matmul_case.a[shape.a_at(i, l)]);
        for (std::size_t j = 0; j < shape.n; ++j) all_in_b = all_in_b && zero_in_b(matmul_case.b[shape.b_at(l, j)]);
        for (std::size_t i = 0; all_in_b && i < shape.m; ++i) drop(matmul.format.a, faulty.a[shape.a_at(i, l)]);
        for (std::size_t j = 0; all_in_a && j < shape.n; ++j) drop(matmul.format.b, faulty.b[shape.b_at(l, j)]);
    }
    if (matmul.format.scale_a != nullptr && (std::all_of(matmul_case.a.begin(), matmul_case.a.end(), zero_in_a) ||
                                             std::all_of(matmul_case.b.begin(), matmul_case.b.end(), zero_in_b))) {
        std::fill(faulty.scales_a.begin(), faulty.scales_a.end(), matmul.format.scale_a->one_code());
        std::fill(faulty.scales_b.begin(), faulty.scales_b.end(), matmul.format.scale_b->one_code());
    }
    return changed(faulty, matmul_case);
}

std::optional<MatmulCase> c_ignored(const Matmul& matmul, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    for (Code& code : faulty.c) code = code_of(*matmul.format.c, 0);
    return changed(faulty, matmul_case);
}
std::optional<MatmulCase> c_transposed(const Matmul& /*matmul*/, const MatmulCase& matmul_case) {
    MatmulCase faulty = matmul_case;
    for (std::size_t i = 0; i < matmul_case.shape.m; ++i)
        for (std::size_t j = 0; j < matmul_case.shape.n; ++j)
            faulty.c[i * matmul_case.shape.n + j] = matmul_case.c[j * matmul_case.shape.m + i];
    return changed(faulty, matmul_case);
}

/// Bits of the fraction that sums keep, as far as one number says it.
int bits_of(const Accumulator& accumulator) {
    constexpr int all = 1000;
    const int in_group = is_aligned(accumulator)              ? accumulator.fraction
                         : accumulator.sum == GroupSum::exact ? all
                                                              : accumulator.arithmetic->fraction_bits;
    return std::min(in_group, accumulator.result_fraction);
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
    {"pairs of elements of A exchanged along the sum", "PACK_ORDER", pairs_exchanged<a>},
    {"pairs of elements of B exchanged along the sum", "PACK_ORDER", pairs_exchanged<b>},
    {"the first two of each four elements of A exchanged", "LANES_EXCHANGED", lanes_exchanged<a>},
    {"the first two of each four elements of B exchanged", "LANES_EXCHANGED", lanes_exchanged<b>},
    {"the scales of A transposed", "WRONG_AXIS", scales_transposed<a>},
    {"the scales of B transposed", "WRONG_AXIS", scales_transposed<b>},
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
    {"scales read as those of blocks twice as long", "OOB_SCALE", scales_of_long_blocks<a, b>},
    {"each scale used for two blocks", "OOB_SCALE", scales_of_two_blocks<a, b>},
    {"scales read as E8M0", "SOURCE_MISREAD", nullptr, &formats::e8m0, true},
    {"scales read as E4M3", "SOURCE_MISREAD", nullptr, &formats::e4m3, true},
    {"the sign of scales ignored", "UNSIGNED_SIGN", scales_changed<without_sign>, nullptr, true},
    {"subnormal scales flushed", "SUBNORMAL_SCALE_FTZ", scales_changed<without_subnormal>, nullptr, true},
    {"scales of NaN ignored", "NAN_X_ZERO_SCALE", nan_scales_ignored},
    {"the scale 0x00 read as zero", "E8M0_ZERO_CODE_AS_ZERO", scale_code_zero_as_zero},
    {"subnormal elements flushed", "SUBNORMAL_FLUSH", flushed},
    {"subnormal elements read with a leading one", "SUBNORMAL_AS_NORMAL", led},
    {"subnormal elements, and zeros that fill up a group, read with a leading one", "SUBNORMAL_AS_NORMAL",
     led_in_whole_groups, nullptr, true},
    {"Inf taken for NaN", "INF_POLICY", inf_as_nan, nullptr, true},
    {"integers read as sign and magnitude", "INTEGER_SIGN", integers_misread, nullptr, true},
    {"what is multiplied with zeros left out", "NAN_LOST", zeros_not_multiplied},
    {"c ignored", "ACCUMULATOR_INIT", c_ignored},
    {"c taken for its transpose", "WRONG_AXIS", c_transposed},
};

/// The class of a product whose accumulator has another value of a parameter, by the name of that.
struct ClassOfParameter {
    std::string_view parameter;
    std::string_view bug_class;
};
constexpr ClassOfParameter classes[] = {
    {"group", "ORDER_OF_SUM"},
    {"products of a group", "ORDER_OF_SUM"},
    {"promoted every", "ORDER_OF_SUM"},
    {"fraction bits", "REDUCED_ACCUMULATOR"},
    {"arithmetic", "REDUCED_ACCUMULATOR"},
    {"fraction bits of the result", "REDUCED_ACCUMULATOR"},
    {"terms cut", "TRUNCATE_VS_RNE"},
    {"sums rounded", "TRUNCATE_VS_RNE"},
    {"result rounded", "TRUNCATE_VS_RNE"},
    {"scaled and added with one rounding", "PER_PRODUCT_ROUNDING"},
    {"subnormals flushed", "SUBNORMAL_FLUSH"},
    {"beyond the largest value", "OVERFLOW_POLICY"},
    {"sign of a zero", "NEG_ZERO"},
};

} // namespace

std::span<const MatmulFault> matmul_faults() { return table; }

std::optional<Matmul> MatmulFault::read(const Matmul& matmul) const {
    if (scales_as == nullptr) return matmul;
    const Format* const scale = matmul.format.scale_a;
    // UE4M3 has the codes of E4M3 with a clear sign: nothing is misread.
    if (scale == nullptr || scale->width() > scales_as->width() || embeds(*scale, *scales_as)) return std::nullopt;
    Matmul other = matmul;
    other.format.scale_a = other.format.scale_b = scales_as;
    const bool taken = is_exact(*matmul.accumulator) || takes(*matmul.accumulator, other.format);
    return taken ? std::optional(other) : std::nullopt;
}

std::vector<AccumulatorSlip> slips_of(const Accumulator& wanted) {
    std::vector<AccumulatorSlip> slips;
    for (const AccumulatorParameter& parameter : accumulator_parameters()) {
        const auto known = std::ranges::find(classes, parameter.name, &ClassOfParameter::parameter);
        if (known == std::end(classes) || !parameter.says(wanted)) continue;
        for (const Accumulator& other : parameter.values(wanted)) {
            // To keep more bits than is wanted, or subnormals, is of no class.
            if (parameter.text(other) == parameter.text(wanted) || bits_of(other) > bits_of(wanted) ||
                (wanted.flush && !other.flush))
                continue;
            slips.push_back(
                {other, fmt::format("{}: {}, not {}", parameter.name, parameter.text(other), parameter.text(wanted)),
                 find_bug_class(known->bug_class)});
        }
    }
    // No accumulator that is known rounds so.
    slips.push_back({wanted, fmt::format("result rounded: nearest_away, not {}", to_string(wanted.rounding)),
                     find_bug_class("TIES_AWAY")});
    slips.back().accumulator.rounding = Rounding::nearest_away;
    return slips;
}

const BugClass& bug_class_of(const Accumulator& wanted, const Accumulator& other_accumulator) {
    const auto one_by_one = [](const Accumulator& accumulator) {
        return accumulator.sum == GroupSum::fma || accumulator.sum == GroupSum::multiply_add;
    };
    const char* id = "ORDER_OF_SUM";
    if (other_accumulator.flush && !wanted.flush)
        id = "SUBNORMAL_FLUSH";
    else if (bits_of(other_accumulator) < bits_of(wanted))
        id = "REDUCED_ACCUMULATOR";
    else if (other_accumulator.rounding != wanted.rounding || other_accumulator.align != wanted.align)
        id = "TRUNCATE_VS_RNE";
    else if (one_by_one(wanted) && one_by_one(other_accumulator) && wanted.sum != other_accumulator.sum)
        id = "PER_PRODUCT_ROUNDING";
    return *find_bug_class(id);
}

} // namespace mxcert::suites
