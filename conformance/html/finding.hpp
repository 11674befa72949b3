// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "conformance/cases/reproduce.hpp"
#include "conformance/verdict/row.hpp"

namespace mxcert::html {

/// Everything that was found in a row that did not pass: bugs, the map of wrong inputs, wrong answers with their bits,
/// and the commands that show them again. At most so many answers.
[[nodiscard]] std::string findings_of(const verdict::Row& row, const cases::Invocation& invocation, std::size_t most);

} // namespace mxcert::html
