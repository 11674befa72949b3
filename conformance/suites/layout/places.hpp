// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// The part "places" of "layout": matrices of scales in which every byte tells its place (layout_cases()). A case of a
/// tensor that the source of every profile refuses may be refused, and is named where it is answered.
[[nodiscard]] std::unique_ptr<CasePart> layout_places(const SuiteRun& run);

} // namespace mxcert::suites
