// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/scale.hpp"

#include <array>
#include <stdexcept>

#include "reference/exact/arithmetic.hpp"
#include "reference/exact/number.hpp"

namespace mxcert::recipe {
namespace {

using exact::Rational;
using formats::fp32;
using formats::fp64;

constexpr int largest_exponent = 126;
constexpr Code largest_fp32_as_fp64 = 0x47EFFFFFE0000000;

/// Which choice says what this amax gives, if it is unusable.
const Unusable* unusable(const FloatScale& scaling, Code amax) {
    if (fp32.is_nan(amax)) return &scaling.on_nan;
    if (fp32.is_inf(amax)) return &scaling.on_inf;
    if (amax == 0 && scaling.least_amax == 0) return &scaling.on_zero;
    return nullptr;
}

/// numerator / denominator, both finite and positive.
Code quotient(Quotient how, const Rational& numerator, const Rational& denominator) {
    if (how == Quotient::divide) return exact::nearest(fp32, false, numerator / denominator);
    return exact::multiply(fp32, exact::nearest(fp32, false, 1 / denominator), exact::nearest(fp32, false, numerator));
}

/// The power of two next to a finite, positive value, or the value if it is one.
Code power_of_two(Code value, Rounding rounding) {
    const Rational magnitude = exact::decode(fp32, value).magnitude;
    const Rational below = exact::power_of_two(exact::floor_log2(magnitude));
    return exact::nearest(fp32, false, below == magnitude || rounding == Rounding::down ? below : 2 * below);
}

bool is_number(Code code) { return fp32.is_finite(code) && code != 0; }

Code reciprocal(const FloatScale& scaling, Code code, bool to_inverse) {
    const Code result = exact::divide(fp32, unity, code);
    return to_inverse && fp32.is_inf(result) && scaling.limit != nullptr
               ? exact::convert(*scaling.limit, fp32, {}, scaling.limit->max_code()).code
               : result;
}

/// The first of the two, of an amax that is finite and above zero.
Code first_of(const FloatScale& scaling, const Rational& amax) {
    const Rational largest = exact::decode(*scaling.element, scaling.element->max_code()).magnitude;
    const Rational margin = exact::power_of_two(scaling.exponent);
    const bool of_largest = scaling.power == Power::of_largest;
    const bool to_inverse = scaling.first == First::inverse;
    Rational raised = amax;
    if (scaling.factor != unity) {
        // The product is an operation of binary32; where it overflows, the quotient is that of Inf.
        const Code product = exact::nearest(fp32, false, amax * exact::decode(fp32, scaling.factor).magnitude);
        if (!is_number(product)) {
            const Code inf = fp32.inf_code();
            return fp32.is_inf(product) == to_inverse ? 0 : inf;
        }
        raised = exact::decode(fp32, product).magnitude;
    }
    const Rational top = of_largest ? Rational(largest / margin) : largest;
    const Code result = to_inverse ? quotient(scaling.quotient, top, raised) : quotient(scaling.quotient, raised, top);
    if (of_largest || scaling.exponent == 0) return result;
    const Rational power = to_inverse ? Rational(1 / margin) : margin;
    return exact::multiply(fp32, result, exact::nearest(fp32, false, power));
}

constexpr std::array<std::string_view, 2> first_names{"inverse", "scale"};
constexpr std::array<std::string_view, 2> quotient_names{"divide", "reciprocal"};
constexpr std::array<std::string_view, 2> power_names{"of_largest", "of_quotient"};
constexpr std::array<std::string_view, 3> unusable_names{"keep", "one", "computed"};

} // namespace

void check(const FloatScale& scaling) {
    if (scaling.exponent < 0 || scaling.exponent > largest_exponent)
        throw std::invalid_argument("the exponent of a margin is 0 to 126, not " + std::to_string(scaling.exponent));
    if (!fp32.is_finite(scaling.factor) || scaling.factor == 0 || (scaling.factor & fp32.sign_bit()) != 0)
        throw std::invalid_argument("the factor of a margin is finite and above zero, not " +
                                    code_text(fp32, scaling.factor));
    if (scaling.kept != &fp32 && scaling.kept != &formats::fp16 && scaling.kept != &formats::bf16)
        throw std::invalid_argument("a float scale is kept in fp32, fp16 or bf16");
    if (scaling.least_amax > largest_fp32_as_fp64)
        throw std::invalid_argument("the least amax has no sign and is not beyond binary32: " +
                                    code_text(fp64, scaling.least_amax));
    const Rational least = exact::decode(fp64, scaling.least_amax).magnitude;
    if (scaling.factor != unity && exact::decode(fp32, exact::nearest(fp32, false, least)).magnitude != least)
        throw std::invalid_argument("a least amax that is multiplied by a factor is a binary32");
}

std::optional<Scales> scales_of(const FloatScale& scaling, Code amax) {
    check(scaling);
    if (amax > fp32.last_code()) throw std::invalid_argument("an amax is a bit pattern of binary32: 32 bits");
    if ((amax & fp32.sign_bit()) != 0 && !fp32.is_nan(amax))
        throw std::invalid_argument("an amax has no sign: " + code_text(fp32, amax));
    const bool inverse_first = scaling.first == First::inverse;
    Code first = 0;
    if (const Unusable* what = unusable(scaling, amax); what != nullptr) {
        if (*what == Unusable::keep) return std::nullopt;
        if (*what == Unusable::one) return Scales{};
        if (fp32.is_nan(amax))
            first = exact::quiet_nan(fp32);
        else
            first = (amax == 0) == inverse_first ? fp32.inf_code() : 0;
    } else {
        Rational magnitude = exact::decode(fp32, amax).magnitude;
        const Rational least = exact::decode(fp64, scaling.least_amax).magnitude;
        if (magnitude < least) magnitude = least;
        first = first_of(scaling, magnitude);
    }
    if (inverse_first && fp32.is_inf(first) && scaling.limit != nullptr)
        first = exact::convert(*scaling.limit, fp32, {}, scaling.limit->max_code()).code;
    if (scaling.power_of_two && is_number(first))
        first = power_of_two(first, inverse_first ? Rounding::down : Rounding::up);
    const auto kept = [&](Code scale) {
        if (scaling.kept == &fp32 || !fp32.is_finite(scale)) return scale;
        const Code narrow = exact::nearest(*scaling.kept, false, exact::decode(fp32, scale).magnitude);
        return scaling.kept->is_inf(narrow) ? fp32.inf_code() : exact::convert(*scaling.kept, fp32, {}, narrow).code;
    };
    if (inverse_first) return Scales{kept(reciprocal(scaling, first, false)), first};
    const Code scale = kept(first);
    return Scales{scale, reciprocal(scaling, scale, true)};
}

std::string_view to_string(First value) { return first_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Quotient value) { return quotient_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Power value) { return power_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Unusable value) { return unusable_names.at(static_cast<std::size_t>(value)); }

std::string describe(const FloatScale& s) {
    std::string text;
    const auto say = [&](std::string_view name, std::string_view value) {
        if (!text.empty()) text += ' ';
        text.append(name).append("=").append(value);
    };
    say("element", s.element->name);
    say("first", to_string(s.first));
    say("quotient", to_string(s.quotient));
    say("factor", code_text(fp32, s.factor));
    say("exponent", std::to_string(s.exponent));
    say("power", to_string(s.power));
    say("power_of_two", s.power_of_two ? "yes" : "no");
    say("least_amax", code_text(fp64, s.least_amax));
    say("limit", s.limit == nullptr ? "none" : s.limit->name);
    say("kept", s.kept->name);
    say("on_nan", to_string(s.on_nan));
    say("on_inf", to_string(s.on_inf));
    say("on_zero", to_string(s.on_zero));
    return text;
}

} // namespace mxcert::recipe
