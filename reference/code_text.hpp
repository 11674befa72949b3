// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reference/format.hpp"

namespace mxcert {

/// "0x43E80001": a code with all the digits of its width, as people read it.
[[nodiscard]] std::string code_text(const Format& format, Code code);

} // namespace mxcert
