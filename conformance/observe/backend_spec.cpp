// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/backend_spec.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "conformance/backends/backends.hpp"
#include "conformance/launch/backend_file.hpp"
#include "conformance/launch/pipe_spec.hpp"
#include "conformance/observe/linked_in.hpp"
#include "conformance/print/text.hpp"
#include "conformance/sandbox/system_files.hpp"
#include "reference/base/near_names.hpp"
#include "vectors/base/this_program.hpp"

namespace mxcert::observe {
namespace {

namespace fs = std::filesystem;

fs::path program_folder() { return this_program().parent_path(); }

/// An environment variable as a path; empty if it is not set or empty.
fs::path path_variable(const char* name) {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here ever sets the environment
    return value != nullptr ? fs::path(value) : fs::path();
}

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

BackendSpec found(BackendSpec::Kind kind, std::string name, const fs::path& path) {
    return {kind, std::move(name), fs::weakly_canonical(fs::absolute(path)), {}};
}

BackendSpec builtin(const BuiltinBackend& backend) {
    if (is_linked_in(backend.name)) return {BackendSpec::Kind::plugin, std::string(backend.name), this_program(), {}};
    if (stands_alone() && launch::is_plugin_name(backend.file))
        return {BackendSpec::Kind::missing, std::string(backend.name), {}, no_plugins_reason()};
    for (const fs::path& folder : plugin_folders()) {
        const fs::path file = folder / backend.file;
        if (launch::is_plugin_name(file) ? is_file(file) : launch::is_executable(file))
            return found(launch::is_plugin_name(file) ? BackendSpec::Kind::plugin : BackendSpec::Kind::program,
                         std::string(backend.name), file);
    }
    return {BackendSpec::Kind::missing, std::string(backend.name), {}, std::string(backend.missing)};
}

} // namespace

std::vector<std::filesystem::path> plugin_folders() {
    std::vector<fs::path> folders;
    if (fs::path folder = path_variable("MXCERT_BACKENDS"); !folder.empty()) folders.push_back(std::move(folder));
    // Both in a build tree and where it is installed, the program lies in bin/ and the plugins in lib/mxcert/.
    folders.push_back(program_folder() / ".." / "lib" / "mxcert");
    return folders;
}

BackendSpec resolve_backend(std::string_view argument) {
    std::vector<std::string_view> names;
    for (const BuiltinBackend& backend : builtin_backends()) {
        if (backend.name == argument) return builtin(backend);
        names.push_back(backend.name);
    }
    if (launch::is_pipe(argument)) {
        const launch::PipeSpec pipe = launch::parse_pipe(argument);
        return {BackendSpec::Kind::pipe,
                launch::name_of(pipe),
                launch::program_of(pipe),
                {},
                launch::worker_arguments(pipe)};
    }
    const fs::path path(argument);
    const std::string stem = path.has_stem() ? path.stem().string() : path.parent_path().filename().string();
    std::error_code ignored;
    if (!argument.empty() && is_file(path / "record.json")) return found(BackendSpec::Kind::record, stem, path);
    if (!argument.empty() && is_file(path / "offline.json")) return found(BackendSpec::Kind::offline, stem, path);
    const std::string shown = "'" + print::printable(argument) + "'";
    if (fs::is_directory(path, ignored))
        throw std::invalid_argument(
            shown + " is a folder without record.json or offline.json: neither a record nor the answers of a device");
    const bool is_link = fs::is_symlink(path, ignored);
    if (is_file(path) || is_link || launch::is_plugin_name(path) || argument.find('/') != std::string_view::npos) {
        if (const std::string flaw = launch::flaw_of_file(path); !flaw.empty()) throw std::invalid_argument(flaw);
        if (launch::is_plugin_name(path) && stands_alone())
            return {BackendSpec::Kind::missing, stem, {}, no_plugins_reason()};
        if (launch::is_plugin_name(path)) return found(BackendSpec::Kind::plugin, stem, path);
        return found(BackendSpec::Kind::program, path.filename().string(), path);
    }
    const std::string known = fmt::format("{}", fmt::join(near_names(argument, names), " or "));
    throw std::invalid_argument(
        shown + " is no built-in backend, plugin, program or record; " +
        (known.empty() ? "mxcert backends lists the built-in ones" : "did you mean " + known + "?"));
}

std::vector<BackendSpec> known_backends() {
    std::vector<BackendSpec> known;
    for (const BuiltinBackend& backend : builtin_backends()) known.push_back(builtin(backend));
    return known;
}

std::filesystem::path worker_program() {
    if (stands_alone()) return this_program();
    const fs::path path = path_variable("MXCERT_WORKER");
    const fs::path folder = program_folder();
    std::vector<fs::path> places{folder / "mxcert-worker", folder / ".." / "libexec" / "mxcert" / "mxcert-worker"};
    // A worker that was asked for is used or missed, never silently replaced by another.
    if (!path.empty()) places = {path};
    std::string looked;
    for (const fs::path& place : places) {
        if (launch::is_executable(place)) return place;
        looked += (looked.empty() ? "" : ", ") + place.string();
    }
    throw std::runtime_error("mxcert-worker was not found; looked for " + looked);
}

std::vector<fs::path> files_needed_by(const BackendSpec& spec) {
    constexpr std::size_t command_of_pipe = 2; // in the arguments of the worker that serves it
    std::vector<fs::path> files{worker_program()};
    for (const fs::path& folder : plugin_folders()) files.push_back(folder);
    const std::vector<fs::path> own = spec.kind == BackendSpec::Kind::pipe
                                          ? sandbox::files_of_command(spec.pipe.at(command_of_pipe))
                                          : sandbox::files_of_program(spec.path);
    files.insert(files.end(), own.begin(), own.end());
    return files;
}

std::vector<std::string> command_of(const BackendSpec& spec) {
    const bool by_worker = spec.kind == BackendSpec::Kind::plugin || spec.kind == BackendSpec::Kind::pipe;
    if (!by_worker && spec.kind != BackendSpec::Kind::program)
        throw std::runtime_error(spec.kind == BackendSpec::Kind::missing ? spec.name + " is missing: " + spec.reason
                                                                         : spec.name + " is a record, it cannot run");
    if (!by_worker) return {spec.path.string()};
    std::vector<std::string> command{worker_program().string()};
    if (stands_alone()) command.emplace_back(linked_worker_argument);
    if (spec.kind == BackendSpec::Kind::plugin) command.push_back(spec.path.string());
    command.insert(command.end(), spec.pipe.begin(), spec.pipe.end());
    return command;
}

} // namespace mxcert::observe
