// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/identify.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/suites/asked.hpp"
#include "conformance/suites/hadamard/cases.hpp"
#include "conformance/suites/nvfp4/points.hpp"
#include "conformance/suites/nvfp4/seen_tensors.hpp"
#include "conformance/suites/nvfp4/transformed.hpp"
#include "conformance/suites/nvfp4/way.hpp"
#include "conformance/suites/search.hpp"

namespace mxcert::suites {
namespace {

using recipe::BlockQuotient;
using recipe::ElementScale;
using recipe::FourOverSix;
using recipe::Nvfp4;
using recipe::TensorScale;
using Parameter = SearchParameter<Nvfp4Way>;

constexpr Nvfp4Effort effort{Level::smoke, 1, 1};

template <auto member, class Value> Parameter::Value choice(std::string name, Value value) {
    return {std::move(name), [value](Nvfp4Way& way) { way.choices.*member = value; }};
}
template <auto member> Parameter yes_or_no(std::string_view name) {
    return {name, {choice<member>("no", false), choice<member>("yes", true)}};
}
template <auto member> Parameter slip(std::string_view name, std::string right, std::string wrong) {
    return {name,
            {{std::move(right), [](Nvfp4Way&) {}}, {std::move(wrong), [](Nvfp4Way& way) { way.*member = true; }}},
            true};
}
template <auto member, class Value> Parameter words(std::string_view name, std::initializer_list<Value> values) {
    Parameter parameter{name, {}};
    for (const Value value : values) parameter.values.push_back(choice<member>(std::string(to_string(value)), value));
    return parameter;
}
template <auto member> Parameter roundings(std::string_view name) {
    return {name,
            {choice<member>("nearest_even", Rounding::nearest_even),
             choice<member>("nearest_away", Rounding::nearest_away),
             choice<member>("nearest_zero", Rounding::nearest_zero),
             choice<member>("toward_zero", Rounding::toward_zero), choice<member>("up", Rounding::up)}};
}

std::vector<Parameter> all_parameters() {
    return {
        words<&Nvfp4::tensor>("tensor", {TensorScale::encode, TensorScale::decode, TensorScale::none}),
        {"range",
         {choice<&Nvfp4::range>("448 x 6", Code{0x45280000}), choice<&Nvfp4::range>("256 x 6", Code{0x44C00000}),
          choice<&Nvfp4::range>("448", Code{0x43E00000}), choice<&Nvfp4::range>("6", Code{0x40C00000})}},
        yes_or_no<&Nvfp4::reciprocal>("reciprocal"),
        {"least_tensor_amax",
         {choice<&Nvfp4::least_tensor_amax>("none", Code{0}),
          choice<&Nvfp4::least_tensor_amax>("2^-126", Code{0x00800000})}},
        yes_or_no<&Nvfp4::unusable_is_one>("unusable_is_one"),
        yes_or_no<&Nvfp4::special_is_one>("special_is_one"),
        yes_or_no<&Nvfp4::limited>("limited"),
        words<&Nvfp4::quotient>("quotient", {BlockQuotient::by_product, BlockQuotient::then_encode,
                                             BlockQuotient::then_decode, BlockQuotient::at_once}),
        {"scale",
         {choice<&Nvfp4::scale>("e4m3", static_cast<const Format*>(&formats::e4m3)),
          choice<&Nvfp4::scale>("ue5m3", static_cast<const Format*>(&formats::ue5m3))}},
        yes_or_no<&Nvfp4::scale_carry_lost>("scale_carry_lost"),
        yes_or_no<&Nvfp4::positive_scale_is_least>("positive_scale_is_least"),
        yes_or_no<&Nvfp4::nan_scale_is_zero>("nan_scale_is_zero"),
        yes_or_no<&Nvfp4::zero_is_one>("zero_is_one"),
        {"least_quotient",
         {choice<&Nvfp4::least_quotient>("none", Code{0}), choice<&Nvfp4::least_quotient>("2^-9", Code{0x3B000000}),
          choice<&Nvfp4::least_quotient>("2^-6", Code{0x3C800000})}},
        roundings<&Nvfp4::scale_rounding>("scale_rounding"),
        {"scale_overflow",
         {choice<&Nvfp4::scale_overflow>("sat", Overflow::sat),
          choice<&Nvfp4::scale_overflow>("nosat", Overflow::nosat)}},
        {"zero_scale",
         {choice<&Nvfp4::zero_scale>("0x00", Code{0}), choice<&Nvfp4::zero_scale>("0x20", Code{0x20}),
          choice<&Nvfp4::zero_scale>("0x38", Code{0x38})}},
        words<&Nvfp4::element>("element", {ElementScale::times_inverse, ElementScale::times_quotient,
                                           ElementScale::over_product, ElementScale::over_quotient}),
        roundings<&Nvfp4::rounding>("rounding"),
        {"amax_nan",
         {choice<&Nvfp4::amax_nan>("ignored", AmaxNan::ignored),
          choice<&Nvfp4::amax_nan>("if_alone", AmaxNan::if_alone),
          choice<&Nvfp4::amax_nan>("propagated", AmaxNan::propagated)}},
        {"nan", {choice<&Nvfp4::nan>("6", Code{0x7}), choice<&Nvfp4::nan>("0", Code{0})}},
        {"nan_open",
         {choice<&Nvfp4::nan_open>("none", Code{0}), choice<&Nvfp4::nan_open>("its sign", Code{0x8}),
          choice<&Nvfp4::nan_open>("all bits", Code{0xF})}},
        {"scales_in",
         {choice<&Nvfp4::scales_in>("fp32", static_cast<const Format*>(&formats::fp32)),
          choice<&Nvfp4::scales_in>("bf16", static_cast<const Format*>(&formats::bf16))}},
        {"zero_sign",
         {choice<&Nvfp4::zero_sign>("kept", ZeroSign::kept), choice<&Nvfp4::zero_sign>("dropped", ZeroSign::dropped),
          choice<&Nvfp4::zero_sign>("input_dropped", ZeroSign::input_dropped)}},
        words<&Nvfp4::four_over_six>("four_over_six", {FourOverSix::off, FourOverSix::absolute, FourOverSix::square}),
        slip<&Nvfp4Way::always_to_4>("mapped to 4", "blocks with a smaller error so", "every block"),
        slip<&Nvfp4Way::in_one_sum>("sum of errors", "of each row, then by halves", "of all values in order"),
        slip<&Nvfp4Way::ties_to_4>("equal errors", "mapped to 6", "mapped to 4"),
        slip<&Nvfp4Way::one_amax>("amax", "of the values of the block", "of the tensor"),
        slip<&Nvfp4Way::signed_amax>("magnitudes", "of all values", "of positive values"),
        slip<&Nvfp4Way::last_left_out>("last value", "in the amax", "left out of the amax"),
        slip<&Nvfp4Way::in_columns>("scales", "in rows of blocks", "in columns of blocks"),
        slip<&Nvfp4Way::by_unrounded>("elements", "by the scale given out", "by the scale before it was rounded"),
        slip<&Nvfp4Way::gives_inverse>("given out", "the scale of the tensor", "its reciprocal"),
    };
}

Parameter transforms() {
    const auto value = [](std::string name, FirstTransform transform) {
        return Parameter::Value{std::move(name), [transform](Nvfp4Way& way) { way.transform = transform; }};
    };
    return {"transform",
            {value("as declared", FirstTransform::as_declared), value("none", FirstTransform::left_out),
             value("without signs", FirstTransform::without_signs),
             value("signs after the sums", FirstTransform::signs_after),
             value("across the blocks", FirstTransform::other_axis),
             value("without the factor 1/4", FirstTransform::without_factor),
             value("not rounded to BF16", FirstTransform::not_rounded),
             value("after the amax of the tensor", FirstTransform::after_tensor_amax)}};
}

/// Asks; false if there is no use in going on.
bool ask_all_of(Asked<TileCase>& asked_case, const QuantizeNvfp4& quantize) {
    const auto ask = [&](const TileCase& tile_case) { return asked_case.ask(quantize, tile_case); };
    if (quantize.hadamard) {
        Nvfp4Expected expected(quantize);
        for (const char* const part : {"scale", "elements", "tensor", "blocks"})
            if (!for_each_transformed_case(quantize, part, expected, effort, [&](const TileCase& tile_case) {
                    return may_be_refused(tile_case) || ask(tile_case);
                }))
                return false;
        return true;
    }
    // The questions must not depend on the declared recipe: ask the steps of every one.
    std::vector<Nvfp4> asked;
    for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets()) {
        // Which error decides between two maps moves no step.
        Nvfp4 steps = preset.choices;
        steps.four_over_six = std::min(steps.four_over_six, FourOverSix::absolute);
        if (std::find(asked.begin(), asked.end(), steps) != asked.end()) continue;
        asked.push_back(steps);
        QuantizeNvfp4 by_preset = quantize;
        by_preset.recipe = &preset;
        Nvfp4Expected expected(by_preset);
        for (const Code amax : amaxes_of_few_tensors(quantize, Level::quick))
            if (!for_each_scale_case(quantize, amax, amaxes_in_tensor(by_preset, expected, amax, effort), ask) ||
                !for_each_element_case(quantize, amax, values_in_tensor(by_preset, expected, amax, effort), ask))
                return false;
    }
    for (const Code amax : amaxes_of_tensors(quantize, effort))
        if (!ask(tensor_case(quantize, amax, telling_amaxes(quantize, amax)))) return false;
    return for_each_block_case(quantize, true, ask);
}

} // namespace

std::vector<SearchParameter<Nvfp4Way>> nvfp4_parameters(const QuantizeNvfp4& quantize) {
    std::vector<Parameter> all = all_parameters();
    if (quantize.hadamard) all.push_back(transforms());
    // Whether it draws, and by which law, is nothing that cases decide: `mxcert certify` says it.
    if (quantize.random)
        for (Parameter& parameter : all)
            if (parameter.name == "rounding") parameter.values.front().name = "one of the two neighbours";
    return all;
}

std::vector<NamedWay<Nvfp4Way>> nvfp4_recipes() {
    std::vector<NamedWay<Nvfp4Way>> recipes;
    for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets())
        recipes.push_back({preset.name, {preset.choices}});
    return recipes;
}

FoundCases identify_nvfp4(observe::Subject& subject, const Operation& operation) {
    const QuantizeNvfp4 quantize = as_quantize_nvfp4(operation);
    Asked<TileCase> asked_case(subject, operation, "blocks");
    const bool answered = ask_all_of(asked_case, quantize);
    if (!answered) return found_of(operation, asked_case);

    const SeenTensors seen(quantize, asked_case.seen);
    const std::vector<NamedWay<Nvfp4Way>> recipes = nvfp4_recipes();
    const auto explains = [&](const Nvfp4Way& way) { return seen.explains(way); };
    FoundCases searched = search_from_recipes<Nvfp4Way>(nvfp4_parameters(quantize), recipes, seen.count(), explains,
                                                        explains, [&](std::uint64_t at) { return seen.title(at); });
    return found_of(operation, asked_case, std::move(searched));
}

} // namespace mxcert::suites
