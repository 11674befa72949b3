// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/suites/suite.hpp"

namespace mxcert::suites {

/// Calls `answer` for every question of the rows of an operation that the options select, as a record has them: what is
/// asked depends on the operation, the seed and the samples, and, where a row goes by what another one found, on its
/// answers. Nothing is judged. A row ends at the first answer that is neither given nor refused.
void ask_operation(const Operation& operation, const verdict::CertifyOptions& options, verdict::GoldenSource& golden,
                   AnswerRun answer);

} // namespace mxcert::suites
