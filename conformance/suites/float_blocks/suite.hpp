// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

[[nodiscard]] const Suite& quantize_float_suite();
[[nodiscard]] const Suite& dequantize_float_suite();

} // namespace mxcert::suites
