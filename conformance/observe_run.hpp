// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe.hpp"
#include "conformance/run.hpp"
#include "conformance/worker_client.hpp"

namespace mxcert {

/// Sends a run twice, the outputs filled with one byte and then with another. What differs in just these bytes was not
/// written: MISTRUSTED; what differs otherwise is an ERROR, as what ends the worker is. `index` is the operation's in
/// HELLO.
[[nodiscard]] RunAnswer run_twice(WorkerClient& worker, std::uint32_t index, const RunCase& asked,
                                  const ObserveOptions& options);

} // namespace mxcert
