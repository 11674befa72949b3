// SPDX-License-Identifier: Apache-2.0
#include "conformance/export/product_values.hpp"

#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {

using suites::MatmulPermit;

PermittedValue value_of(const MatmulPermit& permit, const Matmul& matmul) {
    const Format& output = *matmul.output;
    if (!permit.judged) return any_value(permit.low);
    if (permit.any_nan) return value_of(permit_any_nan(), output);
    if (matmul.any_order && output.ordinal(permit.low) == 0 && output.ordinal(permit.high) == 0)
        return value_of({{0, output.sign_bit()}, false}, output);
    if (permit.low == permit.high) return value_of(permit_code(permit.low), output);
    return range_value(permit.low, permit.low, permit.high);
}

bool differ(const MatmulPermit& wrong, const MatmulPermit& right, const Matmul& matmul) {
    if (!right.judged || !wrong.judged) return false;
    if (wrong.any_nan != right.any_nan) return true;
    if (wrong.any_nan) return false;
    const Format& output = *matmul.output;
    if (!matmul.any_order) return wrong.low != right.low;
    return output.ordinal(wrong.low) > output.ordinal(right.high) ||
           output.ordinal(right.low) > output.ordinal(wrong.high);
}

} // namespace mxcert::test_vectors
