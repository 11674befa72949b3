// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxcert {

/// Measures what identifying FP32 to E4M3 of a plugin costs beside observing it, and prints a row. Returns whether the
/// ratio is what is allowed.
bool compare_identify(const std::string& name, const std::string& path);

} // namespace mxcert
