// SPDX-License-Identifier: Apache-2.0
// Cases for scales of blocks that are small floats. Each sum is one product beside zeros.
#include <algorithm>

#include <fmt/format.h>

#include "conformance/suites/matmul/cases.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t pair_side = 16;    ///< of D: every code of E2M1 along it
constexpr std::size_t blocks_of_sum = 4; ///< along the sum

/// Code number i of 16 that are spread over a format.
Code spread_code(const Format& format, std::size_t i) {
    return format.last_code() < pair_side ? i % (format.last_code() + 1) : i * ((format.last_code() + 1) / pair_side);
}

/// Whether one product times both scales is a number of the result, whatever the codes are.
bool is_exact_product(const Matmul& matmul) {
    const DotFormat& format = matmul.format;
    int bits = 0;
    for (const Format* factor : {format.a, format.b, format.scale_a, format.scale_b}) {
        if (factor->width() > 8) return false;
        bits += factor->fraction_bits + 1;
    }
    return format.to->exponent_bits >= formats::fp32.exponent_bits && bits <= format.to->fraction_bits + 1;
}

/// The case of one scale of A, or of B.
MatmulCase case_of_scale(const Matmul& matmul, Code scale, bool of_a) {
    const std::size_t along = of_a ? matmul.a_scale.along : matmul.b_scale.along;
    const std::size_t block = along == 0 ? pair_side : along;
    MatmulCase matmul_case = zero_case(matmul, pair_side, pair_side, blocks_of_sum * block);
    const MatmulShape& shape = matmul_case.shape;
    const std::size_t chosen = scale / pair_side % blocks_of_sum;
    const std::size_t l = chosen * block + scale % block;
    for (std::size_t i = 0; i < pair_side; ++i) {
        matmul_case.a[shape.a_at(i, l)] = spread_code(*matmul.format.a, i);
        matmul_case.b[shape.b_at(l, i)] = spread_code(*matmul.format.b, i);
    }
    // Other blocks have other scales, and the other operand has those with all bits of a fraction.
    const Format& format = of_a ? *matmul.format.scale_a : *matmul.format.scale_b;
    const SharedScale& shared = of_a ? shape.a_scale : shape.b_scale;
    std::vector<Code>& scales = of_a ? matmul_case.scales_a : matmul_case.scales_b;
    for (std::size_t line = 0; line < pair_side; ++line)
        for (std::size_t t = 0; t < shared.count_along(shape.k); ++t)
            scales[of_a ? shape.a_scale_at(line, t) : shape.b_scale_at(t, line)] =
                t == chosen || along == 0 ? scale : code_of(format, static_cast<double>(std::size_t{2} << t));
    const Format& other_format = of_a ? *matmul.format.scale_b : *matmul.format.scale_a;
    std::vector<Code>& other_scales = of_a ? matmul_case.scales_b : matmul_case.scales_a;
    std::fill(other_scales.begin(), other_scales.end(), other_format.one_code() | other_format.fraction_mask());
    matmul_case.name = fmt::format("0x{} as a scale of {}", hex(scale, format), of_a ? "A" : "B");
    matmul_case.exact = is_exact_product(matmul);
    return matmul_case;
}

} // namespace

bool has_small_float_scales(const Matmul& matmul) {
    const Format* const scale = matmul.format.scale_a;
    return scale != nullptr && scale->width() <= 8 && scale->fraction_bits != 0;
}

void for_each_scale_case(const Matmul& matmul, const TakeMatmulCase& take) {
    for (const bool of_a : {true, false})
        for (Code scale = 0; scale <= matmul.format.scale_a->last_code(); ++scale)
            if (!take(case_of_scale(matmul, scale, of_a))) return;
}

} // namespace mxcert::suites
