// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/suite_run.hpp"

#include <fmt/format.h>

#include "conformance/print/text.hpp"

namespace mxcert::suites {

std::string SuiteRun::id(std::string_view part) const { return fmt::format("{}/{}", to_string(operation), part); }

bool SuiteRun::wanted(std::string_view part) const { return print::selected(options.filters, id(part)); }

} // namespace mxcert::suites
