// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/recipe/tensor_scaling.hpp"

// Golden traces: the scales that a recipe of scaling per tensor gives, step by step, for amaxes that tell its variants
// apart. A trace is to a state machine what a step table is to a conversion, but a sample of it.
namespace mxcert {

/// One step: the amax of the tensor and the scales it is quantized with, bit patterns of binary32.
struct TraceRow {
    Code amax = 0;
    Code scale = 0;
    Code inverse = 0;

    friend bool operator==(const TraceRow&, const TraceRow&) = default;
};
using Trace = std::vector<TraceRow>;

/// A recipe with the amaxes of its golden trace. Names are those of tensor_recipes() and of the files in
/// vectors/traces.
struct TraceCase {
    std::string name;
    recipe::TensorScaling choices;
    std::vector<Code> amaxes;
};

/// Every case there is a golden trace of.
[[nodiscard]] std::span<const TraceCase> trace_cases();
/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const TraceCase& trace_case(std::string_view name);

/// One step of a state machine under test: takes an amax, gives the scales.
using Machine = std::function<recipe::Scales(Code amax)>;

/// A machine that follows the choices.
[[nodiscard]] Machine machine_of(const recipe::TensorScaling& choices);

/// What a machine gives for these amaxes, in order. Every NaN is written as 0x7FC00000.
[[nodiscard]] Trace run(const Machine& machine, std::span<const Code> amaxes);

/// The golden trace of a case.
[[nodiscard]] Trace golden_trace(const TraceCase& trace_case);

/// A trace as text: the line `step,amax,scale,inverse`, then a row a step, steps from 0 in decimal, bit patterns of
/// eight upper-case hexadecimal digits, LF endings.
[[nodiscard]] std::string write_trace(const Trace& trace);

/// The reverse. Throws csv::Error with file and line on anything write_trace() would not write; `name` stands for the
/// text in errors.
[[nodiscard]] Trace parse_trace(std::string_view text, std::string_view name);

/// A file of vectors/traces, and all of them: "te_delayed.csv" and its bytes.
struct TraceText {
    std::string file;
    std::string text;
};
[[nodiscard]] std::vector<TraceText> traces();

} // namespace mxcert
