// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

[[nodiscard]] const Suite& partial_cast_suite();

} // namespace mxcert::suites
