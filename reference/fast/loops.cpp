// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/loops.hpp"

namespace mxcert::fast {

namespace {

using namespace formats;

/// To six and four bits, and to INT8 of a symmetric range: nearest_even with saturation, which everybody uses.
constexpr Loop loops_to_small[] = {make_loop<fp32, e3m2, Cut::even, true>(), make_loop<fp32, e2m3, Cut::even, true>(),
                                   make_loop<fp32, e2m1, Cut::even, true>(), make_loop<bf16, e3m2, Cut::even, true>(),
                                   make_loop<bf16, e2m3, Cut::even, true>(), make_loop<bf16, e2m1, Cut::even, true>(),
                                   make_loop<fp32, int8, Cut::even, true>(), make_loop<bf16, int8, Cut::even, true>()};

} // namespace

SpanLoop find_loop(const Format& from, const Format& to, const Choices& choices, Isa isa) {
    if (is_stochastic(choices.rounding)) return nullptr;
    // Where nothing is rounded any way to round will do.
    const Cut how = embeds(from, to) ? Cut::even : cut_of(choices.rounding);
    if (how == Cut::even && choices.overflow == Overflow::sat_finite) return nullptr;
    const bool saturate = choices.overflow == Overflow::sat;
    for (const auto* sources :
         {&loops_from_fp32, &loops_from_fp16, &loops_from_bf16, &loops_from_fp64, &loops_from_8_bits}) {
        for (const auto& pair : *sources) {
            for (const Loop& loop : pair) {
                const bool fits = loop.how == how && (!loop.saturate || saturate);
                if (fits && loop.from->name == from.name && loop.to->name == to.name) {
                    return loop.loops[static_cast<std::size_t>(isa)];
                }
            }
        }
    }
    const bool is_symmetric = !to.is_twos_complement() || choices.lowest == Lowest::unused;
    for (const Loop& loop : loops_to_small)
        if (saturate && is_symmetric && loop.how == how && loop.from->name == from.name && loop.to->name == to.name)
            return loop.loops[static_cast<std::size_t>(isa)];
    return nullptr;
}

} // namespace mxcert::fast
