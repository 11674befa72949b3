// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vectors/cases/trace.hpp"

namespace mxcert::suites {

/// A way to get a recipe wrong: a machine that follows the choices but for one thing.
struct TraceFault {
    std::string_view name;
    std::string_view text; ///< what it does
    /// The faulty machine. Nullopt: the recipe has nothing of the kind to get wrong.
    std::optional<Machine> (*plant)(const recipe::TensorScaling& choices);
};

/// Names never change their meaning.
[[nodiscard]] std::span<const TraceFault> trace_faults();

/// What a trace shows.
struct TraceDiagnosis {
    std::optional<std::size_t> first;     ///< the first step that differs from the golden trace; nullopt: none
    std::vector<std::string_view> faults; ///< every fault whose trace is the observed one; empty: no known fault
};

/// Compares a trace with the golden one of a case and names the faults that explain it, whole. All NaNs are one. Throws
/// std::invalid_argument if the trace is not of the amaxes of the case.
[[nodiscard]] TraceDiagnosis diagnose(const TraceCase& trace_case, const Trace& observed);

} // namespace mxcert::suites
