// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "reference/format.hpp"

namespace mxcert {

/// A scaled format: elements of one format, and the scale that each block of them shares (MX v1.0 5.2). NVFP4 has a
/// second scale for the whole tensor.
struct ScaledFormat {
    std::string_view name;       ///< "mxfp8_e4m3"
    std::string_view title;      ///< "MXFP8 with E4M3 elements"
    const Format* element;       ///< e4m3
    const Format* scale;         ///< e8m0
    const Format* scale_of_amax; ///< the scale as that which a block's amax is converted to: e8m0_for_e4m3; null: NVFP4
    const Format* product;       ///< an element times its scale: e4m3_times_e8m0; null: NVFP4
    unsigned block;              ///< elements that share a scale
    std::string_view source;     ///< the clause that defines it
    const Format* tensor_scale = nullptr; ///< of the scale of the tensor, fp32; null: there is none

    /// Bits a value takes, its share of the scale included: 8.25.
    [[nodiscard]] constexpr double bits_per_value() const {
        return element->width() + static_cast<double>(scale->width()) / block;
    }
};

/// Every scaled format. Lists of them, and of the formats they are made of, are made from this table.
[[nodiscard]] std::span<const ScaledFormat> scaled_formats();
/// Those of MX, whose scales are in E8M0 and follow from an amax by a rule.
[[nodiscard]] std::span<const ScaledFormat> mx_formats();

/// The scaled format of that name. Throws std::invalid_argument that names the near ones.
[[nodiscard]] const ScaledFormat& scaled_format(std::string_view name);

/// The scaled format of these elements and scales. Throws std::invalid_argument if there is none.
[[nodiscard]] const ScaledFormat& scaled_format(const Format& element, const Format& scale);

/// Whether there is one.
[[nodiscard]] bool is_scaled(const Format& element, const Format& scale);

} // namespace mxcert
