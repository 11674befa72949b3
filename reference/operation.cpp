// SPDX-License-Identifier: Apache-2.0
#include "reference/operation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace mxcert {
namespace {

constexpr std::array<std::string_view, 8> quantize_attributes{"source",   "element",  "scale", "rule",
                                                              "rounding", "overflow", "axis",  "block"};
constexpr std::array<std::string_view, 5> dequantize_attributes{"element", "scale", "target", "axis", "block"};
constexpr std::array<std::string_view, 2> layout_attributes{"layout", "direction"};
constexpr std::array<std::string_view, 4> stochastic_attributes{"source", "target", "law", "overflow"};
constexpr OperationInfo table[] = {
    {"quantize", quantize_attributes},
    {"dequantize", dequantize_attributes},
    {"layout", layout_attributes},
    {"stochastic", stochastic_attributes},
};

Axis axis_of(const Operation& operation) {
    const std::string_view text = operation.value("axis");
    if (text != "row" && text != "column")
        throw std::invalid_argument("axis '" + std::string(text) + "': there are row and column");
    return text == "row" ? Axis::row : Axis::column;
}

unsigned block_of(const Operation& operation) {
    const std::string_view text = operation.value("block");
    if (text == "any") return 0;
    unsigned size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc{} || end != text.data() + text.size() || size < 1 || size > largest_block)
        throw std::invalid_argument("block '" + std::string(text) + "' is neither 'any' nor a size from 1 to " +
                                    std::to_string(largest_block));
    return size;
}

void check_scale(const Operation& operation) {
    if (operation.value("scale") != "e8m0")
        throw std::invalid_argument("scale '" + std::string(operation.value("scale")) + "': there is e8m0");
}

} // namespace

std::span<const OperationInfo> all_operations() { return table; }

std::string_view Operation::value(std::string_view attribute) const {
    const auto at = std::find(info->attributes.begin(), info->attributes.end(), attribute);
    if (at == info->attributes.end())
        throw std::invalid_argument(std::string(info->name) + " has no attribute " + std::string(attribute));
    return values[static_cast<std::size_t>(at - info->attributes.begin())];
}

std::string to_string(const Operation& operation) {
    std::string text(operation.info->name);
    for (const std::string& value : operation.values) text += '-' + value;
    return text;
}

Operation make_operation(std::string_view name, std::span<const std::pair<std::string, std::string>> attributes) {
    Operation operation;
    for (const OperationInfo& info : table)
        if (info.name == name) operation.info = &info;
    if (operation.info == nullptr)
        throw std::invalid_argument("unknown operation '" + std::string(name) +
                                    "': there are quantize, dequantize, layout and stochastic");
    const std::span<const std::string_view> wanted = operation.info->attributes;
    operation.values.resize(wanted.size());
    for (const auto& [key, value] : attributes) {
        const auto at = std::find(wanted.begin(), wanted.end(), key);
        if (at == wanted.end()) throw std::invalid_argument(std::string(name) + " has no attribute '" + key + "'");
        std::string& place = operation.values[static_cast<std::size_t>(at - wanted.begin())];
        if (value.empty()) throw std::invalid_argument("attribute '" + key + "' is empty");
        if (!place.empty()) throw std::invalid_argument("attribute '" + key + "' is there twice");
        place = value;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (operation.values[i].empty())
            throw std::invalid_argument(std::string(name) + " needs the attribute '" + std::string(wanted[i]) + "'");
    if (name == "quantize")
        static_cast<void>(as_quantize(operation));
    else if (name == "dequantize")
        static_cast<void>(as_dequantize(operation));
    else if (name == "layout")
        static_cast<void>(as_layout(operation));
    else
        static_cast<void>(as_stochastic(operation));
    return operation;
}

Quantize as_quantize(const Operation& operation) {
    check_scale(operation);
    Quantize quantize;
    quantize.format = {&format(operation.value("source")), &format(operation.value("element"))};
    const std::string_view overflow = operation.value("overflow");
    quantize.scale = make_conversion(amax_of(*quantize.format.value).name, scale_of(*quantize.format.element).name,
                                     operation.value("rule"), overflow, 0);
    quantize.element = make_conversion(by_scale(*quantize.format.value).name, quantize.format.element->name,
                                       operation.value("rounding"), overflow, 0);
    quantize.axis = axis_of(operation);
    quantize.block = block_of(operation);
    return quantize;
}

Dequantize as_dequantize(const Operation& operation) {
    check_scale(operation);
    Dequantize dequantize;
    dequantize.element = &format(operation.value("element"));
    dequantize.value =
        make_conversion(times_scale(*dequantize.element).name, operation.value("target"), "nearest_even", "nosat", 0);
    dequantize.axis = axis_of(operation);
    dequantize.block = block_of(operation);
    return dequantize;
}

Stochastic as_stochastic(const Operation& operation) {
    const std::string_view law = operation.value("law");
    const bool known = law != "any";
    const std::string rounding = known ? std::string(law) : "stochastic_a1";
    const Conversion conversion =
        parse_conversion(std::string(operation.value("source")) + "-" + std::string(operation.value("target")) + "-" +
                         rounding + "-" + std::string(operation.value("overflow")));
    if (!is_stochastic(conversion.rounding))
        throw std::invalid_argument("law '" + std::string(law) +
                                    "' is neither 'any' nor a stochastic rounding with its bits, as stochastic_a8");
    return {conversion, known};
}

Layout as_layout(const Operation& operation) {
    const std::string_view direction = operation.value("direction");
    if (direction != "arrange" && direction != "restore")
        throw std::invalid_argument("direction '" + std::string(direction) + "': there are arrange and restore");
    return {&find_layout(operation.value("layout")),
            direction == "arrange" ? LayoutDirection::arrange : LayoutDirection::restore};
}

} // namespace mxcert
