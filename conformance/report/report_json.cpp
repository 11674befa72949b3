// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "conformance/files/json_members.hpp"
#include "conformance/print/version.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/sandbox_json.hpp"
#include "conformance/report/stored_report.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::report {
namespace {

files::Json difference_json(const Difference& d, const verdict::Row& row, const cases::Invocation& invocation) {
    const Format& from = *verdict::conversion_of(row)->from;
    const Format& to = *verdict::conversion_of(row)->to;
    return {{"first", hex(d.first, from)},
            {"last", hex(d.last, from)},
            {"inputs", count_inputs({d})},
            {"expected", to_string(d.expected, to)},
            {"got", hex(d.got, to)},
            {"clause", d.clause},
            {"reproduce", again(row, d.first, invocation)}};
}

files::Json culprit_json(const observe::Culprit& c, const verdict::Row& row, const cases::Invocation& invocation) {
    const Format& from = *verdict::conversion_of(row)->from;
    return {{"first", hex(c.first, from)},
            {"last", hex(c.last, from)},
            {"inputs", c.inputs},
            {"how", c.how},
            {"reproduce", c.inputs == 1 ? again(row, c.first, invocation) : ""}};
}

files::Json diagnosis_json(const diagnose::Diagnosis& diagnosis, const Format& from) {
    files::Json bugs = files::Json::array();
    for (const diagnose::NamedBug& bug : diagnosis.bugs)
        bugs.push_back({{"class", bug.bug_class->id},
                        {"how", bug.how},
                        {"inputs", bug.inputs},
                        {"smallest", hex(bug.smallest, from)},
                        {"roundest", hex(bug.roundest, from)}});
    return {
        {"bugs", bugs}, {"explained", diagnosis.explained}, {"unexplained", diagnosis.differing - diagnosis.explained}};
}

// "other": the backend did not start, or a required conversion is not there to be judged.
const char* kind(const verdict::Row& row) {
    if (!row.operation.empty()) return "operation";
    if (verdict::conversion_of(row) != nullptr) return "conversion";
    return row.id.starts_with("provision ") ? "provision" : "other";
}

files::Json row_json(const verdict::Row& row, const cases::Invocation& invocation) {
    const verdict::TableFindings none;
    const verdict::TableFindings& table = verdict::table_of(row) != nullptr ? *verdict::table_of(row) : none;
    const std::span<const std::string> wrong = verdict::wrong_of(row);
    files::Json json{{"id", row.id},
                     {"kind", kind(row)},
                     {"profile", row.profile},
                     {"status", to_string(row.status)},
                     {"reason", row.reason},
                     {"detail", row.detail},
                     {"required", row.required},
                     {"sample", row.sample},
                     {"open", row.open},
                     {"total", row.total},
                     {"asked", table.asked},
                     {"kept", row.kept},
                     {"compared", row.compared},
                     {"repeated", row.repeated},
                     {"differing", row.differing},
                     {"ranges", table.ranges},
                     {"findings", std::vector<std::string>(wrong.begin(), wrong.end())},
                     {"culprits", files::Json::array()},
                     {"differences", files::Json::array()},
                     {"golden", table.golden},
                     {"golden_sha256", table.golden_sha256},
                     {"observed_sha256", row.observed_sha256},
                     {"clauses", row.clauses},
                     {"seconds", row.seconds}};
    if (const observe::Places* places = verdict::places_of(row); places != nullptr && places->in_batches != 0)
        json["places"] = {{"in_batches", places->in_batches},     {"neighbours", places->neighbours},
                          {"differing", places->differing},       {"asked_again", places->placed},
                          {"largest_call", places->largest_call}, {"simplified", places->simplified}};
    const verdict::CaseFindings* cases = verdict::cases_of(row);
    if (cases != nullptr && cases->largest_product[0] != 0) json["largest_product"] = cases->largest_product;
    if (cases != nullptr && cases->largest_matrix != 0) json["largest_matrix"] = cases->largest_matrix;
    if (!wrong.empty()) json["reproduce"] = commands_of_findings(row, invocation);
    if (wrong.empty() && verdict::ended_by(row))
        json["reproduce"] = {again_case(row, verdict::ended_by(row), invocation)};
    if (is_shown_by_row(row)) json["reproduce"].push_back(again_case(row, {}, invocation));
    if (table.diagnosis.differing != 0) json["diagnosis"] = diagnosis_json(table.diagnosis, *table.conversion.from);
    if (cases != nullptr && cases->smallest)
        json["smallest"] = {{"case", cases->smallest->given},
                            {"finding", cases->smallest->finding},
                            {"c", cases->smallest->arrays},
                            {"reproduce", again_given(row, cases->smallest->given, invocation)}};
    for (const KnownFault& known : row.known_as)
        json["known_as"].push_back({{"class", known.bug_class->id}, {"how", known.how}});
    for (const observe::Culprit& c : verdict::culprits_of(row))
        json["culprits"].push_back(culprit_json(c, row, invocation));
    for (const Difference& d : verdict::differences_of(row))
        json["differences"].push_back(difference_json(d, row, invocation));
    return json;
}

files::Json host_json(const Host& host) {
    return {{"system", host.system}, {"machine", host.machine}, {"cpu", host.cpu}};
}

files::Json counts_json(const Report& report) {
    files::Json json = files::Json::object();
    for (const Status status : {Status::pass, Status::fail, Status::mistrusted, Status::untested, Status::unsupported,
                                Status::error, Status::incomplete})
        json[std::string(to_string(status))] = count(report, status);
    return json;
}

files::Json clauses_json(const Report& report) {
    files::Json json = files::Json::object();
    for (const GradedClauses& graded : graded_clauses(report.rows))
        json[std::string(to_string(graded.grade))] = graded.ids;
    return json;
}

} // namespace

std::string report_json(const Report& report) {
    files::Json rows = files::Json::array();
    for (const verdict::Row& row : report.rows) rows.push_back(row_json(row, report.invocation));
    files::Json offers = files::Json::array();
    for (const Conversion& conversion : report.info.conversions) offers.push_back(to_string(conversion));
    files::Json json{
        {"schema", report_schema},
        {"complete", why_incomplete(report).empty()},
        {"level", to_string(report.level)},
        {"tool", {{"name", "mxcert"}, {"version", print::tool_version}, {"revision", print::tool_revision()}}},
        {"vectors", {{"version", report.vectors.version}, {"manifest_sha256", report.vectors.manifest_sha256}}},
        {"backend",
         {{"argument", report.invocation.backend},
          {"options", report.invocation.backend_options},
          {"record", report.from_record},
          {"record_sha256", report.record_sha256},
          {"record_without", report.without},
          {"name", report.info.name},
          {"version", report.info.version},
          {"description", report.info.description},
          {"build_id", report.info.build_id},
          {"offers", offers},
          {"not_understood", report.info.unknown}}},
        {"host", host_json(report.host)},
        {"started", report.started},
        {"seconds", report.seconds},
        {"seed", report.seed},
        {"jobs", report.jobs},
        {"samples_per_step", report.samples_per_step},
        {"profiles", report.invocation.profiles},
        {"filters", report.filters},
        {"required", report.required},
        {"reproduce", report.reproduce},
        {"max_failures", report.max_failures},
        {"selection", report.selection},
        {"leave_out", report.leave_out},
        {"left_out", report.left_out},
        {"missing", report.missing},
        {"interrupted", report.interrupted},
        {"stopped_by", report.failed_fast   ? "--fail-fast"
                       : report.interrupted ? "signal"
                                            : ""},
        {"certificate", is_certificate(report)},
        {"exit_code", exit_code(report)},
        {"counts", counts_json(report)},
        {"clauses", clauses_json(report)},
        {"outside", report.outside},
        {"rows", rows},
    };
    if (report.info.sandbox_state) json["sandbox"] = sandbox_json(*report.info.sandbox_state);
    if (report.turns)
        json["turns"] = {
            {"rows", report.turns->rows}, {"calls", report.turns->calls}, {"every_pair", report.turns->every_pair}};
    if (!report.suite.empty()) json["suite"] = report.suite;
    for (const Host& host : report.machines) json["machines"].push_back(host_json(host));
    // Of the text as a reader will have it: what is not UTF-8 is replaced when it is written.
    json["sha256"] = report_checksum(files::Json::parse(files::json_text(json)));
    return files::json_text(json);
}

} // namespace mxcert::report
