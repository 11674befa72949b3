// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/shards/certify_part.hpp"

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/run_report.hpp"
#include "conformance/cli/running.hpp"
#include "conformance/evidence/part_surroundings.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/shards/ask_part.hpp"
#include "conformance/verdict/exit_code.hpp"

namespace mxcert::cli {
namespace {

int list_units(const std::vector<shards::Unit>& units, const std::vector<std::uint64_t>& part_of,
               const PartNumber& number) {
    std::vector<std::vector<std::string>> lines{{"unit", "values"}};
    std::uint64_t values = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (part_of[i] != number.part) continue;
        lines.push_back({units[i].name, print::grouped(units[i].cost)});
        values += units[i].cost;
    }
    fmt::print("{}PART {} of {}: {} of {}, about {}. Nothing was asked.\n", print::columns(lines), number.part + 1,
               number.parts, lines.size() - 1, print::counted(units.size(), "unit"), print::counted(values, "value"));
    return exit_ok;
}

std::string verdict_text(const shards::PartResult& result, const report::Report& report, const PartNumber& number,
                         int code) {
    const std::string part = fmt::format("part {} of {}", number.part + 1, number.parts);
    const std::string kept = result.kept == 0 ? "" : fmt::format(" ({} kept from an earlier run)", result.kept);
    const std::string asked = fmt::format("{} in {} of {}{}", print::counted(result.compared, "value"), result.answered,
                                          print::counted(result.units, "unit"), kept);
    const std::string of = print::printable(report.info.name) + ", at level " + to_string(report.level);
    switch (code) {
    case exit_ok:
        return fmt::format(
            "PART {} of {}: no wrong answer in {} of {}. It is not a certificate: mxcert merge judges all "
            "parts together.\n",
            number.part + 1, number.parts, asked, of);
    case exit_failed:
        return fmt::format("FAIL: {}: a wrong answer, or nothing compared, in {} of {}\n", part, asked, of);
    case exit_nothing: return fmt::format("NOTHING CHECKED: {} of {}\n", part, of);
    default: return fmt::format("NOT FINISHED: {}: {} of {}; the same command goes on\n", part, asked, of);
    }
}

} // namespace

PartNumber parse_part(std::string_view text) {
    PartNumber number;
    const char* const end = text.data() + text.size();
    const auto part = std::from_chars(text.data(), end, number.part);
    const bool has_slash = part.ec == std::errc{} && part.ptr != end && *part.ptr == '/';
    const auto parts = has_slash ? std::from_chars(part.ptr + 1, end, number.parts) : part;
    if (!has_slash || parts.ec != std::errc{} || parts.ptr != end || number.part == 0 || number.part > number.parts)
        throw std::invalid_argument(
            fmt::format("--shard '{}': expected I/N, a part from 1 to N, as in 3/64", print::printable(text)));
    --number.part;
    return number;
}

int certify_part(const std::string& backend, const BackendOptions& run, const verdict::CertifyOptions& certify,
                 const PartOptions& options) {
    const PartNumber& number = options.number;
    if (is_small(run.asked_level().level))
        throw std::invalid_argument("--shard: a few inputs are not cut; take --level quick or a later one");
    const observe::BackendSpec spec = observe::resolve_backend(backend);
    Running running(spec, run);
    if (!running.report_start()) return exit_unfinished;
    observe::Subject& subject = *running.subject();
    if (subject.is_record())
        throw std::invalid_argument("--shard asks a backend that runs: this one is recorded already");
    report::Report report = begun_report(backend, run, certify);
    const verdict::CertifyOptions certifying = run_options(certify, subject, running, report);
    verdict::GoldenSource golden;
    const certify::Plan plan = planned_run(subject, certifying, golden, report);
    const std::vector<shards::Unit> units = shards::units_of(plan, report.info, certifying, number.parts);
    if (units.empty()) {
        fmt::print("NOTHING CHECKED: nothing of {} is judged\n", print::printable(report.info.name));
        return exit_nothing;
    }
    if (number.parts > units.size())
        throw std::invalid_argument(fmt::format("--shard {}/{}: the run has {}, and each part needs one",
                                                number.part + 1, number.parts, print::counted(units.size(), "unit")));
    const std::vector<std::uint64_t> part_of = shards::deal(units, number.parts);
    if (options.list) return list_units(units, part_of, number);
    shards::Shard shard{shards::run_of(report.info, certifying, units, number.parts), number.part, backend};
    shard.run.backend_options = run.backend_option;

    const report::View view{.color = print::use_color(print::parse_color_mode(run.color), stdout),
                            .width = print::width_of(stdout)};
    std::uint64_t values = 0;
    for (std::size_t i = 0; i < units.size(); ++i) values += part_of[i] == number.part ? units[i].cost : 0;
    running.expect(values);
    shards::PartEvents events;
    const auto note_loaded = [&] {
        evidence::write_surroundings(evidence::surroundings_of(running.loaded().get(), report.info), options.folder);
    };
    events.started = [&](const shards::Unit& unit, std::size_t unit_number, std::size_t) {
        if (unit_number == 0) note_loaded(); // a run that is killed leaves answers too
        running.progress().start(unit.name, unit.cost);
    };
    events.judged = [&](const std::vector<verdict::Row>& rows) {
        running.progress().finish();
        for (const verdict::Row& row : rows) {
            const std::string text = report::failure_text(row, report.invocation, view);
            if (text.empty()) continue;
            running.progress().clear();
            fmt::print("{}\n", text);
            std::fflush(stdout);
        }
    };
    const shards::PartResult result = shards::ask_part(subject, plan, units, shard, certifying, options.folder, events);
    running.progress().clear();
    const std::string end = subject.end_runs();
    int code = verdict::exit_code(result.rows);
    if (code != exit_failed && (!end.empty() || running.stop().load())) code = exit_unfinished;
    note_loaded();
    if (!end.empty()) fmt::print("ERROR  operations: {}\n", print::printable(end));
    fmt::print("{}", verdict_text(result, report, number, code));
    return code;
}

} // namespace mxcert::cli
