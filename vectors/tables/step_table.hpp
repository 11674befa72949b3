// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/format.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {

/// Every input from first to last, as a bit pattern of the source, gives this code.
struct Step {
    Code first = 0;
    Code last = 0;
    Code code = 0;
    friend bool operator==(const Step&, const Step&) = default;
};

/// What an implementation does on every input, run-length encoded in the order of the source's bit patterns (for FP32:
/// +0 ... +Inf, +NaN, -0 ... -Inf, -NaN). Invariant: the steps are a partition of [0, from.last_code()], ascending, and
/// neighbours have different codes.
struct StepTable {
    const Format* from = nullptr;
    const Format* to = nullptr;
    std::vector<Step> steps;
};

/// What must come out on every input. Invariant: as StepTable; neighbours differ in permit or clause.
struct PermitStep {
    Code first = 0;
    Code last = 0;
    Permit permit;
    std::string_view clause; ///< id of the clause that decides it, from all_clauses()
    friend bool operator==(const PermitStep&, const PermitStep&) = default;
};
struct PermitTable {
    const Format* from = nullptr;
    const Format* to = nullptr;
    std::vector<PermitStep> steps;
};

/// Why a table breaks its invariant: "row 3: first 00000010 does not follow last 0000000E", or "" if it holds.
[[nodiscard]] std::string broken(const StepTable& table);
[[nodiscard]] std::string broken(const PermitTable& table);

/// Index of the step that holds an input. Precondition: the invariant.
[[nodiscard]] std::size_t find_step(const StepTable& table, Code input);
[[nodiscard]] std::size_t find_step(const PermitTable& table, Code input);

} // namespace mxcert
