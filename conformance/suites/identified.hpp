// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "conformance/identify/identify_conversion.hpp"
#include "conformance/suites/found_cases.hpp"
#include "conformance/suites/matmul/identify.hpp"

namespace mxcert::suites {

/// An operation of which the answers cannot be told apart.
struct NotIdentified {
    std::string operation;
    std::string reason; ///< why not
};

/// What identify finds of a conversion, or of a part of an operation.
using Identified = std::variant<diagnose::FoundBehaviour, FoundCases, FoundAccumulator, NotIdentified>;

} // namespace mxcert::suites
