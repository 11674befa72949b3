// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/suites/conversion/plan_conversion.hpp"

namespace mxcert::suites {

/// Asks for the inputs of a plan once, and judges what came: a row a judge. Where `options` allow it, asks the first
/// wrong input of a row alone: if it is right then, the row is `unstable`. Never throws for what the backend does.
[[nodiscard]] std::vector<verdict::Row> certify_conversion(observe::Subject& subject, const PlannedConversion& planned,
                                                           const verdict::CertifyOptions& options);

} // namespace mxcert::suites
