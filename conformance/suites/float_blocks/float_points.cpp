// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_points.hpp"

#include <algorithm>
#include <set>

#include "reference/base/random.hpp"
#include "reference/fast/recipe/float_block.hpp"
#include "reference/fast/recipe/float_scale.hpp"
#include "vectors/tables/single_bits.hpp"

namespace mxcert::suites {
namespace {

constexpr Code ulps = 2;

// Single-bit neighbours.
constexpr std::size_t most_of_amaxes = std::size_t{1} << 13;
constexpr std::size_t most_of_values = 1536; ///< under one scale, pairs among them
constexpr std::size_t bits_of_binade = 4;    ///< of a scale

/// A set of codes from `first` to `last`.
class Codes {
  public:
    Codes(Code first, Code last) : first_(first), last_(last) {}
    void add(Code code) {
        if (code >= first_ && code <= last_) codes_.insert(code);
    }
    /// With its neighbours: it is the first of a step.
    void around(Code code) {
        steps_.insert(code);
        for (Code step = 0; step <= 2 * ulps; ++step)
            if (code + step >= ulps) add(code + step - ulps);
    }
    /// The single-bit neighbours of the steps: `most`, if the sticky bits are no more.
    void add_single_bits(const Format& format, std::size_t most, std::uint64_t seed) {
        for (const Code code : SingleBits(format, {steps_.begin(), steps_.end()}).some(most, seed)) add(code);
    }
    [[nodiscard]] std::vector<Code> list() const { return {codes_.begin(), codes_.end()}; }

  private:
    Code first_;
    Code last_;
    std::set<Code> codes_;
    std::set<Code> steps_;
};

/// The first code from `low` to `high` for which it holds, high + 1 if there is none. Precondition: once it holds it
/// goes on to.
template <class Holds> Code first_that(Code low, Code high, Holds holds) {
    ++high;
    while (low < high) {
        const Code middle = low + (high - low) / 2;
        if (holds(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/// The first codes of the binades of a format without sign, its subnormals' too.
template <class Use> void for_each_binade(const Format& format, Use use) {
    for (Code binade = 0; binade <= format.inf_code(); binade += Code{1} << static_cast<unsigned>(format.fraction_bits))
        use(binade);
}

/// The least amax of the recipe as a code of the source, or next to it; 0 if there is none.
Code least_amax(const QuantizeFloat& quantize) {
    const Code least = quantize.choices.scaling.least_amax;
    if (least == 0) return 0;
    const auto above = [&](Code code) {
        // Both as binary64: values of the source are values of it.
        const Code wide = fast::scale_from(*quantize.source, code);
        const Code exponent = (wide >> 23U & 0xFFU) + 1023 - 127;
        return (exponent << 52U | (wide & 0x7FFFFFU) << 29U) >= least;
    };
    const Format& f = *quantize.source;
    return first_that(Code{1} << static_cast<unsigned>(f.fraction_bits), f.max_code(), above);
}

/// The scales from 1 to 2 whose product with an odd significand of an element is next to a tie of the target: about
/// half of them as near as binary32 cannot tell.
void add_scales_to_ties(Codes& scales, const Format& element, const Format& target) {
    constexpr unsigned fraction = 23;
    if (target.fraction_bits >= static_cast<int>(fraction)) return;
    const auto kept = static_cast<unsigned>(target.fraction_bits);
    const Code least = Code{1} << static_cast<unsigned>(element.fraction_bits);
    for (Code odd = least + 1; odd < 2 * least; odd += 2) {
        for (Code i = 0; i < 16; ++i) {
            const Code grid = (Code{1} << kept) + i * 37 % (Code{1} << kept);
            const Code tie = (2 * grid + 1) << (fraction - kept - 1);
            Code product = tie;
            while (product / odd < Code{1} << fraction) product <<= 1U;
            const Code significand = product / odd;
            scales.add((Code{127} << fraction) + significand - (Code{1} << fraction));
            scales.add((Code{127} << fraction) + significand + 1 - (Code{1} << fraction));
        }
    }
}

} // namespace

std::vector<Code> amaxes_of(const QuantizeFloat& quantize, unsigned samples, std::uint64_t seed) {
    const Format& source = *quantize.source;
    Codes amaxes(0, source.inf_code());
    for_each_binade(source, [&](Code code) { amaxes.around(code); });
    amaxes.around(least_amax(quantize));
    const recipe::FloatScale& scaling = quantize.choices.scaling;
    // Scales do not fall from the smallest amax to the largest, inverse scales do not rise.
    const auto scales = [&](Code amax) { return fast::scales_of(scaling, amax); };
    const auto from_scale = [&](Code scale) {
        amaxes.around(first_that(1, source.max_code(), [&](Code amax) { return scales(amax).scale >= scale; }));
    };
    const Format& kept = *quantize.scale;
    if (kept.specials == Specials::ieee) {
        for_each_binade(kept, [&](Code code) { from_scale(fast::scale_from(kept, code)); });
        for (std::uint64_t i = 0; i < 16 * std::uint64_t{samples}; ++i)
            from_scale(fast::scale_from(kept, SplitMix64::at(seed, i) % kept.inf_code()));
    } else {
        for (Code code = 0; code < kept.last_code(); ++code) from_scale(fast::scale_from(kept, code));
    }
    for_each_binade(source, [&](Code inverse) {
        amaxes.around(first_that(1, source.max_code(), [&](Code amax) { return scales(amax).inverse < inverse; }));
    });
    amaxes.around(
        first_that(1, source.max_code(), [&](Code amax) { return scales(amax).inverse < scales(1).inverse; }));
    amaxes.add_single_bits(source, most_of_amaxes, seed);
    for (std::uint64_t i = 0; i < 64 * std::uint64_t{samples}; ++i)
        amaxes.add(SplitMix64::at(seed + 1, i) % source.inf_code());
    return amaxes.list();
}

std::vector<Code> all_amaxes(const Format& source) {
    std::vector<Code> amaxes;
    for (Code code = 0; code <= source.inf_code(); ++code) amaxes.push_back(code);
    return amaxes;
}

std::vector<Code> amaxes_of_elements(const QuantizeFloat& quantize, unsigned samples, std::uint64_t seed) {
    const Format& source = *quantize.source;
    Codes amaxes(1, source.inf_code());
    const auto fraction_bits = static_cast<unsigned>(source.fraction_bits);
    const Code one = source.one_code();
    amaxes.add(1);
    amaxes.add(source.fraction_mask());
    amaxes.add(source.fraction_mask() + 1);
    amaxes.add(one);
    amaxes.add(one + (Code{8} << fraction_bits) + (Code{3} << (fraction_bits - 2))); // 448
    amaxes.add(source.max_code());
    amaxes.add(source.inf_code());
    amaxes.around(least_amax(quantize));
    for (std::uint64_t i = 0; i < samples; ++i) amaxes.add(1 + SplitMix64::at(seed + 2, i) % source.max_code());
    return amaxes.list();
}

std::vector<Code> values_under(const QuantizeFloat& quantize, Code amax, unsigned samples, std::uint64_t seed) {
    const Format& source = *quantize.source;
    const Format& element = *quantize.choices.scaling.element;
    const recipe::Scales scales = fast::scales_of(quantize.choices.scaling, fast::scale_from(source, amax));
    // A NaN counts as above all numbers: its codes are.
    const auto magnitude = [&](Code value) {
        return fast::element_of(quantize.choices, source, scales, value) & element.magnitude_mask();
    };
    Codes values(0, amax);
    Code from = 1;
    for (Code code = 1; code <= element.magnitude_mask() && from <= amax; ++code) {
        from = first_that(from, amax, [&](Code value) { return magnitude(value) >= code; });
        values.around(from);
    }
    values.add(0);
    values.add_single_bits(source, most_of_values, seed + amax);
    for (std::uint64_t i = 0; i < samples; ++i) values.add(SplitMix64::at(seed + 3, i) % (amax + 1));
    std::vector<Code> both = values.list();
    const std::size_t count = both.size();
    for (std::size_t i = 0; i < count; ++i) both.push_back(both[i] | source.sign_bit());
    return both;
}

std::vector<Code> scales_beside_ties(const DequantizeFloat& dequantize, Code binade, std::uint64_t seed) {
    const Format& scale = *dequantize.scale;
    const int cut = scale.fraction_bits - dequantize.target->fraction_bits;
    std::vector<Code> scales;
    if (cut < 2) return scales;
    const auto round_bit = static_cast<unsigned>(cut) - 1;
    // What is kept is even: the tie belongs to the value below it.
    const Code kept = (SplitMix64::at(seed + 4, binade) & scale.fraction_mask()) >> (round_bit + 2) << (round_bit + 2);
    const Code tie = binade | kept | Code{1} << round_bit;
    for (unsigned bit = 0; bit < round_bit; ++bit) scales.push_back(tie + (Code{1} << bit));
    return scales;
}

std::vector<Code> scales_asked(const DequantizeFloat& dequantize, unsigned samples, std::uint64_t seed) {
    const Format& scale = *dequantize.scale;
    Codes scales(0, scale.last_code());
    if (scale.specials != Specials::ieee) {
        for (Code code = 0; code <= scale.last_code(); ++code) scales.add(code);
        return scales.list();
    }
    const Code binade = Code{1} << static_cast<unsigned>(scale.fraction_bits);
    scales.add(1);
    scales.add(scale.inf_code() + binade / 2);
    for_each_binade(scale, [&](Code code) {
        scales.add(code);
        if (code == scale.inf_code()) return;
        scales.add(code + binade - 1);
        const std::vector<Code> ties = scales_beside_ties(dequantize, code, seed);
        const std::size_t count = code == scale.one_code() ? ties.size() : std::min(ties.size(), bits_of_binade);
        for (std::size_t i = 0; i < count; ++i) scales.add(ties[(code / binade * count + i) % ties.size()]);
        for (std::uint64_t i = 0; i < samples; ++i) scales.add(code + SplitMix64::at(seed + code, i) % binade);
    });
    if (&scale == &formats::fp32) add_scales_to_ties(scales, *dequantize.element, *dequantize.target);
    return scales.list();
}

} // namespace mxcert::suites
