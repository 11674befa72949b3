// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/version.hpp"

namespace mxcert::print {

std::string_view tool_revision() { return MXCERT_REVISION; }
std::string_view homepage() { return MXCERT_HOMEPAGE; }

} // namespace mxcert::print
