// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "conformance/frames/run_layout.hpp"
#include "conformance/frames/run_packing.hpp"

// A run as everything else knows it, asked of an implementation that has its elements packed, its scales in a layout,
// or both.
namespace mxcert::frames {

/// Asks for the run as the operation has its arrays; the answer is one to the run itself. Unsupported if its rows
/// cannot be packed.
[[nodiscard]] inline RunAnswer answer_as_offered(const Operation& operation, const RunCase& run_case,
                                                 const std::function<RunAnswer(const RunCase&)>& ask) {
    const RunLayout layout(operation);
    return RunPacking(operation).answer(
        run_case, [&](const RunCase& packed) { return layout.restore(packed, ask(layout.lay_out(packed))); });
}
[[nodiscard]] inline RepeatedAnswer answer_as_offered(const Operation& operation, const RepeatedRun& run,
                                                      const std::function<RepeatedAnswer(const RepeatedRun&)>& ask) {
    const RunLayout layout(operation);
    return RunPacking(operation).answer(run, [&](const RepeatedRun& packed) { return ask(layout.lay_out(packed)); });
}

} // namespace mxcert::frames
