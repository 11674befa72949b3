// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mxcert::observe {

/// What a BACKEND argument of a command stands for.
struct BackendSpec {
    enum class Kind : std::uint8_t {
        plugin,  ///< a shared library, loaded by the stock worker
        program, ///< an executable that speaks the frames itself
        record,  ///< a folder that `mxcert record` wrote
        offline, ///< a folder that `mxcert offline` wrote, with the answers of a device in it
        missing, ///< a backend of ours that was not built or cannot run here; `reason` says why and what to do
    };
    Kind kind = Kind::plugin;
    std::string name;           ///< as given, or the stem of the file
    std::filesystem::path path; ///< absolute; empty if missing
    std::string reason;         ///< missing only
};

/// Resolves, in this order: a name of a built-in backend; an existing folder with record.json or offline.json; an
/// existing *.so file; an existing executable file. Throws std::invalid_argument that says what was looked for and
/// which names are near.
[[nodiscard]] BackendSpec resolve_backend(std::string_view argument);

/// The built-in backends, those that are missing on this machine too.
[[nodiscard]] std::vector<BackendSpec> known_backends();

/// The stock worker, which loads plugins: $MXCERT_WORKER, or beside this program, or in ../libexec/mxcert; this program
/// if it stands alone (linked_in.hpp). Throws std::runtime_error that lists the places looked at.
[[nodiscard]] std::filesystem::path worker_program();

} // namespace mxcert::observe
