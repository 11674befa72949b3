// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/kinds.hpp"

#include <algorithm>

namespace mxcert::inputs {

Kind kind_of(const Format& format, Code code) {
    if (format.is_nan(code)) return Kind::nan;
    if (format.is_inf(code)) return Kind::inf;
    const Code magnitude = format.magnitude_of(format.value_of(code));
    if (magnitude == 0 && format.has_zero()) return Kind::zero;
    if (format.is_subnormal(code)) return Kind::subnormal;
    return magnitude == format.max_code() ? Kind::largest : Kind::normal;
}

std::string_view plural(Kind kind) {
    static constexpr std::array<std::string_view, all_kinds.size()> names{
        "zeros", "subnormal numbers", "normal numbers", "largest numbers", "infinities", "NaNs"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<Code> ends_of_kinds(const Format& format) {
    std::vector<Code> magnitudes{0,
                                 1,
                                 format.fraction_mask(),
                                 format.fraction_mask() + 1,
                                 format.max_code() - 1,
                                 format.max_code(),
                                 format.magnitude_mask()};
    if (format.has_inf()) {
        magnitudes.push_back(format.inf_code());
        // The lowest payload of a NaN is behind Inf.
        if (format.inf_code() < format.magnitude_mask()) magnitudes.push_back(format.inf_code() + 1);
    }
    std::vector<Code> codes;
    for (const Code magnitude : magnitudes) {
        codes.push_back(magnitude & format.magnitude_mask());
        codes.push_back(codes.back() | format.sign_bit());
    }
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    return codes;
}

} // namespace mxcert::inputs
