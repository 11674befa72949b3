// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/frames/repeated_run.hpp"
#include "conformance/frames/run.hpp"
#include "conformance/observe/observation.hpp"
#include "conformance/observe/worker_client.hpp"

namespace mxcert::observe {

/// Sends a run twice, the outputs filled with one byte and then with another. What differs in just these bytes was not
/// written: MISTRUSTED; what differs otherwise is an ERROR, as what ends the worker is. `index` is the operation's in
/// HELLO.
[[nodiscard]] frames::RunAnswer run_twice(WorkerClient& worker, std::uint32_t index, const frames::RunCase& run_case,
                                          const ObserveOptions& options);

/// The same for arrays that are written and compared in the memory of the worker, without copies.
[[nodiscard]] frames::RepeatedAnswer run_twice(WorkerClient& worker, std::uint32_t index,
                                               const frames::RepeatedRun& run, const ObserveOptions& options);

} // namespace mxcert::observe
