// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "conformance/observe/subject.hpp"

namespace mxcert {

/// Starts a backend, or reads a record or the answers of an offline device. Throws std::runtime_error with a one-line
/// reason: the worker cannot start, the folder is broken, or the backend is missing here.
[[nodiscard]] std::unique_ptr<Subject> open_subject(const BackendSpec& spec, const ObserveOptions& options);

} // namespace mxcert
