// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conformance/observe/subject.hpp"

namespace mxcert::subjects {

/// Starts a backend, or reads a record or the answers of an offline device. Throws std::runtime_error with a one-line
/// reason: the worker cannot start, the folder is broken, or the backend is missing here.
[[nodiscard]] std::unique_ptr<observe::Subject> open_subject(const observe::BackendSpec& spec,
                                                             const observe::ObserveOptions& options);

} // namespace mxcert::subjects
