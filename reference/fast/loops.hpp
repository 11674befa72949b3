// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/choices.hpp"
#include "reference/fast/isa.hpp"
#include "reference/fast/span.hpp"

namespace mxcert::fast {

/// One way to convert between two formats, compiled for every instruction set.
struct Loop {
    const Format* from;
    const Format* to;
    Cut how;
    bool saturate; ///< for Overflow::sat only
    std::array<SpanLoop, all_isas.size()> loops;
};

template <const Format& from, const Format& to, Cut how, bool saturate> constexpr Loop make_loop() {
#if MXCERT_HAS_X86_LOOPS
    return {&from,
            &to,
            how,
            saturate,
            {loop_baseline<from, to, how, saturate>, loop_avx2<from, to, how, saturate>,
             loop_avx512<from, to, how, saturate>}};
#else
    return {&from, &to, how, saturate, {loop_baseline<from, to, how, saturate>}};
#endif
}

/// The loops from a wide format to an 8-bit one. The commonest conversion, nearest_even with saturation, has a loop of
/// its own; the others find saturation among their outcomes.
template <const Format& from, const Format& to> constexpr std::array<Loop, 4> narrow_loops() {
    return {make_loop<from, to, Cut::even, true>(), make_loop<from, to, Cut::even, false>(),
            make_loop<from, to, Cut::odd, false>(), make_loop<from, to, Cut::add, false>()};
}

template <const Format& from> constexpr std::array<std::array<Loop, 4>, 3> narrow_loops() {
    using namespace formats;
    return {narrow_loops<from, e4m3>(), narrow_loops<from, e5m2>(), narrow_loops<from, e8m0>()};
}

/// The loops from an 8-bit format to wide ones: nothing is rounded, so one way to cut will do.
template <const Format& from> constexpr std::array<Loop, 4> widen_loops() {
    using namespace formats;
    return {make_loop<from, fp32, Cut::even, false>(), make_loop<from, fp16, Cut::even, false>(),
            make_loop<from, bf16, Cut::even, false>(), make_loop<from, fp64, Cut::even, false>()};
}

// One file each, so that they compile side by side.
extern const std::array<std::array<Loop, 4>, 3> loops_from_fp32;
extern const std::array<std::array<Loop, 4>, 3> loops_from_fp64;
extern const std::array<std::array<Loop, 4>, 3> loops_from_fp16;
extern const std::array<std::array<Loop, 4>, 3> loops_from_bf16;
extern const std::array<std::array<Loop, 4>, 3> loops_from_8_bits;

/// The loop for an offered conversion, or nullptr where there is none: stochastic roundings, sources of eight bits
/// unless they widen, roundings other than nearest_even of E8M0 to FP16, and nearest_even with sat_finite, whose Inf is
/// no overflow. Precondition: the machine runs `isa`.
[[nodiscard]] SpanLoop find_loop(const Format& from, const Format& to, const Choices& choices, Isa isa);

} // namespace mxcert::fast
