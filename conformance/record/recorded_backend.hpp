// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conformance/observe/subject.hpp"
#include "conformance/record/record.hpp"

namespace mxcert::record {

/// A subject that answers from a record. A conversion, operation or input that is not in it is unsupported or
/// incomplete.
[[nodiscard]] std::unique_ptr<observe::Subject> open_record(Record record);

} // namespace mxcert::record
