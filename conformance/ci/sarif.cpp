// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conformance/ci/ci.hpp"
#include "conformance/ci/parts.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"

namespace mxcert::ci {
namespace {

using files::Json;

// A path as the reference of a URI: whatever a URI cannot hold is written as %XX.
std::string uri_of(const std::string& path) {
    constexpr const char* digits = "0123456789ABCDEF";
    std::string uri;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              std::string_view("-._~/").find(c) != std::string_view::npos;
        if (is_plain)
            uri += c;
        else
            uri += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
    return uri;
}

Json location_of(const report::Results& results) {
    return {{"physicalLocation",
             {{"artifactLocation", {{"uri", uri_of(file_of(results))}}}, {"region", {{"startLine", 1}}}}}};
}

bool is_shown(const report::ResultRow& row) { return is_bad(row) || !row.acknowledged.empty(); }

Json result_json(const report::ResultRow& row, const report::Results& results) {
    const std::string again = row.command.empty() ? "" : "\nagain: " + row.command;
    Json json{
        {"ruleId", rule_of(row)},
        {"level", is_bad(row) ? "error" : "warning"},
        {"message", {{"text", sentence(row) + print::printable(again, true)}}},
        {"locations", Json::array({location_of(results)})},
        {"partialFingerprints", {{"mxcertRow/v1", fingerprint(row)}}},
        {"properties",
         {{"row", row.name}, {"profile", row.profile}, {"compared", row.compared}, {"differing", row.differing}}}};
    if (!row.acknowledged.empty())
        json["suppressions"] = Json::array({{{"kind", "external"}, {"justification", row.acknowledged}}});
    return json;
}

} // namespace

std::string sarif_json(const report::Results& results) {
    std::vector<std::string> rules;
    Json found = Json::array();
    for (const report::ResultRow& row : results.rows) {
        if (!is_shown(row)) continue;
        if (std::find(rules.begin(), rules.end(), rule_of(row)) == rules.end()) rules.push_back(rule_of(row));
        found.push_back(result_json(row, results));
    }
    Json described = Json::array();
    for (const std::string& rule : rules)
        described.push_back({{"id", rule}, {"shortDescription", {{"text", rule_text(rule)}}}});
    Json driver{{"name", "mxcert"}, {"version", print::tool_version}, {"rules", described}};
    if (!print::homepage().empty()) driver["informationUri"] = print::homepage();
    return files::json_text(
        {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
         {"version", "2.1.0"},
         {"runs", Json::array({{{"tool", {{"driver", driver}}},
                                {"invocations", Json::array({{{"commandLine", results.command},
                                                              {"exitCode", results.exit_code},
                                                              {"executionSuccessful", results.exit_code != 3}}})},
                                {"results", found}}})}});
}

std::string code_quality_json(const report::Results& results) {
    Json issues = Json::array();
    for (const report::ResultRow& row : results.rows) {
        if (!is_bad(row)) continue;
        issues.push_back({{"description", sentence(row)},
                          {"check_name", rule_of(row)},
                          {"fingerprint", fingerprint(row)},
                          {"severity", row.outcome == report::ResultRow::Outcome::failed ? "critical" : "major"},
                          {"location", {{"path", file_of(results)}, {"lines", {{"begin", 1}}}}}});
    }
    return files::json_text(issues);
}

} // namespace mxcert::ci
