// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "reference/format.hpp"

namespace mxcert::inputs {

/// One input and what came out.
struct Point {
    Code input = 0;
    std::uint32_t random = 0;
    Code got = 0;
};

} // namespace mxcert::inputs
