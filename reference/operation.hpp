// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/block.hpp"
#include "reference/block_shape.hpp"
#include "reference/conversion.hpp"
#include "reference/layout.hpp"

// Operations on arrays: what a conversion of single values is for numbers, these are for matrices (docs/operations.md).
namespace mxcert {

/// An operation as data: its name, and what a backend says to offer one.
struct OperationInfo {
    std::string_view name;
    std::span<const std::string_view> attributes; ///< in the order of names and reports
};
[[nodiscard]] std::span<const OperationInfo> all_operations();

/// One operation as a backend offers it and a command names it.
struct Operation {
    const OperationInfo* info = nullptr; ///< points into all_operations()
    std::vector<std::string> values;     ///< of its attributes

    [[nodiscard]] std::string_view value(std::string_view attribute) const;
    friend bool operator==(const Operation& a, const Operation& b) { return a.info == b.info && a.values == b.values; }
};

/// "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32": the name and the values. Used for rows of reports and
/// --filter.
[[nodiscard]] std::string to_string(const Operation& operation);

/// From the names a backend gives. Throws std::invalid_argument that says which is unknown, missing or twice there.
[[nodiscard]] Operation make_operation(std::string_view name,
                                       std::span<const std::pair<std::string, std::string>> attributes);

/// Sizes of a block that a backend may have (`block=`).
inline constexpr unsigned largest_block = 1024;

/// The operation "quantize": a matrix of values to its elements and its scales, one a block.
struct Quantize {
    BlockFormat format;
    Conversion scale;   ///< of the amax
    Conversion element; ///< of a value by its scale
    Axis axis = Axis::row;
    unsigned block = 0; ///< elements; 0 for any from 1 to largest_block, named in each run
};

/// The operation "dequantize": the way back.
struct Dequantize {
    const Format* element = nullptr;
    Conversion value; ///< of an element times its scale
    Axis axis = Axis::row;
    unsigned block = 0; ///< as in Quantize
};

/// The operation "layout": bytes of scales from rows to where a layout has them, or back.
struct Layout {
    const ScaleLayout* layout = nullptr; ///< points into all_layouts()
    LayoutDirection direction = LayoutDirection::arrange;
};

/// The operation "stochastic": values rounded at random, with random bits of the implementation's own.
struct Stochastic {
    Conversion conversion; ///< its random bits are those of the law; 1 where that is not known
    bool law_known = false;
};

/// An operation of that name, with names resolved. Throws std::invalid_argument for an unknown or impossible one.
[[nodiscard]] Quantize as_quantize(const Operation& operation);
[[nodiscard]] Dequantize as_dequantize(const Operation& operation);
[[nodiscard]] Layout as_layout(const Operation& operation);
[[nodiscard]] Stochastic as_stochastic(const Operation& operation);

} // namespace mxcert
