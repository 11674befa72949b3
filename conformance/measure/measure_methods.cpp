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
constexpr Scale with_floats[] = {{"absmax", ScaleKind::absmax},
                                 {"tile", ScaleKind::tile},
                                 {"row", ScaleKind::row},
                                 {"tensor", ScaleKind::tensor},
                                 {"plain", ScaleKind::plain}};

constexpr std::uint32_t nvfp4_block = 16;

const Format& element_of(const std::string& name) {
    std::vector<std::string_view> names;
    for (const ScaledFormat& scaled : mx_formats()) names.push_back(scaled.element->name);
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw std::invalid_argument(unknown_name("element", name, names));
    return format(name);
}

/// Whether a recipe quantizes a tensor by what it holds alone.
bool remembers_nothing(const recipe::ElementRecipe& recipe) {
    return recipe.choices.length == 1 && recipe.choices.sees == recipe::Sees::own;
}

bool has_block_sizes(ScaleKind kind) {
    return kind == ScaleKind::block || kind == ScaleKind::absmax || kind == ScaleKind::tile;
}

/// A method without its element and block.
Method scale_of(const std::string& name) {
    for (const Scale& scale : with_floats)
        if (scale.name == name) return {nullptr, scale.kind, ScaleRule::none, 0};
    for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets())
        if (preset.name == name) return {&formats::e2m1, ScaleKind::nvfp4, ScaleRule::none, nvfp4_block, &preset};
    for (const recipe::ElementRecipe& recipe : recipe::element_recipes())
        if (recipe.name == name && remembers_nothing(recipe))
            return {nullptr, ScaleKind::percentile, ScaleRule::none, 0, nullptr, &recipe};
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
    if (kind == ScaleKind::nvfp4) return recipe->name;
    if (kind == ScaleKind::percentile) return of_elements->name;
    for (const Scale& scale : with_floats)
        if (scale.kind == kind) return scale.name;
    return mxcert::to_string(rule);
}

BlockShape Method::shape() const {
    switch (kind) {
    case ScaleKind::block:
    case ScaleKind::absmax:
    case ScaleKind::nvfp4: return shapes::rowwise(block);
    case ScaleKind::tile: return shapes::tile(block);
    case ScaleKind::row: return shapes::per_row;
    case ScaleKind::tensor:
    case ScaleKind::percentile:
    case ScaleKind::plain: break;
    }
    return shapes::per_tensor;
}

std::string to_string(const Method& method) {
    return fmt::format("{} {}{}", method.element->name, method.scale(),
                       method.block != 0 && method.kind != ScaleKind::nvfp4 ? fmt::format(" {}", method.block) : "");
}

std::vector<std::string_view> scale_names() {
    std::vector<std::string_view> names;
    for (const ScaleRuleInfo& rule : all_scale_rules()) names.push_back(to_string(rule.rule));
    for (const Scale& scale : with_floats) names.push_back(scale.name);
    for (const recipe::Nvfp4Preset& preset : recipe::nvfp4_presets()) names.push_back(preset.name);
    for (const recipe::ElementRecipe& recipe : recipe::element_recipes())
        if (remembers_nothing(recipe)) names.push_back(recipe.name);
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
            if (method.kind == ScaleKind::nvfp4) continue;
            method.element = &element_of(element);
            if (!has_block_sizes(method.kind)) methods.push_back(method);
            for (const std::uint32_t block : blocks) {
                if (!has_block_sizes(method.kind)) break;
                method.block = block;
                methods.push_back(method);
            }
        }
    for (const std::string& scale : scales)
        if (const Method method = scale_of(scale); method.kind == ScaleKind::nvfp4) methods.push_back(method);
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
    if (method.kind == ScaleKind::plain) return bytes;
    const std::uint64_t columns = shape.empty() ? 1 : shape.back();
    const Extent matrix{values / columns, columns};
    const BlockShape block = method.shape();
    const BlockShape turned{block.columns, block.rows};
    const Extent along_rows = scales_of(matrix, block);
    const Extent along_columns = scales_of(matrix, turned);
    bytes.scales = bytes.padded_scales = along_rows.rows * along_rows.columns;
    bytes.both_scales = bytes.both_padded_scales =
        bytes.scales + (block == turned ? 0 : along_columns.rows * along_columns.columns);
    if (method.kind == ScaleKind::block || method.kind == ScaleKind::nvfp4) {
        bytes.padded_scales = up_to(along_rows.rows, tile_rows) * up_to(along_rows.columns, tile_columns);
        bytes.both_padded_scales =
            bytes.padded_scales + up_to(along_columns.rows, tile_columns) * up_to(along_columns.columns, tile_rows);
    }
    for (std::uint64_t* scales : {&bytes.scales, &bytes.padded_scales, &bytes.both_scales, &bytes.both_padded_scales}) {
        if (method.kind == ScaleKind::block) continue;
        *scales = method.kind == ScaleKind::nvfp4 ? *scales + fp32_bytes : *scales * fp32_bytes;
    }
    return bytes;
}

} // namespace mxcert::measure
