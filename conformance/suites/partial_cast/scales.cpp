// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/partial_cast/scales.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/suites/maker.hpp"
#include "reference/base/random.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/partial_cast.hpp"

namespace mxcert::suites {
namespace {

using formats::e4m3;
using formats::e8m0;
using formats::fp32;
using recipe::GivenScale;
using recipe::PartialCast;

constexpr std::uint64_t scales_seed = 0x5CA1E;

std::uint64_t by_level(Level level, std::uint64_t small, std::uint64_t quick, std::uint64_t standard,
                       std::uint64_t most) {
    return is_small(level) ? small : level == Level::quick ? quick : level == Level::standard ? standard : most;
}

float value_of_element(const Format& element, Code code) {
    return fast::as_float(fast::convert(element, fp32, {}, code));
}

/// The numbers at which the element changes, without sign: half way between two of them, and beyond the largest.
std::vector<float> thresholds_of(const Format& element) {
    std::vector<float> all;
    for (Code code = 0; code < element.max_code(); ++code) {
        all.push_back((value_of_element(element, code) + value_of_element(element, code + 1)) / 2);
        all.push_back(value_of_element(element, code + 1));
    }
    const float largest = value_of_element(element, element.max_code());
    all.push_back(largest + (largest - value_of_element(element, element.max_code() - 1)) / 2);
    all.push_back(2 * largest);
    return all;
}

std::vector<Code> with_neighbours(const std::vector<Code>& codes, Code most) {
    std::vector<Code> all;
    for (const Code code : codes)
        for (Code near = code < 2 ? 0 : code - 2; near <= std::min(code + 2, most); ++near) all.push_back(near);
    return all;
}

void sort_out(std::vector<Code>& codes) {
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
}

/// Decoding scales of blocks, in binary32: where E4M3 changes, and what it has no code for.
std::vector<Code> nvfp4_scales(Level level, std::uint64_t seed) {
    std::vector<Code> all{0, 1, fp32.sign_bit(), fp32.max_code(), fp32.inf_code(), fp32.inf_code() | Code{1} << 22U};
    std::vector<Code> changes;
    for (const float threshold : thresholds_of(e4m3)) changes.push_back(fast::bits_of(threshold));
    // Of all places where it changes as many as the level takes; those of the smallest and the largest always.
    const std::uint64_t step = by_level(level, 64, 16, 2, 1);
    for (std::uint64_t i = 0; i < changes.size(); ++i)
        if (i % step == 0 || i < 4 || i + 5 > changes.size())
            for (const Code code : {changes[i] - 1, changes[i], changes[i] + 1}) all.push_back(code);
    all.push_back(fp32.one_code() | fp32.sign_bit());
    for (std::uint64_t i = 0; i < by_level(level, 2, 8, 64, 256); ++i)
        all.push_back(fast::bits_of(fast::two_to(-9)) + SplitMix64::at(seed ^ scales_seed, i) % (Code{18} << 23U));
    return all;
}

} // namespace

Code telling_scale(const PartialCast& cast, std::uint64_t block) {
    constexpr std::uint64_t binades = 7;
    constexpr int middle = 3;
    constexpr std::uint64_t powers = 13;
    const std::uint64_t turn = block % 61;
    if (cast.scale == GivenScale::e8m0) return 121 + turn * 5 % powers;
    const int power = static_cast<int>(turn * 4 % binades) - middle;
    // Fractions of E4M3 too, and no two of 61 the same.
    const Code fraction = (turn * 29 % 61) << 17U | 0x5A5A;
    return Maker(fp32).normal(power / (cast.scale == GivenScale::nvfp4 ? 2 : 1), fraction);
}

std::vector<Code> given_scales(const PartialCast& cast, Level level, std::uint64_t seed) {
    std::vector<Code> all;
    if (cast.scale == GivenScale::e8m0) {
        const Code step = is_small(level) ? 16 : 1;
        for (Code code = 0; code <= e8m0.last_code(); code += step) all.push_back(code);
        all.insert(all.end(), {1, 126, 127, 128, 253, 254, 255});
    } else if (cast.scale == GivenScale::nvfp4) {
        all = nvfp4_scales(level, seed);
    } else {
        all = {0,
               1,
               fp32.fraction_mask(),
               fp32.fraction_mask() + 1,
               fp32.one_code(),
               0x3F000000,
               0x40000000,
               0x43E00000, // 448
               fp32.max_code(),
               fp32.inf_code(),
               fp32.inf_code() | Code{1} << 22U,
               fp32.sign_bit(),
               0xBFC00000};
        for (std::uint64_t i = 0; i < by_level(level, 6, 40, 200, 2000); ++i) {
            const std::uint64_t word = SplitMix64::at(seed ^ scales_seed, i);
            // Half of them of the order of 1, the others of any binade, the subnormals too.
            all.push_back(i % 2 == 0 ? (Code{107} << 23U) + word % (Code{40} << 23U) : word % fp32.inf_code());
        }
    }
    sort_out(all);
    return all;
}

std::vector<Code> encode_scales(const PartialCast& cast, Level level, std::uint64_t seed) {
    if (cast.scale != GivenScale::nvfp4) return {fp32.one_code()};
    std::vector<Code> all{0, 1, fp32.one_code(), usual_encode_scale, fp32.max_code()};
    if (!is_small(level))
        all.insert(all.end(), {fp32.sign_bit(), 0xBFC00000, fp32.fraction_mask(), fp32.fraction_mask() + 1,
                               fp32.inf_code(), fp32.inf_code() | Code{1} << 22U, 0x45280000 /* 2688 */});
    for (std::uint64_t i = 0; i < by_level(level, 1, 6, 40, 400); ++i) {
        const std::uint64_t word = SplitMix64::at(~seed, i);
        all.push_back(i % 2 == 0 ? (Code{117} << 23U) + word % (Code{20} << 23U) : word % fp32.inf_code());
    }
    sort_out(all);
    return all;
}

std::vector<Code> values_under(const PartialCast& cast, Level level, std::uint64_t seed, Code scale,
                               Code encode_scale) {
    const Format& source = *cast.source;
    const float multiplier = fast::as_float(fast::multiplier_of(cast.scale, scale, encode_scale));
    std::vector<Code> magnitudes;
    if (std::isfinite(multiplier) && multiplier != 0)
        for (const float threshold : thresholds_of(*cast.element)) {
            const float value = std::fabs(threshold / multiplier);
            if (std::isfinite(value)) magnitudes.push_back(fast::rounded_to(source, value));
        }
    magnitudes = with_neighbours(magnitudes, source.inf_code());
    std::vector<Code> all{0, source.one_code()};
    for (const Special& special : specials_of(source)) all.push_back(special.code);
    for (std::uint64_t i = 0; i < magnitudes.size(); ++i)
        all.push_back((SplitMix64::at(seed, i) & 1U) != 0 ? magnitudes[i] | source.sign_bit() : magnitudes[i]);
    // Every value of 16 bits under a few scales.
    const bool every = source.width() == 16 && level >= Level::standard && SplitMix64::at(~seed, scale) % 16 == 0;
    if (every && cast.element->width() == 8)
        for (Code code = 0; code <= source.last_code(); ++code) all.push_back(code);
    for (std::uint64_t i = 0; i < by_level(level, 16, 64, 256, 1024); ++i)
        all.push_back(SplitMix64::at(seed ^ scale, i) & source.last_code());
    return all;
}

} // namespace mxcert::suites
