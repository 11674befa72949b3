// SPDX-License-Identifier: Apache-2.0
// An epilogue by the definition of each operation: exact, then rounded.
#include "reference/exact/epilogue.hpp"

#include "reference/exact/arithmetic.hpp"
#include "reference/exact/dot.hpp"

namespace mxcert::exact {
namespace {

using formats::fp32;

Code multiply_add(Code x, Code y, Code z) {
    Choices choices = dot_choices();
    choices.nan = NanRule::quiet;
    const Value product = times(decode(fp32, x), decode(fp32, y));
    return result(fp32, choices, sum({product, decode(fp32, z)}, Rounding::nearest_even));
}

} // namespace

Code after_sum(const Epilogue& epilogue, const EpilogueOperands& operands) {
    const auto& [sum_of_products, scale_a, scale_b, bias] = operands;
    const Code first = epilogue.scales_first ? sum_of_products : multiply(fp32, sum_of_products, scale_a);
    Code last = epilogue.scales_first ? multiply(fp32, scale_a, scale_b) : scale_b;
    if (epilogue.factor != 0) last = multiply(fp32, last, epilogue.factor);
    if (!bias) return multiply(fp32, first, last);
    return epilogue.fma ? multiply_add(first, last, *bias) : add(fp32, multiply(fp32, first, last), *bias);
}

Code as_element(const Format& output, Code value) {
    if (output.name == fp32.name) return value;
    Choices choices;
    choices.overflow = output.width() <= 8 ? Overflow::sat : Overflow::nosat;
    return convert(fp32, output, choices, value).code;
}

} // namespace mxcert::exact
