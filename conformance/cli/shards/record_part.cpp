// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/shards/record_part.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"
#include "conformance/record/record_ask.hpp"

namespace mxcert::cli {
namespace {

int exit_of(const std::vector<verdict::Row>& rows, bool is_stopped) {
    const auto any = [&](Status a, Status b) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const verdict::Row& row) { return row.status == a || row.status == b; });
    };
    if (any(Status::fail, Status::mistrusted)) return exit_failed;
    return is_stopped || any(Status::error, Status::incomplete) ? exit_unfinished : exit_ok;
}

std::string end_text(const shards::PartResult& result, const observe::BackendInfo& info, const PartNumber& number,
                     const LevelOf& level, int code) {
    const std::string part = fmt::format("{} of {}", number.part + 1, number.parts);
    const std::string of =
        fmt::format("{} of {}, at level {}", asked_units(result), print::printable(info.name), to_string(level));
    switch (code) {
    case exit_ok:
        return fmt::format("PART {}: answers in {}. It is no record: mxcert merge joins all parts.\n", part, of);
    case exit_failed: return fmt::format("FAIL: part {}: answers that cannot be trusted, in {}\n", part, of);
    default: return fmt::format("NOT FINISHED: part {}: {}; the same command goes on\n", part, of);
    }
}

} // namespace

int record_part(const std::string& backend, const BackendOptions& run, const std::vector<std::string>& filters,
                unsigned samples_per_step, const PartOptions& options) {
    const observe::BackendSpec spec = observe::resolve_backend(backend);
    Running running(spec, run);
    if (!running.report_start()) return exit_unfinished;
    observe::Subject& subject = *running.subject();
    check_runs(subject);
    tell_unmatched("--filter", filters, subject.info());
    verdict::CertifyOptions asking;
    asking.recorded = true;
    asking.filters = filters;
    asking.samples_per_step = samples_per_step;
    asking.seed = run.seed;
    asking.level = running.level().level;
    asking.stop = &running.stop();
    verdict::GoldenSource golden;
    const certify::Plan plan = record::plan_record(subject, asking, golden);
    const CutRun cut = cut_run(plan, subject.info(), asking, options.number, backend, run.backend_option);
    if (cut.units.empty()) {
        fmt::print("Nothing of {} is recorded.\n", print::printable(subject.info().name));
        return exit_nothing;
    }
    if (options.list) return list_units(cut);

    const bool color = print::use_color(print::parse_color_mode(run.color), stdout);
    const shards::PartResult result =
        ask_part(running, plan, cut, asking, options.folder, nullptr, [&](const verdict::Row& row) {
            if (row.status == Status::pass) return std::string();
            return fmt::format("{:<36}  {}  {}", row.id, print::colored(to_string(row.status), row.status, color),
                               print::printable(row.reason));
        });
    const int code = exit_of(result.rows, running.stop().load());
    fmt::print("{}", end_text(result, subject.info(), options.number, running.level(), code));
    return code;
}

} // namespace mxcert::cli
