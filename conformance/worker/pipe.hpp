// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "conformance/backend.h"

namespace mxcert::worker {

/// A backend made of a program that reads inputs from its standard input and writes answers to its standard output, a
/// hexadecimal number a line (docs/pipe.md). It answers as a plugin does, so that everything else is the same.
///
/// `name` is that of the backend; `command` is for /bin/sh, with MXCERT_CONVERSION set to the name of the conversion;
/// each conversion is its name and how many random bits it takes: "fp32-e4m3-nearest_even-sat:0". Throws
/// std::runtime_error for a conversion that is none. There can be one in a process; it lives as long as that.
[[nodiscard]] const mxcert_api* pipe_api(const std::string& name, const std::string& command,
                                         std::span<const std::string> conversions);

/// How many inputs a program gets at once. It may have to be started again for each such batch, and a line has no
/// neighbours that could change it: smaller batches would show nothing.
inline constexpr unsigned pipe_batch = 65'536;

} // namespace mxcert::worker
