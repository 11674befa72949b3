// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/dequantize_nvfp4/identify.hpp"

#include <fmt/format.h>

#include "conformance/suites/asked.hpp"
#include "conformance/suites/dequantize_nvfp4/way.hpp"
#include "conformance/suites/search.hpp"

namespace mxcert::suites {
namespace {

using recipe::Nvfp4Factor;
using Parameter = SearchParameter<Nvfp4BackWay>;

constexpr std::uint64_t seed_of_numbers = 1;

template <auto member> Parameter::Value on(std::string name) {
    return {std::move(name), [](Nvfp4BackWay& way) { way.*member = true; }};
}
Parameter::Value usual(std::string name) {
    return {std::move(name), [](Nvfp4BackWay&) {}};
}

std::vector<Parameter> parameters_of(const DequantizeNvfp4& dequantize) {
    const auto factor = [](Nvfp4Factor value) {
        return Parameter::Value{std::string(recipe::to_string(value)),
                                [value](Nvfp4BackWay& way) { way.factor = value; }};
    };
    std::vector<Parameter> parameters{
        {"product",
         {usual("rounded to binary32, then to the target"), on<&Nvfp4BackWay::once>("rounded once"),
          on<&Nvfp4BackWay::factor_in_target>("by a factor rounded to the target")}},
        {"scale",
         {{"e4m3", [](Nvfp4BackWay& way) { way.scale = &formats::e4m3; }},
          {"ue5m3", [](Nvfp4BackWay& way) { way.scale = &formats::ue5m3; }}}},
        {"overflow", {usual("nosat"), on<&Nvfp4BackWay::saturates>("sat")}},
        {"subnormal scales", {usual("kept"), on<&Nvfp4BackWay::subnormal_scales_flushed>("flushed")}},
        {"sign of a scale", {usual("kept"), on<&Nvfp4BackWay::sign_of_scale_lost>("left out")}},
        {"element 0x8", {usual("-0"), on<&Nvfp4BackWay::minus_zero_is_zero>("+0")}},
        {"sign of zero", {usual("kept"), on<&Nvfp4BackWay::zero_sign_lost>("left out")}},
        {"scales",
         {usual("in rows of blocks"), on<&Nvfp4BackWay::scales_in_columns>("in columns of blocks"),
          on<&Nvfp4BackWay::scale_of_first>("of the first block of the row")}},
        {"elements", {usual("in their places"), on<&Nvfp4BackWay::pairs_exchanged>("neighbours exchanged")}, true},
        {"scale 0x7F", {usual("NaN"), on<&Nvfp4BackWay::nan_is_480>("480")}, true},
    };
    if (dequantize.has_number()) {
        parameters.insert(parameters.begin(), {"factor",
                                               {factor(Nvfp4Factor::times_amax), factor(Nvfp4Factor::times_decode),
                                                factor(Nvfp4Factor::over_encode)}});
        parameters.push_back({"number of the tensor",
                              {usual("as it is"), on<&Nvfp4BackWay::number_inverted>("its reciprocal"),
                               on<&Nvfp4BackWay::number_left_out>("left out")},
                              true});
        // A decode or encode scale has the range in it.
        if (dequantize.recipe->choices.factor == Nvfp4Factor::times_amax)
            parameters.push_back({"range",
                                  {{"448 x 6", [](Nvfp4BackWay& way) { way.range = 448 * 6; }},
                                   {"256 x 6", [](Nvfp4BackWay& way) { way.range = 256 * 6; }}}});
    }
    return parameters;
}

} // namespace

FoundCases identify_dequantize_nvfp4(observe::Subject& subject, const Operation& operation) {
    const DequantizeNvfp4 dequantize = as_dequantize_nvfp4(operation);
    Asked<Nvfp4BackCase> asked_case(subject, operation, "blocks");
    const auto ask = [&](const Nvfp4BackCase& back_case) {
        constexpr std::size_t largest = 1U << 16U;
        return back_case.elements.size() > largest || asked_case.ask(dequantize, back_case);
    };
    bool answered = true;
    for (const Code number : numbers_of_tensors(dequantize, Level::quick, seed_of_numbers))
        if (answered) answered = ask(values_case(dequantize, number));
    if (answered) static_cast<void>(for_each_place_case(dequantize, ask));
    if (asked_case.status != Status::pass) return found_of(operation, asked_case);

    std::vector<Nvfp4BackSeen> seen;
    std::vector<std::pair<std::size_t, std::uint64_t>> blocks; // of which case, and which
    for (const JoinSeen<Nvfp4BackCase>& answer : asked_case.seen) {
        for (std::uint64_t block = 0; block < answer.asked->matrix.blocks(); ++block)
            blocks.emplace_back(seen.size(), block);
        seen.push_back({*answer.asked, answer.outputs});
    }
    const auto explains = [&](const Nvfp4BackWay& way) {
        return [&seen, &blocks, &dequantize, way](std::uint64_t at) {
            return seen[blocks[at].first].gives(dequantize, way, blocks[at].second);
        };
    };
    std::vector<NamedWay<Nvfp4BackWay>> recipes;
    for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets()) {
        const DequantizeNvfp4 by_recipe{&preset, dequantize.block, dequantize.target};
        if (by_recipe.has_number() == dequantize.has_number()) recipes.push_back({preset.name, right_way(by_recipe)});
    }
    FoundCases searched = search_from_recipes<Nvfp4BackWay>(
        parameters_of(dequantize), recipes, blocks.size(), explains, explains, [&](std::uint64_t at) {
            return fmt::format("{}, block {}", seen[blocks[at].first].asked.name, blocks[at].second);
        });
    return found_of(operation, asked_case, std::move(searched));
}

} // namespace mxcert::suites
