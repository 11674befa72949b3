// SPDX-License-Identifier: Apache-2.0
#include "conformance/measure/exact_sum.hpp"

#include <algorithm>
#include <cmath>

namespace mxcert::measure {

void ExactSum::carry() {
    for (std::size_t i = 0; i + 1 < limb_count; ++i) {
        limbs_[i + 1] += limbs_[i] >> limb_bits; // toward -Inf
        limbs_[i] &= limb_mask;
    }
    added_ = 0;
}

void ExactSum::add(const ExactSum& other_sum) {
    ExactSum rest = other_sum;
    rest.carry();
    carry();
    for (std::size_t i = 0; i < limb_count; ++i) limbs_[i] += rest.limbs_[i];
    carry();
}

double ExactSum::value() const {
    ExactSum sum = *this;
    sum.carry();
    const bool negative = sum.limbs_.back() < 0;
    if (negative) {
        for (std::int64_t& limb : sum.limbs_) limb = -limb;
        sum.carry();
    }
    std::size_t top = limb_count - 1;
    while (top > 0 && sum.limbs_[top] == 0) --top;
    if (top < 2) return 0; // the spare bits are never set
    const auto limb = [&](std::size_t i) { return static_cast<std::uint64_t>(sum.limbs_[i]); };
    const std::uint64_t head = limb(top) << limb_bits | limb(top - 1);
    const auto zeros = static_cast<unsigned>(std::countl_zero(head)); // fewer than 32
    const std::uint64_t window = head << zeros | limb(top - 2) >> (limb_bits - zeros);
    bool more = (limb(top - 2) << zeros & static_cast<std::uint64_t>(limb_mask)) != 0;
    more = more || std::any_of(sum.limbs_.begin(), sum.limbs_.begin() + static_cast<std::ptrdiff_t>(top - 2),
                               [](std::int64_t low) { return low != 0; });
    constexpr unsigned dropped = 64 - 53;
    constexpr std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    const std::uint64_t rest = window & (2 * half - 1);
    std::uint64_t kept = window >> dropped;
    if (rest > half || (rest == half && (more || (kept & 1) != 0))) ++kept;
    const int exponent = static_cast<int>(limb_bits * (top - 1) + dropped) - origin - static_cast<int>(zeros);
    const double magnitude = std::ldexp(static_cast<double>(kept), exponent); // exact
    return negative ? -magnitude : magnitude;
}

} // namespace mxcert::measure
