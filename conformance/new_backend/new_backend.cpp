// SPDX-License-Identifier: Apache-2.0
#include "conformance/new_backend/new_backend.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "conformance/new_backend/start_build.hpp"
#include "conformance/new_backend/start_c.hpp"
#include "conformance/new_backend/start_cpp.hpp"
#include "conformance/new_backend/start_python.hpp"
#include "conformance/new_backend/start_rust.hpp"
#include "conformance/new_backend/write_folder.hpp"
#include "conformance/print/text.hpp"
#include "reference/base/near_names.hpp"
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

/// The part of a source that an operation makes, and what names it in the rest.
struct Part {
    std::string_view text;
    std::string_view fields;
};

constexpr std::size_t operations = 3;
constexpr std::array<std::string_view, operations> operation_table{"convert", "quantize", "matmul"};
/// A short run, as options of certify and as arguments of mxcert_add_test().
constexpr std::array<std::string_view, operations> short_run{"--filter 'bf16-*'",
                                                             "--level smoke --profile ocp-sat --filter 'quantize-*'",
                                                             "--level smoke --profile products --filter 'matmul-*'"};
constexpr std::array<std::string_view, operations> short_test{
    "FILTER bf16-*", "LEVEL smoke PROFILE ocp-sat FILTER quantize-*", "LEVEL smoke PROFILE products FILTER matmul-*"};

struct Language {
    std::string_view name;
    std::string_view ending;
    std::string_view whole;
    std::array<Part, operations> parts;
    std::string_view build;
    std::string_view plugin;
    std::string_view readme;
};

constexpr std::string_view by_cmake = "cmake -B build && cmake --build build\n";

constexpr std::array<Language, 4> languages{{
    {"c",
     ".c",
     start_c,
     {{{start_c_convert, start_c_convert_fields},
       {start_c_quantize, start_c_run_fields},
       {start_c_matmul, start_c_run_fields}}},
     by_cmake,
     "build/@NAME@.so",
     start_readme_cmake},
    {"c++",
     ".cpp",
     start_cpp,
     {{{start_cpp_convert, start_cpp_convert_fields},
       {start_cpp_quantize, start_cpp_quantize_fields},
       {start_cpp_matmul, start_cpp_matmul_fields}}},
     by_cmake,
     "build/@NAME@.so",
     start_readme_cmake},
    {"python",
     ".py",
     start_python,
     {{{start_python_convert, start_python_convert_fields},
       {start_python_quantize, start_python_quantize_fields},
       {start_python_matmul, start_python_matmul_fields}}},
     "",
     "./@NAME@.py",
     start_readme_python},
    {"rust",
     ".rs",
     start_rust,
     {{{start_rust_convert, start_rust_convert_fields},
       {start_rust_quantize, start_rust_run_fields},
       {start_rust_matmul, start_rust_run_fields}}},
     "make\n",
     "./@NAME@.so",
     start_readme_rust},
}};

const Language& row_of(BackendLanguage language) { return languages.at(static_cast<std::size_t>(language)); }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Puts what belongs in a text's @PLACES@; the parts, which have places of their own, first.
std::string filled(std::string_view text, const NewBackend& wanted) {
    const Language& language = row_of(wanted.language);
    const auto operation = static_cast<std::size_t>(wanted.operation);
    const bool c = wanted.language == BackendLanguage::c;
    const bool converts = wanted.operation == BackendOperation::convert;
    return replaced(text, {
                              {"@PART@", std::string(language.parts.at(operation).text)},
                              {"@FIELDS@", std::string(language.parts.at(operation).fields)},
                              {"@BUILD@", std::string(language.build)},
                              {"@PLUGIN@", std::string(language.plugin)},
                              {"@MORE@", std::string(language.readme)},
                              {"@ARGUMENTS@", std::string(short_run.at(operation))},
                              {"@TEST@", std::string(short_test.at(operation))},
                              {"@IMPORT@", converts ? "Conversion" : "Operation"},
                              {"@NAME@", wanted.name},
                              {"@FILE@", wanted.name + std::string(language.ending)},
                              {"@LANGUAGE@", c ? "C" : "CXX"},
                              {"@STANDARD@", c ? "C_STANDARD 11" : "CXX_STANDARD 17"},
                              {"@PREFIX@", wanted.prefix.generic_string()},
                          });
}

std::string content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file || text.empty())
        throw std::runtime_error(
            fmt::format("mxcert_worker.py, which Python backends import, was not found in '{}'; an "
                        "installed or built mxcert has it",
                        path.parent_path().string()));
    return text;
}

std::vector<std::string> names_of(const auto& table, auto name) {
    std::vector<std::string> names;
    for (const auto& row : table) names.emplace_back(name(row));
    return names;
}

template <class Enum> Enum parse(std::string_view what, std::string_view name, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<Enum>(found - names.begin());
    throw std::invalid_argument(unknown_name(what, name, std::vector<std::string_view>(names.begin(), names.end())));
}

} // namespace

std::vector<std::string> language_names() {
    return names_of(languages, [](const Language& row) { return row.name; });
}
std::vector<std::string> operation_names() {
    return names_of(operation_table, [](std::string_view name) { return name; });
}
BackendLanguage parse_language(std::string_view name) {
    return parse<BackendLanguage>("language", name, language_names());
}
BackendOperation parse_operation(std::string_view name) {
    return parse<BackendOperation>("operation", name, operation_names());
}

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

Written write_new_backend(const NewBackend& wanted) {
    check_backend_name(wanted.name);
    const Language& language = row_of(wanted.language);
    Written written{wanted.name + std::string(language.ending), std::string(language.build),
                    filled(language.plugin, wanted),
                    std::string(short_run.at(static_cast<std::size_t>(wanted.operation)))};
    std::vector<std::pair<std::string, std::string>> texts{{written.source, filled(language.whole, wanted)},
                                                           {"README.md", filled(start_readme, wanted)}};
    switch (wanted.language) {
    case BackendLanguage::python: texts.emplace_back("mxcert_worker.py", content_of(wanted.helper)); break;
    case BackendLanguage::rust:
        texts.emplace_back("backend.rs", start_rust_declarations);
        texts.emplace_back("Makefile", filled(start_makefile, wanted));
        break;
    default: texts.emplace_back("CMakeLists.txt", filled(start_cmake, wanted));
    }
    write_folder(wanted.folder, texts);
    if (wanted.language == BackendLanguage::python) {
        constexpr auto run = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
        fs::permissions(wanted.folder / written.source, run, fs::perm_options::add);
    }
    return written;
}

fs::path package_prefix() {
    std::error_code ignored;
    const fs::path prefix = this_program().parent_path().parent_path();
    // In CMake's language a path with one of these would mean something else.
    if (prefix.string().find_first_of("\"\\$;@\n") != std::string::npos) return {};
    const fs::path config = fs::path("cmake") / "mxcert" / "mxcertConfig.cmake";
    if (fs::is_regular_file(prefix / "lib" / config, ignored)) return prefix;
    for (const fs::directory_entry& folder : fs::directory_iterator(prefix / "lib", ignored)) // x86_64-linux-gnu
        if (fs::is_regular_file(folder.path() / config, ignored)) return prefix;
    return {};
}

fs::path python_helper() { return this_program().parent_path().parent_path() / "lib" / "mxcert" / "mxcert_worker.py"; }

} // namespace mxcert::new_backend
