// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxcert {

/// Measures matrix products, exact and by accumulators, against dgemm of OpenBLAS on as many threads, a row each as
/// print_ratios() does, in nanoseconds a multiply-add. Returns whether every ratio measured is met.
bool print_matmul_ratios();

/// A benchmark for each accumulator.
void register_accumulators();

} // namespace mxcert
