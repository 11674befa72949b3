// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/matmul/cases.hpp"

// Faults of matrix products that short sums do not show.
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

} // namespace mxcert::planted
