// SPDX-License-Identifier: Apache-2.0
#include "conformance/new_backend/new_backend.hpp"

#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/leave_out.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/designs/design_options.hpp"
#include "conformance/new_backend/verilated.hpp"
#include "conformance/print/text.hpp"
#include "reference/operation/operation_name.hpp"

namespace mxcert::cli::new_backend_command {
namespace {

struct Options {
    std::string name;
    std::string folder;
    std::string language = "c";
    std::string operation = "convert";
    DesignOptions design;
    std::string conversion;
};

constexpr const char* verilator = "verilator";

void print_next(const std::string& folder, std::string_view says, const new_backend::Written& written) {
    fmt::print("{}: {}. Next:\n"
               "  cd {}{}{}\n"
               "  mxcert certify {}{}{}\n",
               folder, says, folder, written.build.empty() ? "" : "\n  ",
               std::string_view(written.build).substr(0, written.build.find('\n')), written.plugin,
               written.arguments.empty() ? "" : " ", written.arguments);
}

int verilated_command(const Options& options) {
    if (options.conversion.empty() || options.design.design.top.empty())
        throw std::invalid_argument("--language verilator needs --design, --top and --conversion");
    new_backend::VerilatedBackend wanted;
    wanted.name = options.name;
    wanted.design = design_of(options.design);
    if (certify::names_operation(options.conversion))
        wanted.offer = mxcert::parse_operation(options.conversion);
    else
        wanted.offer = parse_conversion(options.conversion);
    wanted.folder = options.folder.empty() ? options.name : options.folder;
    wanted.prefix = new_backend::package_prefix();
    const new_backend::Written written = new_backend::write_verilated(wanted);
    print_next(print::shell_word(wanted.folder.string()), "a backend that simulates " + wanted.design.top, written);
    return exit_ok;
}

int new_backend_command(const Options& options) {
    if (options.language == verilator) return verilated_command(options);
    if (!options.design.design.files.empty() || !options.conversion.empty())
        throw std::invalid_argument("--design and --conversion are for --language verilator");
    new_backend::NewBackend wanted;
    wanted.name = options.name;
    wanted.language = new_backend::parse_language(options.language);
    wanted.operation = new_backend::parse_operation(options.operation);
    wanted.folder = options.folder.empty() ? options.name : options.folder;
    wanted.prefix = new_backend::package_prefix();
    wanted.helper = new_backend::python_helper();
    const new_backend::Written written = new_backend::write_new_backend(wanted);
    const std::string folder = print::shell_word(wanted.folder.string());
    print_next(folder, "a backend that runs and fails", written);
    fmt::print("Then fill in {} where it says FILL IN.\n", written.source);
    return exit_ok;
}

constexpr const char* footer =
    R"(Writes a folder with a source file, its build and README.md. It can be built and certified at once; the verdict is FAIL until
it is filled in. NAME is a C identifier. Nothing is overwritten.

  c, c++    NAME.c or NAME.cpp and CMakeLists.txt, with a test for ctest
  python    NAME.py, a program, and mxcert_worker.py, which needs numpy
  rust      NAME.rs, backend.rs with the declarations of the C header, and a Makefile
  verilator NAME.cpp, which simulates a hardware design, complete as it is; it needs --design, --top and --conversion

Exit codes: 0 written; 2 a bad name, or the folder exists or cannot be written.

Examples:
  mxcert new-backend my_kernel
  mxcert new-backend my_kernel --language c++ --folder src/mxcert_backend
  mxcert new-backend my_quantizer --language python --operation quantize
  mxcert new-backend my_cvt --language verilator --design cvt.sv --top cvt --conversion fp32-e4m3-nearest_even-sat
      --clock clk --latency 3 --lanes 4
  mxcert new-backend my_blocks --language verilator --design q.sv --top q
      --conversion quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32)";

void add_new_backend_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("new-backend", "Write the start of a backend: a file to fill in and its build");
    command->add_option("NAME", options->name, "Its name, a C identifier")->required();
    command->add_option("--folder", options->folder, "Folder to make; NAME if this is not given")->type_name("DIR");
    std::vector<std::string> languages = new_backend::language_names();
    languages.emplace_back(verilator);
    command->add_option("--language", options->language, "Its language")
        ->check(CLI::IsMember(languages))
        ->capture_default_str();
    command
        ->add_option("--operation", options->operation,
                     "Its offer: conversions of values, a quantizer of blocks, or matrix products")
        ->check(CLI::IsMember(new_backend::operation_names()))
        ->capture_default_str();
    command->add_option("--conversion", options->conversion,
                        "Of a design: for instance fp32-e4m3-nearest_even-sat, or an operation");
    repeatable(command->add_option("--design", options->design.design.files,
                                   "File of a design in Verilog or SystemVerilog; may be repeated"),
               "FILE");
    add_design_options(*command, options->design);
    command->footer(footer);
    command->callback([options, &exit] { exit.code = new_backend_command(*options); });
}

const Command registered{Group::test, "new-backend", add_new_backend_command};

} // namespace
} // namespace mxcert::cli::new_backend_command
