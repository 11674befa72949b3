// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/results.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "conformance/print/text.hpp"

namespace mxcert::report {
namespace {

using Outcome = ResultRow::Outcome;

// XML 1.0 has no way to write most control characters, so every text from outside is made printable first.
void set(pugi::xml_node node, const char* name, std::string_view value) {
    node.append_attribute(name).set_value(print::printable(value).c_str());
}

void set_text(pugi::xml_node node, const std::string& text) { node.text().set(print::printable(text, true).c_str()); }

void add_case(pugi::xml_node suite, const ResultRow& row) {
    pugi::xml_node test = suite.append_child("testcase");
    set(test, "name", row.name);
    set(test, "classname", row.profile.empty() ? "mxcert" : "mxcert." + row.profile);
    set(test, "time", fmt::format("{:.3f}", row.seconds));
    if (row.outcome == Outcome::passed) {
        if (!row.text.empty()) set_text(test.append_child("system-out"), row.text);
        return;
    }
    pugi::xml_node node = test.append_child(row.outcome == Outcome::failed  ? "failure"
                                            : row.outcome == Outcome::error ? "error"
                                                                            : "skipped");
    set(node, "message", row.message);
    if (row.outcome == Outcome::skipped) return; // has no type and no text in the usual schemas
    set(node, "type", row.type);
    set_text(node, row.text);
}

} // namespace

std::size_t count(const Results& results, Outcome outcome) {
    return static_cast<std::size_t>(std::count_if(results.rows.begin(), results.rows.end(),
                                                  [&](const ResultRow& row) { return row.outcome == outcome; }));
}

std::string junit_xml(const Results& results) {
    pugi::xml_document document;
    pugi::xml_node all = document.append_child("testsuites");
    pugi::xml_node only = all.append_child("testsuite");
    set(only, "name", results.name);
    for (pugi::xml_node node : {all, only}) {
        set(node, "tests", std::to_string(results.rows.size()));
        set(node, "failures", std::to_string(count(results, Outcome::failed)));
        set(node, "errors", std::to_string(count(results, Outcome::error)));
        set(node, "skipped", std::to_string(count(results, Outcome::skipped)));
        set(node, "time", fmt::format("{:.3f}", results.seconds));
    }
    if (!results.started.empty()) set(only, "timestamp", results.started);
    if (!results.properties.empty()) {
        pugi::xml_node properties = only.append_child("properties");
        for (const auto& [name, value] : results.properties) {
            pugi::xml_node property = properties.append_child("property");
            set(property, "name", name);
            set(property, "value", value);
        }
    }
    for (const ResultRow& row : results.rows) add_case(only, row);
    std::ostringstream text;
    document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
    return text.str();
}

} // namespace mxcert::report
