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
        pipe,    ///< a command that answers lines of hexadecimal, served by the stock worker
        missing, ///< a backend of ours that was not built or cannot run here; `reason` says why and what to do
    };
    Kind kind = Kind::plugin;
    std::string name;                ///< as given, or the stem of the file
    std::filesystem::path path;      ///< absolute; empty if missing, and for a pipe whose command names no file
    std::string reason;              ///< missing only
    std::vector<std::string> pipe{}; ///< of a pipe: what the stock worker is started with
};

/// Resolves, in this order: a name of a built-in backend; `pipe:CONVERSION:COMMAND`; an existing folder with
/// record.json or offline.json; an existing *.so file; an existing executable file. Throws std::invalid_argument that
/// says why a file cannot be a backend, or what was looked for and which names are near.
[[nodiscard]] BackendSpec resolve_backend(std::string_view argument);

/// The built-in backends, those that are missing on this machine too.
[[nodiscard]] std::vector<BackendSpec> known_backends();

/// Where the plugins and programs of the built-in backends are looked for: $MXCERT_BACKENDS, and beside this program.
[[nodiscard]] std::vector<std::filesystem::path> plugin_folders();

/// The stock worker, which loads plugins: $MXCERT_WORKER, or beside this program, or in ../libexec/mxcert; this program
/// if it stands alone (linked_in.hpp). Throws std::runtime_error that lists the places looked at.
[[nodiscard]] std::filesystem::path worker_program();

/// The program of a backend's process and its arguments, for a plugin, program or pipe. Throws std::runtime_error for
/// any other, and as worker_program() does.
[[nodiscard]] std::vector<std::string> command_of(const BackendSpec& spec);

/// The files and folders that its process has to read beside those of the system: the worker, its own files, the
/// folders of plugins. Throws as worker_program() does.
[[nodiscard]] std::vector<std::filesystem::path> files_needed_by(const BackendSpec& spec);

} // namespace mxcert::observe
