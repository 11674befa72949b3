// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/quantization.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/tensors/tensor_file.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/number.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::tensors {
namespace {

/// Sets a choice to what the profile permits: its default if it may, else the first value it may have.
void permit(const Profile& profile, const Conversion& conversion, const ChoiceInfo& choice, Choices& choices) {
    const std::vector<std::string_view> values = permitted_values(profile, conversion, choice.choice);
    const std::string_view current = value_name(choices, choice.choice);
    if (std::find(values.begin(), values.end(), current) != values.end()) return;
    for (const std::string_view value : values)
        if (value != any_nan_code) return set(choices, choice.name, value);
}

std::string_view first_word(std::string_view list) { return list.substr(0, list.find(' ')); }

/// A member of the text that must be there.
const std::string& member(const std::map<std::string, std::string>& text, const char* name) {
    const auto found = text.find(name);
    if (found == text.end()) throw std::runtime_error(fmt::format("'{}' is missing", name));
    return found->second;
}

} // namespace

Matrices matrices_of(const std::vector<std::uint64_t>& shape) {
    Matrices matrices;
    if (!shape.empty()) matrices.matrix.columns = shape.back();
    if (shape.size() > 1) matrices.matrix.rows = shape[shape.size() - 2];
    for (std::size_t i = 0; i + 2 < shape.size(); ++i) matrices.count *= shape[i];
    return matrices;
}

Extent scales_of_matrix(const Quantization& how) { return scales_of(matrices_of(how.shape).matrix, how.block_shape()); }

std::vector<std::uint64_t> scales_shape(const Quantization& how) {
    const Extent scales = scales_of_matrix(how);
    std::vector<std::uint64_t> shape;
    for (std::size_t i = 0; i + 2 < how.shape.size(); ++i) shape.push_back(how.shape[i]);
    if (how.layout != nullptr) {
        shape.push_back(ScaleMap(*how.layout, scales).size());
        return shape;
    }
    if (how.shape.size() > 1) shape.push_back(scales.rows);
    shape.push_back(scales.columns);
    return shape;
}

std::vector<std::uint64_t> elements_shape(const Quantization& how) {
    std::vector<std::uint64_t> shape = how.shape;
    if (!how.is_packed()) return shape;
    if (shape.empty()) shape.push_back(1);
    shape.back() = packed_bytes(*how.packing, *how.format->element, shape.back(), how.block);
    return shape;
}

void check(const Quantization& how) {
    if (how.block == 0 || how.block > largest_block)
        throw std::invalid_argument(fmt::format("a block has 1 to {} elements, not {}", largest_block, how.block));
    if ((how.format->tensor_scale != nullptr) != (how.recipe != nullptr))
        throw std::invalid_argument(how.recipe == nullptr ? "nvfp4 needs a recipe: whose quantizer"
                                                          : "a recipe is that of nvfp4");
    if (how.axis == Axis::column && how.shape.size() < 2)
        throw std::invalid_argument("blocks along columns need a tensor of two axes or more");
    if (how.packing->order == PackingOrder::halves && how.axis == Axis::column)
        throw std::invalid_argument("the packing halves is for blocks along rows");
    (void)elements_shape(how); // throws if a row is no whole number of bytes
    (void)scales_shape(how);
}

Choices choices_of(const Profile& profile, const Conversion& conversion) {
    if (!covers(profile, conversion))
        throw std::invalid_argument(fmt::format("the profile {} does not judge {}: `mxcert profiles {}`", profile.name,
                                                to_string(conversion), profile.name));
    Choices choices = mxcert::choices_of(conversion);
    for (const ChoiceInfo& choice : all_choices()) permit(profile, conversion, choice, choices);
    return choices;
}

BlockChoices choices_of(const Profile& profile, const BlockFormat& format) {
    const std::string_view overflow = first_word(judged_overflow(profile, *format.element));
    const std::string_view rule = first_word(profile.scale_rules);
    const std::string_view rounding = profile.roundings.empty() ? "nearest_even" : first_word(profile.roundings);
    if (rule.empty() || overflow.empty())
        throw std::invalid_argument(
            fmt::format("the profile {} judges no blocks: `mxcert profiles {}`", profile.name, profile.name));
    BlockChoices choices;
    choices.scale = choices_of(
        profile, make_conversion(amax_of(*format.value).name, scale_of(*format.element).name, rule, overflow, 0));
    choices.element =
        choices_of(profile, make_conversion(by_scale(*format.value).name, format.element->name, rounding, overflow, 0));
    choices.amax_nan = profile.amax_nan.front();
    choices.amax_inf = profile.amax_inf.front();
    return choices;
}

std::map<std::string, std::string> to_text(const Quantization& how) {
    Choices element = how.choices.element;
    element.rule = ScaleRule::none;
    std::map<std::string, std::string> text = {
        {"format", std::string(how.format->name)},
        {"source", std::string(how.source->name)},
        {"shape", fmt::format("{}", fmt::join(how.shape, ","))},
        {"axis", how.axis == Axis::row ? "row" : "column"},
        {"block", std::to_string(how.block)},
        {"packing", std::string(how.packing->name)},
        {"layout", how.layout == nullptr ? "rows" : std::string(how.layout->name)}};
    if (how.recipe != nullptr) {
        text["recipe"] = how.recipe->name;
        text["tensor scale"] = code_text(formats::fp32, how.tensor.decode);
        text["tensor amax"] = code_text(formats::fp32, how.tensor.amax);
        return text;
    }
    text.merge(std::map<std::string, std::string>{
        {"choices of the scale", describe(how.choices.scale)},
        {"choices of the elements", describe(element)},
        {"NaN in the amax", std::string(amax_nan_names[static_cast<std::size_t>(how.choices.amax_nan)])},
        {"Inf in the amax", std::string(amax_inf_names[static_cast<std::size_t>(how.choices.amax_inf)])}});
    return text;
}

Quantization read_quantization(const std::map<std::string, std::string>& text) try {
    Quantization how;
    how.format = &scaled_format(member(text, "format"));
    how.source = &taken_format(member(text, "source"), value_formats);
    if (const std::string& shape = member(text, "shape"); !shape.empty()) how.shape = parse_shape(shape);
    const std::string& axis = member(text, "axis");
    if (axis != "row" && axis != "column") throw std::invalid_argument("'axis' is neither row nor column");
    how.axis = axis == "row" ? Axis::row : Axis::column;
    const std::string& block = member(text, "block");
    const auto [end, error] = std::from_chars(block.data(), block.data() + block.size(), how.block);
    if (error != std::errc{} || end != block.data() + block.size()) throw std::invalid_argument("'block' is no number");
    how.packing = &find_packing(member(text, "packing"));
    if (const std::string& layout = member(text, "layout"); layout != "rows") how.layout = &find_layout(layout);
    if (how.format->tensor_scale != nullptr) {
        how.recipe = &recipe::nvfp4_preset(member(text, "recipe"));
        how.tensor.decode = parse_number(member(text, "tensor scale"), formats::fp32).code;
        how.tensor.amax = parse_number(member(text, "tensor amax"), formats::fp32).code;
    }
    check(how);
    return how;
} catch (const std::invalid_argument& error) {
    throw std::runtime_error(error.what());
}

} // namespace mxcert::tensors
