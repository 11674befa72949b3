// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matrices/block_kinds.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mxcert::suites {
namespace {

/// Blocks of zeros: so many values are not zero; 0 of them with zeros of one sign and of both.
constexpr std::array<std::uint64_t, 6> in_zeros{0, 0, 1, 2, 4, 7};
/// And one with one zero.
constexpr std::uint64_t zero_kinds = in_zeros.size() + 1;

/// Whether a lane is one of so many that are spread over a block, elsewhere from block to block.
bool is_of_few(std::uint64_t number, std::uint64_t lane, std::uint64_t lanes, std::uint64_t few) {
    for (std::uint64_t i = 0; i < few; ++i)
        if (lane == (number * 3 + i * lanes / few) % lanes) return true;
    return false;
}

BlockKinds with_specials(const Format& format, std::vector<Special> specials) {
    const Maker maker(format);
    return {std::move(specials), format.sign_bit(), [maker, &format](std::uint64_t number, std::uint64_t lane) {
                constexpr std::uint64_t binades = 12;
                constexpr std::uint64_t values = 37; // few, so that exact answers are at hand
                const Code value = maker.ordinary((number + lane) % values);
                return maker.normal(static_cast<int>(number * 5 % binades) - 6, value) | (value & format.sign_bit());
            }};
}

} // namespace

std::uint64_t BlockKinds::period() const { return 2 * (2 * specials_.size() + zero_kinds); }

Code BlockKinds::value(std::uint64_t number, std::uint64_t lane, std::uint64_t lanes) const {
    const Code ordinary = ordinary_(number, lane);
    if (number % 2 == 0) return ordinary;
    std::uint64_t kind = number / 2 % (period() / 2);
    if (kind < specials_.size()) return lane == number % lanes ? specials_[kind].code : ordinary;
    kind -= specials_.size();
    if (kind < specials_.size()) return specials_[kind].code;
    kind -= specials_.size();
    if (kind == in_zeros.size()) return lane == number % lanes ? 0 : ordinary;
    if (is_of_few(number, lane, lanes, in_zeros[kind])) return ordinary;
    return kind != 0 && lane % 3 == 1 ? minus_zero_ : 0;
}

BlockKinds block_kinds(const Format& format) { return with_specials(format, specials_of(format)); }

BlockKinds small_block_kinds(const Format& format) {
    std::vector<Special> specials = specials_of(format);
    std::erase_if(specials, [&](const Special& special) {
        return (special.code & format.magnitude_mask()) >= format.max_code();
    });
    return with_specials(format, std::move(specials));
}

BlockKinds element_block_kinds(const Format& element) {
    return {
        element_specials(element), element.has_minus_zero() ? element.sign_bit() : 0,
        [&element](std::uint64_t number, std::uint64_t lane) { return finite_element(element, number * 5 + lane); }};
}

Code scale_of_kind(const Format& scale, std::uint64_t number, Code ordinary) {
    if (number % 4 != 3) return ordinary;
    const std::array<Code, 4> extreme{0, 1, scale.max_code(), scale.max_code() + 1}; // NaN, or Inf where there is one
    return extreme[number / 4 % extreme.size()];
}

} // namespace mxcert::suites
