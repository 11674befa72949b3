// SPDX-License-Identifier: Apache-2.0
#include "conformance/new_backend/new_backend.hpp"

#include <memory>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli::new_backend_command {
namespace {

struct Options {
    std::string name;
    std::string folder;
    std::string language = "c";
};

int new_backend_command(const Options& options) {
    new_backend::NewBackend wanted;
    wanted.name = options.name;
    wanted.language = options.language == "c" ? new_backend::BackendLanguage::c : new_backend::BackendLanguage::cpp;
    wanted.folder = options.folder.empty() ? options.name : options.folder;
    wanted.include = new_backend::backend_include_folder();
    new_backend::write_new_backend(wanted);
    const std::string folder = print::shell_word(wanted.folder.string());
    const std::string build = print::shell_word((wanted.folder / "build").string());
    fmt::print("{0}: a backend that builds, runs and fails. Next:\n"
               "  cmake -S {0} -B {1} && cmake --build {1}\n"
               "  mxcert certify {2} --filter 'bf16-*'\n"
               "Then fill in {3} where it says FILL IN.\n",
               folder, build, print::shell_word((wanted.folder / "build" / (wanted.name + ".so")).string()),
               print::shell_word((wanted.folder / (wanted.name + (options.language == "c" ? ".c" : ".cpp"))).string()));
    return exit_ok;
}

constexpr const char* footer =
    R"(Writes a folder with NAME.c (or NAME.cpp), CMakeLists.txt and README.md. What is in it can be built and certified at once;
the verdict is FAIL until it is filled in. NAME is a C identifier. Nothing is overwritten.

Exit codes: 0 written; 2 a bad name, or the folder exists or cannot be written.

Examples:
  mxcert new-backend my_kernel
  mxcert new-backend my_kernel --language c++ --folder src/mxcert_backend)";

void add_new_backend_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("new-backend", "Write the start of a backend: a file to fill in and its build");
    command->add_option("NAME", options->name, "Its name, a C identifier")->required();
    command->add_option("--folder", options->folder, "Folder to make; NAME if this is not given")->type_name("DIR");
    command->add_option("--language", options->language, "c or c++")
        ->check(CLI::IsMember({"c", "c++"}))
        ->capture_default_str();
    command->footer(footer);
    command->callback([options, &exit] { exit.code = new_backend_command(*options); });
}

const Command registered{Group::test, "new-backend", add_new_backend_command};

} // namespace
} // namespace mxcert::cli::new_backend_command
