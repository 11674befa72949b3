// SPDX-License-Identifier: Apache-2.0
#include "reference/scaled_format.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

using namespace formats;

constexpr ScaledFormat scaled_format_table[] = {
    {"mxfp8_e4m3", "MXFP8, E4M3 elements", &e4m3, &e8m0, &e8m0_for_e4m3, &e4m3_times_e8m0, 32, "MX v1.0 5.2"},
    {"mxfp8_e5m2", "MXFP8, E5M2 elements", &e5m2, &e8m0, &e8m0_for_e5m2, &e5m2_times_e8m0, 32, "MX v1.0 5.2"},
    {"mxfp6_e3m2", "MXFP6, E3M2 elements", &e3m2, &e8m0, &e8m0_for_e3m2, &e3m2_times_e8m0, 32, "MX v1.0 5.2"},
    {"mxfp6_e2m3", "MXFP6, E2M3 elements", &e2m3, &e8m0, &e8m0_for_e2m3, &e2m3_times_e8m0, 32, "MX v1.0 5.2"},
    {"mxfp4", "MXFP4, E2M1 elements", &e2m1, &e8m0, &e8m0_for_e2m1, &e2m1_times_e8m0, 32, "MX v1.0 5.2"},
    {"mxint8", "MXINT8, INT8 elements", &int8, &e8m0, &e8m0_for_int8, &int8_times_e8m0, 32, "MX v1.0 5.2"},
    {"nvfp4", "NVFP4, E2M1 elements, a tensor scale", &e2m1, &e4m3, nullptr, nullptr, 16,
     "Transformer Engine d0067d0 core_nvfp4.cuh", &fp32},
};
constexpr std::size_t mx_count = 6;
static_assert(std::all_of(std::begin(scaled_format_table), std::end(scaled_format_table), [](const ScaledFormat& row) {
    return (row.scale == &e8m0) == (&row - scaled_format_table < static_cast<std::ptrdiff_t>(mx_count));
}));

const ScaledFormat* find(const Format& element, const Format& scale) {
    const auto* found =
        std::find_if(std::begin(scaled_format_table), std::end(scaled_format_table),
                     [&](const ScaledFormat& row) { return row.element == &element && row.scale == &scale; });
    return found == std::end(scaled_format_table) ? nullptr : found;
}

} // namespace

std::span<const ScaledFormat> scaled_formats() { return scaled_format_table; }
std::span<const ScaledFormat> mx_formats() { return std::span(scaled_format_table).first(mx_count); }

const ScaledFormat& scaled_format(std::string_view name) {
    return find_named("scaled format", name, scaled_format_table);
}

const ScaledFormat& scaled_format(const Format& element, const Format& scale) {
    if (const ScaledFormat* found = find(element, scale)) return *found;
    throw std::invalid_argument("no scaled format has elements in " + std::string(element.name) + " and scales in " +
                                std::string(scale.name) + ": `mxcert formats --scaled` lists them");
}

bool is_scaled(const Format& element, const Format& scale) { return find(element, scale) != nullptr; }

} // namespace mxcert
