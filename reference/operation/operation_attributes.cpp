// SPDX-License-Identifier: Apache-2.0
// The attributes of an operation, those that need not be there too.
#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

#include "reference/base/near_names.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert {
namespace {

void check_packing(const Operation& operation) {
    const PackedElements elements = packed_elements(operation);
    if (elements.packs()) static_cast<void>(elements.row_bytes(elements.block)); // throws if they cannot be packed so
}

} // namespace

std::string_view Operation::value(std::string_view attribute) const {
    if (const OptionalAttribute* const optional = find_optional(*info, attribute)) {
        const std::string_view value = optional_value(*this, *optional);
        return value.empty() ? optional->usual : value;
    }
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
    operation.info = &find_named("operation", name, all_operations());
    const std::span<const std::string_view> wanted = operation.info->attributes;
    operation.values.resize(wanted.size());
    std::map<std::string_view, std::string> optional;
    for (const auto& [key, value] : attributes) {
        const auto at = std::find(wanted.begin(), wanted.end(), key);
        const OptionalAttribute* const attribute = find_optional(*operation.info, key);
        if (at == wanted.end() && attribute == nullptr)
            throw std::invalid_argument(std::string(name) + " has no attribute '" + key + "'");
        std::string& place = attribute != nullptr ? optional[attribute->name]
                                                  : operation.values[static_cast<std::size_t>(at - wanted.begin())];
        if (value.empty()) throw std::invalid_argument("attribute '" + key + "' is empty");
        if (!place.empty()) throw std::invalid_argument("attribute '" + key + "' is there twice");
        place = value;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (operation.values[i].empty())
            throw std::invalid_argument(std::string(name) + " needs the attribute '" + std::string(wanted[i]) + "'");
    for (const OptionalAttribute& attribute : optional_attributes()) {
        const std::string& value = optional[attribute.name];
        if (value.empty() || value == attribute.usual) continue;
        attribute.check(value);
        operation.values.push_back(value);
    }
    operation.info->check(operation);
    check_packing(operation);
    return operation;
}

} // namespace mxcert
