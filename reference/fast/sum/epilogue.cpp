// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/sum/epilogue.hpp"

#include "reference/fast/term.hpp"

namespace mxcert::fast {

Code after_sum(const Epilogue& epilogue, const EpilogueOperands& operands) {
    const Term a = term_of(formats::fp32, operands.scale_a);
    const Term b = term_of(formats::fp32, operands.scale_b);
    const Term sum = term_of(formats::fp32, operands.sum);
    Term both = nearest(formats::fp32, multiply(a, b));
    if (epilogue.factor != 0) both = nearest(formats::fp32, multiply(both, term_of(formats::fp32, epilogue.factor)));
    Term value = epilogue.scales_first ? multiply(sum, both) : multiply(nearest(formats::fp32, multiply(sum, a)), b);
    if (operands.bias) {
        if (!epilogue.fma) value = nearest(formats::fp32, value);
        value = add(value, term_of(formats::fp32, *operands.bias));
    }
    Choices choices;
    choices.overflow = Overflow::nosat;
    choices.nan = NanRule::quiet;
    return result_of(formats::fp32, choices, value);
}

Code as_element(const Format& output, Code value) {
    if (output.name == formats::fp32.name) return value;
    Choices choices;
    choices.overflow = output.width() <= 8 ? Overflow::sat : Overflow::nosat;
    return result_of(output, choices, term_of(formats::fp32, value));
}

} // namespace mxcert::fast
