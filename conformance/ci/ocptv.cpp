// SPDX-License-Identifier: Apache-2.0
#include "conformance/ci/ci.hpp"
#include "conformance/ci/parts.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"

namespace mxcert::ci {
namespace {

using files::Json;
using Outcome = report::ResultRow::Outcome;

/// Numbers the lines as they are added.
class Lines {
  public:
    explicit Lines(std::string time) : time_(std::move(time)) {}

    void add(const char* kind, Json artifact) {
        Json line = Json::object();
        line[kind] = std::move(artifact);
        line["sequenceNumber"] = next_++;
        line["timestamp"] = time_;
        text_ += line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    }
    void add_step(std::size_t step, const char* kind, Json artifact) {
        Json json{{"testStepId", std::to_string(step)}};
        json[kind] = std::move(artifact);
        add("testStepArtifact", std::move(json));
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string time_;
    std::string text_;
    std::size_t next_ = 0;
};

Json run_start(const report::Results& results) {
    Json parameters = Json::object();
    for (const auto& [name, value] : results.properties) parameters[name] = value;
    return {{"name", results.name},
            {"version", print::tool_version},
            {"commandLine", results.command},
            {"parameters", parameters},
            {"dutInfo",
             {{"dutInfoId", "dut"},
              {"name", print::printable(results.backend)},
              {"platformInfos", Json::array({{{"info", results.host}}})},
              {"softwareInfos", Json::array({{{"softwareInfoId", "backend"},
                                              {"name", print::printable(results.backend)},
                                              {"version", print::printable(results.version)},
                                              {"revision", results.build_id},
                                              {"softwareType", "APPLICATION"}}})}}}};
}

void add_row(Lines& lines, std::size_t step, const report::ResultRow& row) {
    lines.add_step(step, "testStepStart",
                   {{"name", print::printable(row.profile.empty() ? row.name : row.name + ", " + row.profile)}});
    if (row.compared != 0) {
        lines.add_step(step, "measurement", {{"name", "compared"}, {"value", row.compared}, {"unit", "inputs"}});
        const bool is_judged = row.acknowledged.empty();
        Json differing{{"name", "differing"}, {"value", row.differing}, {"unit", "inputs"}};
        if (is_judged) differing["validators"] = Json::array({{{"type", "EQUAL"}, {"value", 0}}});
        lines.add_step(step, "measurement", std::move(differing));
    }
    switch (row.outcome) {
    case Outcome::passed:
        lines.add_step(step, "diagnosis",
                       row.acknowledged.empty()
                           ? Json{{"verdict", "as-permitted"}, {"type", "PASS"}}
                           : Json{{"verdict", "acknowledged"}, {"type", "PASS"}, {"message", row.acknowledged}});
        break;
    case Outcome::failed:
        lines.add_step(step, "diagnosis", {{"verdict", rule_of(row)}, {"type", "FAIL"}, {"message", sentence(row)}});
        break;
    case Outcome::error:
        lines.add_step(
            step, "error",
            {{"symptom", row.type}, {"message", sentence(row)}, {"softwareInfoIds", Json::array({"backend"})}});
        break;
    case Outcome::skipped: break;
    }
    lines.add_step(step, "testStepEnd",
                   {{"status", row.outcome == Outcome::error     ? "ERROR"
                               : row.outcome == Outcome::skipped ? "SKIP"
                                                                 : "COMPLETE"}});
}

Json run_end(int exit_code) {
    switch (exit_code) {
    case 0:
    case 5: return {{"status", "COMPLETE"}, {"result", "PASS"}};
    case 1: return {{"status", "COMPLETE"}, {"result", "FAIL"}};
    case 4: return {{"status", "SKIP"}, {"result", "NOT_APPLICABLE"}};
    default: return {{"status", "ERROR"}, {"result", "NOT_APPLICABLE"}};
    }
}

} // namespace

std::string ocptv_lines(const report::Results& results, const std::string& time) {
    Lines lines(time);
    lines.add("schemaVersion", {{"major", 2}, {"minor", 0}});
    lines.add("testRunArtifact", {{"testRunStart", run_start(results)}});
    for (std::size_t step = 0; step < results.rows.size(); ++step) add_row(lines, step, results.rows[step]);
    lines.add("testRunArtifact", {{"testRunEnd", run_end(results.exit_code)}});
    return lines.text();
}

} // namespace mxcert::ci
