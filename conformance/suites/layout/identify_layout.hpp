// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/observe/subject.hpp"
#include "conformance/suites/found_cases.hpp"

namespace mxcert::suites {

/// Which layout the operation "layout" has, from its answers to matrices in which every byte tells its place: one of
/// all_layouts(), or a wrong one that is known; its direction, and what it pads with. Of what it declares only the
/// sizes are looked at. Counts cases; those of a layout are explained only if one explanation holds for all of them.
[[nodiscard]] FoundCases identify_layout(observe::Subject& subject, const Operation& operation);

} // namespace mxcert::suites
