// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/fast/convert.hpp"
#include "reference/fast/scale.hpp"
#include "reference/fast/span.hpp"

// The loops over blocks. Quantizing, the commonest ones are fast: FP32 and BF16 to E4M3 and E5M2, nearest_even and
// saturating, in the lanes of 16 bits of halves.hpp, where a scale is a number that is taken from the magnitude.
namespace mxcert::fast {

/// Lanes with a scale each: the magnitude that comes to half the smallest element, below which all are zero.
struct HalfScales {
    std::uint16_t lowest[lanes];

    [[nodiscard]] std::uint16_t lowest_of(std::size_t i) const { return lowest[i]; }
};

/// The same for lanes that share a scale.
struct HalfScale {
    std::uint16_t lowest;

    [[nodiscard]] std::uint16_t lowest_of(std::size_t /*i*/) const { return lowest; }
};

/// Whether a scale can be taken from magnitudes: not if it is NaN, or so small that subnormals of the values count.
[[nodiscard]] constexpr bool fits_half_scale(const Format& to, unsigned scale) {
    // Subnormals are below 2^-126, which must be below half the smallest element times the scale.
    return scale != 0xFF && static_cast<int>(scale) - 127 + to.emin() - to.fraction_bits - 1 >= -126;
}

/// The bound of a scale for these elements; any number if the scale does not fit.
template <const Format& to> MXCERT_INLINE HalfScale half_scale(int scale) {
    return {static_cast<std::uint16_t>(half_lowest<to> + (scale - 127) * (1 << formats::bf16.fraction_bits))};
}

/// Sets the scales of n lanes, `lanes` of them an entry.
template <const Format& to>
MXCERT_INLINE void set_scales(const std::uint8_t* codes, std::size_t n, HalfScales* scales) {
    for (std::size_t done = 0; done < n; done += lanes, ++scales) {
        const std::size_t count = std::min(lanes, n - done);
        for (std::size_t i = 0; i < count; ++i) scales->lowest[i] = half_scale<to>(codes[done + i]).lowest;
    }
}

/// The upper halves of n values, which tell as much as the whole.
template <const Format& from, std::size_t n>
MXCERT_INLINE void load_halves(const unsigned char* in, std::uint16_t* words) {
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (from.bytes() == 4)
            words[i] = load_half(in + 4 * i);
        else
            std::memcpy(&words[i], in + 2 * i, 2);
    }
}

/// Converts them to elements. `scales` has what half_scale() gives for lane i: lowest_of(i). Without `specials` no
/// value may be Inf or NaN.
template <const Format& to, std::size_t n, bool specials, class Scales> MXCERT_INLINE void
quantize_halves(std::uint16_t* words, const Scales& scales, const Outcomes<std::uint16_t>& outcomes) {
    constexpr auto magnitudes = static_cast<std::uint16_t>(formats::bf16.magnitude_mask());
    [[maybe_unused]] constexpr auto inf = static_cast<std::uint16_t>(formats::bf16.inf_code());
    // From half the smallest element to the largest, whatever the scale.
    constexpr auto range = static_cast<std::uint16_t>(half_highest<to, true> - half_lowest<to>);
    [[maybe_unused]] const BySign<std::uint16_t> nan =
        outcomes.nan; // a copy: a store could change what a reference leads to
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint16_t code = words[i];
        const auto magnitude = static_cast<std::uint16_t>(code & magnitudes);
        const std::uint16_t lowest = scales.lowest_of(i);
        const auto above = static_cast<std::uint16_t>(std::max(magnitude, lowest) - lowest);
        const std::uint16_t held = std::min(above, range);
        std::uint16_t result = round_within<to, true>(static_cast<std::int16_t>(half_lowest<to> + held));
        const auto negative = static_cast<std::uint16_t>(0 - (code >> 15));
        // The bound of a large scale is beyond every value: Inf has to be told from them.
        if constexpr (specials) result = magnitude >= inf ? static_cast<std::uint16_t>(to.max_code()) : result;
        result = static_cast<std::uint16_t>(result | (negative & static_cast<std::uint16_t>(to.sign_bit())));
        if constexpr (specials) result = magnitude > inf ? nan.pick(negative) : result;
        words[i] = result;
    }
}

template <std::size_t n> MXCERT_INLINE void store_bytes(const std::uint16_t* words, unsigned char* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<unsigned char>(words[i]);
}

/// Converts a value in each of n lanes; `scales` as above.
template <const Format& from, const Format& to, std::size_t n, class Scales>
MXCERT_INLINE void quantize_lanes(const unsigned char* in, unsigned char* out, const Scales& scales,
                                  const Outcomes<std::uint16_t>& outcomes) {
    std::uint16_t words[n];
    load_halves<from, n>(in, words);
    quantize_halves<to, n, true>(words, scales, outcomes);
    store_bytes<n>(words, out);
}

/// Converts a row of n values; `scales` has one entry for every `lanes` of them.
template <const Format& from, const Format& to>
MXCERT_INLINE void quantize_row(const unsigned char* in, unsigned char* out, std::size_t n, const HalfScales* scales,
                                const Outcomes<std::uint16_t>& outcomes) {
    constexpr std::size_t bytes = from.bytes();
    std::size_t done = 0;
    for (; n - done >= lanes; done += lanes, ++scales)
        quantize_lanes<from, to, lanes>(in + done * bytes, out + done, *scales, outcomes);
    if (done == n) return;
    unsigned char rest_in[lanes * bytes] = {};
    unsigned char rest_out[lanes];
    std::memcpy(rest_in, in + done * bytes, (n - done) * bytes);
    quantize_lanes<from, to, lanes>(rest_in, rest_out, *scales, outcomes);
    std::memcpy(out + done, rest_out, n - done);
}

/// What of Inf and NaN counts for an amax: their bits are cleared where it does not.
struct AmaxMasks {
    std::uint32_t nan;
    std::uint32_t inf;
};

/// A magnitude as it counts.
template <const Format& from, class Word> MXCERT_INLINE Word counted(const unsigned char* at, const AmaxMasks& masks) {
    Word code;
    std::memcpy(&code, at, sizeof code);
    constexpr auto inf = static_cast<Word>(from.inf_code());
    const auto magnitude = static_cast<Word>(code & static_cast<Word>(from.magnitude_mask()));
    const auto of_nan = static_cast<Word>(magnitude & static_cast<Word>(masks.nan));
    const auto of_inf = static_cast<Word>(magnitude & static_cast<Word>(masks.inf));
    return magnitude > inf ? of_nan : magnitude == inf ? of_inf : magnitude;
}

/// The scale of a finite amax, a code of `from`, by sums.
template <const Format& from, class Word> MXCERT_INLINE int scale_of_finite(Word amax, const ScaleSums& sums) {
    const std::uint32_t fp32 = static_cast<std::uint32_t>(amax) << (formats::fp32.fraction_bits - from.fraction_bits);
    const int byte = static_cast<int>((fp32 + sums.add) >> 23) - sums.sub - (fp32 == sums.exception ? 1 : 0);
    return amax == 0 ? sums.zero : std::max(byte, sums.lowest);
}

/// The scale of any amax.
template <const Format& from, class Word> MXCERT_INLINE std::uint8_t scale_by_sums(Word amax, const ScaleSums& sums) {
    constexpr auto inf = static_cast<Word>(from.inf_code());
    if (amax >= inf) return amax == inf ? sums.inf : sums.nan;
    return static_cast<std::uint8_t>(scale_of_finite<from>(amax, sums));
}

/// The scales of n amaxes.
template <const Format& from> MXCERT_INLINE void scales_by_sums(const std::uint32_t* amax, std::size_t n,
                                                                const ScaleSums& given, std::uint8_t* scales) {
    const ScaleSums sums = given; // a copy: a store could change what a reference leads to
    for (std::size_t i = 0; i < n; ++i) scales[i] = scale_by_sums<from>(amax[i], sums);
}

/// Values of the commonest block.
inline constexpr std::size_t common_block = 32;

/// Blocks quantized together: the amax of one does not have to wait for the elements of another. Of fewer GCC unrolls
/// the last loop of largest_of_blocks() into single values.
inline constexpr std::size_t block_group = 32;

/// The amax of each block of a row of n values.
template <const Format& from> MXCERT_INLINE void amax_row(const unsigned char* in, std::size_t n, std::size_t block,
                                                          const AmaxMasks& masks, std::uint32_t* amax) {
    using Word = Storage<from>;
    for (std::size_t begin = 0; begin < n; begin += block) {
        const unsigned char* at = in + begin * sizeof(Word);
        const std::size_t size = std::min(block, n - begin);
        Word largest = 0;
        for (std::size_t i = 0; i < size; ++i)
            largest = std::max(largest, counted<from, Word>(at + i * sizeof(Word), masks));
        *amax++ = largest;
    }
}

/// Quantizes a block, whatever is in it. Returns its scale.
template <const Format& from, const Format& to>
MXCERT_INLINE std::uint8_t quantize_block(const unsigned char* in, unsigned char* out, const AmaxMasks& masks,
                                          const ScaleSums& sums, const Outcomes<std::uint16_t>& outcomes) {
    std::uint32_t amax = 0;
    amax_row<from>(in, common_block, common_block, masks, &amax);
    const std::uint8_t scale = scale_by_sums<from>(amax, sums);
    quantize_lanes<from, to, common_block>(in, out, half_scale<to>(scale), outcomes);
    return scale;
}

/// The greater of every two neighbours.
template <std::size_t n, class Word> MXCERT_INLINE void greater_of_pairs(const Word* in, Word* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = std::max(in[2 * i], in[2 * i + 1]);
}

/// The greatest magnitude of each block of a group.
template <const Format& from, class Word> MXCERT_INLINE void largest_of_blocks(const unsigned char* in, Word* largest) {
    constexpr auto magnitudes = static_cast<Word>(from.magnitude_mask());
    constexpr std::size_t half = 16;
    static_assert(2 * half == common_block);
    Word of_16[block_group * half];
    for (std::size_t b = 0; b < block_group; ++b) {
        const unsigned char* at = in + b * common_block * sizeof(Word);
        for (std::size_t i = 0; i < half; ++i) {
            Word first;
            Word second;
            std::memcpy(&first, at + i * sizeof first, sizeof first);
            std::memcpy(&second, at + (half + i) * sizeof second, sizeof second);
            of_16[b * half + i] =
                std::max(static_cast<Word>(first & magnitudes), static_cast<Word>(second & magnitudes));
        }
    }
    Word of_8[block_group * 8];
    Word of_4[block_group * 4];
    Word of_2[block_group * 2];
    greater_of_pairs<block_group * 8>(of_16, of_8);
    greater_of_pairs<block_group * 4>(of_8, of_4);
    greater_of_pairs<block_group * 2>(of_4, of_2);
    greater_of_pairs<block_group>(of_2, largest);
}

/// Quantizes a group of blocks without Inf and NaN. Of others it does nothing, and returns false.
template <const Format& from, const Format& to>
MXCERT_INLINE bool quantize_group(const unsigned char* in, unsigned char* out, const ScaleSums& sums,
                                  const Outcomes<std::uint16_t>& outcomes, std::uint8_t* scales) {
    using Word = Storage<from>;
    Word largest[block_group];
    largest_of_blocks<from>(in, largest);
    Word most = 0;
    for (const Word one : largest) most = std::max(most, one);
    if (most >= static_cast<Word>(from.inf_code())) return false;
    HalfScale by[block_group];
    for (std::size_t b = 0; b < block_group; ++b) {
        const int scale = scale_of_finite<from>(largest[b], sums);
        scales[b] = static_cast<std::uint8_t>(scale);
        by[b] = half_scale<to>(scale);
    }
    // Two at a time: their elements fill the widest register.
    constexpr std::size_t n = 2 * common_block;
    constexpr std::size_t bytes = n * sizeof(Word);
    constexpr std::size_t two_groups = 2 * block_group * common_block * sizeof(Word);
    for (std::size_t b = 0; b < block_group; b += 2) {
        prefetch<bytes, two_groups, Use::read_once>(in);
        std::uint16_t words[n];
        load_halves<from, n>(in, words);
        quantize_halves<to, common_block, false>(words, by[b], outcomes);
        quantize_halves<to, common_block, false>(words + common_block, by[b + 1], outcomes);
        store_bytes<n>(words, out);
        in += bytes;
        out += n;
    }
    return true;
}

/// Quantizes n blocks of that size, one after the other. Blocks whose scale does not fit are left to the caller.
template <const Format& from, const Format& to>
MXCERT_INLINE void quantize_blocks(const unsigned char* in, unsigned char* out, std::uint8_t* scales, std::size_t n,
                                   const AmaxMasks& given_masks, const ScaleSums& given_sums,
                                   const Outcomes<std::uint16_t>& given) {
    // Copies: a store could change what a reference leads to.
    const AmaxMasks masks = given_masks;
    const ScaleSums sums = given_sums;
    const Outcomes<std::uint16_t> outcomes = given;
    constexpr std::size_t block_bytes = common_block * sizeof(Storage<from>);
    while (n != 0) {
        const std::size_t count = std::min(n, block_group);
        if (count < block_group || !quantize_group<from, to>(in, out, sums, outcomes, scales))
            for (std::size_t b = 0; b < count; ++b)
                scales[b] =
                    quantize_block<from, to>(in + b * block_bytes, out + b * common_block, masks, sums, outcomes);
        n -= count;
        scales += count;
        in += count * block_bytes;
        out += count * common_block;
    }
}

/// Raises the amax of every column by a row of n values.
template <const Format& from>
MXCERT_INLINE void raise_amax(const unsigned char* in, std::size_t n, const AmaxMasks& masks, std::uint32_t* amax) {
    using Word = Storage<from>;
    for (std::size_t i = 0; i < n; ++i)
        amax[i] = std::max<std::uint32_t>(amax[i], counted<from, Word>(in + i * sizeof(Word), masks));
}

/// The least of the lines of a decoded magnitude, in the layout of BF16: the inverse of lines() of halves.hpp is
/// concave. Line k is that of the binade whose first subnormal is 2^k, the last one that of all normal magnitudes.
template <const Format& from, int k = 0> MXCERT_INLINE constexpr std::int16_t least_line(std::int16_t magnitude) {
    constexpr int fraction = formats::bf16.fraction_bits;
    constexpr int first = (from.emin() - from.fraction_bits + k + formats::bf16.bias) << fraction;
    const auto line = static_cast<std::int16_t>(first + (magnitude - (1 << k)) * (1 << (fraction - k)));
    if constexpr (k == from.fraction_bits)
        return line;
    else
        return std::min(line, least_line<from, k + 1>(magnitude));
}

/// What is added to the code of a value in the layout of BF16 to multiply it by a scale, as far as the product is
/// normal.
MXCERT_INLINE std::int16_t half_added_by(unsigned scale) {
    return static_cast<std::int16_t>((static_cast<int>(scale) - 127) * (1 << formats::bf16.fraction_bits));
}

/// Whether any of n elements is Inf or NaN.
template <const Format& from> MXCERT_INLINE bool has_specials(const unsigned char* in, std::size_t n) {
    if constexpr (from.specials == Specials::none) return false;
    // A carry into the bit of the sign, of all elements together.
    constexpr auto carry = static_cast<unsigned char>(from.magnitude_mask() - from.max_code());
    constexpr auto magnitudes = static_cast<unsigned char>(from.magnitude_mask());
    unsigned char carried = 0;
    for (std::size_t i = 0; i < n; ++i)
        carried = static_cast<unsigned char>(carried | static_cast<unsigned char>((in[i] & magnitudes) + carry));
    return (carried & from.sign_bit()) != 0;
}

/// Decodes n elements times their scales, to FP32 or BF16. `add(i)` is half_added_by() of the scale of lane i. Without
/// `specials` none may be Inf or NaN.
template <const Format& from, const Format& to, bool specials, std::size_t n, class Add> MXCERT_INLINE void
dequantize_lanes(const unsigned char* in, unsigned char* out, const Add& add, const Outcomes<std::uint32_t>& outcomes) {
    [[maybe_unused]] constexpr auto inf =
        static_cast<std::uint16_t>(from.has_inf() ? from.inf_code() : from.magnitude_mask());
    constexpr int sign_up = 16 - from.width();
    constexpr bool wide = to.bytes() == 4;
    const std::uint32_t nan = outcomes.nan.positive;
    const std::uint32_t nan_difference = outcomes.nan.difference;
    std::uint16_t words[n];
    [[maybe_unused]] const auto nan_high = static_cast<std::uint16_t>(wide ? nan >> 16 : nan);
    [[maybe_unused]] const auto nan_sign = static_cast<std::uint16_t>(wide ? nan_difference >> 16 : nan_difference);
    [[maybe_unused]] const auto nan_low = static_cast<std::uint16_t>(nan);
    for (std::size_t i = 0; i < n; ++i) words[i] = in[i];
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint16_t code = words[i];
        const auto magnitude = static_cast<std::uint16_t>(code & from.magnitude_mask());
        const auto sign = static_cast<std::uint16_t>((code & from.sign_bit()) << sign_up);
        auto value = static_cast<std::uint16_t>(least_line<from>(static_cast<std::int16_t>(magnitude)) + add(i));
        value = magnitude == 0 ? std::uint16_t{0} : value;
        if constexpr (specials && from.has_inf())
            value = magnitude == inf ? static_cast<std::uint16_t>(formats::bf16.inf_code()) : value;
        value = static_cast<std::uint16_t>(value | sign);
        if constexpr (specials) {
            const auto negative = static_cast<std::uint16_t>(0 - (sign >> 15));
            const bool is_nan = from.has_inf() ? magnitude > inf : magnitude == inf;
            value = is_nan ? static_cast<std::uint16_t>(nan_high ^ (negative & nan_sign)) : value;
        }
        words[i] = value;
    }
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (wide) {
            // The lower half of an FP32 code is zero but for NaN.
            const std::uint32_t high = words[i];
            const std::uint32_t low = specials && (high & 0x7FFF) > formats::bf16.inf_code() ? nan_low : 0U;
            const std::uint32_t code = high << 16 | low;
            std::memcpy(out + 4 * i, &code, 4);
        } else {
            std::memcpy(out + 2 * i, &words[i], 2);
        }
    }
}

/// A row of n elements, `add` as above with the place in the row; the last ones through lanes of their own.
template <const Format& from, const Format& to, bool specials, class Add>
MXCERT_INLINE void dequantize_run(const unsigned char* in, unsigned char* out, std::size_t n, const Add& add,
                                  const Outcomes<std::uint32_t>& outcomes) {
    constexpr std::size_t at_once = 32;
    constexpr auto bytes = static_cast<std::size_t>(to.bytes());
    std::size_t done = 0;
    for (; n - done >= at_once; done += at_once) {
        prefetch<at_once * bytes, prefetch_distance, Use::write>(out + done * bytes);
        dequantize_lanes<from, to, specials, at_once>(
            in + done, out + done * bytes, [&](std::size_t i) { return add(done + i); }, outcomes);
    }
    if (done == n) return;
    unsigned char rest_in[at_once] = {};
    unsigned char rest_out[at_once * bytes];
    std::memcpy(rest_in, in + done, n - done);
    dequantize_lanes<from, to, specials, at_once>(
        rest_in, rest_out, [&](std::size_t i) { return add(done + std::min(i, n - done - 1)); }, outcomes);
    std::memcpy(out + done * bytes, rest_out, (n - done) * bytes);
}

/// A row of n elements, each `block` of them with the next scale.
template <const Format& from, const Format& to, bool specials>
MXCERT_INLINE void dequantize_blocks(const unsigned char* in, unsigned char* out, std::size_t n, std::size_t block,
                                     const std::uint8_t* scales, const Outcomes<std::uint32_t>& outcomes) {
    for (std::size_t begin = 0; begin < n; begin += block) {
        const std::int16_t added = half_added_by(*scales++);
        dequantize_run<from, to, specials>(
            in + begin, out + begin * static_cast<std::size_t>(to.bytes()), std::min(block, n - begin),
            [=](std::size_t /*i*/) { return added; }, outcomes);
    }
}

template <const Format& from, const Format& to>
MXCERT_INLINE void dequantize_row(const unsigned char* in, unsigned char* out, std::size_t n, std::size_t block,
                                  const std::uint8_t* scales, const Outcomes<std::uint64_t>& given) {
    const Outcomes<std::uint32_t> outcomes(given);
    if (has_specials<from>(in, n))
        dequantize_blocks<from, to, true>(in, out, n, block, scales, outcomes);
    else
        dequantize_blocks<from, to, false>(in, out, n, block, scales, outcomes);
}

/// A row of n elements with a scale each.
template <const Format& from, const Format& to>
MXCERT_INLINE void dequantize_columns(const unsigned char* in, unsigned char* out, std::size_t n,
                                      const std::uint8_t* scales, const Outcomes<std::uint64_t>& given) {
    const Outcomes<std::uint32_t> outcomes(given);
    const auto add = [=](std::size_t i) { return half_added_by(scales[i]); };
    if (has_specials<from>(in, n))
        dequantize_run<from, to, true>(in, out, n, add, outcomes);
    else
        dequantize_run<from, to, false>(in, out, n, add, outcomes);
}

using SetScales = void (*)(const std::uint8_t* codes, std::size_t n, HalfScales* scales);
using QuantizeRow = void (*)(const unsigned char* in, unsigned char* out, std::size_t n, const HalfScales* scales,
                             const Outcomes<std::uint16_t>& outcomes);
using QuantizeBlocks = void (*)(const unsigned char* in, unsigned char* out, std::uint8_t* scales, std::size_t n,
                                const AmaxMasks& masks, const ScaleSums& sums, const Outcomes<std::uint16_t>& outcomes);
using AmaxRow = void (*)(const unsigned char* in, std::size_t n, std::size_t block, const AmaxMasks& masks,
                         std::uint32_t* amax);
using RaiseAmax = void (*)(const unsigned char* in, std::size_t n, const AmaxMasks& masks, std::uint32_t* amax);
using ScalesBySums = void (*)(const std::uint32_t* amax, std::size_t n, const ScaleSums& sums, std::uint8_t* scales);
using DequantizeRow = void (*)(const unsigned char* in, unsigned char* out, std::size_t n, std::size_t block,
                               const std::uint8_t* scales, const Outcomes<std::uint64_t>& outcomes);
using DequantizeColumns = void (*)(const unsigned char* in, unsigned char* out, std::size_t n,
                                   const std::uint8_t* scales, const Outcomes<std::uint64_t>& outcomes);

/// The loops that quantize; nullptr where there is none.
struct QuantizeLoops {
    AmaxRow amax_row = nullptr;
    RaiseAmax raise_amax = nullptr;
    ScalesBySums scales = nullptr;
    SetScales set_scales = nullptr;
    QuantizeRow row = nullptr;
    QuantizeBlocks blocks = nullptr;
};
/// The loops that dequantize.
struct DequantizeLoops {
    DequantizeRow row = nullptr;
    DequantizeColumns columns = nullptr;
};

/// Precondition: the machine runs `isa`; `value` is fp32, bf16 or fp16, `element` that of an MX format. No loop
/// dequantizes to a format other than fp32 and bf16.
[[nodiscard]] QuantizeLoops quantize_loops(const Format& value, const Format& element, Isa isa);
[[nodiscard]] DequantizeLoops dequantize_loops(const Format& element, const Format& to, Isa isa);

} // namespace mxcert::fast
