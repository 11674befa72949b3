// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mxcert::html {

/// The style of every page: light, dark and printed. Text has a contrast of at least 4.5 to 1 to what is behind it.
extern const std::string_view style;

} // namespace mxcert::html
