// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/single_bits.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

#include "reference/base/random.hpp"

namespace mxcert {
namespace {

/// The code from `low` to `high` with the most trailing zeros. Precondition: 0 < low <= high.
Code roundest(Code low, Code high) {
    const auto bit = static_cast<unsigned>(std::bit_width((low - 1) ^ high)) - 1;
    return high >> bit << bit;
}

} // namespace

SingleBits::SingleBits(const Format& from, const std::vector<Code>& firsts)
    : from_(from), bits_(static_cast<unsigned>(from.fraction_bits)) {
    // Codes of one sign and given scale have the same bits above those of the magnitude.
    const Code magnitude = from.magnitude_mask();
    Code low = 0; // the first code of the step before
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        const Code first = firsts[i];
        Code end = first | magnitude;
        if (i + 1 < firsts.size()) end = std::min(end, firsts[i + 1] - 1);
        const Code start = first & ~magnitude;
        if (first == start)
            add(first, Kind::above, first, end);
        else if (const Code before = std::max(i == 0 ? start : low, start);
                 std::countr_zero(first - 1) > std::countr_zero(first))
            add(first - 1, Kind::below, before, end);
        else
            add(first, Kind::above, before, end);
        if (end - first >= 2) add(roundest(first + 1, end - 1), Kind::inside, first, end);
        low = first;
    }
    size_ += bits_ * (bits_ + 1) * (bits_ - 1) / 6; // the pairs of 2 to bits_ bits; no bits make none
}

Code SingleBits::place_of(Code code) const {
    const Code magnitude = code & from_.magnitude_mask();
    const Code fraction = code & from_.fraction_mask();
    // Of subnormal numbers the binade is that of the first set bit.
    const Code above = magnitude == fraction ? fraction - std::bit_floor(fraction) : fraction;
    return (code - above) & ~from_.sign_bit();
}

void SingleBits::add(Code code, Kind kind, Code low, Code high) {
    const Code place = place_of(code);
    // Mostly that of the anchor before.
    std::size_t& last = last_[static_cast<std::size_t>(kind)];
    if (last >= groups_.size() || groups_[last].kind != kind || groups_[last].place != place) {
        const auto [at, fresh] = at_.try_emplace({place, kind}, groups_.size());
        if (fresh) groups_.push_back({place, kind, {}});
        last = at->second;
    }
    groups_[last].anchors.push_back({code, low, high});
    const auto bits_to = [&](Code span) { return std::min<std::size_t>(bits_, std::bit_width(span)); };
    size_ += bits_to(high - code) + 2 * bits_to(code - low);
}

bool SingleBits::find(const Anchor& anchor, unsigned pattern, unsigned bit, Code& found) {
    const Code one = Code{1} << bit;
    if (pattern == 0) {
        if (one > anchor.high - anchor.code) return false;
        found = anchor.code + one;
        return true;
    }
    const Code back = pattern == 1 ? one : one + 1;
    if (back > anchor.code - anchor.low) return false;
    found = anchor.code - back;
    return true;
}

bool SingleBits::find(const Group& group, unsigned pattern, unsigned bit, std::uint64_t turn, Code& found) {
    const std::size_t count = group.anchors.size();
    for (std::size_t tried = 0; tried < count; ++tried)
        if (find(group.anchors[(turn + tried) % count], pattern, bit, found)) return true;
    return false;
}

std::vector<Code> SingleBits::pairs(std::uint64_t seed) const {
    // By how many bits are cut off.
    std::vector<std::vector<const Anchor*>> anchors(bits_ + 1);
    for (const Group& group : groups_)
        if (group.kind == Kind::below)
            for (const Anchor& anchor : group.anchors) {
                if ((anchor.code & from_.magnitude_mask()) > from_.max_code()) continue; // Inf: NaN is not rounded
                const auto cut = static_cast<unsigned>(std::countr_zero(anchor.code));
                const auto width = static_cast<unsigned>(std::bit_width(anchor.high - anchor.code));
                anchors[std::min({bits_, cut, width})].push_back(&anchor);
            }
    std::vector<std::pair<std::uint64_t, Code>> found;
    std::uint64_t turns = 0;
    for (unsigned cut = 2; cut <= bits_; ++cut)
        for (unsigned high = 1; high < cut; ++high)
            for (unsigned low = 0; low < high; ++low) {
                const std::uint64_t turn = SplitMix64::at(seed + 2, turns++);
                const Code distance = Code{1} << high | Code{1} << low;
                // One step may be shorter than another.
                const auto& group_anchors = anchors[cut];
                for (std::size_t tried = 0; tried < group_anchors.size(); ++tried) {
                    const Anchor& anchor = *group_anchors[(turn + tried) % group_anchors.size()];
                    if (distance > anchor.high - anchor.code) continue;
                    found.emplace_back(turn, anchor.code + distance);
                    break;
                }
            }
    std::sort(found.begin(), found.end());
    std::vector<Code> codes;
    codes.reserve(found.size());
    for (const auto& [turn, code] : found) codes.push_back(code);
    return codes;
}

std::vector<Code> SingleBits::all() const {
    std::vector<Code> codes;
    codes.reserve(size_);
    Code found = 0;
    for (const Group& group : groups_)
        for (const Anchor& anchor : group.anchors)
            for (unsigned pattern = 0; pattern < patterns; ++pattern)
                for (unsigned bit = 0; bit < bits_; ++bit)
                    if (find(anchor, pattern, bit, found)) codes.push_back(found);
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    return codes;
}

std::vector<Code> SingleBits::some(std::size_t most, std::uint64_t seed) const {
    std::vector<Code> codes;
    std::unordered_set<Code> taken;
    taken.reserve(std::min(most, size_));
    const auto take = [&](Code code) {
        if (taken.insert(code).second) codes.push_back(code);
    };
    Code found = 0;
    // The sticky bits of each binade; those of one bit in a seeded order.
    std::vector<std::vector<std::pair<std::uint64_t, Code>>> sticky(bits_);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const Group& group = groups_[i];
        if (group.kind == Kind::inside) continue;
        const auto below = at_.find({group.place, Kind::below});
        for (unsigned bit = 0; bit < bits_; ++bit) {
            const std::uint64_t turn = SplitMix64::at(seed, i * bits_ + bit);
            if (group.kind == Kind::above && below != at_.end() && find(groups_[below->second], 0, bit, turn, found))
                continue;
            // Those that belong to the step below go first: only there a sticky bit decides.
            if (find(group, 0, bit, turn, found))
                sticky[bit].emplace_back((group.kind == Kind::below ? 0 : ~(~std::uint64_t{0} >> 1U)) | turn >> 1U,
                                         found);
        }
    }
    std::size_t rounds = 0;
    for (auto& of_bit : sticky) {
        std::sort(of_bit.begin(), of_bit.end());
        rounds = std::max(rounds, of_bit.size());
    }
    for (std::size_t round = 0; round < rounds; ++round)
        for (const auto& of_bit : sticky)
            if (round < of_bit.size()) take(of_bit[round].second);
    if (codes.size() >= most) return codes;
    const std::size_t with_pairs = codes.size() + (most - codes.size()) / 2;
    for (const Code code : pairs(seed)) {
        if (codes.size() >= with_pairs) break;
        take(code);
    }

    // Those with the lowest numbers, about twice as many as are wanted.
    const std::size_t wanted = most - codes.size();
    const std::uint64_t total = std::max<std::uint64_t>(1, std::uint64_t{groups_.size()} * patterns * bits_);
    const std::uint64_t highest = total / 2 <= wanted ? ~std::uint64_t{0} : ~std::uint64_t{0} / total * 2 * wanted;
    std::vector<std::pair<std::uint64_t, Code>> others;
    for (std::size_t i = 0; i < groups_.size(); ++i)
        for (unsigned pattern = 0; pattern < patterns; ++pattern)
            for (unsigned bit = 0; bit < bits_; ++bit) {
                const std::uint64_t turn = SplitMix64::at(seed + 1, (i * patterns + pattern) * bits_ + bit);
                if (turn <= highest && find(groups_[i], pattern, bit, turn, found)) others.emplace_back(turn, found);
            }
    std::sort(others.begin(), others.end());
    for (std::size_t i = 0; i < others.size() && codes.size() < most; ++i) take(others[i].second);
    return codes;
}

std::vector<Code> single_bit_neighbours(const Format& from, const std::vector<Code>& firsts, std::size_t most,
                                        std::uint64_t seed) {
    const SingleBits bits(from, firsts);
    const bool is_all = bits.size() <= most;
    std::vector<Code> codes = is_all ? bits.all() : bits.some(most, seed);
    if (is_all) {
        const std::vector<Code> pairs = bits.pairs(seed);
        codes.insert(codes.end(), pairs.begin(), pairs.end());
    } else if (from.scale != nullptr && most != 0) {
        std::vector<Code> of_few;
        const Code middle = from.scale->one_code();
        for (const Code first : firsts) {
            const Code scale = from.scale_of(first);
            if (scale == from.scale_of(firsts.front()) || scale == middle || scale == from.scale->max_code())
                of_few.push_back(first);
        }
        const std::vector<Code> all = SingleBits(from, of_few).all();
        codes.insert(codes.end(), all.begin(), all.end());
    }
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    return codes;
}

} // namespace mxcert
