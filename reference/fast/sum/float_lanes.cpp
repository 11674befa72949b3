// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/sum/float_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/fast/kernel.hpp"

namespace mxcert::fast {
namespace {

template <bool fma, class Real> MXCERT_INLINE void add_in_order(const Real* a, const Real* b, std::size_t k, Real* to) {
    Real sums[float_lanes];
    for (std::size_t j = 0; j < float_lanes; ++j) sums[j] = to[j];
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; j < float_lanes; ++j)
            sums[j] = fma ? std::fma(a[l], b[l * float_lanes + j], sums[j]) : sums[j] + a[l] * b[l * float_lanes + j];
    for (std::size_t j = 0; j < float_lanes; ++j) to[j] = sums[j];
}

template <bool fma, class Real>
MXCERT_INLINE void add_groups(std::size_t group, const Real* a, const Real* b, std::size_t k, Real* to) {
    if (group == 0) return add_in_order<fma>(a, b, k, to);
    for (std::size_t l = 0; l < k; l += group) {
        Real sums[float_lanes] = {};
        add_in_order<fma>(a + l, b + l * float_lanes, std::min(group, k - l), sums);
        for (std::size_t j = 0; j < float_lanes; ++j) to[j] += sums[j];
    }
}

template <class Real>
MXCERT_INLINE void add_either(bool fma, std::size_t group, const Real* a, const Real* b, std::size_t k, Real* to) {
    fma ? add_groups<true>(group, a, b, k, to) : add_groups<false>(group, a, b, k, to);
}

template <class Real>
void add_baseline(bool fma, std::size_t group, const Real* a, const Real* b, std::size_t k, Real* to) {
    add_either(fma, group, a, b, k, to);
}
#if MXCERT_HAS_X86_LOOPS
template <class Real> [[gnu::target("avx2,fma")]] void add_avx2(bool fma, std::size_t group, const Real* a,
                                                                const Real* b, std::size_t k, Real* to) {
    add_either(fma, group, a, b, k, to);
}
template <class Real>
MXCERT_AVX512 void add_avx512(bool fma, std::size_t group, const Real* a, const Real* b, std::size_t k, Real* to) {
    add_either(fma, group, a, b, k, to);
}
#endif

} // namespace

template <class Real> bool has_float_lanes(const Accumulator& model, const DotFormat& format) {
    const Format& arithmetic = std::is_same_v<Real, float> ? formats::fp32 : formats::fp64;
    const bool in_order = model.sum == GroupSum::fma || model.sum == GroupSum::multiply_add;
    const bool added = model.group == 0 ? model.addend == Addend::in_group : model.addend == Addend::rounded;
    return in_order && added && model.arithmetic->name == arithmetic.name &&
           model.arithmetic_rounding == Rounding::nearest_even && !model.flush && model.promote == 0 &&
           format.scale_a == nullptr && format.a->width() <= 32 && format.b->width() <= 32 &&
           model.result->name == formats::fp32.name && model.result_fraction == formats::fp32.fraction_bits &&
           model.rounding == Rounding::nearest_even && model.overflow == Overflow::nosat &&
           model.zero_sign == ZeroSign::kept;
}

template <class Real> AddFloats<Real> add_floats([[maybe_unused]] Isa isa) {
#if MXCERT_HAS_X86_LOOPS
    if (isa == Isa::avx512) return add_avx512<Real>;
    if (isa == Isa::avx2 && __builtin_cpu_supports("fma")) return add_avx2<Real>;
#endif
    return add_baseline<Real>;
}

template bool has_float_lanes<float>(const Accumulator&, const DotFormat&);
template bool has_float_lanes<double>(const Accumulator&, const DotFormat&);
template AddFloats<float> add_floats<float>(Isa isa);
template AddFloats<double> add_floats<double>(Isa isa);

} // namespace mxcert::fast
