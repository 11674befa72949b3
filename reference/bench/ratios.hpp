// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxcert {

/// Measures the fast model against its peers and prints one row each: nanoseconds a value, ratio, what is required.
/// Peers that are missing and instruction sets that the machine lacks are named. Returns whether every ratio measured
/// is met.
bool print_ratios();

} // namespace mxcert
