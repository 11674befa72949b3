// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/shards/part_run.hpp"

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/cli/commands.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli {

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

void check_runs(const observe::Subject& subject) {
    if (subject.is_record())
        throw std::invalid_argument("--shard asks a backend that runs: this one is recorded already");
}

std::vector<shards::Unit> CutRun::own() const {
    const std::vector<std::uint64_t> part_of = shards::deal(units, shard.run.parts);
    std::vector<shards::Unit> own;
    for (std::size_t i = 0; i < units.size(); ++i)
        if (part_of[i] == shard.part) own.push_back(units[i]);
    return own;
}

CutRun cut_run(const certify::Plan& plan, const observe::BackendInfo& info, const verdict::CertifyOptions& options,
               const PartNumber& number, const std::string& argument, const std::string& backend_options) {
    CutRun run;
    run.units = shards::units_of(plan, info, options, number.parts);
    if (!run.units.empty() && number.parts > run.units.size())
        throw std::invalid_argument(fmt::format("--shard {}/{}: the run has {}, and each part needs one",
                                                number.part + 1, number.parts,
                                                print::counted(run.units.size(), "unit")));
    run.shard = {shards::run_of(info, options, run.units, number.parts), number.part, argument};
    run.shard.run.backend_options = backend_options;
    return run;
}

int list_units(const CutRun& run) {
    std::vector<std::vector<std::string>> lines{{"unit", "values"}};
    std::uint64_t values = 0;
    for (const shards::Unit& unit : run.own()) {
        lines.push_back({unit.name, print::grouped(unit.cost)});
        values += unit.cost;
    }
    fmt::print("{}PART {} of {}: {} of {}, about {}. Nothing was asked.\n", print::columns(lines), run.shard.part + 1,
               run.shard.run.parts, lines.size() - 1, print::counted(run.units.size(), "unit"),
               print::counted(values, "value"));
    return exit_ok;
}

shards::PartResult ask_part(Running& running, const certify::Plan& plan, const CutRun& run,
                            const verdict::CertifyOptions& options, const std::string& folder,
                            const std::function<void()>& began,
                            const std::function<std::string(const verdict::Row&)>& text_of) {
    std::uint64_t values = 0;
    for (const shards::Unit& unit : run.own()) values += unit.cost;
    running.expect(values);
    shards::PartEvents events;
    events.started = [&](const shards::Unit& unit, std::size_t number, std::size_t) {
        if (number == 0 && began) began();
        running.progress().start(unit.name, unit.cost);
    };
    events.judged = [&](const std::vector<verdict::Row>& rows) {
        running.progress().finish();
        for (const verdict::Row& row : rows) {
            const std::string text = text_of(row);
            if (text.empty()) continue;
            running.progress().clear();
            fmt::print("{}\n", text);
            std::fflush(stdout);
        }
    };
    shards::PartResult result =
        shards::ask_part(*running.subject(), plan, run.units, run.shard, options, folder, events);
    running.progress().clear();
    return result;
}

std::string asked_units(const shards::PartResult& result) {
    const std::string kept = result.kept == 0 ? "" : fmt::format(" ({} kept from an earlier run)", result.kept);
    return fmt::format("{} of {}{}", result.answered, print::counted(result.units, "unit"), kept);
}

} // namespace mxcert::cli
