// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/random_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "conformance/suites/models_agree.hpp"
#include "conformance/suites/nvfp4/transformed.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/recipe/nvfp4.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"

namespace mxcert::suites {
namespace {

using exact::Rational;
using formats::e2m1;
using formats::fp32;

constexpr std::uint64_t tile_side = 16;
constexpr std::uint64_t least_side = 2 * tile_side;
constexpr std::uint64_t patterns = 1024; ///< of transformed groups
constexpr std::size_t word_bits = 64;

/// Amaxes of a tensor and of its blocks. The first pair has a factor of 1, and an amax that saturates; then a scale
/// that is no power of two; a tensor whose blocks all have its amax, by which both scales are rounded; and subnormal
/// scales of a tensor beyond the range.
struct Amaxes {
    float tensor;
    float block;
};
constexpr Amaxes scaled_by[] = {{2688, 6.25F}, {2688, 10.5F}, {1, 1}, {43008, 0.375F}};
constexpr float saturating[] = {6.25F, 6.125F}; ///< under the first

Code wide_of(const Format& source, Code code) { return fast::bits_of(fast::widened(source, code)); }

Rational signed_value(const Format& format, Code code) {
    const Rational magnitude = exact::decode(format, code).magnitude;
    return format.is_negative(code) ? Rational(-magnitude) : magnitude;
}

/// By both models.
Code scaled_by_both(const recipe::Nvfp4& choices, const recipe::TensorScales& tensor, Code scale, Code wide) {
    const Code scaled = exact::scaled_value_of(choices, tensor, scale, wide);
    must_agree(scaled == fast::scaled_value_of(choices, tensor, scale, wide), "a scaled value");
    return scaled;
}

ElementEnds ends_under(recipe::Nvfp4 choices, const recipe::TensorScales& tensor, Code scale, Code wide) {
    const auto rounded = [&](Rounding rounding) {
        choices.rounding = rounding;
        const Code element = exact::element_of(choices, tensor, scale, wide);
        must_agree(element == fast::element_of(choices, tensor, scale, wide), "an element");
        return element;
    };
    return {rounded(Rounding::toward_zero), rounded(Rounding::away_from_zero)};
}

RandomScaling scaling_of(const QuantizeNvfp4& quantize, const Amaxes& of) {
    const recipe::Nvfp4& choices = quantize.recipe->choices;
    const Format& source = *quantize.source;
    RandomScaling scaling;
    scaling.tensor_amax = fast::rounded_to(source, of.tensor);
    scaling.amax = fast::rounded_to(source, of.block);
    const Code tensor_wide = wide_of(source, scaling.tensor_amax);
    const Code wide = wide_of(source, scaling.amax);
    scaling.tensor = exact::tensor_scales_of(choices, tensor_wide);
    must_agree(scaling.tensor == fast::tensor_scales_of(choices, tensor_wide), "the scale of a tensor");
    const auto scale_of = [&](Code amax) {
        const Code scale = exact::block_scale_of(choices, scaling.tensor, amax);
        must_agree(scale == fast::block_scale_of(choices, scaling.tensor, amax), "the scale of a block");
        return scale;
    };
    scaling.scale = scale_of(wide);
    scaling.holder_scale = scale_of(tensor_wide);
    scaling.of_amax = ends_under(choices, scaling.tensor, scaling.scale, wide);
    scaling.of_holder = ends_under(choices, scaling.tensor, scaling.holder_scale, tensor_wide);
    scaling.factor = signed_value(fp32, scaled_by_both(choices, scaling.tensor, scaling.scale, fp32.one_code()));
    return scaling;
}

/// The code of the source that is scaled to a value, or the next one toward zero.
Code unscaled(const Format& source, const RandomScaling& scaling, const Rational& value) {
    const Rational magnitude = abs(value) / scaling.factor;
    const Code code = exact::encode(source, exact::round(source, magnitude, false, Rounding::toward_zero).lower);
    return value < 0 ? code | source.sign_bit() : code;
}

/// Which place of a block has its amax, and which pattern is transformed.
std::uint64_t turn_of(std::uint64_t round, std::size_t input) { return round * 5 + input; }

void mark(std::vector<std::uint64_t>& words, std::uint64_t lane) {
    words[lane / word_bits] |= std::uint64_t{1} << lane % word_bits;
}

} // namespace

RandomPlan::RandomPlan(const QuantizeNvfp4& quantize, const stochastic::Parameters& wanted) : quantize_(quantize) {
    stochastic::Parameters parameters = wanted;
    const RandomRounding& random = quantize.random.value();
    if (random.bits != 0) parameters.law = {random.law, random.bits, 0};
    for (const Amaxes& of : scaled_by) scalings_.push_back(scaling_of(quantize, of));
    add_shapes(parameters.lanes);
    if (quantize.hadamard) add_groups();
    parameters.lanes = shapes_.front().places.size();
    const Conversion scaled{&fp32, &e2m1, Rounding::stochastic_a, Overflow::sat, 1};
    plan_ = stochastic::plan(scaled, parameters, least_draws());
    const stochastic::Plan of_values = plan_;
    add_inputs(of_values);
    add_fixed();
}

void RandomPlan::add_shapes(std::uint64_t lanes) {
    // As square as whole tiles make it: about so many lanes.
    const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(lanes)));
    const std::uint64_t whole = std::max(side / tile_side * tile_side, least_side);
    const auto tail = [&](std::size_t of_block) { return of_block > 1 ? whole - tile_side / 2 - 1 : whole - 1; };
    std::vector<Extent> extents{{whole, whole}};
    // A group of fewer than 16 values is not transformed.
    if (!quantize_.hadamard) extents.push_back({tail(quantize_.block.rows), tail(quantize_.block.columns)});
    for (const Extent& extent : extents) {
        Shape shape{{extent, quantize_.block}, 0, std::vector<std::uint64_t>(whole * whole, no_place)};
        const std::uint64_t blocks = shape.matrix.blocks();
        shape.first_lane = shape.places.size() - blocks * block_size();
        for (std::uint64_t block = 0; block < blocks; ++block) {
            const BlockRange range = shape.matrix.block(block);
            const std::uint64_t values = count(range.size, "values");
            for (std::uint64_t lane = 0; lane < values; ++lane)
                shape.places.at(shape.first_lane + block * block_size() + lane) = shape.matrix.place(range, lane);
        }
        shapes_.push_back(std::move(shape));
    }
}

// Signs and places follow from the number of a group alone: they are those of 1 and 1/2.
void RandomPlan::add_groups() {
    const Format& source = *quantize_.source;
    const Code first = fast::rounded_to(source, 1);
    const Code second = fast::rounded_to(source, 0.5F);
    HadamardExpected expected(*quantize_.hadamard, source, formats::bf16);
    for (std::uint64_t number = 0; number < patterns; ++number) {
        Group group;
        const std::vector<Code> codes = group_of_two(*quantize_.hadamard, first, second, number);
        for (std::uint64_t lane = 0; lane < codes.size(); ++lane)
            if (codes[lane] != 0)
                group.parts.push_back({lane,
                                       {source.magnitude_of(codes[lane]) < fast::rounded_to(source, 2),
                                        source.is_negative(codes[lane])}});
        for (const recipe::HadamardValue& value : expected.of(codes)) {
            const Code code = value.one_of(formats::bf16);
            must_agree(value.is_one() && (source.magnitude_of(code) == first || source.magnitude_of(code) == second),
                       "a transformed group");
            group.results.push_back({source.magnitude_of(code) == second, source.is_negative(code)});
        }
        groups_.push_back(std::move(group));
    }
}

bool RandomPlan::may_draw(std::uint64_t block, std::uint64_t lane, std::uint64_t round) const {
    if (!quantize_.random->pairs) return true;
    return (lane + SplitMix64::at(0, block) % 2 + round / 2) % 2 == 0;
}

std::uint64_t RandomPlan::least_draws() const {
    std::uint64_t least = ~std::uint64_t{0};
    const std::uint64_t turns = quantize_.random->pairs ? 4 : 1; // of may_draw()
    for (const Shape& shape : shapes_) {
        // Groups take turns with each other: those of a call are all, or the same number of each from some on.
        for (std::uint64_t round = 0; round < (groups_.empty() ? 1 : patterns * turns); ++round) {
            std::uint64_t positive = 0;
            std::uint64_t negative = 0;
            const std::uint64_t blocks = shape.matrix.blocks();
            for (std::uint64_t block = 0; block < blocks; ++block) {
                const std::uint64_t values = count(shape.matrix.block(block).size, "values");
                if (groups_.empty()) {
                    // One of them may be the amax.
                    positive += (quantize_.random->pairs ? values / 2 : values) - 1;
                    continue;
                }
                const std::vector<Transformed>& results = groups_[(block + round / turns) % patterns].results;
                for (std::uint64_t lane = 0; lane < results.size(); ++lane)
                    if (results[lane].is_input && may_draw(block, lane, round))
                        ++(results[lane].negative ? negative : positive);
            }
            least = std::min(least, groups_.empty() ? positive : std::min(positive, negative));
            if (blocks % patterns == 0 && !quantize_.random->pairs) break;
        }
    }
    return least - std::min(least - 1, block_size());
}

void RandomPlan::add_inputs(const stochastic::Plan& wanted) {
    plan_.inputs.clear();
    const recipe::Nvfp4& choices = quantize_.recipe->choices;
    const Format& source = *quantize_.source;
    std::set<std::pair<std::size_t, Code>> known;
    // Inputs of both signs follow each other.
    for (std::size_t i = 0; i < wanted.inputs.size(); ++i) {
        const stochastic::Input& input = wanted.inputs[i];
        const std::size_t number = i / 2 % scalings_.size();
        const RandomScaling& scaling = scalings_[number];
        const Code code = unscaled(source, scaling, signed_value(fp32, input.code));
        if (source.magnitude_of(code) >= scaling.amax) continue;
        if (quantize_.hadamard && !can_be_two(scaling.amax, source.magnitude_of(code))) continue;
        const Code scaled = scaled_by_both(choices, scaling.tensor, scaling.scale, wide_of(source, code));
        std::optional<stochastic::Input> made =
            stochastic::input_of(wanted.conversion, wanted.parameters.law, input.region, scaled);
        if (!made || made->lower != input.lower || !known.insert({number, code}).second) continue;
        made->factor = scaling.factor;
        plan_.inputs.push_back(std::move(*made));
        scaling_of_.push_back(number);
        code_of_.push_back(code);
    }
    if (plan_.inputs.empty() || plan_.inputs.size() % 2 != 0)
        throw std::logic_error("nvfp4: inputs that are rounded at random have both signs");
}

void RandomPlan::add_fixed() {
    plan_.fixed.clear();
    const RandomScaling& scaling = scalings_.front();
    const auto add = [&](float value) {
        for (const float each : {value, -value}) {
            const Code code = fast::rounded_to(*quantize_.source, each);
            const Code scaled = scaled_by_both(quantize_.recipe->choices, scaling.tensor, scaling.scale,
                                               wide_of(*quantize_.source, code));
            const ElementEnds ends =
                ends_under(quantize_.recipe->choices, scaling.tensor, scaling.scale, wide_of(*quantize_.source, code));
            if (scaled != fast::bits_of(each) || ends.lower != ends.upper)
                throw std::logic_error("nvfp4: a value that is to have one element has two");
            plan_.fixed.push_back({scaled, ends.lower});
        }
    };
    for (Code code = 0; code <= e2m1.max_code(); ++code) add(fast::as_float(exact::converted(e2m1, fp32, code)));
    for (const float value : saturating) add(value);
}

RandomCall RandomPlan::empty_call(const Shape& shape, std::uint64_t round, const RandomScaling& scaling) const {
    RandomCall call;
    call.values.resize(count(shape.matrix.values, "values"));
    call.scaling = &scaling;
    call.holder = (round * 31 + 1) % shape.matrix.blocks();
    call.lower.assign(shape.places.size(), RandomCall::none);
    call.upper = call.lower;
    const std::size_t words = (shape.places.size() + word_bits - 1) / word_bits;
    call.drawn.assign(inputs_at_once(), std::vector<std::uint64_t>(words));
    return call;
}

std::uint64_t RandomPlan::set_largest(RandomCall& call, const Shape& shape, std::uint64_t block,
                                      std::uint64_t turn) const {
    const RandomScaling& scaling = *call.scaling;
    const std::uint64_t first = shape.first_lane + block * block_size();
    const std::uint64_t values = count(shape.matrix.block(block).size, "values");
    const bool holds = block == call.holder;
    // Other places in the rows that follow, too, however many blocks a row has.
    const std::uint64_t largest = (block * 7 + block / 16 + turn) % values;
    const bool negative = (block + turn) % 2 != 0;
    const ElementEnds& ends = holds ? scaling.of_holder : scaling.of_amax;
    const Code sign = negative ? e2m1.sign_bit() : 0;
    const Code code = holds ? scaling.tensor_amax : scaling.amax;
    call.values[shape.places[first + largest]] = negative ? code | quantize_.source->sign_bit() : code;
    call.lower[first + largest] = static_cast<std::uint8_t>(ends.lower | sign);
    call.upper[first + largest] = static_cast<std::uint8_t>(ends.upper | sign);
    if (!holds) return largest;
    for (std::uint64_t lane = 0; lane < values; ++lane)
        if (lane != largest) call.lower[first + lane] = call.upper[first + lane] = 0;
    return no_place;
}

void RandomPlan::set_group(RandomCall& call, const Shape& shape, std::uint64_t block, std::uint64_t round,
                           std::size_t first) const {
    const RandomScaling& scaling = *call.scaling;
    const Format& source = *quantize_.source;
    const std::uint64_t first_lane = shape.first_lane + block * block_size();
    const bool holds = block == call.holder;
    const auto set = [&](std::uint64_t lane, float number, bool negative) {
        call.values[shape.places[first_lane + lane]] = fast::rounded_to(source, negative ? -number : number);
    };
    const Group& group = groups_[(block + turn_of(round, first)) % patterns];
    const float amax = fast::widened(source, holds ? scaling.tensor_amax : scaling.amax);
    // The amax of the tensor in both halves of the places.
    const float input = holds ? amax : fast::widened(source, code_of_[first]);
    for (const Group::Part& part : group.parts)
        set(part.lane, 2 * (part.value.is_input ? input : amax), part.value.negative);
    const ElementEnds of_input{e2m1.magnitude_of(plan_.inputs[first].lower),
                               e2m1.magnitude_of(plan_.inputs[first].upper)};
    for (std::uint64_t lane = 0; lane < group.results.size(); ++lane) {
        const Transformed& result = group.results[lane];
        if (result.is_input && !holds && may_draw(block, lane, round)) {
            mark(call.drawn[result.negative ? 1 : 0], first_lane + lane);
            continue;
        }
        const ElementEnds& ends = holds ? scaling.of_holder : result.is_input ? of_input : scaling.of_amax;
        const Code sign = result.negative ? e2m1.sign_bit() : 0;
        call.lower[first_lane + lane] = static_cast<std::uint8_t>(ends.lower | sign);
        call.upper[first_lane + lane] = static_cast<std::uint8_t>(ends.upper | sign);
    }
}

RandomCall RandomPlan::call(const Shape& shape, std::uint64_t round, std::size_t first) const {
    RandomCall call = empty_call(shape, round, scalings_[scaling_of_[first]]);
    const std::uint64_t blocks = shape.matrix.blocks();
    const stochastic::Input& input = plan_.inputs[first];
    for (std::uint64_t block = 0; block < blocks; ++block) {
        if (quantize_.hadamard) {
            set_group(call, shape, block, round, first);
            continue;
        }
        const std::uint64_t largest = set_largest(call, shape, block, turn_of(round, first));
        const std::uint64_t values = largest == no_place ? 0 : count(shape.matrix.block(block).size, "values");
        for (std::uint64_t lane = 0; lane < values; ++lane) {
            if (lane == largest) continue;
            const std::uint64_t at = shape.first_lane + block * block_size() + lane;
            call.values[shape.places[at]] = code_of_[first];
            if (may_draw(block, lane, round)) {
                mark(call.drawn.front(), at);
            } else {
                call.lower[at] = static_cast<std::uint8_t>(input.lower);
                call.upper[at] = static_cast<std::uint8_t>(input.upper);
            }
        }
    }
    return call;
}

RandomCall RandomPlan::fixed_call(const Shape& shape, std::uint64_t round) const {
    RandomCall call = empty_call(shape, round, scalings_.front());
    if (quantize_.hadamard) return call;
    const std::uint64_t blocks = shape.matrix.blocks();
    std::vector<Code> codes;
    for (const stochastic::Fixed& fixed : plan_.fixed)
        codes.push_back(fast::rounded_to(*quantize_.source, fast::as_float(fixed.code)));
    for (std::uint64_t block = 0; block < blocks; ++block) {
        const std::uint64_t largest = set_largest(call, shape, block, round);
        const std::uint64_t values = largest == no_place ? 0 : count(shape.matrix.block(block).size, "values");
        for (std::uint64_t lane = 0; lane < values; ++lane) {
            if (lane == largest) continue;
            const std::uint64_t at = shape.first_lane + block * block_size() + lane;
            call.values[shape.places[at]] = codes[plan_.fixed_at(round * (plan_.inputs.size() + 1), at)];
            mark(call.drawn.front(), at);
        }
    }
    return call;
}

} // namespace mxcert::suites
