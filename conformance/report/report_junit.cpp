// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "conformance/report/report.hpp"

namespace mxcert {
namespace {

enum class Outcome { passed, failed, error, skipped };

Outcome outcome(const Row& row) {
    switch (row.status) {
    case Status::pass: return Outcome::passed;
    case Status::unsupported: return row.required ? Outcome::failed : Outcome::skipped;
    case Status::error:
    case Status::incomplete: return Outcome::error;
    default: return Outcome::failed;
    }
}

// XML 1.0 has no way to write most control characters, so every text from outside is made printable first.
void set(pugi::xml_node node, const char* name, std::string_view value) {
    node.append_attribute(name).set_value(printable(value).c_str());
}

void property(pugi::xml_node properties, const char* name, std::string_view value) {
    pugi::xml_node node = properties.append_child("property");
    set(node, "name", name);
    set(node, "value", value);
}

void add_case(pugi::xml_node suite, const Row& row, const Invocation& invocation) {
    pugi::xml_node test = suite.append_child("testcase");
    set(test, "name", row.id);
    set(test, "classname", row.profile.empty() ? "mxcert" : "mxcert." + row.profile);
    set(test, "time", fmt::format("{:.3f}", row.seconds));
    const Outcome ended = outcome(row);
    if (ended == Outcome::passed) return;
    pugi::xml_node node = test.append_child(ended == Outcome::failed  ? "failure"
                                            : ended == Outcome::error ? "error"
                                                                      : "skipped");
    set(node, "message", row.reason.empty() ? std::string(to_string(row.status)) : row.reason);
    if (ended == Outcome::skipped) return; // has no type and no text in the usual schemas
    set(node, "type", to_string(row.status));
    node.text().set(printable(failure_text(row, invocation, false), true).c_str());
}

} // namespace

std::string report_junit(const Report& report) {
    std::size_t failures = 0;
    std::size_t errors = 0;
    std::size_t skipped = 0;
    for (const Row& row : report.rows) {
        failures += outcome(row) == Outcome::failed ? 1 : 0;
        errors += outcome(row) == Outcome::error ? 1 : 0;
        skipped += outcome(row) == Outcome::skipped ? 1 : 0;
    }
    pugi::xml_document document;
    pugi::xml_node suites = document.append_child("testsuites");
    pugi::xml_node suite = suites.append_child("testsuite");
    set(suite, "name", "mxcert certify " + report.info.name);
    for (pugi::xml_node node : {suites, suite}) {
        set(node, "tests", std::to_string(report.rows.size()));
        set(node, "failures", std::to_string(failures));
        set(node, "errors", std::to_string(errors));
        set(node, "skipped", std::to_string(skipped));
        set(node, "time", fmt::format("{:.3f}", report.seconds));
    }
    if (!report.started.empty()) set(suite, "timestamp", report.started);
    pugi::xml_node properties = suite.append_child("properties");
    property(properties, "mxcert", tool_version);
    property(properties, "vectors", report.vectors.version);
    property(properties, "manifest_sha256", report.vectors.manifest_sha256);
    property(properties, "backend", report.info.name + ' ' + report.info.version);
    property(properties, "build_id", report.info.build_id);
    property(properties, "profiles", fmt::format("{}", fmt::join(report.invocation.profiles, " ")));
    property(properties, "seed", std::to_string(report.seed));
    property(properties, "exit_code", std::to_string(exit_code(report)));
    for (const Row& row : report.rows) add_case(suite, row, report.invocation);
    std::ostringstream text;
    document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
    return text.str();
}

} // namespace mxcert
