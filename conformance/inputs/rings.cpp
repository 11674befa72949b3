// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/rings.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "conformance/inputs/kinds.hpp"
#include "conformance/inputs/point_order.hpp"
#include "conformance/inputs/poison.hpp"
#include "reference/base/random.hpp"

namespace mxcert::inputs {
namespace {

constexpr std::size_t most_inputs = 4096;
constexpr std::size_t most_in_large_calls = 256; ///< beside boundaries, of a scale

using Known = std::vector<Point>; ///< inputs with their answers

/// Whether repeating a ring of so many inputs brings each of them to every place of calls of all lengths.
bool has_all_places(std::size_t ring) {
    if (ring % 2 == 0) return false;
    return std::all_of(call_lengths.begin(), call_lengths.end(),
                       [=](std::uint64_t length) { return std::gcd(length, std::uint64_t{ring}) == 1; });
}

/// Of a source with given scales, those of a ring: one in the middle, where nothing overflows, and another.
std::array<Code, 2> ring_scales(const Format& from, std::uint64_t seed) {
    if (from.scale == nullptr) return {};
    return {127, SplitMix64::at(seed, 0x5CA1E) % from.scale->last_code()};
}

/// Those and the ends of the range: of large calls.
std::array<Code, 4> large_scales(const Format& from, std::uint64_t seed) {
    if (from.scale == nullptr) return {};
    const std::array<Code, 2> scales = ring_scales(from, seed);
    return {0, scales[0], scales[1], from.scale->last_code() - 1};
}

/// The ends of every kind of value, under those of the scales that the source has.
std::vector<Code> ends_under(const Format& from, std::span<const Code> scales) {
    if (from.scale == nullptr) return ends_of_kinds(from);
    std::vector<Code> ends;
    for (const Code scale : scales)
        if (scale <= from.scale->last_code())
            for (const Code end : ends_of_kinds(from)) ends.push_back(from.code_of(scale, end));
    return ends;
}

/// In order, each once.
std::vector<Code> ascending(std::vector<Code> inputs) {
    std::ranges::sort(inputs);
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    return inputs;
}

/// A ring of these, in this order.
Ring ring_in_order(const Known& known, const std::array<std::uint8_t, 2>& poison) {
    Ring ring;
    ring.poison = poison;
    for (const Point& point : known) {
        ring.inputs.push_back(point.input);
        ring.answers.push_back(point.got);
        ring.randoms.push_back(point.random);
    }
    return ring;
}

/// The inputs of a ring with their answers.
Known known_of(const Ring& ring) {
    Known known;
    for (std::size_t i = 0; i < ring.inputs.size(); ++i)
        known.push_back({ring.inputs[i], ring.randoms[i], ring.answers[i]});
    return known;
}

/// Fills a ring with inputs of its own until it has all places, and puts them in order.
Ring ring_of(const Known& known, const std::array<std::uint8_t, 2>& poison) {
    Known all = known;
    for (std::size_t i = 0; all.size() < 3 || !has_all_places(all.size()); ++i) all.push_back(known[i % known.size()]);
    std::map<Code, std::uint32_t> of_answer;
    std::vector<std::uint32_t> classes;
    for (const Point& point : all) classes.push_back(of_answer.emplace(point.got, of_answer.size()).first->second);
    Known ordered;
    for (const std::uint32_t at : spread(classes)) ordered.push_back(all[at]);
    return ring_in_order(ordered, poison);
}

/// So many of a list, spread over it.
Known evenly(const Known& all, std::size_t count) {
    Known some;
    for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
    return some;
}

/// The inputs whose answers are known, by their scale; all under 0 where the source has none.
std::map<Code, Known> known_by_scale(const Format& from, const std::vector<Code>& inputs, const KnownAnswer& answer) {
    std::map<Code, Known> by_scale;
    for (const Code input : inputs)
        if (const auto known = answer(input)) by_scale[from.scale_of(input)].push_back({input, 0, *known});
    return by_scale;
}

/// Poison for the inputs of a ring, and any for a single one.
std::optional<std::array<std::uint8_t, 2>> poison_of(const PermitTable& expected, const Known& known) {
    std::vector<CodeRange> ranges;
    for (const Point& point : known) ranges.push_back({point.input, point.input});
    const auto poison = choose_poison(expected, ranges);
    if (poison || known.size() > 1) return poison;
    return any_poison;
}

/// The same, and where nearly every byte is permitted two that none of the answers has: a ring has fewer than there
/// are bytes.
std::array<std::uint8_t, 2> poison_beside(const PermitTable& expected, const Known& known) {
    if (const auto poison = poison_of(expected, known)) return *poison;
    std::vector<Code> answers;
    for (const Point& point : known) answers.push_back(point.got);
    return choose_poison(*expected.to, answers).value_or(any_poison);
}

/// Groups of all that is known of one scale, and what the inputs of each have in common.
std::vector<std::pair<std::string, Known>> alike_groups(const Format& from, const Format& to, const Known& all) {
    std::map<std::pair<Kind, Kind>, Known> by_kinds;
    Known small;
    Known large;
    for (const Point& one : all) {
        const Kind answer = kind_of(to, one.got);
        by_kinds[{kind_of(from, one.input), answer}].push_back(one);
        if (answer <= Kind::subnormal) small.push_back(one);
        if (answer >= Kind::largest) large.push_back(one);
    }
    // As a test of the largest or smallest magnitude of a vector finds them.
    std::vector<std::pair<std::string, Known>> groups{{"values that give no normal number or more", small},
                                                      {"values that give the largest number or more", large}};
    for (const auto& [kinds, known] : by_kinds) {
        const std::string words = fmt::format("{} that give {}", plural(kinds.first), plural(kinds.second));
        std::array<Known, 2> signs;
        for (const Point& one : known) signs[from.is_negative(one.input) ? 1 : 0].push_back(one);
        groups.emplace_back(words, known);
        groups.emplace_back("positive " + words, signs[0]);
        groups.emplace_back("negative " + words, signs[1]);
        for (const Known& sign : signs)
            if (!sign.empty()) groups.emplace_back("one of the " + words, Known{sign.front()});
    }
    std::erase_if(groups, [](const auto& group) { return group.second.empty(); });
    return groups;
}

/// One value again and again, and once another: what looks at a part of a vector only takes all of it for alike. Zeros
/// and ordinary numbers but for one of each kind, and each kind but for an ordinary number.
std::vector<std::pair<std::string, Known>> but_for_one(const Format& from, const Format& to, const Known& all) {
    std::map<std::pair<Kind, Kind>, Known> by_kinds;
    for (const Point& one : all) by_kinds[{kind_of(from, one.input), kind_of(to, one.got)}].push_back(one);
    std::vector<std::pair<std::string, Known>> groups;
    const auto is_usual = [](const std::pair<Kind, Kind>& kinds) {
        return kinds == std::pair(Kind::zero, Kind::zero) || kinds == std::pair(Kind::normal, Kind::normal);
    };
    for (const auto& [kinds, many] : by_kinds)
        for (const auto& [other_kinds, others] : by_kinds) {
            if (kinds == other_kinds || !(is_usual(kinds) || is_usual(other_kinds))) continue;
            Known known(Interleaving::most_lanes - 1, many.front());
            known.push_back(others.back());
            groups.emplace_back(fmt::format("{} that give {}, but for one of the {} that give {}", plural(kinds.first),
                                            plural(kinds.second), plural(other_kinds.first),
                                            plural(other_kinds.second)),
                                std::move(known));
        }
    return groups;
}

/// Rings of inputs of one scale that are alike.
std::vector<Ring> alike_of(const PermitTable& expected, const Known& all) {
    std::vector<Ring> rings;
    const auto add = [&](const std::string& words, const Known& known, const std::array<std::uint8_t, 2>& poison) {
        rings.push_back(ring_of(known, poison));
        rings.back().alike = words;
    };
    for (const auto& [words, known] : alike_groups(*expected.from, *expected.to, all)) {
        std::optional<std::array<std::uint8_t, 2>> poison;
        std::size_t count = std::min<std::size_t>(known.size(), Interleaving::most_lanes);
        // Fewer where no byte is left for poison.
        while (!(poison = poison_of(expected, evenly(known, count)))) count /= 2;
        add(words, evenly(known, count), *poison);
    }
    for (const auto& [words, known] : but_for_one(*expected.from, *expected.to, all))
        add(words, known, poison_beside(expected, known));
    return rings;
}

/// The points that have the scale of the one in the middle: all where the source has none.
Known of_one_scale(const Format& from, const std::vector<Point>& points) {
    Known some;
    for (const Point& point : points)
        if (from.scale_of(point.input) == from.scale_of(points[points.size() / 2].input)) some.push_back(point);
    return some;
}

/// Of each kind, sign and kind of answer as many as a ring has, evenly.
Known few_of_each_kind(const Format& from, const Format& to, const Known& all) {
    std::map<std::tuple<Kind, bool, Kind>, Known> by_kinds;
    for (const Point& one : all)
        by_kinds[{kind_of(from, one.input), from.is_negative(one.input), kind_of(to, one.got)}].push_back(one);
    Known few;
    for (const auto& [kinds, known] : by_kinds)
        std::ranges::move(evenly(known, std::min<std::size_t>(known.size(), Interleaving::most_lanes)),
                          std::back_inserter(few));
    return few;
}

/// Of those below boundaries the ones with the smaller words, of those above the ones with the larger words.
RandomSides apart(RandomSides sides) {
    const auto by_word = [](const Point& a, const Point& b) { return a.random < b.random; };
    std::ranges::stable_sort(sides.below, by_word);
    std::ranges::stable_sort(sides.above, by_word);
    const std::size_t half = sides.below.size() / 2;
    sides.below.resize(sides.below.size() - half);
    sides.above.erase(sides.above.begin(), sides.above.begin() + static_cast<std::ptrdiff_t>(half));
    return sides;
}

/// A ring as long as can be, of those below and above in turn, drawn by the seed.
Ring in_turn(const PermitTable& expected, RandomSides sides, std::uint64_t seed) {
    shuffle(sides.below, seed);
    shuffle(sides.above, ~seed);
    Known known;
    for (std::size_t i = 0; i < longest_ring; ++i) {
        const Known& side = i % 2 == 0 ? sides.below : sides.above;
        known.push_back(side[i / 2 % side.size()]);
    }
    return ring_in_order(known, poison_beside(expected, known));
}

} // namespace

std::vector<Code> beside_boundaries(const PermitTable& expected, std::uint64_t seed) {
    const Format& from = *expected.from;
    std::vector<Code> inputs;
    if (from.width() <= 8) {
        for (Code code = 0; code <= from.last_code(); ++code) inputs.push_back(code);
        return inputs;
    }
    const std::array<Code, 2> scales = ring_scales(from, seed);
    const auto counts = [&](Code code) {
        return from.scale == nullptr || from.scale_of(code) == scales[0] || from.scale_of(code) == scales[1];
    };
    for (const PermitStep& step : expected.steps) {
        if (step.first != 0 && counts(step.first) && counts(step.first - 1)) inputs.push_back(step.first - 1);
        if (counts(step.first)) inputs.push_back(step.first);
    }
    inputs.push_back(from.last_code());
    if (!counts(inputs.back())) inputs.pop_back();
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    if (inputs.size() <= most_inputs) return inputs;
    std::vector<Code> drawn;
    for (std::size_t i = 0; i < most_inputs; ++i) {
        const std::size_t begin = i * inputs.size() / most_inputs;
        const std::size_t end = (i + 1) * inputs.size() / most_inputs;
        drawn.push_back(inputs[begin + SplitMix64::at(seed, i) % (end - begin)]);
    }
    return drawn;
}

std::vector<Code> ring_inputs(const PermitTable& expected, std::uint64_t seed) {
    std::vector<Code> inputs = beside_boundaries(expected, seed);
    std::ranges::move(ends_under(*expected.from, ring_scales(*expected.from, seed)), std::back_inserter(inputs));
    return ascending(std::move(inputs));
}

std::vector<Code> place_inputs(const PermitTable& expected, std::uint64_t seed) {
    std::vector<Code> inputs = ring_inputs(expected, seed);
    std::ranges::move(ends_under(*expected.from, large_scales(*expected.from, seed)), std::back_inserter(inputs));
    return ascending(std::move(inputs));
}

std::vector<Ring> make_rings(const PermitTable& expected, std::uint64_t seed, const KnownAnswer& answer) {
    std::vector<Ring> rings;
    for (const auto& [scale, known] : known_by_scale(*expected.from, beside_boundaries(expected, seed), answer)) {
        // As few rings as have poison each, the inputs dealt out to them in turn.
        for (std::size_t count = (known.size() + longest_ring - 1) / longest_ring;; ++count) {
            std::vector<Known> dealt(count);
            for (std::size_t i = 0; i < known.size(); ++i) dealt[i % count].push_back(known[i]);
            std::vector<Ring> some_rings;
            for (const auto& of_ring : dealt) {
                const auto poison = poison_of(expected, of_ring);
                if (!poison) break;
                some_rings.push_back(ring_of(of_ring, *poison));
            }
            if (some_rings.size() != count) continue;
            std::move(some_rings.begin(), some_rings.end(), std::back_inserter(rings));
            break;
        }
    }
    return rings;
}

std::vector<Ring> alike_rings(const PermitTable& expected, std::uint64_t seed, const KnownAnswer& answer) {
    std::vector<Ring> rings;
    for (const auto& [scale, all] : known_by_scale(*expected.from, ring_inputs(expected, seed), answer))
        std::ranges::move(alike_of(expected, all), std::back_inserter(rings));
    return rings;
}

RandomSides random_sides(const std::vector<Point>& points) {
    RandomSides sides;
    auto next = points.begin(); // the next input with the same word, if it is there
    for (const Point& point : points) {
        const std::pair wanted(point.input + 1, point.random);
        while (next != points.end() && std::pair(next->input, next->random) < wanted) ++next;
        if (next == points.end() || std::pair(next->input, next->random) != wanted || next->got == point.got) continue;
        sides.below.push_back(point);
        sides.above.push_back(*next);
    }
    return sides;
}

std::vector<Ring> random_rings(const PermitTable& expected, std::uint64_t seed, const std::vector<Point>& points) {
    Known numbers = of_one_scale(*expected.from, points);
    std::erase_if(numbers, [&](const Point& point) { return expected.from->is_nan(point.input); }); // no word moves NaN
    const RandomSides sides = random_sides(numbers);
    if (sides.below.empty()) return {};
    return {in_turn(expected, apart(sides), seed), in_turn(expected, sides, seed + 1)};
}

std::vector<Ring> alike_random_rings(const PermitTable& expected, const std::vector<Point>& points) {
    return alike_of(expected, few_of_each_kind(*expected.from, *expected.to, of_one_scale(*expected.from, points)));
}

std::vector<Ring> large_rings(const PermitTable& expected, std::uint64_t seed, const KnownAnswer& answer) {
    const Format& from = *expected.from;
    std::vector<Code> inputs = ends_under(from, large_scales(from, seed));
    for (const auto& [scale, known] : known_by_scale(from, beside_boundaries(expected, seed), answer))
        for (const Point& point : evenly(known, std::min(known.size(), most_in_large_calls)))
            inputs.push_back(point.input);
    std::vector<Ring> rings;
    for (const auto& [scale, known] : known_by_scale(from, ascending(std::move(inputs)), answer))
        rings.push_back(ring_of(known, poison_beside(expected, known)));
    return rings;
}

Ring large_random_ring(const PermitTable& expected, const Ring& ring, const std::vector<Point>& points) {
    Known known = known_of(ring);
    const Known kinds = few_of_each_kind(*expected.from, *expected.to, of_one_scale(*expected.from, points));
    std::ranges::move(evenly(kinds, std::min<std::size_t>(kinds.size(), Interleaving::most_lanes)),
                      std::back_inserter(known));
    return ring_of(known, poison_beside(expected, known));
}

Ring pair_ring(const Ring& ring) {
    Known known;
    std::set<std::pair<Code, std::uint32_t>> taken;
    for (const Point& point : known_of(ring))
        if (taken.emplace(point.input, point.random).second) known.push_back(point);
    known = evenly(known, std::min(known.size(), most_in_large_calls));
    Known ordered;
    for (std::size_t a = 0; a < known.size(); ++a) {
        ordered.push_back(known[a]);
        for (std::size_t b = a + 1; b < known.size(); ++b) {
            ordered.push_back(known[a]);
            ordered.push_back(known[b]);
        }
    }
    if (ordered.size() % 2 == 0) ordered.push_back(ordered.front());
    return ring_in_order(ordered, ring.poison);
}

std::vector<Ring> short_rings(const Ring& ring) {
    const Known all = known_of(ring);
    const std::size_t count = (all.size() + Interleaving::most_lanes - 1) / Interleaving::most_lanes;
    std::vector<Known> dealt(count);
    for (std::size_t i = 0; i < all.size(); ++i) dealt[i % count].push_back(all[i]);
    std::vector<Ring> rings;
    for (const Known& known : dealt) rings.push_back(ring_of(known, ring.poison));
    return rings;
}

} // namespace mxcert::inputs
