// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/backend_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/cli/verify/verify_record.hpp"
#include "conformance/evidence/arithmetic.hpp"
#include "conformance/evidence/compare_record.hpp"
#include "conformance/evidence/record_files.hpp"
#include "conformance/evidence/signature.hpp"
#include "conformance/evidence/statement.hpp"
#include "conformance/evidence/verification.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "conformance/report/stored_report.hpp"
#include "vectors/golden_store/vector_set.hpp"

namespace mxcert::cli::verify_command {
namespace {

namespace fs = std::filesystem;
using evidence::Refused;
using evidence::Verification;

struct Options {
    std::string certificate;
    std::string backend;
    BackendOptions run;
    std::vector<std::string> records;
    std::uint64_t slices = 4;
    std::optional<std::uint64_t> seed;
    bool all = false;
    std::string public_key;
    std::string json;
};

constexpr std::size_t most_shown = 10; // differences

// Throws std::runtime_error: nothing is refused where nothing can be read.
fs::path certificate_in(const std::string& argument) {
    std::error_code error;
    const fs::path path =
        fs::is_directory(argument, error) ? fs::path(argument) / "certificate.json" : fs::path(argument);
    if (!fs::is_regular_file(path, error) || !std::ifstream(path).good())
        throw std::runtime_error(
            fmt::format("'{}' cannot be read: expected a certificate or its folder", path.string()));
    return path;
}

std::string text_at(const files::Json& json, const char* path) {
    const files::Json::json_pointer pointer(path);
    if (!json.contains(pointer) || !json.at(pointer).is_string()) throw Refused(fmt::format("{} is missing", path));
    return json.at(pointer).get<std::string>();
}

void check_versions(const files::Json& report) {
    const VectorSet vectors = this_vector_set();
    const std::string manifest = text_at(report, "/vectors/manifest_sha256");
    if (manifest.empty() && !vectors.manifest_sha256.empty())
        throw Refused("its run found no golden files, so it does not name the vectors: repeat the run with them");
    if (!manifest.empty() && vectors.manifest_sha256.empty())
        throw Refused("its run had golden files, and this program finds none: set $MXCERT_VECTORS to their folder");
    const auto check = [&](const char* path, std::string_view what, std::string_view is) {
        if (const std::string was = text_at(report, path); was != is)
            throw Refused(fmt::format("it was made with the {} {}, and this program has {}: verify it with the program "
                                      "that made it, or repeat the run by --all",
                                      what, was, is));
    };
    check("/tool/version", "version", print::tool_version);
    check("/vectors/version", "vector set", vectors.version);
    check("/vectors/manifest_sha256", "manifest of vectors", vectors.manifest_sha256);
}

std::string claim_of(const report::StoredReport& stored) {
    const files::Json& report = stored.report;
    std::string profiles;
    for (const std::string& profile : stored.invocation.profiles) profiles += (profiles.empty() ? "" : ", ") + profile;
    const bool is_certificate = report.at("certificate") == true;
    return fmt::format("{} of {} against {}, at level {}, {}", is_certificate ? "the certificate" : "the report",
                       text_at(report, "/backend/name"), profiles, to_string(stored.level),
                       print::counted(report.at("rows").size(), "row")) +
           (is_certificate ? "" : "; it is not a certificate");
}

// Form and arithmetic.
report::StoredReport checked_report(const fs::path& path, const Options& options, Verification& verification) {
    report::StoredReport stored;
    try {
        stored = report::read_report(path);
    } catch (const std::runtime_error& error) {
        throw Refused(error.what());
    }
    if (!options.all) check_versions(stored.report);
    if (const std::string wrong = evidence::contradiction(stored.report); !wrong.empty())
        throw Refused("it contradicts itself: " + wrong);
    verification.claim = claim_of(stored);
    verification.add("Report",
                     fmt::format("{}: {}, which its counts, clauses and exit code agree with", report::report_schema,
                                 print::counted(stored.report.at("rows").size(), "row")));
    return stored;
}

std::string list_of(const std::vector<std::string>& lines) {
    std::string text;
    for (std::size_t i = 0; i < lines.size() && i < most_shown; ++i) text += "\n  " + lines[i];
    if (lines.size() > most_shown) text += fmt::format("\n  and {} more", lines.size() - most_shown);
    return text;
}

std::vector<std::string> lines_of(const std::vector<report::ReportChange>& changes) {
    std::vector<std::string> lines;
    for (const report::ReportChange& change : changes)
        lines.push_back(fmt::format("{}: was {}, is {}", change.where, change.was, change.now));
    return lines;
}

// The backend that is asked again: the one that was certified.
std::unique_ptr<Running> open_live(const Options& options, const report::StoredReport& stored,
                                   Verification& verification) {
    BackendOptions run = options.run;
    run.backend_option = stored.invocation.backend_options;
    run.set_level(stored.level);
    run.seed = stored.seed;
    run.quiet = options.run.quiet || !options.all; // the record has the progress
    auto running = std::make_unique<Running>(observe::resolve_backend(options.backend), run);
    if (running->subject() == nullptr) {
        verification.unfinished = fmt::format("'{}' does not start: {}", options.backend, running->reason());
        return nullptr;
    }
    const std::string build = text_at(stored.report, "/backend/build_id");
    if (!options.all && running->subject()->info().build_id != build)
        throw Refused(fmt::format("'{}' is another build than the one that was certified: its SHA-256 is {}, not {}",
                                  options.backend, running->subject()->info().build_id, build));
    return running;
}

using Stated = std::optional<evidence::Surroundings>;

// The statement beside a certificate, if there is one.
Stated stated_surroundings(const fs::path& certificate, const report::StoredReport& stored,
                           Verification& verification) {
    const fs::path path = certificate.parent_path() / evidence::statement_file;
    std::error_code error;
    if (!fs::exists(fs::symlink_status(path, error))) {
        verification.not_checked.push_back(
            fmt::format("which libraries the backend had loaded: there is no '{}'", evidence::statement_file));
        return {};
    }
    evidence::Surroundings found = evidence::check_statement(path, stored.report, certificate);
    verification.add("Statement", found.files.empty()
                                      ? "follows from the certificate; it names no loaded files"
                                      : fmt::format("follows from the certificate; the backend had loaded {}",
                                                    print::counted(found.files.size(), "file")));
    return found;
}

void compare_files(const evidence::Surroundings& stated, const Running& live, Verification& verification) {
    if (stated.files.empty()) {
        verification.not_checked.emplace_back("which files the backend had loaded: the statement does not say");
        return;
    }
    const evidence::Surroundings now = evidence::surroundings_of(live.loaded().get(), {});
    const std::vector<std::string> changed = evidence::changed_files(stated, now);
    if (changed.empty())
        verification.add("Loaded", fmt::format("the same {}", print::counted(stated.files.size(), "file")));
    else
        verification.not_checked.push_back("that these files answer as those of the run:" + list_of(changed));
}

void repeat(const Options& options, const report::StoredReport& stored, const Stated& stated,
            Verification& verification) {
    const std::unique_ptr<Running> running = open_live(options, stored, verification);
    if (running == nullptr) return;
    const report::Report again = run_again(*running->subject(), *running, stored, options.backend);
    if (again.interrupted) {
        verification.unfinished = "the repeated run was stopped";
        return;
    }
    const report::ReportComparison comparison =
        report::compare_reports(stored.report, files::Json::parse(report::report_json(again)));
    if (!comparison.surroundings.empty())
        verification.add("Changed", "surroundings:" + list_of(lines_of(comparison.surroundings)));
    if (!comparison.results.empty())
        throw Refused("the repeated run has another result:" + list_of(lines_of(comparison.results)));
    verification.add("Repeated", fmt::format("the whole run: {}, with the same statuses, counts and digests",
                                             print::counted(comparison.rows, "row")));
    if (stated) compare_files(*stated, *running, verification);
}

evidence::RecordFiles record_of(const Options& options, const fs::path& certificate) {
    std::vector<fs::path> folders(options.records.begin(), options.records.end());
    std::error_code error;
    const fs::path beside = certificate.parent_path() / evidence::record_folder;
    if (folders.empty() && fs::is_directory(beside, error)) folders.push_back(beside);
    return evidence::find_record(folders);
}

void judge_record(const Options& options, const evidence::RecordFiles& record, const report::StoredReport& stored,
                  const Stated& stated, Verification& verification) {
    std::unique_ptr<Running> live;
    AskAgainOptions again;
    if (!options.backend.empty()) {
        live = open_live(options, stored, verification);
        if (live == nullptr) return;
        again = {live->subject(), options.slices, options.seed.value_or(std::random_device()())};
    }
    const DerivedReport derived = derive_report(record, stored, options.run, again);
    if (derived.report.interrupted) {
        verification.unfinished = "the verification was stopped";
        return;
    }
    const files::Json report = files::Json::parse(report::report_json(derived.report));
    const bool is_kept = stored.report.at("backend").at("record") == false;
    const std::vector<std::string> differences = evidence::differences_from_record(stored.report, report, is_kept);
    if (!differences.empty()) throw Refused("another verdict follows from its record:" + list_of(differences));
    verification.add("Record",
                     fmt::format("{}: every row, count and clause follows from its answers", derived.description));
    verification.not_checked.emplace_back(
        "that inputs were sent twice, and in other places of calls: the record says so");
    if (live == nullptr) {
        verification.not_checked.emplace_back(
            "that the answers are those of the backend: give BACKEND to ask it again");
        return;
    }
    verification.seed = again.seed;
    verification.slices = again.slices;
    verification.asked_again = derived.asked_again;
    if (!derived.differences.empty())
        throw Refused("asked again, the backend answers otherwise than recorded:" + list_of(derived.differences));
    if (stated) compare_files(*stated, *live, verification);
}

// A signed statement has the digest of the certificate, so it stands for both.
void check_signed(const Options& options, const fs::path& certificate, Verification& verification) {
    const fs::path statement = certificate.parent_path() / evidence::statement_file;
    const bool is_stated = evidence::signature_of(certificate).empty() && !evidence::signature_of(statement).empty();
    const fs::path& path = is_stated ? statement : certificate;
    const fs::path signature = evidence::signature_of(path);
    if (options.public_key.empty()) {
        verification.not_checked.push_back(
            signature.empty() ? "who made it: it is not signed"
                              : fmt::format("who made it: give --public-key for '{}'", signature.string()));
        return;
    }
    const evidence::Signed found = evidence::check_signature(path, options.public_key, stop_on_signals());
    verification.unfinished = found.unfinished;
    if (found.unfinished.empty())
        verification.add("Signature", fmt::format("of '{}' by {}, of the key '{}'", path.filename().string(), found.by,
                                                  options.public_key));
}

void check(const Options& options, const fs::path& path, Verification& verification) {
    check_signed(options, path, verification);
    if (!verification.unfinished.empty()) return;
    const report::StoredReport stored = checked_report(path, options, verification);
    const Stated stated = stated_surroundings(path, stored, verification);
    if (options.all) return repeat(options, stored, stated, verification);
    const evidence::RecordFiles record = record_of(options, path);
    if (record.empty()) {
        verification.unfinished =
            options.backend.empty()
                ? "there is no record of the answers, so the verdict cannot be derived: add --record DIR"
                : "there is no record of the answers to compare with: add --record DIR, or --all to repeat the run";
        return;
    }
    judge_record(options, record, stored, stated, verification);
}

int verify(const Options& options) {
    if (options.all && options.backend.empty())
        throw std::invalid_argument("--all repeats the run with a BACKEND: a certificate may name any command, so the "
                                    "one that it names is not run");
    const fs::path path = certificate_in(options.certificate);
    Verification verification;
    verification.file = path.string();
    try {
        check(options, path, verification);
    } catch (const Refused& refused) {
        verification.refused = refused.what();
    }
    print_result(
        options.json, [&] { return evidence::text_of(verification); }, [&] { return evidence::json_of(verification); });
    return verification.exit_code();
}

constexpr const char* footer =
    R"(CERTIFICATE is certificate.json or any other report of certify or merge, or a folder with certificate.json. The
record is a folder of certify --keep or --shard, or of mxcert record; the folder 'answers' beside the certificate needs
no --record.

Exit codes: 0 verified; 1 refused, with the reason; 2 a bad argument, or nothing to read; 3 not finished: there is no
record, the backend does not start, or the run was stopped.

Examples:
  mxcert verify out/
  mxcert verify out/ ./my_kernel.so
  mxcert verify out/ ./my_kernel.so --slices 64
  mxcert verify out/ --public-key maker.pub
  mxcert verify certificate.json --record parts/
  mxcert verify certificate.json ./my_kernel.so --all)";

void add_verify_command(CLI::App& app, Exit& exit) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("verify", "Check that a certificate follows from its recorded answers");
    command->add_option("CERTIFICATE", options->certificate, "A certificate, another report, or the folder of one")
        ->required()
        ->type_name("");
    command->add_option("BACKEND", options->backend, "What was certified: some answers are tested again")
        ->type_name("");
    repeatable(command->add_option("--record", options->records,
                                   "The record of the run, or a folder of its parts, repeatable. Default: answers/"),
               "DIR");
    constexpr std::uint64_t most_slices = 1'000'000;
    CLI::Option* slices =
        command->add_option("--slices", options->slices, "Slices of each row: 4,096 inputs, or a case")
            ->transform(number_between(std::uint64_t{1}, most_slices))
            ->capture_default_str();
    CLI::Option* seed = command->add_option("--seed", options->seed, "Selects the slices. Default: a random seed")
                            ->transform(whole_number());
    command->add_flag("--all", options->all, "Repeat the whole run, and compare its report; no record is needed")
        ->excludes(slices)
        ->excludes(seed)
        ->excludes("--record");
    command
        ->add_option("--public-key", options->public_key,
                     "The public key of the signer: CERTIFICATE.minisig by minisign, or CERTIFICATE.sig by signify")
        ->type_name("FILE")
        ->check(CLI::ExistingFile);
    add_worker_options(*command, options->run);
    add_json_option(*command, options->json);
    command->footer(footer);
    command->callback([options, &exit] { exit.code = verify(*options); });
}

const Command registered{Group::test, "verify", add_verify_command};

} // namespace
} // namespace mxcert::cli::verify_command
