// SPDX-License-Identifier: Apache-2.0
#include "conformance/new_backend/new_backend.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "conformance/files/output_file.hpp"
#include "conformance/new_backend/new_backend_text.hpp"
#include "conformance/print/text.hpp"
#include "vectors/base/this_program.hpp"

namespace mxcert::new_backend {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 64;

// Names that CMake keeps for itself, or that mean something to the linker.
constexpr std::array<std::string_view, 13> taken{
    "all",     "clean",          "help",       "install",       "test",
    "package", "package_source", "edit_cache", "rebuild_cache", "list_install_components",
    "depend",  "general",        "optimized"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string filled(std::string_view text, const NewBackend& wanted) {
    const bool c = wanted.language == BackendLanguage::c;
    const std::array<std::pair<std::string_view, std::string>, 5> places{{
        {"@NAME@", wanted.name},
        {"@FILE@", wanted.name + (c ? ".c" : ".cpp")},
        {"@LANGUAGE@", c ? "C" : "CXX"},
        {"@STANDARD@", c ? "C_STANDARD 11" : "CXX_STANDARD 17"},
        {"@INCLUDE@", wanted.include.generic_string()},
    }};
    std::string out(text);
    for (const auto& [place, value] : places)
        for (std::size_t at = out.find(place); at != std::string::npos; at = out.find(place, at + value.size()))
            out.replace(at, place.size(), value);
    return out;
}

} // namespace

void check_backend_name(std::string_view name) {
    const bool identifier = !name.empty() && is_letter(name.front()) &&
                            std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
    if (!identifier || name.size() > longest_name)
        throw std::invalid_argument(
            fmt::format("'{}' is no name for a backend: letters, digits and _, no digit first, at "
                        "most {} characters",
                        print::printable(name.substr(0, 2 * longest_name)), longest_name));
    if (std::find(taken.begin(), taken.end(), name) != taken.end())
        throw std::invalid_argument(
            fmt::format("'{}' is no name for a backend: CMake has a target of that name", name));
}

void write_new_backend(const NewBackend& wanted) {
    check_backend_name(wanted.name);
    const fs::path parent = fs::absolute(wanted.folder).lexically_normal().parent_path();
    std::error_code error;
    // create_directory tells a folder that it made from one that was there: nobody else's files are ever in it.
    if (fs::symlink_status(wanted.folder, error).type() != fs::file_type::not_found)
        throw std::runtime_error(fmt::format("'{}' exists; nothing was written", wanted.folder.string()));
    files::make_folder(parent);
    if (!fs::create_directory(wanted.folder, error))
        throw std::runtime_error(fmt::format("cannot make the folder '{}': {}", wanted.folder.string(),
                                             error ? error.message() : "it exists"));
    const std::string source = wanted.name + (wanted.language == BackendLanguage::c ? ".c" : ".cpp");
    files::OutputFile(wanted.folder / source)
        .write(filled(wanted.language == BackendLanguage::c ? new_backend_c : new_backend_cpp, wanted));
    files::OutputFile(wanted.folder / "CMakeLists.txt").write(filled(new_backend_cmake, wanted));
    files::OutputFile(wanted.folder / "README.md").write(filled(new_backend_readme, wanted));
}

fs::path backend_include_folder() {
    std::error_code ignored;
    const fs::path program = this_program();
    for (fs::path folder = program.parent_path(); folder != folder.root_path(); folder = folder.parent_path())
        for (const fs::path& place : {folder / "include", folder / "include" / "mxcert", folder})
            // In CMake's language a path with one of these would mean something else.
            if (fs::is_regular_file(place / "conformance" / "backend.h", ignored) &&
                place.string().find_first_of("\"\\$;@\n") == std::string::npos)
                return place;
    return {};
}

} // namespace mxcert::new_backend
