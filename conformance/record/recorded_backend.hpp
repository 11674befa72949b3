// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conformance/observe/subject.hpp"
#include "conformance/record/record.hpp"

namespace mxcert {

/// Answers with what a record holds. What it does not hold is unsupported or incomplete.
[[nodiscard]] std::unique_ptr<Subject> open_record(Record record);

} // namespace mxcert
