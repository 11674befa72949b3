// SPDX-License-Identifier: Apache-2.0
// Attributes that an operation need not have.
#include "reference/operation/operation.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <string>

namespace mxcert {
namespace {

bool is_packing(std::string_view name) {
    const std::span<const Packing> all = all_packings();
    return std::any_of(all.begin(), all.end(), [&](const Packing& packing) { return packing.name == name; });
}

bool is_layout(std::string_view name) {
    const std::span<const ScaleLayout> all = all_layouts();
    return std::any_of(all.begin(), all.end(), [&](const ScaleLayout& layout) { return layout.name == name; });
}

void check_layout(std::string_view name) {
    if (!find_layout(name).padding)
        throw std::invalid_argument("layout '" + std::string(name) + "': its padding is left undefined");
}

constexpr std::array<OptionalAttribute, 5> attribute_table{{
    {"activation", [](const OperationInfo& info) { return info.may_activate; }, is_activation, "none",
     [](std::string_view name) { static_cast<void>(find_activation(name)); }},
    {"hadamard", [](const OperationInfo& info) { return info.may_transform; },
     [](std::string_view value) { return value == "none" || recipe::is_signs(value); }, "none",
     [](std::string_view signs) { static_cast<void>(recipe::parse_signs(signs)); }},
    {"rounding", [](const OperationInfo& info) { return info.may_draw; },
     [](std::string_view value) { return value == "nearest_even" || value.starts_with("stochastic"); }, "nearest_even",
     [](std::string_view name) { static_cast<void>(random_rounding_of(name)); }},
    {"packing", [](const OperationInfo& info) { return info.may_pack(); }, is_packing, "bytes",
     [](std::string_view name) { static_cast<void>(find_packing(name)); }},
    {"layout", [](const OperationInfo& info) { return info.may_lay_out(); }, is_layout, "linear", check_layout},
}};

} // namespace

std::span<const OptionalAttribute> optional_attributes() { return attribute_table; }

std::vector<std::string_view> optional_attributes(const OperationInfo& info) {
    std::vector<std::string_view> names;
    for (const OptionalAttribute& attribute : attribute_table)
        if (attribute.may_have(info)) names.push_back(attribute.name);
    return names;
}

const OptionalAttribute* find_optional(const OperationInfo& info, std::string_view name) {
    const auto* const found =
        std::find_if(attribute_table.begin(), attribute_table.end(), [&](const OptionalAttribute& attribute) {
            return attribute.name == name && attribute.may_have(info);
        });
    return found == attribute_table.end() ? nullptr : found;
}

std::string_view optional_value(const Operation& operation, const OptionalAttribute& attribute) {
    for (std::size_t i = operation.info->attributes.size(); i < operation.values.size(); ++i)
        if (attribute.is_value(operation.values[i])) return operation.values[i];
    return {};
}

std::vector<std::pair<std::string, std::string>> name_optional_values(const OperationInfo& info,
                                                                      std::span<const std::string> values) {
    const std::vector<std::string_view> names = optional_attributes(info);
    std::vector<std::pair<std::string, std::string>> named;
    for (const std::string& value : values) {
        // One of no attribute is taken for the first packing, or for what comes last: the message names those near it.
        const bool packs = std::find(names.begin(), names.end(), "packing") != names.end();
        const bool packed =
            std::any_of(named.begin(), named.end(), [](const auto& pair) { return pair.first == "packing"; });
        std::string_view name = packs && !packed ? "packing" : names.back();
        for (const OptionalAttribute& attribute : attribute_table)
            if (attribute.may_have(info) && attribute.is_value(value)) name = attribute.name;
        named.emplace_back(name, value);
    }
    return named;
}

} // namespace mxcert
