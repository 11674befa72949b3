// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/junit.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "conformance/print/text.hpp"

namespace mxcert::report {
namespace {

using Outcome = JunitCase::Outcome;

// XML 1.0 has no way to write most control characters, so every text from outside is made printable first.
void set(pugi::xml_node node, const char* name, std::string_view value) {
    node.append_attribute(name).set_value(print::printable(value).c_str());
}

void set_text(pugi::xml_node node, const std::string& text) { node.text().set(print::printable(text, true).c_str()); }

void add_case(pugi::xml_node suite, const JunitCase& junit_case) {
    pugi::xml_node test = suite.append_child("testcase");
    set(test, "name", junit_case.name);
    set(test, "classname", junit_case.profile.empty() ? "mxcert" : "mxcert." + junit_case.profile);
    set(test, "time", fmt::format("{:.3f}", junit_case.seconds));
    if (junit_case.outcome == Outcome::passed) {
        if (!junit_case.text.empty()) set_text(test.append_child("system-out"), junit_case.text);
        return;
    }
    pugi::xml_node node = test.append_child(junit_case.outcome == Outcome::failed  ? "failure"
                                            : junit_case.outcome == Outcome::error ? "error"
                                                                                   : "skipped");
    set(node, "message", junit_case.message);
    if (junit_case.outcome == Outcome::skipped) return; // has no type and no text in the usual schemas
    set(node, "type", junit_case.type);
    set_text(node, junit_case.text);
}

std::string how_many(const std::vector<JunitCase>& cases, Outcome outcome) {
    return std::to_string(std::count_if(
        cases.begin(), cases.end(), [outcome](const JunitCase& junit_case) { return junit_case.outcome == outcome; }));
}

} // namespace

std::string junit_xml(const JunitSuite& suite) {
    pugi::xml_document document;
    pugi::xml_node all = document.append_child("testsuites");
    pugi::xml_node only = all.append_child("testsuite");
    set(only, "name", suite.name);
    for (pugi::xml_node node : {all, only}) {
        set(node, "tests", std::to_string(suite.cases.size()));
        set(node, "failures", how_many(suite.cases, Outcome::failed));
        set(node, "errors", how_many(suite.cases, Outcome::error));
        set(node, "skipped", how_many(suite.cases, Outcome::skipped));
        set(node, "time", fmt::format("{:.3f}", suite.seconds));
    }
    if (!suite.started.empty()) set(only, "timestamp", suite.started);
    if (!suite.properties.empty()) {
        pugi::xml_node properties = only.append_child("properties");
        for (const auto& [name, value] : suite.properties) {
            pugi::xml_node property = properties.append_child("property");
            set(property, "name", name);
            set(property, "value", value);
        }
    }
    for (const JunitCase& junit_case : suite.cases) add_case(only, junit_case);
    std::ostringstream text;
    document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
    return text.str();
}

} // namespace mxcert::report
