// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/format.hpp"

namespace mxcert::inputs {

/// Inputs from first to last.
struct CodeRange {
    Code first = 0;
    Code last = 0;
    friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

} // namespace mxcert::inputs
