// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxcert {

/// Measures what observing FP32 to E4M3 costs with the kernels on each device that there is, beside portable, and
/// prints a row for each. Returns false if the ratio of OpenCL is more than is allowed; one that
/// cannot be measured is said. Throws std::runtime_error if portable fails.
bool compare_devices();

} // namespace mxcert
