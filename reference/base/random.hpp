// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mxcert {

/// The project's only source of pseudo-random numbers: SplitMix64 (Steele, Lea and Flood 2014). Its outputs are part of
/// the project's interface: the same seed gives the same words on every machine, always.
class SplitMix64 {
  public:
    explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

    /// The next 64 bits.
    constexpr std::uint64_t operator()() {
        state_ += 0x9E3779B97F4A7C15;
        return mix(state_);
    }

    /// A number below `bound`, with a bias of at most bound / 2^64. Precondition: bound > 0.
    constexpr std::uint64_t below(std::uint64_t bound) {
        // The high half of a 64 x 64 bit product, from 32-bit parts.
        const std::uint64_t x = operator()();
        const std::uint64_t low = (x & 0xFFFFFFFF) * (bound & 0xFFFFFFFF);
        const std::uint64_t middle = (x >> 32) * (bound & 0xFFFFFFFF) + (low >> 32);
        const std::uint64_t other = (x & 0xFFFFFFFF) * (bound >> 32) + (middle & 0xFFFFFFFF);
        return (x >> 32) * (bound >> 32) + (middle >> 32) + (other >> 32);
    }

    /// The word at position `index` of the sequence of `seed`, without the ones before it.
    [[nodiscard]] static constexpr std::uint64_t at(std::uint64_t seed, std::uint64_t index) {
        return mix(seed + (index + 1) * 0x9E3779B97F4A7C15);
    }

  private:
    [[nodiscard]] static constexpr std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
};

/// Puts values in a drawn order (Fisher and Yates): a draw for each but the first, from the last one on.
template <class Values> void shuffle(Values& values, SplitMix64& random) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

} // namespace mxcert
