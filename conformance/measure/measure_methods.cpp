// SPDX-License-Identifier: Apache-2.0
// What a user may choose, and the bytes it takes.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/measure/measure.hpp"
#include "reference/base/near_names.hpp"
#include "reference/scale_rule.hpp"
#include "reference/scaled_format.hpp"

namespace mxcert::measure {
namespace {

struct Scale {
    std::string_view name;
    ScaleKind kind;
};
constexpr Scale without_blocks[] = {{"tensor", ScaleKind::tensor}, {"plain", ScaleKind::plain}};

const Format& element_of(const std::string& name) {
    std::vector<std::string_view> names;
    for (const ScaledFormat& scaled : mx_formats()) names.push_back(scaled.element->name);
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw std::invalid_argument(unknown_name("element", name, names));
    return format(name);
}

/// A method without its element and block.
Method scale_of(const std::string& name) {
    for (const Scale& scale : without_blocks)
        if (scale.name == name) return {nullptr, scale.kind, ScaleRule::none, 0};
    for (const ScaleRuleInfo& rule : all_scale_rules())
        if (to_string(rule.rule) == name) return {nullptr, ScaleKind::block, rule.rule, 0};
    throw std::invalid_argument(unknown_name("scale rule", name, scale_names()));
}

template <class Name> void require_once(const std::vector<Name>& names, const char* option) {
    for (auto name = names.begin(); name != names.end(); ++name)
        if (std::find(names.begin(), name, *name) != name)
            throw std::invalid_argument(fmt::format("{} {} stands twice", option, *name));
}

std::uint64_t up_to(std::uint64_t size, std::uint64_t multiple) { return (size + multiple - 1) / multiple * multiple; }

std::uint64_t divided_up(std::uint64_t size, std::uint64_t by) { return size / by + (size % by != 0 ? 1 : 0); }

} // namespace

std::string_view Method::scale() const {
    for (const Scale& scale : without_blocks)
        if (scale.kind == kind) return scale.name;
    return to_string(rule);
}

std::vector<std::string_view> scale_names() {
    std::vector<std::string_view> names;
    for (const ScaleRuleInfo& rule : all_scale_rules()) names.push_back(to_string(rule.rule));
    for (const Scale& scale : without_blocks) names.push_back(scale.name);
    return names;
}

std::vector<Method> methods_of(const std::vector<std::string>& elements, const std::vector<std::string>& scales,
                               const std::vector<std::uint32_t>& blocks) {
    require_once(elements, "--element");
    require_once(scales, "--rule");
    require_once(blocks, "--block");
    for (const std::uint32_t block : blocks)
        if (block < 1 || block > max_block)
            throw std::invalid_argument(fmt::format("--block {}: 1 to {} values", block, max_block));
    std::vector<Method> methods;
    for (const std::string& element : elements)
        for (const std::string& scale : scales) {
            Method method = scale_of(scale);
            method.element = &element_of(element);
            if (method.kind != ScaleKind::block) methods.push_back(method);
            for (const std::uint32_t block : blocks) {
                if (method.kind != ScaleKind::block) break;
                method.block = block;
                methods.push_back(method);
            }
        }
    if (methods.size() > max_methods)
        throw std::invalid_argument(fmt::format("{} elements, scales and blocks together: no more than {} at a time",
                                                methods.size(), max_methods));
    return methods;
}

TensorBytes bytes_of_tensor(const std::vector<std::uint64_t>& shape, const Method& method) {
    // MX v1.0 5: a scale is a byte, and an element its bits, packed. Paddings as matrix units with scales of 128x4
    // tiles have them.
    constexpr std::uint64_t tile_rows = 128;
    constexpr std::uint64_t tile_columns = 4;
    constexpr std::uint64_t fp32_bytes = 4;
    TensorBytes bytes;
    const std::uint64_t values = values_of(shape);
    bytes.codes = divided_up(values * static_cast<std::uint64_t>(method.element->width()), 8);
    bytes.both_codes = 2 * bytes.codes;
    if (method.kind == ScaleKind::tensor)
        bytes.scales = bytes.padded_scales = bytes.both_scales = bytes.both_padded_scales = fp32_bytes;
    if (method.kind != ScaleKind::block) return bytes;
    const std::uint64_t columns = shape.empty() ? 1 : shape.back();
    const std::uint64_t rows = values / columns;
    const std::uint64_t along_rows = divided_up(columns, method.block);
    const std::uint64_t along_columns = divided_up(rows, method.block);
    bytes.scales = rows * along_rows;
    bytes.padded_scales = up_to(rows, tile_rows) * up_to(along_rows, tile_columns);
    bytes.both_scales = bytes.scales + along_columns * columns;
    bytes.both_padded_scales = bytes.padded_scales + up_to(along_columns, tile_columns) * up_to(columns, tile_rows);
    return bytes;
}

} // namespace mxcert::measure
