// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/block_loops.hpp"

namespace mxcert::fast {
namespace {

using namespace formats;

// Where a loop works on the 32 values of a block, GCC widens their bytes 256 bits at a time whatever it is told, and a
// load of 512 bits then waits for two stores: vectors of 256 bits, of which more go at a time, are faster there.
#if MXCERT_HAS_X86_LOOPS && defined(__clang__)
#define MXCERT_AVX512_HALVES MXCERT_AVX512
#elif MXCERT_HAS_X86_LOOPS
#define MXCERT_AVX512_HALVES [[gnu::target(MXCERT_V4 ",prefer-vector-width=256")]]
#endif

/// The loops for one instruction set: each a copy of the same source, compiled for it.
template <Isa isa> struct For;

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute takes none
#define MXCERT_BLOCK_LOOPS(ISA, TARGET, HALF_TARGET)                                                                   \
    template <> struct For<ISA> {                                                                                      \
        template <const Format& from> HALF_TARGET static void                                                          \
        amax(const unsigned char* in, std::size_t n, std::size_t block, const AmaxMasks& masks, std::uint32_t* out) {  \
            amax_row<from>(in, n, block, masks, out);                                                                  \
        }                                                                                                              \
        template <const Format& from>                                                                                  \
        TARGET static void raise(const unsigned char* in, std::size_t n, const AmaxMasks& masks, std::uint32_t* out) { \
            raise_amax<from>(in, n, masks, out);                                                                       \
        }                                                                                                              \
        template <const Format& from> TARGET static void scales(const std::uint32_t* amax, std::size_t n,              \
                                                                const ScaleSums& sums, std::uint8_t* out) {            \
            scales_by_sums<from>(amax, n, sums, out);                                                                  \
        }                                                                                                              \
        template <const Format& to>                                                                                    \
        TARGET static void set(const std::uint8_t* codes, std::size_t n, HalfScales* scales) {                         \
            set_scales<to>(codes, n, scales);                                                                          \
        }                                                                                                              \
        template <const Format& from, const Format& to>                                                                \
        TARGET static void row(const unsigned char* in, unsigned char* out, std::size_t n, const HalfScales* s,        \
                               const Outcomes<std::uint16_t>& o) {                                                     \
            quantize_row<from, to>(in, out, n, s, o);                                                                  \
        }                                                                                                              \
        template <const Format& from, const Format& to>                                                                \
        TARGET static void blocks(const unsigned char* in, unsigned char* out, std::uint8_t* scales, std::size_t n,    \
                                  const AmaxMasks& m, const ScaleSums& s, const Outcomes<std::uint16_t>& o) {          \
            quantize_blocks<from, to>(in, out, scales, n, m, s, o);                                                    \
        }                                                                                                              \
        template <const Format& element, const Format& to>                                                             \
        HALF_TARGET static void back(const unsigned char* in, unsigned char* out, std::size_t n, std::size_t block,    \
                                     const std::uint8_t* scales, const Outcomes<std::uint64_t>& o) {                   \
            dequantize_row<element, to>(in, out, n, block, scales, o);                                                 \
        }                                                                                                              \
        template <const Format& element, const Format& to>                                                             \
        HALF_TARGET static void back_columns(const unsigned char* in, unsigned char* out, std::size_t n,               \
                                             const std::uint8_t* scales, const Outcomes<std::uint64_t>& o) {           \
            dequantize_columns<element, to>(in, out, n, scales, o);                                                    \
        }                                                                                                              \
    };

MXCERT_BLOCK_LOOPS(Isa::baseline, , )
#if MXCERT_HAS_X86_LOOPS
#define MXCERT_AVX2 [[gnu::target("avx2")]]
MXCERT_BLOCK_LOOPS(Isa::avx2, MXCERT_AVX2, MXCERT_AVX2)
#undef MXCERT_AVX2
MXCERT_BLOCK_LOOPS(Isa::avx512, MXCERT_AVX512, MXCERT_AVX512_HALVES)
#endif
#undef MXCERT_BLOCK_LOOPS
// NOLINTEND(bugprone-macro-parentheses)

/// The loops that find amaxes.
template <Isa isa, const Format& value> QuantizeLoops amax_loops() {
    using L = For<isa>;
    return {&L::template amax<value>, &L::template raise<value>};
}

template <Isa isa, const Format& value, const Format& element> QuantizeLoops fast_loops() {
    using L = For<isa>;
    QuantizeLoops all = amax_loops<isa, value>();
    all.scales = &L::template scales<value>;
    all.set_scales = &L::template set<element>;
    all.row = &L::template row<value, element>;
    all.blocks = &L::template blocks<value, element>;
    return all;
}

/// Whether there are loops that make elements of the format, and read them.
bool has_loops(const Format& element) { return !element.is_twos_complement(); }

/// Calls `use` for the element, a constant of the loops. Precondition: it has loops.
template <class Use> auto with_element(const Format& element, Use use) {
    if (element.name == e5m2.name) return use.template operator()<e5m2>();
    if (element.name == e3m2.name) return use.template operator()<e3m2>();
    if (element.name == e2m3.name) return use.template operator()<e2m3>();
    if (element.name == e2m1.name) return use.template operator()<e2m1>();
    return use.template operator()<e4m3>();
}

template <Isa isa> QuantizeLoops quantize_for(const Format& value, const Format& element) {
    if (value.name == fp16.name) return amax_loops<isa, fp16>();
    if (!has_loops(element)) return value.name == fp32.name ? amax_loops<isa, fp32>() : amax_loops<isa, bf16>();
    return with_element(element, [&]<const Format & to>() {
        return value.name == fp32.name ? fast_loops<isa, fp32, to>() : fast_loops<isa, bf16, to>();
    });
}

template <Isa isa, const Format& element> DequantizeLoops back_loops(const Format& to) {
    using L = For<isa>;
    if (to.name == fp32.name) return {&L::template back<element, fp32>, &L::template back_columns<element, fp32>};
    if (to.name == bf16.name) return {&L::template back<element, bf16>, &L::template back_columns<element, bf16>};
    return {};
}

template <Isa isa> DequantizeLoops dequantize_for(const Format& element, const Format& to) {
    if (!has_loops(element)) return {};
    return with_element(element, [&]<const Format & from>() { return back_loops<isa, from>(to); });
}

/// Calls `use` for the instruction set.
template <class Use> auto with_isa([[maybe_unused]] Isa isa, Use use) {
#if MXCERT_HAS_X86_LOOPS
    if (isa == Isa::avx512) return use.template operator()<Isa::avx512>();
    if (isa == Isa::avx2) return use.template operator()<Isa::avx2>();
#endif
    return use.template operator()<Isa::baseline>();
}

} // namespace

QuantizeLoops quantize_loops(const Format& value, const Format& element, Isa isa) {
    return with_isa(isa, [&]<Isa chosen>() { return quantize_for<chosen>(value, element); });
}

DequantizeLoops dequantize_loops(const Format& element, const Format& to, Isa isa) {
    return with_isa(isa, [&]<Isa chosen>() { return dequantize_for<chosen>(element, to); });
}

} // namespace mxcert::fast
