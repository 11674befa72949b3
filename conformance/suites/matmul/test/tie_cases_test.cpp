// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/tie_cases.hpp"

#include "catch.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;

namespace {

Code element_of(const Matmul& matmul, const MatmulCase& one, std::size_t row, std::size_t column) {
    std::vector<Code> a;
    std::vector<Code> b;
    for (std::size_t l = 0; l < one.shape.k; ++l) {
        a.push_back(one.a[one.shape.a_at(row, l)]);
        b.push_back(one.b[one.shape.b_at(l, column)]);
    }
    DotOperands operands;
    operands.a = a;
    operands.b = b;
    operands.c = one.c[row * one.shape.n + column];
    return exact::accumulate(*matmul.accumulator, matmul.format, operands);
}

} // namespace

TEST_CASE("what is far smaller than a tie decides it") {
    for (const char* name : {"matmul-e4m3-e4m3-none-none-none-nn-fp32-fp32-arm_fdot_f32-given",
                             "matmul-e5m2-e4m3-none-none-none-tt-fp32-fp32-arm_fmmla_f32-given",
                             "matmul-e5m2-e5m2-none-none-none-nt-fp16-fp16-arm_fmmla_f16-given"}) {
        CAPTURE(name);
        const Matmul matmul = as_matmul(parse_operation(name));
        std::size_t cases = 0;
        for_each_tie_case(matmul, [&](const MatmulCase& one) {
            CAPTURE(one.name);
            ++cases;
            for (std::size_t row = 0; row < one.shape.m; ++row) {
                CAPTURE(row);
                const Code up = element_of(matmul, one, row, 0);
                const Code down = element_of(matmul, one, row, 1);
                const Code tie = element_of(matmul, one, row, 2);
                // Two neighbours, of which the tie gives the even one.
                const Code distance = up > down ? up - down : down - up;
                CHECK(distance == 1);
                CHECK((tie == up || tie == down));
                CHECK(tie % 2 == 0);
            }
            return true;
        });
        // FP16 ends below a c of which the largest product is half of the last place.
        CHECK(cases == (matmul.output == &formats::fp16 ? 3 : 4));
    }
    // Products that are rounded before c is added, no c, and products of too few binades.
    for (const char* name : {"matmul-e4m3-e4m3-none-none-none-nn-fp32-fp32-hopper_fp8_f32-given",
                             "matmul-e4m3-e4m3-none-none-none-nn-none-fp32-arm_fdot_f32-given",
                             "matmul-e2m1-e2m1-none-none-none-nn-fp32-fp32-cdna4_f8f6f4-given"}) {
        CAPTURE(name);
        for_each_tie_case(as_matmul(parse_operation(name)), [&](const MatmulCase& one) {
            FAIL(one.name);
            return true;
        });
    }
}
