// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "reference/fast/halves.hpp"
#include "reference/fast/isa.hpp"
#include "reference/fast/kernel.hpp"

namespace mxcert::fast {

/// Unsigned integer that stores a code of a format.
template <const Format& format> using Storage =
    std::conditional_t<format.bytes() == 1, std::uint8_t,
                       std::conditional_t<format.bytes() == 2, std::uint16_t,
                                          std::conditional_t<format.bytes() == 4, std::uint32_t, std::uint64_t>>>;

/// Whether the codes of both formats, and a significand moved up to be rounded with its carry, fit so many bits.
[[nodiscard]] constexpr bool fits_word(const Format& from, const Format& to, int bits) {
    const int significand = plan(from, to).guard + to.fraction_bits + 1;
    return from.bytes() * 8 <= bits && to.bytes() * 8 <= bits && significand + 1 <= bits;
}

/// Integer a conversion is computed in.
template <const Format& from, const Format& to, Cut how> using WordOf =
    std::conditional_t<fits_halves(from, to, how), std::uint16_t,
                       std::conditional_t<fits_word(from, to, 32), std::uint32_t, std::uint64_t>>;

/// Values converted at a time.
inline constexpr std::size_t lanes = 64;

/// How a place is used: read, read and soon not needed any more, or written.
enum class Use : std::uint8_t { read, read_once, write };

/// Fetches so many bytes that lie `distance` behind a place into the cache: while a loop computes, the memory has
/// nothing to do, and what fetches ahead by itself stops at the ends of pages. Beyond the end of an array nothing is
/// touched.
template <std::size_t bytes, std::size_t distance, Use use = Use::read>
MXCERT_INLINE void prefetch(const unsigned char* place) {
    constexpr std::size_t line = 64;
    // As a number: there may be no such place.
    const auto ahead = reinterpret_cast<std::uintptr_t>(place) + distance;
    for (std::size_t at = 0; at < bytes; at += line)
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        __builtin_prefetch(reinterpret_cast<const void*>(ahead + at), use == Use::write ? 1 : 0,
                           use == Use::read_once ? 0 : 3);
}
inline constexpr std::size_t prefetch_distance = 4096;

/// Converts a block. The codes go through an array of words first: compilers vectorise the conversion and the narrowing
/// as two loops, but GCC 12 for AVX2 not as one.
template <const Format& from, const Format& to, Cut how, bool saturate> MXCERT_INLINE void
convert_block(const unsigned char* in, unsigned char* out, const Outcomes<WordOf<from, to, how>>& outcomes) {
    [[maybe_unused]] constexpr Plan p = plan(from, to);
    // Of sat and nosat Inf and overflow differ only under a rounding that points inward, and nearest_even does not.
    [[maybe_unused]] constexpr bool inf_rounds = saturate || how == Cut::even;
    using Word = WordOf<from, to, how>;
    using In = Storage<from>;
    using Out = Storage<to>;
    Word words[lanes];
    if constexpr (fits_halves(from, to, how)) {
        for (std::size_t i = 0; i < lanes; ++i) {
            if constexpr (sizeof(In) == 4)
                words[i] = load_half(in + i * sizeof(In));
            else
                std::memcpy(&words[i], in + i * sizeof(In), sizeof(In));
        }
        for (Word& word : words) word = convert_half<to, saturate>(outcomes, word);
    } else {
        for (std::size_t i = 0; i < lanes; ++i) {
            In code;
            std::memcpy(&code, in + i * sizeof code, sizeof code);
            words[i] = convert_value<Word>(from, to, p, how, saturate, inf_rounds, outcomes, code);
        }
    }
    for (std::size_t i = 0; i < lanes; ++i) {
        const Out code = static_cast<Out>(words[i]);
        std::memcpy(out + i * sizeof code, &code, sizeof code);
    }
}

/// Converts n values, the last ones through a block of their own.
template <const Format& from, const Format& to, Cut how, bool saturate> MXCERT_INLINE void
convert_blocks(const unsigned char* in, unsigned char* out, std::size_t n, const Outcomes<std::uint64_t>& given) {
    using In = Storage<from>;
    using Out = Storage<to>;
    const Outcomes<WordOf<from, to, how>> outcomes(given);
    std::size_t done = 0;
    for (; n - done >= lanes; done += lanes) {
        prefetch<lanes * sizeof(In), prefetch_distance>(in + done * sizeof(In));
        convert_block<from, to, how, saturate>(in + done * sizeof(In), out + done * sizeof(Out), outcomes);
    }
    if (done == n) return;
    unsigned char rest_in[lanes * sizeof(In)] = {};
    unsigned char rest_out[lanes * sizeof(Out)];
    std::memcpy(rest_in, in + done * sizeof(In), (n - done) * sizeof(In));
    convert_block<from, to, how, saturate>(rest_in, rest_out, outcomes);
    std::memcpy(out + done * sizeof(Out), rest_out, (n - done) * sizeof(Out));
}

/// A loop over a span for one pair of formats, one way to cut and one instruction set.
using SpanLoop = void (*)(const unsigned char* in, unsigned char* out, std::size_t n,
                          const Outcomes<std::uint64_t>& outcomes);

// One function for each instruction set, chosen at run time. GCC's target_clones would write them for us, but Clang
// does not take it for templates, its resolvers run before a sanitizer is ready, and tests could not ask for one of
// them.
template <const Format& from, const Format& to, Cut how, bool saturate> void
loop_baseline(const unsigned char* in, unsigned char* out, std::size_t n, const Outcomes<std::uint64_t>& outcomes) {
    convert_blocks<from, to, how, saturate>(in, out, n, outcomes);
}

#if MXCERT_HAS_X86_LOOPS
template <const Format& from, const Format& to, Cut how, bool saturate> [[gnu::target("avx2")]] void
loop_avx2(const unsigned char* in, unsigned char* out, std::size_t n, const Outcomes<std::uint64_t>& outcomes) {
    convert_blocks<from, to, how, saturate>(in, out, n, outcomes);
}

template <const Format& from, const Format& to, Cut how, bool saturate> MXCERT_AVX512 void
loop_avx512(const unsigned char* in, unsigned char* out, std::size_t n, const Outcomes<std::uint64_t>& outcomes) {
    convert_blocks<from, to, how, saturate>(in, out, n, outcomes);
}
#endif

} // namespace mxcert::fast
