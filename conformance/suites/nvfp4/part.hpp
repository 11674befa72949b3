// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/case_part.hpp"
#include "conformance/suites/suite_run.hpp"

namespace mxcert::suites {

/// The parts of "quantize_nvfp4", judged by equality with what both models give: "tensor" (the scale that is given out
/// for tensors of chosen amaxes), "scale" (of blocks in some tensors), "elements" (under each scale that a block of
/// these has) and "blocks" (what joins them).
[[nodiscard]] std::unique_ptr<CasePart> nvfp4_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
