// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/recipe/partial_cast.hpp"

#include <cstdint>
#include <unordered_map>

#include "reference/exact/arithmetic.hpp"

namespace mxcert::exact {
namespace {

using formats::e2m1;
using formats::e4m3;
using formats::fp32;
using recipe::GivenScale;

constexpr Code one_fp32 = 0x3F800000;

Code quotient(Code a, Code b) { return divide(fp32, a, b); }

/// A code of another format, rounded to nearest even, saturating.
Code saturated(const Format& from, const Format& to, Code code) { return convert(from, to, Choices{}, code).code; }

/// Whether a binary32 is greater than zero; a NaN is not.
bool is_positive(Code code) {
    const Value value = decode(fp32, code);
    return value.kind == Kind::inf ? !value.negative : value.kind == Kind::finite && number(value).sign() > 0;
}

/// Zero and what is negative say nothing.
Code usable_encode_scale(Code code) {
    return is_positive(code) || decode(fp32, code).kind == Kind::nan ? code : one_fp32;
}

Code nvfp4_multiplier(Code scale, Code encode_scale) {
    const Code decode_scale = quotient(one_fp32, usable_encode_scale(encode_scale));
    const Code rounded = converted(e4m3, fp32, saturated(fp32, e4m3, scale));
    if (!is_positive(rounded)) return fp32.max_code();
    // The minimum of C++ leaves NaN out.
    const Code multiplier = quotient(one_fp32, multiply(fp32, rounded, decode_scale));
    return decode(fp32, multiplier).kind == Kind::finite ? multiplier : fp32.max_code();
}

} // namespace

Code multiplier_of(GivenScale kind, Code scale, Code encode_scale) {
    switch (kind) {
    case GivenScale::encode: return scale;
    case GivenScale::e8m0: return quotient(one_fp32, converted(formats::e8m0, fp32, scale));
    case GivenScale::nvfp4: break;
    }
    return nvfp4_multiplier(scale, encode_scale);
}

Code cast_element(const recipe::PartialCast& cast, Code multiplier, Code value) {
    constexpr Code six = 0x7;
    const Code product = multiply(fp32, converted(*cast.source, fp32, value), multiplier);
    if (cast.element == &e2m1 && decode(fp32, product).kind == Kind::nan) return six;
    return saturated(fp32, *cast.element, product);
}

std::vector<Code> partial_cast(const recipe::PartialCast& cast, const recipe::Shard& shard) {
    check(cast, shard);
    const std::uint64_t across = scales_of(shard.matrix, cast.block).columns;
    std::vector<Code> multipliers;
    for (const Code scale : shard.scales) multipliers.push_back(multiplier_of(cast.scale, scale, shard.encode_scale));
    // Rational numbers are slow, and the same product comes again and again.
    std::unordered_map<std::uint64_t, Code> known;
    std::vector<Code> after = shard.before;
    for (std::uint64_t k = 0; k < shard.values.size(); ++k) {
        const std::uint64_t element = shard.first + k;
        const Place place{element / shard.matrix.columns, element % shard.matrix.columns};
        const Place block = scale_place(shard.matrix, cast.block, place);
        const Code multiplier = multipliers[block.row * across + block.column];
        const auto [at, is_new] = known.try_emplace(multiplier << 32U | shard.values[k]);
        if (is_new) at->second = cast_element(cast, multiplier, shard.values[k]);
        after[element] = at->second;
    }
    return after;
}

} // namespace mxcert::exact
