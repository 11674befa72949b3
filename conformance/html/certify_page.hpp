// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conformance/report/report.hpp"

namespace mxcert::html {

/// The report of `certify` as a page. Rows have maps if they were judged with CertifyOptions::map.
[[nodiscard]] std::string certify_page(const report::Report& report);

} // namespace mxcert::html
