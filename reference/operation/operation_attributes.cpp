// SPDX-License-Identifier: Apache-2.0
// The attributes of an operation, those that need not be there too.
#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "reference/base/near_names.hpp"
#include "reference/operation/operation.hpp"

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

/// An attribute that need not be there. No two have a value of the same name.
struct OptionalAttribute {
    std::string_view name;
    bool (*may_have)(const OperationInfo&);
    bool (*is)(std::string_view value);
    std::string_view (*absent)(); ///< the value that says the same as nothing
};
constexpr std::array optional_attributes{
    OptionalAttribute{"hadamard", [](const OperationInfo& info) { return info.may_transform; }, recipe::is_signs,
                      [] { return std::string_view("none"); }},
    OptionalAttribute{"packing", [](const OperationInfo& info) { return info.may_pack(); }, is_packing,
                      [] { return all_packings().front().name; }},
    OptionalAttribute{"layout", [](const OperationInfo& info) { return info.may_lay_out(); }, is_layout,
                      [] { return all_layouts().front().name; }},
};

/// That attribute of an operation; the end if it cannot have it.
auto find_optional(const OperationInfo& info, std::string_view name) {
    return std::find_if(optional_attributes.begin(), optional_attributes.end(), [&](const OptionalAttribute& optional) {
        return optional.name == name && optional.may_have(info);
    });
}

void check_packing(const Operation& operation) {
    const PackedElements elements = packed_elements(operation);
    static_cast<void>(elements.row_bytes(elements.block)); // throws if the elements cannot be packed so
}

} // namespace

std::string_view Operation::value(std::string_view attribute) const {
    const auto optional = find_optional(*info, attribute);
    const bool is_own =
        std::find(info->attributes.begin(), info->attributes.end(), attribute) != info->attributes.end();
    if (optional != optional_attributes.end() && !is_own) {
        for (std::size_t i = info->attributes.size(); i < values.size(); ++i)
            if (optional->is(values[i])) return values[i];
        return optional->absent();
    }
    if (!is_own) throw std::invalid_argument(std::string(info->name) + " has no attribute " + std::string(attribute));
    const auto at = std::find(info->attributes.begin(), info->attributes.end(), attribute);
    return values[static_cast<std::size_t>(at - info->attributes.begin())];
}

std::string to_string(const Operation& operation) {
    std::string text(operation.info->name);
    for (const std::string& value : operation.values) text += '-' + value;
    return text;
}

Operation make_operation(std::string_view name, std::span<const std::pair<std::string, std::string>> attributes) {
    Operation operation;
    operation.info = &find_named("operation", name, all_operations());
    const std::span<const std::string_view> wanted = operation.info->attributes;
    operation.values.resize(wanted.size());
    std::array<std::string, optional_attributes.size()> optional_values;
    for (const auto& [key, value] : attributes) {
        const auto at = std::find(wanted.begin(), wanted.end(), key);
        const auto optional = find_optional(*operation.info, key);
        if (at == wanted.end() && optional == optional_attributes.end())
            throw std::invalid_argument(std::string(name) + " has no attribute '" + key + "'");
        std::string& place = at != wanted.end()
                                 ? operation.values[static_cast<std::size_t>(at - wanted.begin())]
                                 : optional_values[static_cast<std::size_t>(optional - optional_attributes.begin())];
        if (value.empty()) throw std::invalid_argument("attribute '" + key + "' is empty");
        if (!place.empty()) throw std::invalid_argument("attribute '" + key + "' is there twice");
        place = value;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (operation.values[i].empty())
            throw std::invalid_argument(std::string(name) + " needs the attribute '" + std::string(wanted[i]) + "'");
    const auto& [signs, packing, layout] = optional_values;
    if (!signs.empty() && signs != "none") {
        static_cast<void>(recipe::parse_signs(signs));
        operation.values.push_back(signs);
    }
    operation.info->check(operation);
    if (!packing.empty() && find_packing(packing).order != PackingOrder::byte) {
        operation.values.push_back(packing);
        check_packing(operation);
    }
    if (!layout.empty() && &find_layout(layout) != &all_layouts().front()) {
        if (!find_layout(layout).padding)
            throw std::invalid_argument("layout '" + layout + "': its padding is left undefined");
        operation.values.push_back(layout);
    }
    return operation;
}

} // namespace mxcert
