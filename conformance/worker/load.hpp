// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/backend.h"

namespace mxcert::worker {

/// The interface of the plugin in a file, not checked yet, never nullptr. Throws std::runtime_error with one line that
/// says why there is none. The stock worker loads it (load.cpp); a program that stands alone has it inside
/// (conformance/static).
[[nodiscard]] const mxcert_api* load_api(const std::string& path);

} // namespace mxcert::worker
