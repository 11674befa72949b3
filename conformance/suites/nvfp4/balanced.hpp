// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/suites/nvfp4/cases.hpp"

namespace mxcert::suites {

/// Of recipe::FourOverSix: blocks whose errors mapped to 4 and to 6 are as equal as one of their values can make them,
/// so that what is added in which order decides; and blocks with a NaN. Nothing of other recipes. False if the call
/// returned false.
bool for_each_balanced_case(const QuantizeNvfp4& quantize, bool few, const CallTileCase& call);

} // namespace mxcert::suites
