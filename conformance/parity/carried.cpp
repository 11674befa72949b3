// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/carried.hpp"

#include <bit>

#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::parity {

Code carried(const Format& from, const Format& to, Code value) {
    if (&from == &to) return value;
    if (!from.is_nan(value)) return fast::rounded_to(to, fast::widened(from, value));
    const Code payload = value & from.fraction_mask();
    const Code sign = (value & from.sign_bit()) != 0 ? to.sign_bit() : 0;
    const int more = to.fraction_bits - from.fraction_bits;
    if (more >= 0) return sign | to.inf_code() | payload << static_cast<unsigned>(more);
    const Code quiet = Code{1} << static_cast<unsigned>(to.fraction_bits - 1);
    return sign | to.inf_code() | quiet | payload >> static_cast<unsigned>(-more);
}

bool holds_all(const Format& format, const Format& values) { return &format == &values || &format == &formats::fp32; }

const Format* held_by_both(const Format& a, const Format& b) {
    if (holds_all(a, b)) return &b;
    return holds_all(b, a) ? &a : nullptr;
}

} // namespace mxcert::parity
