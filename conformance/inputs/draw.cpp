// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/draw.hpp"

namespace mxcert::inputs {
namespace {

constexpr Code near_ulps = 3; ///< ulp, to either side of a place worth a look

} // namespace

Code draw_near(SplitMix64& random, Code code, const Format& format) {
    return (code + random.below(2 * near_ulps + 1) - near_ulps) & format.last_code();
}

Code draw_special(SplitMix64& random, const Format& format) {
    const Code hidden = Code{1} << static_cast<unsigned>(format.fraction_bits);
    const std::array<Code, 8> places{0,
                                     1,
                                     hidden - 1,
                                     hidden,
                                     format.max_code(),
                                     format.has_inf() ? format.inf_code() : format.max_code(),
                                     format.magnitude_mask(),
                                     format.one_code()};
    const Code place = places[random.below(places.size())];
    const Code sign = random.below(2) == 0 ? format.sign_bit() : 0;
    return draw_near(random, place, format) ^ sign;
}

Code draw_binade_edge(SplitMix64& random, const Format& format) {
    return draw_near(random, random() & format.last_code() & ~format.fraction_mask(), format);
}

Code draw_sparse(SplitMix64& random, const Format& format) {
    Code code = random() & format.last_code() & ~format.fraction_mask();
    if (format.fraction_bits == 0) return code;
    for (std::uint64_t bits = 1 + random.below(3); bits != 0; --bits)
        code |= Code{1} << random.below(static_cast<std::uint64_t>(format.fraction_bits));
    return code;
}

} // namespace mxcert::inputs
