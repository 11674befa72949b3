// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/results/record_result.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::cli {
namespace {

using Json = nlohmann::ordered_json;

bool is_empty(const record::Record& record) { return record.conversions.empty() && record.operations.empty(); }

int exit_of(const record::Record& record) {
    const auto any = [&](std::initializer_list<Status> statuses) {
        return std::any_of(record.unrecorded.begin(), record.unrecorded.end(), [&](const record::Unrecorded& u) {
            return std::find(statuses.begin(), statuses.end(), u.status) != statuses.end();
        });
    };
    if (any({Status::mistrusted, Status::fail})) return exit_failed;
    if (any({Status::error, Status::incomplete})) return exit_unfinished;
    return is_empty(record) ? exit_nothing : exit_ok;
}

Json json_of(const record::Record& record, const std::string& backend, const std::string& folder) {
    Json json{{"backend", backend},
              {"name", record.info.name},
              {"version", record.info.version},
              {"level", to_string(record.level)},
              {"seed", record.seed},
              {"samples_per_step", record.samples_per_step},
              {"filters", record.filters}};
    json["rows"] = Json::array();
    for (const record::RecordedConversion& recorded : record.conversions)
        json["rows"].push_back(
            {{"id", to_string(recorded.conversion)},
             {"status", to_string(Status::pass)},
             {"recorded", recorded.table.steps.empty() ? recorded.points.size() : recorded.table.steps.size()},
             {"reason", ""}});
    for (const record::RecordedOperation& recorded : record.operations)
        json["rows"].push_back({{"id", to_string(recorded.operation)},
                                {"status", to_string(Status::pass)},
                                {"recorded", recorded.runs.size()},
                                {"reason", ""}});
    for (const record::Unrecorded& left : record.unrecorded)
        json["rows"].push_back({{"id", left.conversion},
                                {"status", to_string(left.status)},
                                {"recorded", 0},
                                {"reason", print::printable(left.reason)}});
    if (!record.machines.empty()) json["machines"] = record.machines;
    // Nothing is written where there is nothing to record.
    json["folder"] = is_empty(record) ? "" : folder;
    json["exit_code"] = exit_of(record);
    return json;
}

} // namespace

record::Record take_record(Running& running, record::RecordOptions options, const RecordLines& lines) {
    options.stop = &running.stop();
    options.started = [&](const std::string& name, std::uint64_t inputs) { running.progress().start(name, inputs); };
    const auto line = [&](const std::string& name, const std::string& size, Status status, const std::string& reason) {
        running.progress().finish();
        running.progress().clear();
        if (lines.quiet && status == Status::pass) return;
        fmt::print(lines.people, "{:<36} {:>15}  {}\n", name, status == Status::pass ? size : "-",
                   status == Status::pass
                       ? "recorded"
                       : print::colored(to_string(status), status, lines.color) + "  " + print::printable(reason));
        std::fflush(lines.people);
    };
    options.observed = [&](const observe::Observation& seen) {
        const bool table = !seen.table.steps.empty();
        line(to_string(seen.conversion), print::counted(table ? seen.table.steps.size() : seen.points.size(), "row"),
             seen.status, seen.reason);
    };
    options.asked = [&](const record::RecordedOperation& operation, Status status, const std::string& reason) {
        line(to_string(operation.operation), print::counted(operation.runs.size(), "run"), status, reason);
    };
    return record::take_record(*running.subject(), options);
}

int write_record(const record::Record& record, const std::string& backend, const std::string& folder,
                 const RecordLines& lines, JsonOutput& output) {
    if (is_empty(record)) {
        fmt::print(lines.people, "Nothing was recorded.\n");
    } else {
        record::write_record(record, folder);
        std::string stored;
        if (!record.conversions.empty()) stored = print::counted(record.conversions.size(), "conversion");
        if (!record.operations.empty())
            stored += (stored.empty() ? "" : " and ") + print::counted(record.operations.size(), "operation");
        fmt::print(lines.people, "{} of {} {} recorded in {} at level {}\n", stored, print::printable(record.info.name),
                   print::printable(record.info.version), print::printable(folder), to_string(record.level));
        if (!record.unrecorded.empty())
            fmt::print(lines.people, "{} not recorded: see above.\n",
                       print::counted(record.unrecorded.size(), "offer"));
    }
    output.write([&] { return json_of(record, backend, folder); });
    return exit_of(record);
}

} // namespace mxcert::cli
