// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/wide_sum.hpp"

#include <algorithm>
#include <array>

namespace mxcert::fast {
namespace {

/// Bits above the largest term: 2^62 terms and a sign.
constexpr int headroom = 63;

/// Adds or takes away three words at a place; what is carried beyond the last word is the sign that cancels.
template <bool negative>
void add_words(std::vector<std::uint64_t>& words, std::size_t at, const std::array<std::uint64_t, 3>& term) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; at + i < words.size() && (i < term.size() || carry != 0); ++i) {
        const std::uint64_t part = i < term.size() ? term[i] : 0;
        std::uint64_t& word = words[at + i];
        const std::uint64_t before = word;
        if constexpr (negative) {
            word = before - part - carry;
            carry = before < part || (before == part && carry != 0) ? 1 : 0;
        } else {
            word = before + part + carry;
            // Equal only with a part of all ones.
            carry = word < before || (word == before && carry != 0) ? 1 : 0;
        }
    }
}

} // namespace

WideSum::WideSum(int lowest, int highest)
    : lowest_(lowest), words_(static_cast<std::size_t>((highest - lowest + headroom) / 64 + 1)) {}

void WideSum::clear() { std::fill(words_.begin(), words_.end(), 0); }

void WideSum::add(const Term& term) {
    if (term.significand == 0) return;
    // A significand may have zeros below the lowest place.
    const int zeros = std::max(lowest_ - term.exponent, 0);
    const Wide significand = term.significand >> zeros;
    const auto place = static_cast<unsigned>(term.exponent + zeros - lowest_);
    const unsigned up = place % 64;
    const Wide low = significand << up;
    const Wide high = up == 0 ? Wide{0} : significand >> (128 - up);
    const std::array words{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64),
                           static_cast<std::uint64_t>(high)};
    if (term.negative)
        add_words<true>(words_, place / 64, words);
    else
        add_words<false>(words_, place / 64, words);
}

WideSum::Leading WideSum::leading() const {
    Leading result;
    const bool negative = (words_.back() >> 63) != 0;
    std::vector<std::uint64_t> magnitude = words_;
    if (negative) {
        std::uint64_t carry = 1;
        for (std::uint64_t& word : magnitude) {
            word = ~word + carry;
            carry = carry != 0 && word == 0 ? 1 : 0;
        }
    }
    std::size_t first = magnitude.size();
    while (first > 0 && magnitude[first - 1] == 0) --first;
    if (first == 0) return result;
    const auto word = [&](std::size_t below) { return below < first ? magnitude[first - 1 - below] : 0; };
    const int zeros = std::countl_zero(word(0));
    Wide significand = (Wide{word(0)} << 64 | word(1)) << zeros;
    std::uint64_t rest = word(2);
    if (zeros > 0) {
        significand |= rest >> (64 - zeros);
        rest <<= zeros;
    }
    result.sticky = rest != 0;
    for (std::size_t i = 3; i < first && !result.sticky; ++i) result.sticky = word(i) != 0;
    // The exponent of the last of the 128 bits.
    const int exponent = lowest_ + 64 * (static_cast<int>(first) - 2) - zeros;
    result.term = {TermKind::finite, negative, significand, exponent};
    return result;
}

} // namespace mxcert::fast
