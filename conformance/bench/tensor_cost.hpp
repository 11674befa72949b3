// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxcert {

/// Measures quantizing a tensor of 256 MiB from file to files beside reading and writing files of these sizes, and
/// prints a row a format. Returns whether the ratios are what is required.
bool compare_tensors();

} // namespace mxcert
