// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vectors/tables/step_table.hpp"

namespace mxcert::inputs {

/// Appends a step; joined with the one before it if that ends right before and has the same code.
void append_step(std::vector<Step>& steps, const Step& step);

/// Steps of different inputs, in any order, ascending and joined where they touch and have one code.
[[nodiscard]] std::vector<Step> in_order(std::vector<Step> steps);

/// Appends the run-length encoding of `outputs`, values of `width` bytes (1, 2, 4 or 8) each in the machine's byte
/// order; the first one belongs to input `first`. The memory may be shared with a process that changes it meanwhile:
/// the steps then have codes that stood there at some moment, and still cover every input once, in order. Precondition:
/// outputs.size() is a multiple of width.
void encode_runs(std::span<const std::byte> outputs, unsigned width, Code first, std::vector<Step>& steps);

/// What an encoding says of the inputs from `first` to `last`.
[[nodiscard]] std::vector<Step> part_of(const std::vector<Step>& steps, Code first, Code last);

/// How two encodings of the same inputs differ.
struct RunDifference {
    Code first = 0;
    Code last = 0;
    Code a = 0;
    Code b = 0;
};
/// All ranges on which two encodings differ. Precondition: both cover the same inputs, without gaps.
[[nodiscard]] std::vector<RunDifference> differing_runs(std::span<const Step> a, std::span<const Step> b);

} // namespace mxcert::inputs
