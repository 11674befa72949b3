// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/json_members.hpp"
#include "conformance/gate/gate.hpp"
#include "conformance/print/version.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::gate {
namespace {

using files::Json;

Json code_json(const std::optional<Code>& code, const Format& format) {
    return code ? Json(hex(*code, format)) : Json(nullptr);
}

Json changes_json(const GateRow& row) {
    Json changes = Json::array();
    for (const ChangedRange& range : row.changes) {
        const Conversion& table = verdict::table_of(row.now)->conversion;
        changes.push_back({{"first", hex(range.first, *table.from)},
                           {"last", hex(range.last, *table.from)},
                           {"was", code_json(range.was, *table.to)},
                           {"is", code_json(range.now, *table.to)}});
    }
    return changes;
}

Json row_json(const GateRow& row, const cases::Invocation& invocation) {
    const bool is_gone = row.standing == Standing::gone;
    Json json{{"id", row.name.second},
              {"profile", row.name.first},
              {"standing", to_string(row.standing)},
              {"different", is_different(row.standing)},
              {"status", is_gone ? Json(nullptr) : Json(to_string(row.now.status))},
              {"was_status", row.is_known ? Json(to_string(row.was.status)) : Json(nullptr)},
              {"reason", row.now.reason},
              {"compared", row.now.compared},
              {"differing", row.now.differing},
              {"bugs", report::bugs_named(row.now)},
              {"changes", changes_json(row)},
              {"reproduce", report::first_command(row.now, invocation)}};
    if (!row.unrecognisable.empty()) json["unrecognisable"] = row.unrecognisable;
    if (row.is_known && row.was.deviation)
        json["acknowledged"] = {{"reason", row.was.by.reason},
                                {"owner", row.was.by.owner},
                                {"expires", files::date_text(row.was.by.expires)}};
    return json;
}

} // namespace

std::string gate_json(const std::vector<GateRow>& rows, const report::Report& report, const GateHeading& heading) {
    Json row_list = Json::array();
    Json counts = Json::object();
    for (const GateRow& row : rows) {
        row_list.push_back(row_json(row, report.invocation));
        const std::string standing(to_string(row.standing));
        counts[standing] = counts.value(standing, 0U) + 1U;
    }
    return files::json_text(
        {{"schema", "mxcert-gate-1"},
         {"tool", {{"name", "mxcert"}, {"version", print::tool_version}, {"revision", print::tool_revision()}}},
         {"vectors", {{"version", report.vectors.version}, {"manifest_sha256", report.vectors.manifest_sha256}}},
         {"backend",
          {{"argument", report.invocation.backend},
           {"options", report.invocation.backend_options},
           {"name", report.info.name},
           {"version", report.info.version},
           {"build_id", report.info.build_id}}},
         {"baseline", heading.baseline},
         {"today", files::date_text(heading.today)},
         {"started", report.started},
         {"seconds", report.seconds},
         {"level", to_string(report.level)},
         {"profiles", report.invocation.profiles},
         {"filters", report.filters},
         {"interrupted", report.interrupted},
         {"exit_code", heading.exit_code},
         {"counts", counts},
         {"rows", row_list}});
}

} // namespace mxcert::gate
