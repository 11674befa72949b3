// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "conformance/suites/scaled_matmul/answer.hpp"

namespace mxcert::suites {

/// A known way to get an epilogue wrong.
struct ScaledFault {
    std::string_view name;      ///< "the bias added before the scales"
    std::string_view bug_class; ///< the id of its class
    void (*plant)(ScaledWay&);
};

/// Every fault that is known; other epilogues are named by their own name.
[[nodiscard]] std::span<const ScaledFault> scaled_faults();

} // namespace mxcert::suites
