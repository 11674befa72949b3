// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "conformance/gate/gate.hpp"
#include "conformance/print/text.hpp"

namespace mxcert {
namespace {

// XML 1.0 has no way to write most control characters, so every text from outside is made printable first.
void set_attribute(pugi::xml_node node, const char* name, std::string_view value) {
    node.append_attribute(name).set_value(printable(value).c_str());
}

bool is_error(const GateRow& row) { return row.standing == Standing::unfinished; }

void add_case(pugi::xml_node suite, const GateRow& row, const Invocation& invocation) {
    pugi::xml_node test = suite.append_child("testcase");
    set_attribute(test, "name", row.name.second);
    set_attribute(test, "classname", row.name.first.empty() ? "mxcert" : "mxcert." + row.name.first);
    set_attribute(test, "time", fmt::format("{:.3f}", row.now.seconds));
    if (row.standing == Standing::same) return;
    constexpr std::size_t ranges = 100;
    const std::string text = printable(gate_row_text(row, invocation, ranges, false), true);
    if (row.standing == Standing::acknowledged) {
        test.append_child("system-out").text().set(text.c_str());
        return;
    }
    pugi::xml_node node = test.append_child(is_error(row) ? "error" : "failure");
    set_attribute(node, "message", text.substr(0, text.find('\n')));
    set_attribute(node, "type", to_string(row.standing));
    node.text().set(text.c_str());
}

} // namespace

std::string gate_junit(const std::vector<GateRow>& rows, const Report& report) {
    std::size_t failures = 0;
    std::size_t errors = 0;
    for (const GateRow& row : rows) {
        failures += is_different(row.standing) ? 1 : 0;
        errors += is_error(row) ? 1 : 0;
    }
    pugi::xml_document document;
    pugi::xml_node suites = document.append_child("testsuites");
    pugi::xml_node suite = suites.append_child("testsuite");
    set_attribute(suite, "name", "mxcert gate " + report.info.name);
    for (pugi::xml_node node : {suites, suite}) {
        set_attribute(node, "tests", std::to_string(rows.size()));
        set_attribute(node, "failures", std::to_string(failures));
        set_attribute(node, "errors", std::to_string(errors));
        set_attribute(node, "skipped", "0");
        set_attribute(node, "time", fmt::format("{:.3f}", report.seconds));
    }
    for (const GateRow& row : rows) add_case(suite, row, report.invocation);
    std::ostringstream text;
    document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
    return text.str();
}

} // namespace mxcert
