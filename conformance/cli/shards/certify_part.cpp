// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/shards/certify_part.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/run_report.hpp"
#include "conformance/evidence/part_surroundings.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/verdict/exit_code.hpp"

namespace mxcert::cli {
namespace {

std::string verdict_text(const shards::PartResult& result, const report::Report& report, const PartNumber& number,
                         int code) {
    const std::string part = fmt::format("part {} of {}", number.part + 1, number.parts);
    const std::string asked = fmt::format("{} in {}", print::counted(result.compared, "value"), asked_units(result));
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

int certify_part(const std::string& backend, const BackendOptions& run, const verdict::CertifyOptions& certify,
                 const PartOptions& options) {
    const PartNumber& number = options.number;
    if (is_small(run.asked_level().level))
        throw std::invalid_argument("--shard: a few inputs are not cut; take --level quick or a later one");
    const observe::BackendSpec spec = observe::resolve_backend(backend);
    Running running(spec, run);
    if (!running.report_start()) return exit_unfinished;
    observe::Subject& subject = *running.subject();
    check_runs(subject);
    report::Report report = begun_report(backend, run, certify);
    const verdict::CertifyOptions certifying = run_options(certify, subject, running, report);
    verdict::GoldenSource golden;
    const certify::Plan plan = planned_run(subject, certifying, golden, report);
    const CutRun cut = cut_run(plan, report.info, certifying, number, backend, run.backend_option);
    if (cut.units.empty()) {
        fmt::print("NOTHING CHECKED: nothing of {} is judged\n", print::printable(report.info.name));
        return exit_nothing;
    }
    if (options.list) return list_units(cut);

    const report::View view{.color = print::use_color(print::parse_color_mode(run.color), stdout),
                            .width = print::width_of(stdout)};
    const auto note_loaded = [&] { // a run that is killed leaves answers too
        evidence::write_surroundings(evidence::surroundings_of(running.loaded().get(), report.info), options.folder);
    };
    const shards::PartResult result =
        ask_part(running, plan, cut, certifying, options.folder, note_loaded,
                 [&](const verdict::Row& row) { return report::failure_text(row, report.invocation, view); });
    int code = verdict::exit_code(result.rows);
    if (code != exit_failed && running.stop().load()) code = exit_unfinished;
    note_loaded();
    fmt::print("{}", verdict_text(result, report, number, code));
    return code;
}

} // namespace mxcert::cli
