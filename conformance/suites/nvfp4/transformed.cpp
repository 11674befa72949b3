// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/transformed.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "conformance/suites/hadamard/cases.hpp"
#include "reference/code_text.hpp"
#include "reference/fast/recipe/machine_float.hpp"

namespace mxcert::suites {
namespace {

using formats::bf16;
using recipe::hadamard_size;

constexpr std::uint64_t transformed_seed = 0x16A;
constexpr std::uint64_t groups_of_piece = 2047; ///< beside the one of the tensor's amax
constexpr Code largest_tensor = 0x7D80;         ///< 2^124: four times that, and sums of it, are no overflow
constexpr int most_apart = 13; ///< binades between two values of a group: with 8 bits each, less than 24 together

Code times(Code code, float factor) { return fast::rounded_to(bf16, fast::widened(bf16, code) * factor); }
Code negated(Code code, bool is) { return is ? code ^ bf16.sign_bit() : code; }

int exponent_of(Code code) { return static_cast<int>(std::max<Code>(bf16.magnitude_of(code) >> 7U, 1)); }

class TransformedMaker {
  public:
    explicit TransformedMaker(const QuantizeNvfp4& quantize)
        : transform_(*quantize.hadamard), maker_(bf16, quantize.block) {}

    void set(TileCase& tile_case, std::uint64_t group, const std::vector<Code>& codes) const {
        for (std::uint64_t lane = 0; lane < codes.size(); ++lane) maker_.set(tile_case, group, lane, codes[lane]);
    }
    [[nodiscard]] std::vector<Code> of_two(Code first, Code second, std::uint64_t number) const {
        return group_of_two(transform_, first, second, number);
    }
    /// Groups in tensors of one amax, which one of them holds.
    [[nodiscard]] bool in_tensor(const std::string& name, Code tensor_amax,
                                 const std::vector<std::vector<Code>>& groups, const CallTileCase& call) const {
        for (std::uint64_t first = 0; first < groups.size(); first += groups_of_piece) {
            const std::uint64_t here = std::min<std::uint64_t>(groups_of_piece, groups.size() - first);
            TileCase tile_case = maker_.of_size(fmt::format("{}, groups from number {}", name, first),
                                                extent_of_groups(maker_.tile(), here + 1));
            const std::uint64_t all = tile_case.matrix.blocks();
            const std::uint64_t holder = SplitMix64::at(transformed_seed + tensor_amax, first) % all;
            std::uint64_t number = 0;
            for (std::uint64_t group = 0; group < all; ++group) {
                if (group == holder)
                    set(tile_case, group, group_of_one(tensor_amax, first + tensor_amax));
                else
                    set(tile_case, group, groups[inputs::far_apart((first + number++ % here), groups.size())]);
            }
            if (!call(tile_case)) return false;
        }
        return true;
    }
    [[nodiscard]] const TileMaker& maker() const { return maker_; }
    [[nodiscard]] const recipe::Hadamard& transform() const { return transform_; }

  private:
    recipe::Hadamard transform_;
    TileMaker maker_;
};

std::string tensor_name(Code tensor_amax) { return "a tensor of the amax " + code_text(bf16, tensor_amax); }

/// Two binades below an amax, so that a block whose amax is not seen has another scale.
Code below(Code amax) { return amax > 0x100 ? amax - 0x100 : 0; }

std::vector<Code> tensors_of(std::vector<Code> amaxes) {
    std::erase_if(amaxes, [](Code amax) { return amax > largest_tensor; });
    return amaxes;
}

bool for_each_transformed_tensor(const QuantizeNvfp4& quantize, const Nvfp4Effort& effort, const CallTileCase& call) {
    const TransformedMaker maker(quantize);
    for (const Code tensor_amax : tensors_of(amaxes_of_tensors(quantize, effort))) {
        std::vector<std::vector<Code>> groups;
        for (const Code amax : telling_amaxes(quantize, tensor_amax))
            groups.push_back(maker.of_two(amax, below(amax), tensor_amax + groups.size()));
        if (!maker.in_tensor(tensor_name(tensor_amax), tensor_amax, groups, call)) return false;
    }
    return true;
}

bool for_each_transformed_scale(const QuantizeNvfp4& quantize, Nvfp4Expected& expected, const Nvfp4Effort& effort,
                                const CallTileCase& call) {
    const TransformedMaker maker(quantize);
    for (const Code tensor_amax : tensors_of(amaxes_of_few_tensors(quantize, effort.level))) {
        std::vector<std::vector<Code>> groups;
        for (const Code amax : amaxes_in_tensor(quantize, expected, tensor_amax, effort))
            groups.push_back(maker.of_two(amax, below(amax), groups.size()));
        if (!maker.in_tensor(tensor_name(tensor_amax) + ", amaxes", tensor_amax, groups, call)) return false;
    }
    return true;
}

bool for_each_transformed_element(const QuantizeNvfp4& quantize, Nvfp4Expected& expected, const Nvfp4Effort& effort,
                                  const CallTileCase& call) {
    const TransformedMaker maker(quantize);
    for (const Code tensor_amax : tensors_of(amaxes_of_few_tensors(quantize, effort.level))) {
        std::vector<std::vector<Code>> groups;
        for (const ValuesUnder& under : values_in_tensor(quantize, expected, tensor_amax, effort))
            for (const Code value : under.values)
                // Either sign comes out of one.
                if (!bf16.is_negative(value) && can_be_two(under.amax, value))
                    groups.push_back(maker.of_two(under.amax, value, groups.size()));
        if (!maker.in_tensor(tensor_name(tensor_amax) + ", elements", tensor_amax, groups, call)) return false;
    }
    return true;
}

/// A matrix of groups with exact sums, within 8 binades.
TileCase telling_groups(const TransformedMaker& maker, std::string name, const Extent& extent, SplitMix64& random) {
    TileCase tile_case = maker.maker().of_size(std::move(name), extent);
    for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group)
        maker.set(tile_case, group, draw_exact_group(bf16, random, -static_cast<int>(random.below(8))));
    return tile_case;
}

/// The same with the amax of the tensor in the first group, in the last one and in one between.
bool with_amax_in_groups(const TransformedMaker& maker, const TileCase& tile_case, const CallTileCase& call) {
    constexpr Code above_all = 0x4B00; // 2^23
    const std::uint64_t last = tile_case.matrix.blocks() - 1;
    for (const std::uint64_t group : {std::uint64_t{0}, last / 2, last}) {
        TileCase with_amax = tile_case;
        with_amax.name += fmt::format(", the largest comes of group {}", group);
        maker.set(with_amax, group, group_of_one(above_all + group % 64, group));
        if (!call(with_amax)) return false;
    }
    return true;
}

bool for_each_transformed_special(const TransformedMaker& maker, const CallTileCase& call) {
    SplitMix64 random(transformed_seed);
    std::vector<Special> specials = specials_of(bf16);
    specials.push_back({"0", 0});
    for (const Special& special : specials) {
        for (const bool alone : {false, true}) {
            TileCase tile_case =
                telling_groups(maker, fmt::format("{} {}", special.name, alone ? "alone" : "among others"),
                               extent_of_groups(maker.maker().tile(), 7), random);
            if (alone) maker.set(tile_case, 3, std::vector<Code>(hadamard_size));
            maker.maker().set(tile_case, 3, 5, special.code);
            // A value far above or below the others stands alone.
            const bool exact = !bf16.is_finite(special.code) || bf16.magnitude_of(special.code) == 0 || alone;
            if (exact && !call(tile_case)) return false;
        }
        TileCase tile_case = maker.maker().of_size("a tensor of nothing but " + std::string(special.name),
                                                   extent_of_groups(maker.maker().tile(), 7));
        std::fill(tile_case.values.begin(), tile_case.values.end(), special.code);
        if (bf16.magnitude_of(special.code) != bf16.max_code() && !call(tile_case)) return false;
    }
    return true;
}

bool for_each_transformed_block(const QuantizeNvfp4& quantize, const Nvfp4Effort& effort, const CallTileCase& call) {
    const TransformedMaker maker(quantize);
    if (!for_each_transformed_special(maker, call)) return false;
    const bool few = is_small(effort.level);
    SplitMix64 random(transformed_seed + effort.seed);
    for (const Extent& extent : group_extents(quantize.block)) {
        constexpr std::uint64_t few_values = 1U << 13U;
        if (few && count(extent, "values") > few_values) continue;
        if (!with_amax_in_groups(maker, telling_groups(maker, size_name(extent), extent, random), call)) return false;
    }
    // Each value alone.
    const TileCase alone = [&] {
        TileCase tile_case =
            maker.maker().of_size("values alone in each place", extent_of_groups(quantize.block, 8 * hadamard_size));
        for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group)
            maker.set(tile_case, group, group_of_one(0x3F80 + SplitMix64::at(transformed_seed, group) % 0x300, group));
        return tile_case;
    }();
    if (!call(alone) || few) return few;
    const std::uint64_t most = effort.level >= Level::standard ? 1U << 20U : 1U << 18U;
    if (!with_amax_in_groups(
            maker,
            telling_groups(maker, "a large tensor", extent_of_groups(quantize.block, most / hadamard_size + 1), random),
            call))
        return false;
    for (const TileCase& ring : transformed_rings(quantize))
        if (!call(ring)) return false;
    return true;
}

} // namespace

std::vector<Code> group_of_one(Code magnitude, std::uint64_t number) {
    std::vector<Code> group(hadamard_size);
    group[number % hadamard_size] = negated(times(magnitude, 4), SplitMix64::at(transformed_seed, number) % 2 != 0);
    return group;
}

std::vector<Code> group_of_two(const recipe::Hadamard& transform, Code first, Code second, std::uint64_t number) {
    const std::uint64_t word = SplitMix64::at(transformed_seed, number);
    const std::uint64_t apart = 1 + word % (hadamard_size - 1);
    const std::uint64_t i = word >> 8U & 15U;
    std::uint64_t k = word >> 16U & 15U;
    while (k == i || k == (i ^ apart)) k = (k + 1) % hadamard_size;
    std::vector<Code> group(hadamard_size);
    // The two values of a pair add up where their coefficients are the same, and cancel where they are not. Those of
    // the other pair are the same where the first ones are not.
    const auto is_minus = [&](std::uint64_t at) { return (transform.signs >> at & 1U) != 0; };
    group[i] = negated(times(first, 2), word >> 24U & 1U);
    group[i ^ apart] = group[i];
    group[k] = negated(times(second, 2), word >> 25U & 1U);
    group[k ^ apart] = group[k];
    const bool same = (is_minus(i) != is_minus(i ^ apart)) == (is_minus(k) != is_minus(k ^ apart));
    if (same) group[k ^ apart] = negated(group[k], true);
    return group;
}

bool can_be_two(Code first, Code second) {
    return second == 0 || std::abs(exponent_of(first) - exponent_of(second)) <= most_apart;
}

std::optional<TransformedCase> transformed(HadamardExpected& expected, const TileCase& tile_case) {
    TransformedCase result{tile_case, std::vector<bool>(tile_case.values.size())};
    for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group) {
        const BlockRange range = tile_case.matrix.block(group);
        const std::vector<recipe::HadamardValue> values = expected.of(tile_case.values_of(group));
        for (std::uint64_t lane = 0; lane < values.size(); ++lane) {
            const recipe::HadamardValue& value = values[lane];
            const std::uint64_t place = tile_case.matrix.place(range, lane);
            const bool is_zero = value.number && bf16.magnitude_of(value.low | value.high) == 0 && !value.nan;
            if (!is_zero && value.number && !value.is_one()) return std::nullopt;
            result.open[place] = is_zero && value.low != value.high;
            result.seen.values[place] = value.one_of(bf16);
        }
    }
    return result;
}

bool for_each_transformed_case(const QuantizeNvfp4& quantize, std::string_view part, Nvfp4Expected& expected,
                               const Nvfp4Effort& effort, const CallTileCase& call) {
    // Every value under each scale would be some 2^22 groups a tensor.
    const Nvfp4Effort of_values{std::min(effort.level, Level::standard), effort.samples, effort.seed};
    if (part == "tensor") return for_each_transformed_tensor(quantize, effort, call);
    if (part == "scale") return for_each_transformed_scale(quantize, expected, effort, call);
    if (part == "elements") return for_each_transformed_element(quantize, expected, of_values, call);
    return for_each_transformed_block(quantize, effort, call);
}

std::vector<TileCase> transformed_rings(const QuantizeNvfp4& quantize) {
    const TransformedMaker maker(quantize);
    SplitMix64 random(transformed_seed);
    std::vector<TileCase> rings;
    for (const auto& [name, extent] : ring_extents(quantize.block))
        rings.push_back(telling_groups(maker, name, extent, random));
    return rings;
}

TileCase draw_transformed(const QuantizeNvfp4& quantize, SplitMix64& random) {
    constexpr std::uint64_t most_groups = 6;
    const std::uint64_t along = hadamard_size * (1 + random.below(most_groups));
    const std::uint64_t across = random.below(2) != 0 ? hadamard_size * (1 + random.below(3)) : 1 + random.below(40);
    const bool by_rows = quantize.block.rows == 1;
    return telling_groups(TransformedMaker(quantize), "", by_rows ? Extent{across, along} : Extent{along, across},
                          random);
}

} // namespace mxcert::suites
