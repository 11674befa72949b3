// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mxcert::observe {

// What a program has inside that stands alone (conformance/static): one file without a dynamic loader, which is its own
// worker and brings its own backend.

/// The argument with which such a program starts itself as the worker.
inline constexpr std::string_view linked_worker_argument = "--worker-inside";

/// Makes this program one that stands alone, with a built-in backend of this name inside. Once, before any command
/// runs.
void link_in(std::string_view backend);

/// Whether link_in() was called.
[[nodiscard]] bool stands_alone();

/// Whether the backend of this name is inside.
[[nodiscard]] bool is_linked_in(std::string_view backend);

/// Why a plugin cannot be loaded by a program that stands alone, and what to do.
[[nodiscard]] std::string no_plugins_reason();

} // namespace mxcert::observe
