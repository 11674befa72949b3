// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/files/json_members.hpp"
#include "conformance/sandbox/sandbox.hpp"

namespace mxcert::report {

/// The member "sandbox" of a report, and of the answers of a unit.
[[nodiscard]] files::Json sandbox_json(const sandbox::State& state);

/// The reverse. Throws std::runtime_error that names the file and the member.
[[nodiscard]] sandbox::State sandbox_of(const files::Members& members);

} // namespace mxcert::report
