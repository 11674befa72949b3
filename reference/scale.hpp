// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/format.hpp"

namespace mxcert {

/// A given scale. Values are divided by it on the way to a format of at most eight bits, and multiplied by it on the
/// way to a wider one. Without a format there is none.
struct Scale {
    const Format* format = nullptr;
    Code code = 0;

    friend bool operator==(const Scale&, const Scale&) = default;
};

} // namespace mxcert
