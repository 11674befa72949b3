// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/case_part.hpp"
#include "conformance/suites/suite_run.hpp"

namespace mxcert::suites {

/// The parts of "dequantize_nvfp4": "values", every element under every scale in tensors of many numbers, and "blocks",
/// matrices in which values tell their place.
[[nodiscard]] std::unique_ptr<CasePart> nvfp4_back_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
