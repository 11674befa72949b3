// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/vectors_export.hpp"
#include "conformance/print/text.hpp"
#include "vectors/golden_store/golden_embedded.hpp"
#include "vectors/golden_store/golden_files.hpp"

namespace mxcert::cli::vectors_command {
namespace {

using Json = nlohmann::ordered_json;

struct FolderOptions {
    std::string folder; ///< empty: golden_folder()
    std::string json;
    std::vector<std::string> filters;
    [[nodiscard]] std::filesystem::path path() const {
        return folder.empty() ? golden_folder() : std::filesystem::path(folder);
    }
};

std::vector<GoldenText> generate_with_progress(const std::vector<GoldenPair>& pairs) {
    std::size_t count = 0;
    return generate_all_golden(
        0,
        [&](const GoldenText& text) {
            fmt::print(stderr, "[{}/{}] {}: {}\n", ++count, pairs.size(), text.name,
                       print::counted(text.golden.rows.size(), "row"));
        },
        pairs);
}

/// The pairs whose files the filters name. Throws std::invalid_argument if they name none.
std::vector<GoldenPair> pairs_of(const FolderOptions& options) {
    std::vector<GoldenPair> pairs;
    for (const GoldenPair& pair : golden_pairs())
        if (print::selected(options.filters, golden_file_name(*pair.from, *pair.to))) pairs.push_back(pair);
    if (pairs.empty()) throw std::invalid_argument("--filter names no golden file; mxcert vectors list shows them");
    return pairs;
}

void generate(const FolderOptions& options) {
    const std::filesystem::path folder = options.path();
    make_golden_folder(folder); // before the work, so that an error with it shows first
    const std::vector<GoldenText> all = generate_with_progress(golden_pairs());
    write_golden_files(all, folder);
    std::size_t bytes = 0;
    for (const GoldenText& text : all) bytes += text.text.size();
    std::cout << fmt::format("{}, {}, and their manifest in {}\n", print::counted(all.size(), "file"),
                             print::counted(bytes, "byte"), folder.string());
}

int check(const FolderOptions& options) {
    const std::filesystem::path folder = options.path();
    // Computing takes a while: another folder is refused before it.
    if (manifest_sha256(folder).empty())
        throw std::runtime_error(folder.string() + ": there is no manifest.json: not a folder of golden files");
    const std::vector<GoldenText> all = generate_with_progress(pairs_of(options));
    std::size_t wrong = 0;
    std::vector<GoldenCheck> checks = check_golden_files(all, folder);
    // Of a part neither the manifest nor what else is there can be judged.
    if (!options.filters.empty())
        std::erase_if(checks, [&](const GoldenCheck& check) {
            return std::none_of(all.begin(), all.end(),
                                [&](const GoldenText& text) { return text.name == check.file; });
        });
    std::string text;
    Json files = Json::array();
    for (const GoldenCheck& check : checks) {
        text += fmt::format("{:<25} {}\n", check.file, check.reason.empty() ? "ok" : check.reason);
        files.push_back({{"file", check.file}, {"right", check.reason.empty()}, {"reason", check.reason}});
        if (!check.reason.empty()) ++wrong;
    }
    text +=
        fmt::format("{} of {} in {} {} as generated\n", checks.size() - wrong, print::counted(checks.size(), "file"),
                    folder.string(), checks.size() - wrong == 1 ? "is" : "are");
    // A comparison of no files says nothing.
    const int code = wrong == 0 && !all.empty() ? exit_ok : exit_failed;
    print_result(
        options.json, [&] { return text; },
        [&] {
            return Json{{"folder", folder.string()}, {"files", files}, {"wrong", wrong}, {"exit_code", code}};
        });
    return code;
}

std::string text_of(const std::filesystem::path& folder, const Manifest& manifest) {
    std::string text =
        fmt::format("{}: vectors {}, generator {}\n", folder.string(), manifest.vectors, manifest.generator) +
        fmt::format("{:<25} {:>6} {:>8}  {:<12}  {}\n", "file", "rows", "bytes", "sha256", "clauses");
    for (const ManifestEntry& entry : manifest.files)
        text += fmt::format("{:<25} {:>6} {:>8}  {:<12}  {}\n", entry.file, entry.rows, entry.bytes,
                            entry.sha256.substr(0, 12), fmt::join(entry.clauses, " "));
    return text;
}

Json json_of(const std::filesystem::path& folder, const Manifest& manifest) {
    Json json{{"folder", folder.string()}, {"vectors", manifest.vectors}, {"generator", manifest.generator}};
    json["files"] = Json::array();
    for (const ManifestEntry& entry : manifest.files)
        json["files"].push_back({{"file", entry.file},
                                 {"from", entry.from},
                                 {"to", entry.to},
                                 {"rows", entry.rows},
                                 {"bytes", entry.bytes},
                                 {"sha256", entry.sha256},
                                 {"clauses", entry.clauses}});
    return json;
}

void list(const FolderOptions& options) {
    const std::filesystem::path folder = options.path();
    const Manifest manifest = load_manifest(folder);
    print_result(
        options.json, [&] { return text_of(folder, manifest); }, [&] { return json_of(folder, manifest); });
}

void add_folder(CLI::App& command, const std::shared_ptr<FolderOptions>& options, const char* flags) {
    command.add_option(flags, options->folder,
                       "The folder; without it $MXCERT_VECTORS, or the one that came with this program");
}

void add_vectors_command(CLI::App& app, Exit& exit) {
    CLI::App* vectors = app.add_subcommand("vectors", "Write, check, list and export the golden vectors");
    vectors->require_subcommand(1);
    vectors->footer("Examples:\n"
                    "  mxcert vectors check\n"
                    "  mxcert vectors export --format c --conversion fp32-e4m3-nearest_even-sat -o e4m3.h\n"
                    "  mxcert vectors export --format json --operation "
                    "quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32\n"
                    "docs/vectors.md describes every format.");

    auto generated = std::make_shared<FolderOptions>();
    CLI::App* command =
        vectors->add_subcommand("generate", "Compute all golden files and their manifest, and write them");
    add_folder(*command, generated, "-o,--output");
    command->callback([generated] { generate(*generated); });

    auto checked = std::make_shared<FolderOptions>();
    command = vectors->add_subcommand("check", "Compute all golden files and compare; exit code 1 if anything differs");
    add_folder(*command, checked, "FOLDER");
    globs(command->add_option("--filter", checked->filters,
                              "Only files that match, repeatable: 'fp32-*'; the manifest is left out then"));
    add_json_option(*command, checked->json);
    command->callback([checked, &exit] { exit.code = check(*checked); });

    auto listed = std::make_shared<FolderOptions>();
    command = vectors->add_subcommand("list", "List the golden files of the manifest");
    add_folder(*command, listed, "FOLDER");
    add_json_option(*command, listed->json);
    command->callback([listed] { list(*listed); });

    add_vectors_export(*vectors);
}

const Command registered{Group::vectors, "vectors", add_vectors_command};

} // namespace
} // namespace mxcert::cli::vectors_command
