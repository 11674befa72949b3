// SPDX-License-Identifier: Apache-2.0
#include "conformance/print/version.hpp"

namespace mxcert::print {

std::string_view tool_revision() { return MXCERT_REVISION; }

} // namespace mxcert::print
