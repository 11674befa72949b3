// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/hadamard/cases.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"

namespace mxcert::suites {
namespace {

using recipe::hadamard_size;

constexpr std::uint64_t hadamard_seed = 0x4ADA;
constexpr std::uint64_t groups_at_once = 1U << 13U; ///< of a matrix, which is kept to name what is wrong

Code with_sign(const Format& format, Code magnitude, bool negative) {
    return negative ? magnitude | format.sign_bit() : magnitude;
}

/// The code of n 2^power. Precondition: it is a value of the format, other than zero if n is.
Code code_of_integer(const Format& format, std::int64_t n, int power) {
    if (n == 0) return 0;
    auto magnitude = static_cast<std::uint64_t>(n < 0 ? -n : n);
    const int top = static_cast<int>(std::bit_width(magnitude)) - 1;
    const int field = std::max(top + power + format.bias, 0);
    const int unit = std::max(field, 1) - format.bias - format.fraction_bits; // a power of two
    magnitude = power >= unit ? magnitude << static_cast<unsigned>(power - unit)
                              : magnitude >> static_cast<unsigned>(unit - power);
    const Code hidden = field > 0 ? Code{1} << static_cast<unsigned>(format.fraction_bits) : 0;
    const Code exponent = field > 0 ? static_cast<Code>(field) << static_cast<unsigned>(format.fraction_bits) : 0;
    return with_sign(format, exponent + (magnitude - hidden), n < 0);
}

/// The powers of two by which numbers of so many bits are values, and the sum of 16 of them is none beyond binary32.
std::pair<int, int> powers_of(const Format& format, int bits) {
    const int least = std::max(1 - format.bias - format.fraction_bits, recipe::hadamard_lowest_bit);
    const int most = std::min(format.emax() - bits, formats::fp32.emax() - bits - 4);
    return {least, most};
}

TileMaker hadamard_maker(const HadamardTransform& transform) { return {*transform.source, transform.group}; }

/// Fills a group of a matrix.
void set_group(TileCase& tile_case, std::uint64_t group, const std::vector<Code>& codes) {
    const BlockRange range = tile_case.matrix.block(group);
    const std::uint64_t lanes = count(range.size, "values");
    for (std::uint64_t lane = 0; lane < lanes; ++lane)
        tile_case.values[tile_case.matrix.place(range, lane)] = codes[lane];
}

struct NamedGroup {
    std::string name;
    std::vector<Code> codes;
};

/// So many groups in matrices; neighbours are far apart in the list.
bool groups_in_pieces(const HadamardTransform& transform, const std::string& name,
                      const std::vector<NamedGroup>& groups, const CallTileCase& call) {
    for (std::uint64_t first = 0; first < groups.size(); first += groups_at_once) {
        const std::uint64_t here = std::min(groups_at_once, groups.size() - first);
        TileCase tile_case = hadamard_maker(transform).of_size(fmt::format("{}, from number {}", name, first),
                                                               extent_of_groups(transform.group, here));
        for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group) {
            const NamedGroup& named = groups[inputs::far_apart((first + group) % groups.size(), groups.size())];
            set_group(tile_case, group, named.codes);
            tile_case.tiles.push_back(named.name);
        }
        if (!call(tile_case)) return false;
    }
    return true;
}

std::uint64_t groups_of(Level level) {
    if (is_small(level)) return 1U << 8U;
    return level == Level::quick ? 1U << 12U : level == Level::standard ? 1U << 14U : 1U << 17U;
}

void add_pairs(const Format& format, std::uint64_t seed, std::vector<NamedGroup>& groups) {
    constexpr int bits = 8;
    const auto [least, most] = powers_of(format, 2 * bits);
    SplitMix64 random(seed);
    for (std::size_t i = 0; i < hadamard_size; ++i)
        for (std::size_t k = i + 1; k < hadamard_size; ++k)
            for (int kind = 0; kind < 4; ++kind) {
                std::vector<Code> codes(hadamard_size);
                const int power = least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least)));
                const auto number = static_cast<std::int64_t>(1 + random.below(255));
                const auto other = static_cast<std::int64_t>(1 + random.below(255));
                // The same, the negative, another one, and one that is larger by up to 8 binades.
                codes[i] = code_of_integer(format, number, power);
                codes[k] = kind == 0   ? codes[i]
                           : kind == 1 ? codes[i] | format.sign_bit()
                           : kind == 2 ? code_of_integer(format, -other, power)
                                       : code_of_integer(format, other, power + static_cast<int>(random.below(bits)));
                groups.push_back({fmt::format("values {} and {}", i, k), std::move(codes)});
            }
}

/// Sums next to a tie of the target, by a unit far below: an accumulator that loses it rounds them the wrong way.
void add_near_ties(const HadamardTransform& transform, std::uint64_t seed, std::vector<NamedGroup>& groups) {
    const Format& format = *transform.source;
    constexpr int bits = 8;
    constexpr int most_below = 23 - bits; // of the unit, so that the sum has no more than 24 bits
    const int half = bits - 1 - transform.target->fraction_bits - 1; // of the target's unit, above that of the number
    if (half + most_below < 1) return;                               // binary32 has no ties then
    SplitMix64 random(seed);
    for (int below = std::max(1, 1 - half); below <= most_below; ++below)
        for (int number = 0; number < 4; ++number) {
            const auto [least, most] = powers_of(format, bits + below);
            const int power = least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least)));
            std::vector<Code> codes(hadamard_size);
            const std::uint64_t place = random.below(hadamard_size);
            const auto sign = [&] { return random.below(2) != 0 ? -1 : 1; };
            codes[place] =
                code_of_integer(format, sign() * static_cast<std::int64_t>(128 + random.below(128)), power + below);
            codes[place ^ 5U] = code_of_integer(format, sign(), power + below + half);
            codes[place ^ 9U] = code_of_integer(format, sign(), power);
            groups.push_back({fmt::format("a tie but for a unit {} binades below", below), std::move(codes)});
        }
}

/// The row of the matrix that one value alone comes from: all others are +0.
void add_rows(const HadamardTransform& transform, std::vector<NamedGroup>& groups) {
    const Format& format = *transform.source;
    for (std::size_t j = 0; j < hadamard_size; ++j)
        for (const int power : {-3, 0, 2}) {
            std::vector<Code> codes(hadamard_size);
            for (std::size_t i = 0; i < hadamard_size; ++i)
                codes[i] = code_of_integer(format, is_negative(transform.transform, i, j) ? -5 : 5, power);
            groups.push_back({fmt::format("all cancel but value {}", j), std::move(codes)});
        }
    for (std::size_t j = 0; j < hadamard_size; ++j) {
        std::vector<Code> codes(hadamard_size);
        for (std::size_t i = 0; i < hadamard_size; ++i)
            codes[i] = with_sign(format, 0, !is_negative(transform.transform, i, j));
        groups.push_back({fmt::format("zeros, all -0 in value {}", j), std::move(codes)});
    }
    groups.push_back({"zeros", std::vector<Code>(hadamard_size)});
    groups.push_back({"negative zeros", std::vector<Code>(hadamard_size, format.sign_bit())});
}

void add_specials(const Format& format, std::uint64_t seed, std::vector<NamedGroup>& groups) {
    SplitMix64 random(seed);
    for (const Special& special : specials_of(format)) {
        if (format.is_finite(special.code)) continue;
        for (std::size_t i = 0; i < hadamard_size; ++i) {
            std::vector<Code> codes = draw_exact_group(format, random);
            codes[i] = special.code;
            groups.push_back({fmt::format("{} at {}", special.name, i), codes});
            // With another one: Inf - Inf in half of the sums.
            codes[(i + 1 + random.below(hadamard_size - 1)) % hadamard_size] =
                with_sign(format, format.inf_code(), random.below(2) != 0);
            groups.push_back({fmt::format("{} at {}, and Inf", special.name, i), std::move(codes)});
        }
        groups.push_back({fmt::format("nothing but {}", special.name), std::vector<Code>(hadamard_size, special.code)});
    }
}

} // namespace

std::vector<Code> draw_exact_group(const Format& format, SplitMix64& random, std::optional<int> of_power) {
    // Numbers of 19 bits together are less than 2^24 of their unit.
    constexpr int most_bits = 19;
    const int widest = std::min(format.fraction_bits + 1, most_bits);
    const int bits = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(widest)));
    const int apart =
        random.below(3) == 0 ? static_cast<int>(random.below(static_cast<std::uint64_t>(most_bits - bits + 1))) : 0;
    const auto [least, most] = powers_of(format, bits + apart);
    const int any_power = least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least)));
    const int power = of_power.value_or(any_power);
    const bool sparse = random.below(4) == 0;
    std::vector<Code> codes;
    for (std::size_t i = 0; i < hadamard_size; ++i) {
        const std::uint64_t word = random();
        const auto number = static_cast<std::int64_t>(word & ((std::uint64_t{1} << static_cast<unsigned>(bits)) - 1));
        const int up = apart == 0 ? 0 : static_cast<int>((word >> 32U) % static_cast<std::uint64_t>(apart));
        const bool absent = sparse && (word >> 48U & 1U) != 0;
        codes.push_back(code_of_integer(format, absent ? 0 : (word >> 63U) != 0 ? -number : number, power + up));
    }
    return codes;
}

std::vector<Code> draw_group(const Format& format, SplitMix64& random) {
    const auto bits = static_cast<unsigned>(format.fraction_bits);
    const Code largest = format.max_code();
    const std::uint64_t kind = random.below(8);
    const Code middle = kind == 3 ? largest >> bits : kind == 4 ? 1 : random.below((largest >> bits) + 1);
    const std::uint64_t binades = std::array<std::uint64_t, 8>{1U << 8U, 8, 30, 3, 2, 24, 1, 12}[kind];
    std::vector<Code> codes;
    for (std::size_t i = 0; i < hadamard_size; ++i) {
        const Code field = middle > binades / 2 ? middle - random.below(binades) : random.below(binades);
        const Code magnitude = std::min(field << bits | (random() & format.fraction_mask()), largest);
        const bool absent = kind == 7 && random.below(2) != 0;
        codes.push_back(with_sign(format, absent ? 0 : magnitude, random.below(2) != 0));
    }
    // Large values that cancel in half of the sums.
    if (kind == 5) {
        const Code large = std::min(codes[0] | Code{8} << bits, largest) & format.magnitude_mask();
        codes[random.below(8)] = large;
        codes[8 + random.below(8)] = with_sign(format, large, random.below(2) != 0);
    }
    return codes;
}

bool for_each_single_case(const HadamardTransform& transform, Level level, std::uint64_t seed,
                          const CallTileCase& call) {
    const Format& format = *transform.source;
    const auto bits = static_cast<unsigned>(format.fraction_bits);
    // Half a unit of the target, where it is narrower, in an even value and in an odd one.
    const unsigned lost = static_cast<unsigned>(std::max(format.fraction_bits - transform.target->fraction_bits, 0));
    const Code tie = lost == 0 ? 0 : Code{1} << (lost - 1);
    const Code fields = (format.max_code() >> bits) + 1;
    const Code step = is_small(level) ? fields / 8 : level == Level::quick ? std::max<Code>(fields / 64, 1) : 1;
    // A quarter of less is no binary32.
    const Code least = format.bias + format.fraction_bits - 1 > -recipe::hadamard_lowest_bit ? 3 : 0;
    std::vector<NamedGroup> groups;
    for (Code field = 0; field < fields; field += field < 2 || field + 1 >= fields - step ? 1 : step)
        for (std::size_t i = 0; i < hadamard_size; ++i) {
            const std::uint64_t word = SplitMix64::at(seed + hadamard_seed + field, i);
            const Code fractions[] = {0, format.fraction_mask(), tie, tie * 3, word & format.fraction_mask()};
            for (std::size_t number = 0; number < std::size(fractions); ++number) {
                const Code magnitude = (field << bits | fractions[number]) & (field == 0 ? ~least : ~Code{0});
                std::vector<Code> codes(hadamard_size);
                codes[i] = with_sign(format, magnitude, number % 2 == (word >> 40U & 1U));
                groups.push_back({fmt::format("value {}", i), std::move(codes)});
            }
        }
    return groups_in_pieces(transform, "one value alone", groups, call);
}

Extent extent_of_groups(const BlockShape& group, std::uint64_t groups) {
    // So many lines as there are groups in each, about, and a multiple of 16.
    std::uint64_t lines = hadamard_size;
    while (lines * lines < groups) lines += hadamard_size;
    const std::uint64_t along = hadamard_size * ((groups + lines - 1) / lines);
    return group.rows == 1 ? Extent{lines, along} : Extent{along, lines};
}

std::vector<Extent> group_extents(const BlockShape& group) {
    const auto whole = [](std::uint64_t side, std::uint64_t of) { return (side + of - 1) / of * of; };
    std::vector<Extent> extents;
    for (const Extent& extent : tile_extents(group)) {
        const Extent groups{whole(extent.rows, group.rows), whole(extent.columns, group.columns)};
        if (std::find(extents.begin(), extents.end(), groups) == extents.end()) extents.push_back(groups);
    }
    // For those who take sides that 16 divides alone.
    extents.push_back({hadamard_size, hadamard_size});
    extents.push_back({8 * hadamard_size, 8 * hadamard_size});
    return extents;
}

bool for_each_group_size_case(const HadamardTransform& transform, Level level, const CallTileCase& call) {
    const TileMaker maker = hadamard_maker(transform);
    constexpr std::uint64_t few_values = 1U << 12U;
    std::vector<NamedGroup> specials;
    add_specials(*transform.source, hadamard_seed, specials);
    for (const Extent& extent : group_extents(transform.group)) {
        if (is_small(level) && count(extent, "values") > few_values) continue;
        TileCase tile_case = maker.of_size(size_name(extent), extent);
        SplitMix64 random(hadamard_seed + count(extent, "values"));
        for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group)
            set_group(tile_case, group, draw_exact_group(*transform.source, random));
        if (!call(tile_case)) return false;
        if (tile_case.matrix.blocks() == 1) continue;
        // Special values in some groups must not reach the others.
        tile_case.name += ", special values in some groups";
        for (std::uint64_t group = 1; group < tile_case.matrix.blocks(); group += 5)
            set_group(tile_case, group, specials[group / 5 % specials.size()].codes);
        if (!call(tile_case)) return false;
    }
    return true;
}

std::vector<TileCase> hadamard_rings(const HadamardTransform& transform) {
    std::vector<TileCase> rings;
    SplitMix64 random(hadamard_seed);
    for (const auto& [name, extent] : ring_extents(transform.group)) {
        TileCase& ring = rings.emplace_back(hadamard_maker(transform).of_size(name, extent));
        for (std::uint64_t group = 0; group < ring.matrix.blocks(); ++group)
            set_group(ring, group, draw_exact_group(*transform.source, random));
    }
    return rings;
}

bool for_each_sum_case(const HadamardTransform& transform, Level level, std::uint64_t seed, const CallTileCase& call) {
    const Format& format = *transform.source;
    std::vector<NamedGroup> groups;
    add_pairs(format, seed + hadamard_seed, groups);
    add_rows(transform, groups);
    add_near_ties(transform, seed + hadamard_seed, groups);
    SplitMix64 random(seed + ~hadamard_seed);
    for (std::uint64_t number = 0; number < groups_of(level); ++number)
        groups.push_back({fmt::format("exact sums, number {}", number), draw_exact_group(format, random)});
    if (!groups_in_pieces(transform, "sums", groups, call)) return false;
    groups.clear();
    add_specials(format, seed + hadamard_seed, groups);
    return groups_in_pieces(transform, "special values", groups, call);
}

bool for_each_inexact_case(const HadamardTransform& transform, Level level, std::uint64_t seed,
                           const CallTileCase& call) {
    std::vector<NamedGroup> groups;
    SplitMix64 random(seed + hadamard_seed);
    for (std::uint64_t number = 0; number < groups_of(level); ++number)
        groups.push_back({fmt::format("group {}", number), draw_group(*transform.source, random)});
    return groups_in_pieces(transform, "sums that the order rounds", groups, call);
}

frames::RunCase run_of(const HadamardTransform& transform, const TileCase& tile_case) {
    const Extent& extent = tile_case.matrix.values;
    frames::RunCase run;
    run.shape = {extent.rows, extent.columns, 0, 0};
    run.inputs = {frames::values_of(tile_case.values, *transform.source)};
    run.outputs = {frames::Values(tile_case.values.size(), frames::bytes_of(*transform.target))};
    run.name = tile_case.name;
    return run;
}

TileCase case_of(const HadamardTransform& transform, const cases::GivenCase& given_case) {
    return {"the case that was given",
            {},
            {{given_case.sizes[0], given_case.sizes[1]}, transform.group},
            given_case.tensors[0]};
}

bool may_be_refused(const TileCase& tile_case) {
    const Extent& extent = tile_case.matrix.values;
    return extent.rows % hadamard_size != 0 || extent.columns % hadamard_size != 0;
}

} // namespace mxcert::suites
