// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/stochastic/stochastic_match.hpp"

#include <algorithm>

namespace mxcert::suites::stochastic {
namespace {

using exact::Rational;

/// Whether all counts agree with this probability of each input. An input that has none is left out.
template <class Probability> bool agrees(const Tally& tally, Probability probability) {
    bool found = false;
    for (std::size_t i = 0; i < tally.counts().size(); ++i) {
        const Counts& counts = tally.counts()[i];
        const std::optional<Rational> p = probability(tally.plan().inputs[i]);
        if (!p || counts.draws == 0) continue;
        found = true;
        if (counts.other != 0 || outside(counts, *p, *p, tally.plan().test_bits).any()) return false;
    }
    return found;
}

/// The size that noise has when values are rounded.
Rational unit_of(const Noise& noise, const Input& input) {
    return noise.early ? Rational(noise.unit * input.factor) : noise.unit;
}

/// The probability of going away from zero with noise, where neighbours alone come out.
std::optional<Rational> probability_with(const Format& to, const Noise& noise, const Input& input) {
    // Below the first number of a binade the gap is half as wide: another code may come out.
    if ((input.lower & to.fraction_mask()) == 0 && input.region != Region::below_smallest) return std::nullopt;
    const Rational r = unit_of(noise, input) / input.gap;
    // Below the smallest magnitude the sum changes its sign.
    if (r > 1 || input.region == Region::below_smallest) return std::nullopt;
    const Rational half(1, 2);
    const Rational p = noise.truncated ? 1 - (1 - input.eta) / r : half + (input.eta - half) / r;
    return std::clamp(p, Rational(0), Rational(1));
}

/// Whether noise of this size is more than a random choice at ties: it decides elsewhere too, and where the gap is much
/// smaller, other codes come out.
bool shows(const Tally& tally, const Noise& noise) {
    bool decides = false;
    for (std::size_t i = 0; i < tally.counts().size(); ++i) {
        const Input& input = tally.plan().inputs[i];
        const Counts& counts = tally.counts()[i];
        if (counts.draws == 0) continue;
        const Rational unit = unit_of(noise, input);
        // Twice the gap reaches beyond the lower code where that has a gap as wide below it.
        const bool reaches = unit >= 2 * input.gap && input.eta <= Rational(1, 4) &&
                             (input.lower & tally.plan().conversion.to->fraction_mask()) != 0;
        if ((reaches || unit >= 4 * input.gap) && counts.other == 0) return false;
        const std::optional<Rational> p = probability_with(*tally.plan().conversion.to, noise, input);
        decides = decides || (p && *p > 0 && *p < 1 && input.eta != Rational(1, 2));
    }
    return decides;
}

} // namespace

std::optional<Rounding> matching_rounding(const Tally& tally) {
    const Conversion& conversion = tally.plan().conversion;
    for (unsigned r = 0; !is_stochastic(static_cast<Rounding>(r)); ++r) {
        Choices choices = choices_of(conversion);
        choices.rounding = static_cast<Rounding>(r);
        if (agrees(tally, [&](const Input& input) -> std::optional<Rational> {
                return exact::convert(*conversion.from, *conversion.to, choices, input.code).code == input.upper ? 1
                                                                                                                 : 0;
            }))
            return choices.rounding;
    }
    return std::nullopt;
}

std::optional<Noise> matching_noise(const Tally& tally) {
    const std::vector<Input>& inputs = tally.plan().inputs;
    const bool several = std::any_of(inputs.begin(), inputs.end(),
                                     [&](const Input& input) { return input.factor != inputs.front().factor; });
    for (const bool early : {false, true}) {
        if (early && !several) continue;
        const auto before = [&](const Input& input) { return early ? Rational(input.gap / input.factor) : input.gap; };
        Rational least = before(inputs.front());
        Rational most = least;
        for (const Input& input : inputs) {
            least = std::min(least, before(input));
            most = std::max(most, before(input));
        }
        // Powers of two, from the one at the least gap or below it.
        Rational unit(1);
        while (unit > least) unit /= 2;
        while (unit * 2 <= least) unit *= 2;
        for (; unit <= most; unit *= 2) {
            for (const bool truncated : {false, true}) {
                const Noise noise{unit, early, truncated};
                if (agrees(tally,
                           [&](const Input& input) {
                               return probability_with(*tally.plan().conversion.to, noise, input);
                           }) &&
                    shows(tally, noise))
                    return noise;
            }
        }
    }
    return std::nullopt;
}

std::vector<Law> matching_laws(const Tally& tally) {
    std::vector<Law> laws;
    for (unsigned bits = 1; bits <= most_random_bits && laws.size() < 3; ++bits)
        for (const Rounding rounding : {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c})
            if (agrees(tally, [&](const Input& input) -> std::optional<Rational> {
                    return probability(rounding, bits, input.eta);
                }))
                laws.push_back({rounding, bits, 0});
    return laws;
}

} // namespace mxcert::suites::stochastic
