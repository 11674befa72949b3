// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/recipe/percentile.hpp"
#include "vectors/cases/trace.hpp"

// Golden traces of scaling by a percentile of a tensor's elements: like those of trace.hpp, but each step brings a
// tensor, and its elements come out.
namespace mxcert {

/// A step: a tensor of binary32, and what it becomes.
struct ElementTraceRow {
    std::vector<Code> values;
    recipe::ElementStep step;

    friend bool operator==(const ElementTraceRow&, const ElementTraceRow&) = default;
};
using ElementTrace = std::vector<ElementTraceRow>;

/// The tensors of the golden trace of a recipe, one a step.
[[nodiscard]] std::vector<std::vector<Code>> element_tensors(const recipe::ElementRecipe& recipe);

/// The golden trace: every NaN among the scales is 0x7FC00000.
[[nodiscard]] ElementTrace golden_trace(const recipe::ElementRecipe& recipe);

/// A trace as text: the line `step,values,amax,scale,inverse,elements`, then a row a step, steps from 0 in decimal, all
/// else upper-case hexadecimal: `values` eight digits a value, one after the other, `elements` two an element. A row
/// holds at most 256 values; a longer tensor goes on in the next row, of the same step, percentile and scales. LF
/// endings.
[[nodiscard]] std::string write_element_trace(const ElementTrace& trace, const Format& element);

/// The reverse. Throws csv::Error with file and line on anything write_element_trace() would not write.
[[nodiscard]] ElementTrace parse_element_trace(std::string_view text, std::string_view name, const Format& element);

/// The files of vectors/percentiles: "element_percentile_99.csv" and its bytes.
[[nodiscard]] std::vector<TraceText> element_traces();

} // namespace mxcert
