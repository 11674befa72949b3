// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/elements.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "reference/exact/arithmetic.hpp"
#include "reference/recipe/float_block.hpp"

namespace mxcert::recipe {
namespace {

using exact::Integer;
using exact::Rational;
using formats::fp32;

constexpr std::array<std::string_view, 2> position_names{"exact", "fp32"};
constexpr std::array<std::string_view, 3> between_names{"from_below", "nearer_end", "nearer_end_fused"};

/// A position among magnitudes: the index below it and the rest as binary32.
struct Place {
    std::size_t below;
    Code rest;
};

Rational value_of(Code code) { return exact::decode(fp32, code).magnitude; }
Code as_fp32(const Rational& value) { return exact::nearest(fp32, false, value); }

Place place_of(const Percentile& percentile, std::size_t count) {
    const Rational rank(Integer(percentile.rank.numerator), Integer(percentile.rank.denominator));
    const Rational last{Integer(count - 1)};
    Rational position = rank * last;
    if (percentile.position == Position::fp32) position = value_of(as_fp32(value_of(as_fp32(rank)) * last));
    const Integer below = boost::multiprecision::numerator(position) / boost::multiprecision::denominator(position);
    return {static_cast<std::size_t>(below), as_fp32(position - Rational(below))};
}

Code minus(Code a, Code b) { return exact::add(fp32, a, b ^ fp32.sign_bit()); }

/// x y + z rounded once; what Inf and NaN give, the operations one by one give as well.
Code fused(Code x, Code y, Code z) {
    const Code product = exact::multiply(fp32, x, y);
    if (!fp32.is_finite(product) || !fp32.is_finite(z)) return exact::add(fp32, product, z);
    const auto number = [](Code code) {
        const exact::Value value = exact::decode(fp32, code);
        return value.negative ? Rational(-value.magnitude) : value.magnitude;
    };
    const Rational sum = number(x) * number(y) + number(z);
    return exact::nearest(fp32, sum.sign() < 0, abs(sum));
}

Code between(Between how, Code a, Code b, Code rest) {
    if (how == Between::from_below && rest == 0) return a;
    constexpr Code half = 0x3F000000;
    const Code difference = minus(b, a);
    if (how == Between::from_below || rest < half) {
        if (how == Between::nearer_end_fused) return fused(rest, difference, a);
        return exact::add(fp32, a, exact::multiply(fp32, rest, difference));
    }
    if (how == Between::nearer_end_fused) return fused(minus(rest, unity), difference, b);
    return minus(b, exact::multiply(fp32, difference, minus(unity, rest)));
}

} // namespace

Code percentile_of(const Percentile& percentile, const Format& value, std::span<const Code> values) {
    check(percentile, value, values.size());
    std::vector<Code> magnitudes;
    for (const Code code : values) {
        const Code magnitude = scale_from(value, code & value.magnitude_mask());
        if (!fp32.is_nan(magnitude))
            magnitudes.push_back(magnitude);
        else if (percentile.nan_entries == NanEntries::propagated)
            return exact::quiet_nan(fp32);
    }
    if (magnitudes.empty()) return exact::quiet_nan(fp32);
    std::sort(magnitudes.begin(), magnitudes.end()); // bit patterns without sign have the order of their values
    const Place place = place_of(percentile, magnitudes.size());
    const std::size_t above = place.rest == 0 ? place.below : place.below + 1;
    return between(percentile.between, magnitudes[place.below], magnitudes[above], place.rest);
}

void check(const Percentile& percentile, const Format& value, std::size_t count) {
    if (percentile.rank.denominator == 0 || percentile.rank.numerator > percentile.rank.denominator)
        throw std::invalid_argument("a percentile is a number from 0 to 1");
    if (percentile.rank.denominator > most_elements)
        throw std::invalid_argument("the denominator of a percentile is at most " + std::to_string(most_elements));
    if (&value != &fp32 && &value != &formats::bf16 && &value != &formats::fp16)
        throw std::invalid_argument("the values of a tensor are fp32, bf16 or fp16, not " + std::string(value.name));
    if (count == 0 || count > most_elements)
        throw std::invalid_argument("a percentile is of 1 to " + std::to_string(most_elements) + " elements, not " +
                                    std::to_string(count));
}

ElementStep step(const ElementRecipe& recipe, State& state, const Format& value, std::span<const Code> values) {
    ElementStep result;
    result.amax = percentile_of(recipe.percentile, value, values);
    result.scales = step(recipe.choices, state, result.amax);
    FloatBlock choices;
    choices.scaling = recipe.choices.scaling;
    for (const Code code : values) result.elements.push_back(element_of(choices, value, result.scales, code));
    return result;
}

std::string_view to_string(Position value) { return position_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Between value) { return between_names.at(static_cast<std::size_t>(value)); }

std::string describe(const ElementRecipe& recipe) {
    const Percentile& p = recipe.percentile;
    std::string text = "percentile=" + std::to_string(p.rank.numerator) + "/" + std::to_string(p.rank.denominator);
    text.append(" position=").append(to_string(p.position)).append(" between=").append(to_string(p.between));
    text.append(" nan_elements=").append(to_string(p.nan_entries));
    return text + " " + describe(recipe.choices);
}

} // namespace mxcert::recipe
