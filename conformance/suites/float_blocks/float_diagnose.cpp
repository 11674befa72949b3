// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/float_diagnose.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "conformance/suites/float_blocks/float_way.hpp"
#include "reference/base/random.hpp"
#include "reference/fast/recipe/float_block.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using recipe::FloatBlock;
using recipe::FloatScale;
using recipe::Unusable;

/// False: it changes nothing here.
using Change = bool (*)(FloatWay&);
struct Slip {
    std::string_view bug_class;
    std::string_view text;
    Change change;
};

template <auto member, auto value> bool set(FloatWay& way) {
    return std::exchange(way.choices.*member, value) != value;
}
template <auto member, auto value> bool set_scaling(FloatWay& way) {
    return std::exchange(way.choices.scaling.*member, value) != value;
}
bool other_largest(FloatWay& way) {
    const Format*& element = way.choices.scaling.element;
    element = element == &formats::e4m3 ? &formats::e5m2 : &formats::e4m3;
    return true;
}
bool used_unrounded(FloatWay& way) {
    way.by_unrounded = way.choices.scaling.kept != &formats::fp32;
    return way.by_unrounded;
}
bool swapped_out(FloatWay& way) { return way.gives_inverse = true; }
bool swapped(FloatWay& way) { return way.gives_inverse = way.uses_inverse = true; }

constexpr const Format* none = nullptr;

// clang-format off
constexpr std::array slips{
    Slip{"SCALING_RECIPE", "x / scale in the place of x times the inverse scale", set<&FloatBlock::apply, recipe::Apply::divide>},
    Slip{"SCALING_RECIPE", "x times the inverse scale in the place of x / scale", set<&FloatBlock::apply, recipe::Apply::multiply>},
    Slip{"SCALING_RECIPE", "the inverse scale given out in the place of the scale", swapped_out},
    Slip{"SCALING_RECIPE", "scale and inverse scale swapped", swapped},
    Slip{"SCALE_USED_IS_NOT_STORED", "elements by the scale before it was rounded", used_unrounded},
    Slip{"SCALING_RECIPE", "a quotient by the rounded reciprocal", set_scaling<&FloatScale::quotient, recipe::Quotient::reciprocal>},
    Slip{"SCALING_RECIPE", "the inverse scale computed first", set_scaling<&FloatScale::first, recipe::First::inverse>},
    Slip{"SCALING_RECIPE", "the scale computed first", set_scaling<&FloatScale::first, recipe::First::scale>},
    Slip{"AMAX_NAN_DROPPED", "a NaN that makes the amax NaN", set<&FloatBlock::amax_nan, AmaxNan::propagated>},
    Slip{"AMAX_NAN_DROPPED", "NaNs left out of the amax", set<&FloatBlock::amax_nan, AmaxNan::ignored>},
    Slip{"OVERFLOW_POLICY", "elements that do not saturate", set<&FloatBlock::overflow, Overflow::nosat>},
    Slip{"OVERFLOW_POLICY", "elements that saturate", set<&FloatBlock::overflow, Overflow::sat>},
    Slip{"SCALE_RULE_MISMATCH", "a scale rounded to a power of two", set_scaling<&FloatScale::power_of_two, true>},
    Slip{"SCALE_RULE_MISMATCH", "a scale that is not rounded to a power of two", set_scaling<&FloatScale::power_of_two, false>},
    Slip{"CLAMP_MISMATCH", "no least amax", set_scaling<&FloatScale::least_amax, Code{0}>},
    Slip{"CLAMP_MISMATCH", "a least amax of 1e-12", set_scaling<&FloatScale::least_amax, least_1e_12>},
    Slip{"CLAMP_MISMATCH", "a least amax of 1e-4", set_scaling<&FloatScale::least_amax, least_1e_4>},
    Slip{"ZERO_BLOCK", "a scale of 1 of zeros", set_scaling<&FloatScale::on_zero, Unusable::one>},
    Slip{"ZERO_BLOCK", "a computed scale of zeros", set_scaling<&FloatScale::on_zero, Unusable::computed>},
    Slip{"AMAX_INF", "a scale of 1 of an infinite amax", set_scaling<&FloatScale::on_inf, Unusable::one>},
    Slip{"AMAX_INF", "a computed scale of an infinite amax", set_scaling<&FloatScale::on_inf, Unusable::computed>},
    Slip{"SCALING_RECIPE", "an inverse scale of Inf", set_scaling<&FloatScale::limit, none>},
    Slip{"SCALING_RECIPE", "an inverse scale with FP32's limit", set_scaling<&FloatScale::limit, &formats::fp32>},
    Slip{"SCALING_RECIPE", "an inverse scale with BF16's limit", set_scaling<&FloatScale::limit, &formats::bf16>},
    Slip{"WRONG_TARGET_MAX", "the largest value of the other element format", other_largest},
};
// clang-format on

bool explains(const QuantizeFloat& quantize, const FloatWay& way, const std::vector<FloatSample>& samples) {
    const Format& element = *quantize.choices.scaling.element;
    FloatMaker maker(quantize, way);
    return std::all_of(samples.begin(), samples.end(), [&](const FloatSample& sample) {
        const FloatMaker::Made& quantized = maker.of_amax(maker.amax_of({*quantize.source, sample.values}));
        bool gives = same(*quantize.scale, sample.scale, quantized.given_out);
        for (std::size_t i = 0; gives && i < sample.elements.size(); ++i)
            gives = same(element, sample.elements[i], maker.element_of(quantized, sample.values[i]));
        return gives;
    });
}

/// Another recipe with the formats of a quantizer; nothing where it is the same.
std::optional<FloatWay> way_of(const QuantizeFloat& quantize, const recipe::FloatBlockPreset& preset) {
    FloatBlock choices = preset.choices;
    choices.scaling.element = quantize.choices.scaling.element;
    choices.scaling.kept = quantize.choices.scaling.kept;
    if (choices == quantize.choices) return std::nullopt;
    return FloatWay{choices};
}

/// A matrix as a quantizer with a slip in what joins blocks gives it; nothing where that has another size.
using Joined = std::optional<recipe::FloatQuantized>;

recipe::CodeMatrix matrix_of(const FloatCase& float_case) {
    recipe::CodeMatrix values{float_case.matrix.values.rows, float_case.matrix.values.columns, {}};
    for (std::uint64_t i = 0; i < float_case.values.count(); ++i) values.codes.push_back(float_case.values.get(i));
    return values;
}

Joined scales_in_columns(const QuantizeFloat& quantize, const FloatCase& float_case) {
    recipe::FloatQuantized right =
        fast::quantize(quantize.choices, *quantize.source, quantize.block, matrix_of(float_case));
    const std::vector<recipe::Scales> rows = right.scales;
    for (std::size_t i = 0; i < rows.size(); ++i) right.scales[float_case.matrix.place_in_columns(i)] = rows[i];
    return right;
}

Joined one_scale(const QuantizeFloat& quantize, const FloatCase& float_case) {
    recipe::FloatQuantized all =
        fast::quantize(quantize.choices, *quantize.source, shapes::per_tensor, matrix_of(float_case));
    all.scales.resize(float_case.matrix.blocks(), all.scales.front());
    return all;
}

Joined turned_blocks(const QuantizeFloat& quantize, const FloatCase& float_case) {
    const BlockShape turned{quantize.block.columns, quantize.block.rows};
    recipe::FloatQuantized other_quantized =
        fast::quantize(quantize.choices, *quantize.source, turned, matrix_of(float_case));
    if (other_quantized.scales.size() != float_case.matrix.blocks()) return std::nullopt;
    return other_quantized;
}

struct Join {
    std::string_view bug_class;
    std::string_view text;
    Joined (*make)(const QuantizeFloat&, const FloatCase&);
};
constexpr std::array joins{
    Join{"WRONG_AXIS", "the scales of blocks in columns, not in rows", scales_in_columns},
    Join{"AMAX_LANES", "the amax of the whole matrix in each block", one_scale},
    Join{"WRONG_AXIS", "blocks that lie the other way", turned_blocks},
};

bool is_same(const QuantizeFloat& quantize, const FloatSeen& seen, const Joined& joined) {
    if (!joined) return false;
    for (std::size_t i = 0; i < joined->scales.size(); ++i)
        if (!same(*quantize.scale, seen.outputs[1].get(i), fast::scale_to(*quantize.scale, joined->scales[i].scale)))
            return false;
    for (std::size_t i = 0; i < joined->elements.codes.size(); ++i)
        if (!same(*quantize.choices.scaling.element, seen.outputs[0].get(i), joined->elements.codes[i])) return false;
    return true;
}

} // namespace

FloatSample* FloatSamples::next(bool right) {
    constexpr std::uint64_t most = 200; // of each kind
    Kind& kind = right ? right_ : wrong_;
    const std::uint64_t number = kind.seen++;
    if (number < most) return &kind.kept.emplace_back();
    const std::uint64_t place = SplitMix64::at(0, number) % (number + 1);
    return place < most ? &kind.kept[place] : nullptr;
}

std::vector<FloatSample> FloatSamples::list() const {
    std::vector<FloatSample> both = right_.kept;
    both.insert(both.end(), wrong_.kept.begin(), wrong_.kept.end());
    return both;
}

std::vector<KnownFault> float_faults() {
    std::vector<KnownFault> faults;
    for (const Slip& slip : slips) faults.push_back({find_bug_class(slip.bug_class), std::string(slip.text)});
    for (const recipe::FloatBlockPreset& preset : recipe::float_block_presets())
        faults.push_back({find_bug_class("SCALING_RECIPE"), "the recipe " + std::string(preset.name)});
    for (const Join& join : joins) faults.push_back({find_bug_class(join.bug_class), std::string(join.text)});
    return faults;
}

std::vector<KnownFault> known_as(const QuantizeFloat& quantize, const std::vector<FloatSample>& samples) {
    std::vector<KnownFault> known;
    if (std::all_of(samples.begin(), samples.end(), [](const FloatSample& sample) { return sample.right; }))
        return known;
    for (const Slip& slip : slips) {
        FloatWay way{quantize.choices};
        if (slip.change(way) && explains(quantize, way, samples))
            known.push_back({find_bug_class(slip.bug_class), std::string(slip.text)});
    }
    if (!known.empty()) return known;
    for (const recipe::FloatBlockPreset& preset : recipe::float_block_presets()) {
        const std::optional<FloatWay> way = way_of(quantize, preset);
        if (way && explains(quantize, *way, samples))
            known.push_back({find_bug_class("SCALING_RECIPE"), "the recipe " + std::string(preset.name)});
    }
    return known;
}

std::vector<KnownFault> known_as(const QuantizeFloat& quantize, const std::vector<FloatSeen>& seen) {
    std::vector<KnownFault> known;
    for (const Join& join : joins)
        if (!seen.empty() && std::all_of(seen.begin(), seen.end(), [&](const FloatSeen& seen) {
                return is_same(quantize, seen, join.make(quantize, seen.asked));
            }))
            known.push_back({find_bug_class(join.bug_class), std::string(join.text)});
    return known;
}

std::vector<std::string_view> shown_by(const QuantizeFloat& quantize, const std::vector<FloatSample>& blocks,
                                       const FloatSeen& matrix) {
    std::set<std::string_view> shown;
    for (const Slip& slip : slips) {
        FloatWay way{quantize.choices};
        if (slip.change(way) && !explains(quantize, way, blocks)) shown.insert(slip.bug_class);
    }
    for (const recipe::FloatBlockPreset& preset : recipe::float_block_presets()) {
        const std::optional<FloatWay> way = way_of(quantize, preset);
        if (way && !explains(quantize, *way, blocks)) shown.insert("SCALING_RECIPE");
    }
    for (const Join& join : joins) {
        const Joined joined = join.make(quantize, matrix.asked);
        if (joined && !is_same(quantize, matrix, joined)) shown.insert(join.bug_class);
    }
    return {shown.begin(), shown.end()};
}

} // namespace mxcert::suites
