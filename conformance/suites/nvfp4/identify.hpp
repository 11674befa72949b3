// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"
#include "conformance/suites/nvfp4/way.hpp"
#include "conformance/suites/search.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert::suites {

/// The choices and slips of a quantizer to NVFP4, as a search changes them.
[[nodiscard]] std::vector<SearchParameter<Nvfp4Way>> nvfp4_parameters(const QuantizeNvfp4& quantize);
/// The recipes of the table as ways.
[[nodiscard]] std::vector<NamedWay<Nvfp4Way>> nvfp4_recipes();

/// Asks a quantizer to NVFP4 for tensors, scales, elements and what joins them, and finds which recipe of the table
/// gives all answers, and the choices that give most of them, whatever it declares.
[[nodiscard]] FoundCases identify_nvfp4(observe::Subject& subject, const Operation& operation);

} // namespace mxcert::suites
