// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/large_cases.hpp"

#include <algorithm>
#include <bit>

#include "catch.hpp"
#include "reference/exact/bound.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/dot.hpp"
#include "reference/operation/operation_name.hpp"

namespace mxcert::suites {
namespace {

const char* const names[] = {
    "matmul-e4m3-e4m3-none-none-none-nt-none-fp32-fp32_multiply_add-any",
    "matmul-e5m2-e4m3-e8m0-1x32-32x1-nn-fp32-fp32-fp32_multiply_add-any",
    "matmul-e4m3-e4m3-none-none-none-tn-fp32-fp32-hopper_fp8_f32-given",
    "matmul-e2m1-e2m1-ue4m3-1x16-16x1-nt-none-fp32-fp32_multiply_add-given",
    "matmul-fp16-fp16-none-none-none-nt-none-fp32-fp32_fma-any",
    "matmul-bf16-bf16-none-none-none-nt-none-fp32-fp32_fma-any",
    "matmul-int8-int8-e8m0-1x32-32x1-nt-none-fp32-fp32_multiply_add-given",
};

} // namespace

TEST_CASE("large products of every kind are exact, and have each kind in some lines", "[matmul][values]") {
    for (const char* name : names) {
        CAPTURE(name);
        const Matmul matmul = as_matmul(parse_operation(name));
        const Format& result = *matmul.format.to;
        std::size_t cases = 0;
        for_each_large_case(matmul, Level::quick, [&](const MatmulCase& matmul_case) {
            ++cases;
            CHECK(matmul_case.exact);
            const MatmulShape& shape = matmul_case.shape;
            CHECK(shape.m % 16 == 0);
            CHECK(shape.n % 16 == 0);
            DotLine line;
            std::size_t nan = 0;
            std::size_t zero = 0;
            std::size_t numbers = 0;
            unsigned longest = 0; // bits of a sum, from its first to its last
            for (std::size_t row = 0; row < shape.m; row += 3)
                for (std::size_t column = 0; column < shape.n; column += 7) {
                    gather(shape, matmul_case.operands(), row, column, line);
                    const DotOperands operands = line.operands(shape, matmul_case.c[row * shape.n + column]);
                    const Code sum = exact::dot(matmul.format, dot_choices(), operands);
                    CHECK(sum == fast::Dot(matmul.format, dot_choices())(operands));
                    if (result.is_nan(sum)) {
                        ++nan;
                        continue;
                    }
                    if (const auto bound = exact::bound(*matmul.accumulator, matmul.format, operands)) {
                        CHECK(bound->error == 0);
                        ++numbers;
                    }
                    const Code significand = (sum & result.fraction_mask()) | (result.fraction_mask() + 1);
                    if ((sum & result.magnitude_mask()) == 0)
                        ++zero;
                    else
                        longest = std::max(
                            longest, static_cast<unsigned>(result.fraction_bits + 1 - std::countr_zero(significand)));
                }
            CHECK(numbers > 200);
            CHECK(zero > 0);
            CHECK((nan > 10) == (matmul.format.a->has_nan() || matmul.format.scale_a != nullptr));
            const bool is_whole = !is_aligned(*matmul.accumulator) && matmul.format.scale_a == nullptr;
            CHECK(longest > (is_whole ? 20U : 8U)); // nearly all that FP32 has; more than BF16 has
            return true;
        });
        CHECK(cases == 1);
    }
    CHECK(large_products(Level::smoke).empty());
    CHECK(large_products(Level::standard).size() > large_products(Level::quick).size());
}

} // namespace mxcert::suites
