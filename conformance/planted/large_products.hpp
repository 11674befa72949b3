// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/matmul/cases.hpp"

// Faults of matrix products that small ones do not show.
namespace mxcert::planted {

/// The scales of the first products of A once more for the next.
inline void begin_again(suites::MatmulCase& product, std::size_t products) {
    const std::vector<Code> scales = product.scales_a;
    const MatmulShape& shape = product.shape;
    if (scales.empty()) return;
    for (std::size_t i = 0; i < shape.m; ++i)
        for (std::size_t t = 0; t < shape.a_scale.count_along(shape.k); ++t)
            product.scales_a[shape.a_scale_at(i, t)] =
                scales[shape.a_scale_at(i, t % (products / shape.a_scale.along))];
}

/// Does what the fault says, if it is one of these.
inline void damage_long_sums(suites::MatmulCase& product) {
    if (is("the scales of A begin again after 256 products")) begin_again(product, 256);
    if (is("the scales of A begin again after 1024 products")) begin_again(product, 1024);
    if (is("products after the first 1024 left out"))
        for (std::size_t i = 0; i < product.shape.m; ++i)
            for (std::size_t l = 1024; l < product.shape.k; ++l) product.a[product.shape.a_at(i, l)] = 0;
}

/// Whether the last element of D is wrong, by the fault.
[[nodiscard]] inline bool last_is_wrong(const MatmulShape& shape) {
    const auto& [m, n, k] = std::tie(shape.m, shape.n, shape.k);
    return (is("the last of several tiles both ways") && m > 128 && n > 128) ||
           (is("the last column of one row") && m == 1 && n > 1) ||
           (is("the last row of one column") && n == 1 && m > 1) || (is("sums of more than 8192") && k > 8192) ||
           (is("an index of 16 bits into D") && m * n > 1U << 16U) ||
           (is("an index of 16 bits into A") && m * k > 1U << 16U) ||
           (is("an index of 16 bits into B") && k * n > 1U << 16U) ||
           (is("200 products for 32 rows and columns") && m >= 32 && n >= 32 && k >= 200) ||
           (is("an index of 16 bits for rows") && m > 1U << 16U) ||
           (is("an index of 16 bits for columns") && n > 1U << 16U) ||
           (is("an index of 16 bits into a sum") && k > 1U << 16U) ||
           (is("a split sum of few rows") && m <= 16 && n > 256 && k > 1024);
}

/// An element of D in binary32 behind a path for many rows.
[[nodiscard]] inline Code after_many_rows(const MatmulShape& shape, Code code) {
    constexpr std::size_t many = 33;
    const Format& format = formats::fp32;
    if (shape.m < many) return code;
    if (is("NaN of 33 rows and more taken for 0") && format.is_nan(code)) return 0;
    if (is("D of 33 rows and more cut to BF16") && !format.is_nan(code)) return code & 0xFFFF0000U;
    return code;
}

/// Whether the fault is that of a kernel for whole tiles, which refuses other sizes.
[[nodiscard]] inline bool takes_whole_tiles_alone() {
    return is("whole tiles alone") || is("whole tiles alone, NaN taken for 0");
}

} // namespace mxcert::planted
