// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "conformance/suites/blocks/quantize_judges.hpp"
#include "conformance/suites/suite.hpp"

namespace mxcert {

/// The parts of "quantize_2d": "scale" (of amaxes around each change of the scale, and seeded ones; of FP16 and BF16
/// from level standard on every one), "elements" (values around each change of the element under some scales) and
/// "blocks" (what joins the values of a tile).
[[nodiscard]] std::unique_ptr<CasePart> tile_part(const SuiteRun& run, std::string_view part);

/// The amaxes and, under one, the values that these parts ask.
[[nodiscard]] std::vector<Code> tile_amaxes(const QuantizeJudges& judges, const CertifyOptions& options);
[[nodiscard]] std::vector<Code> tile_values(const QuantizeJudges& judges, Code amax, const CertifyOptions& options);

} // namespace mxcert
