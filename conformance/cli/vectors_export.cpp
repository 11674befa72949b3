// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/vectors_export.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/export/conversion_vectors.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "conformance/verdict/golden_source.hpp"
#include "conformance/verdict/profile_for.hpp"
#include "reference/conversion.hpp"
#include "reference/operation/operation_name.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/export/export.hpp"
#include "vectors/export/write_vectors.hpp"

namespace mxcert::cli {
namespace {

struct ExportArguments {
    std::string format = "csv";
    std::string conversion;
    std::string operation;
    std::string profile; ///< empty: by the conversion's overflow mode, or the first that judges the operation
    std::string first;
    std::string last;
    std::string output = "-";
    unsigned lanes = 1;
};

void write_text(const std::string& output, const std::string& text) {
    if (output != "-") return files::OutputFile(output).write(text);
    std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
}

void write_folder(const std::string& output, const std::vector<ExportedFile>& exported) {
    files::make_folder(output);
    for (const ExportedFile& file : exported)
        files::OutputFile(std::filesystem::path(output) / file.name).write(file.text);
    std::cout << fmt::format("{} in {}\n", print::counted(exported.size(), "file"), output);
}

/// The table of a conversion, or entries of it.
void export_table(const ExportArguments& arguments, ExportOptions options, const Conversion& conversion,
                  const Profile& profile, verdict::GoldenSource& golden) {
    options.name = to_string(conversion);
    if (!arguments.first.empty()) options.first = parse_code(arguments.first, *conversion.from);
    if (!arguments.last.empty()) options.last = parse_code(arguments.last, *conversion.from);
    const verdict::GoldenUsed& used = golden.get(profile, conversion);
    options.note = used.name == "tabulated"
                       ? fmt::format("profile {}, tabulated", profile.name)
                       : fmt::format("profile {}, {}", profile.name, test_vectors::origin_of(used));
    write_text(arguments.output, mxcert::export_table(select(used.golden, profile, conversion), options));
}

void export_vectors(const ExportArguments& arguments) {
    if (arguments.conversion.empty() == arguments.operation.empty())
        throw std::invalid_argument("either --conversion or --operation says what is exported");
    ExportOptions options;
    options.format = parse_export_format(arguments.format);
    options.lanes = arguments.lanes;
    verdict::GoldenSource golden;
    std::optional<Conversion> conversion;
    const Profile* profile = nullptr;
    if (!arguments.conversion.empty()) {
        conversion = parse_conversion(arguments.conversion);
        profile = &verdict::profile_for(*conversion, arguments.profile);
        if (is_of_table(options.format)) return export_table(arguments, options, *conversion, *profile, golden);
    }
    if (!arguments.first.empty() || !arguments.last.empty()) options.first = 0;
    check_options(options, false);
    const bool folder = is_folder(options.format);
    if (folder && arguments.output == "-")
        throw std::invalid_argument(arguments.format + " has several files: -o names a folder for them");
    TestVectors vectors;
    if (conversion) {
        vectors = test_vectors::vectors_of(*conversion, *profile, golden);
    } else {
        const Operation operation = parse_operation(arguments.operation);
        vectors = test_vectors::vectors_of(operation, test_vectors::profile_of(operation, arguments.profile), golden);
    }
    const std::vector<ExportedFile> exported =
        write_vectors(vectors, options.format, {std::string(print::tool_version), std::string(print::homepage())});
    if (folder)
        write_folder(arguments.output, exported);
    else
        write_text(arguments.output, exported.front().text);
}

} // namespace

void add_vectors_export(CLI::App& vectors) {
    auto arguments = std::make_shared<ExportArguments>();
    CLI::App* command = vectors.add_subcommand(
        "export", "Write the permitted answers of a conversion or an operation for other programs");
    std::string formats;
    for (const std::string_view name : export_format_names())
        formats += (formats.empty() ? "" : ", ") + std::string(name);
    command->add_option("--format", arguments->format, formats)->capture_default_str();
    command->add_option("--conversion", arguments->conversion, "For instance fp32-e4m3-nearest_even-sat");
    command->add_option("--operation", arguments->operation,
                        "For instance quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32");
    command->add_option("--profile", arguments->profile,
                        "Default: ocp-sat or ocp-nosat, by the overflow mode, or the first profile "
                        "that judges the operation");
    command->add_option("--first", arguments->first,
                        "First input, hexadecimal, all digits (conversions as npy and hex)");
    command->add_option("--last", arguments->last, "Last input");
    command->add_option("--lanes", arguments->lanes, "Entries a word (conversions as hex)")->capture_default_str();
    command
        ->add_option("-o,--output", arguments->output,
                     "A file, or - for standard output; a folder for formats of several files")
        ->capture_default_str();
    command->callback([arguments] { export_vectors(*arguments); });
}

} // namespace mxcert::cli
