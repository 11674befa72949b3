// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/percentile.hpp"

#include <algorithm>
#include <vector>

#include "reference/exact/arithmetic.hpp"
#include "reference/exact/recipe/float_block.hpp"
#include "reference/exact/recipe/tensor_scaling.hpp"

namespace mxcert::exact {
namespace {

using formats::fp32;
using recipe::Between;
using recipe::Percentile;
using recipe::unity;

/// A position among magnitudes: the index below it and the rest as binary32.
struct RankPlace {
    std::size_t lower;
    Code rest;
};

Rational fp32_value(Code code) { return decode(fp32, code).magnitude; }
Code as_fp32(const Rational& value) { return nearest(fp32, false, value); }

RankPlace place_of_rank(const Percentile& percentile, std::size_t count) {
    const Rational rank(Integer(percentile.rank.numerator), Integer(percentile.rank.denominator));
    const Rational last{Integer(count - 1)};
    Rational position = rank * last;
    if (percentile.position == recipe::Position::fp32) position = fp32_value(as_fp32(fp32_value(as_fp32(rank)) * last));
    const Integer lower = floor(position);
    return {static_cast<std::size_t>(lower), as_fp32(position - Rational(lower))};
}

Code minus(Code a, Code b) { return add(fp32, a, b ^ fp32.sign_bit()); }

/// x y + z rounded once; what Inf and NaN give, the operations one by one give as well.
Code multiply_add(Code x, Code y, Code z) {
    const Code separate = multiply(fp32, x, y);
    // Where z, an end, is Inf, the difference y is Inf or NaN as well.
    if (!fp32.is_finite(separate)) return add(fp32, separate, z);
    const Rational once = number(decode(fp32, x)) * number(decode(fp32, y)) + number(decode(fp32, z));
    return nearest(fp32, once.sign() < 0, abs(once));
}

Code interpolated(Between how, Code a, Code b, Code rest) {
    if (how == Between::from_below && rest == 0) return a;
    constexpr Code half = 0x3F000000;
    const Code difference = minus(b, a);
    if (how == Between::from_below || rest < half) {
        if (how == Between::nearer_end_fused) return multiply_add(rest, difference, a);
        return add(fp32, a, multiply(fp32, rest, difference));
    }
    if (how == Between::nearer_end_fused) return multiply_add(minus(rest, unity), difference, b);
    return minus(b, multiply(fp32, difference, minus(unity, rest)));
}

} // namespace

Code percentile_of(const Percentile& percentile, const Format& value, std::span<const Code> values) {
    check(percentile, value, values.size());
    std::vector<Code> magnitudes;
    for (const Code code : values) {
        const Code magnitude = scale_from(value, code & value.magnitude_mask());
        if (!fp32.is_nan(magnitude))
            magnitudes.push_back(magnitude);
        else if (percentile.nan_entries == recipe::NanEntries::propagated)
            return quiet_nan(fp32);
    }
    if (magnitudes.empty()) return quiet_nan(fp32);
    std::sort(magnitudes.begin(), magnitudes.end()); // bit patterns without sign have the order of their values
    const RankPlace place = place_of_rank(percentile, magnitudes.size());
    const std::size_t above = place.rest == 0 ? place.lower : place.lower + 1;
    return interpolated(percentile.between, magnitudes[place.lower], magnitudes[above], place.rest);
}

recipe::ElementStep step(const recipe::ElementRecipe& recipe, recipe::State& state, const Format& value,
                         std::span<const Code> values) {
    recipe::ElementStep result;
    result.amax = percentile_of(recipe.percentile, value, values);
    result.scales = step(recipe.choices, state, result.amax);
    recipe::FloatBlock choices;
    choices.scaling = recipe.choices.scaling;
    for (const Code code : values) result.elements.push_back(element_of(choices, value, result.scales, code));
    return result;
}

} // namespace mxcert::exact
