// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/element_trace.hpp"

#include <algorithm>

#include "reference/base/random.hpp"
#include "reference/exact/recipe/percentile.hpp"
#include "reference/exact/recipe/tensor_scaling.hpp"
#include "vectors/tables/csv_rows.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

using formats::fp32;

constexpr const char* element_header = "step,values,amax,scale,inverse,elements";
constexpr std::size_t row_values = 256;
constexpr Code plain_nan = 0x7FC00000;
constexpr Code plus_inf = 0x7F800000;
constexpr Code minus = 0x80000000;

/// Magnitudes from 1/256 to 256, either sign.
std::vector<Code> random_values(std::size_t count, std::uint64_t seed) {
    SplitMix64 random(seed);
    std::vector<Code> values;
    for (std::size_t i = 0; i < count; ++i) {
        const Code sign = random.below(2) << 31U;
        const Code exponent = (119 + random.below(16)) << 23U;
        values.push_back(sign | exponent | (random() & 0x7FFFFF));
    }
    return values;
}

/// The comments say what each tells apart.
std::vector<std::vector<Code>> short_tensors() {
    return {
        {0x40400000},                                     // 3: the percentile of one element is that element
        {0x3F800000, 0xC0000000},                         // 1, -2: a magnitude, and an interpolation
        {0x3F800000, 0x40000000, 0x40400000, 0x40800000}, // 1 to 4
        {0x40800000, 0x40400000, 0x3F800000, 0x40000000}, // the same in another order
        {0x3F800000, 0x3F800001, 0x3F800002, 0x3F800003, 0x3F800005}, // neighbours: what is rounded, and to where
        random_values(8, 3),
        random_values(11, 4),
        {0, minus, 0, 0},                                                                                // zeros
        {0x3F800000, 0x40000000, plain_nan, 0x40400000, 0x40800000, 0xBF000000, 0x3E800000, 0x3E000000}, // one NaN
        {plain_nan, plain_nan},
        {0x3F800000, 0x40000000, 0x40400000, 0xC0400001, plus_inf},   // Inf above, or beside the position
        {0x3F800000, plus_inf, minus | plus_inf, plus_inf},           // Inf on both sides
        {0x00000001, 0x00000002, 0x80000003, 0x00000007, 0x0000000B}, // subnormals
        {0x7F7FFFFF, 0xFF7FFFFF, 0x7F000000, 0x3F800000},             // the largest binary32
        random_values(48, 5),
        random_values(25, 29), // an fma gives another last bit, in these three
        random_values(48, 24),
        random_values(60, 5),
        random_values(101, 6), // 0.99 x 100: a whole number but for the rounding of 0.99
    };
}

} // namespace

std::vector<std::vector<Code>> element_tensors(const recipe::ElementRecipe& recipe) {
    std::vector<std::vector<Code>> tensors = short_tensors();
    // Only among more than 10,000 elements is one above the percentile 0.9999 that is not next to it.
    if (recipe.percentile.rank == recipe::Rank{9999, 10000}) {
        tensors.push_back(random_values(10'002, 7));
        tensors.back()[17] = 0x47C35000; // 100,000: an outlier, which saturates
        tensors.back()[4711] = 0xC7435000;
    }
    return tensors;
}

ElementTrace golden_trace(const recipe::ElementRecipe& recipe) {
    ElementTrace trace;
    recipe::State state = exact::start(recipe.choices);
    for (std::vector<Code>& values : element_tensors(recipe)) {
        recipe::ElementStep step = exact::step(recipe, state, fp32, values);
        trace.push_back({std::move(values), std::move(step)});
    }
    return trace;
}

std::string write_element_trace(const ElementTrace& trace, const Format& element) {
    std::string text = std::string(element_header) + "\n";
    const auto add = [&](std::span<const Code> codes, const Format& format) {
        text += ",";
        for (const Code code : codes) text += hex(code, format);
    };
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const recipe::ElementStep& step = trace[i].step;
        const std::span<const Code> values = trace[i].values;
        const std::span<const Code> elements = step.elements;
        for (std::size_t at = 0; at < values.size(); at += row_values) {
            const std::size_t count = std::min(row_values, values.size() - at);
            text += std::to_string(i);
            add(values.subspan(at, count), fp32);
            for (const Code code : {step.amax, step.scales.scale, step.scales.inverse}) add({&code, 1}, fp32);
            add(elements.subspan(at, count), element);
            text += "\n";
        }
    }
    return text;
}

ElementTrace parse_element_trace(std::string_view text, std::string_view name, const Format& element) {
    csv::Rows<6> rows(text, name, element_header);
    ElementTrace trace;
    std::size_t in_row = 0; // values of the row before
    while (rows.next()) {
        ElementTraceRow row{rows.codes(1, fp32), {rows.code(2, fp32), {}, rows.codes(5, element)}};
        row.step.scales = {rows.code(3, fp32), rows.code(4, fp32)};
        if (row.values.empty()) rows.fail("no values");
        if (row.values.size() > row_values) rows.fail("more than " + std::to_string(row_values) + " values");
        if (row.step.elements.size() != row.values.size())
            rows.fail(std::to_string(row.step.elements.size()) + " elements of " + std::to_string(row.values.size()) +
                      " values");
        const bool goes_on = in_row == row_values && rows.field(0) == std::to_string(trace.size() - 1);
        if (!goes_on && rows.field(0) != std::to_string(trace.size()))
            rows.fail("step '" + std::string(rows.field(0)) + "', not " + std::to_string(trace.size()));
        in_row = row.values.size();
        if (!goes_on) {
            trace.push_back(std::move(row));
            continue;
        }
        ElementTraceRow& before = trace.back();
        if (before.step.amax != row.step.amax || before.step.scales != row.step.scales)
            rows.fail("another percentile or scale than the row before, of the same step");
        before.values.insert(before.values.end(), row.values.begin(), row.values.end());
        before.step.elements.insert(before.step.elements.end(), row.step.elements.begin(), row.step.elements.end());
    }
    if (trace.empty()) throw csv::Error(name, "no rows");
    return trace;
}

std::vector<TraceText> element_traces() {
    std::vector<TraceText> texts;
    for (const recipe::ElementRecipe& recipe : recipe::element_recipes())
        texts.push_back({std::string(recipe.name) + ".csv",
                         write_element_trace(golden_trace(recipe), *recipe.choices.scaling.element)});
    return texts;
}

} // namespace mxcert
