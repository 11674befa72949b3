// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "conformance/explain/traceability.hpp"
#include "conformance/faults/clause_suites.hpp"
#include "conformance/print/columns.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::explain {
namespace {

// Each once, in the order in which they were planted.
std::vector<std::string_view> classes_of(const ClauseTrace& trace) {
    std::vector<std::string_view> classes;
    for (const CaughtFault& fault : trace.faults)
        if (!fault.bug_class.empty() && std::find(classes.begin(), classes.end(), fault.bug_class) == classes.end())
            classes.push_back(fault.bug_class);
    return classes;
}

// "fp32-e4m3.csv and 7 more"
std::string golden_text(const ClauseTrace& trace) {
    if (trace.golden.empty()) return "-";
    const std::string first = trace.golden.front()->file;
    return trace.golden.size() == 1 ? first : fmt::format("{} and {} more", first, trace.golden.size() - 1);
}

std::string suites_text(const ClauseTrace& trace) {
    if (trace.golden.empty()) return trace.suites.empty() ? "-" : fmt::format("{}", fmt::join(trace.suites, ", "));
    return print::counted(trace.suites.size(), "table");
}

std::string faults_text(const ClauseTrace& trace) {
    if (trace.faults.empty()) return "none";
    const std::vector<std::string_view> classes = classes_of(trace);
    if (classes.empty()) return fmt::format("{}: {}", trace.faults.size(), trace.faults.front().how);
    return fmt::format("{}: {}", trace.faults.size(), fmt::join(classes, " "));
}

} // namespace

std::string trace_table(const std::vector<ClauseTrace>& traces) {
    std::vector<std::vector<std::string>> rows{{"clause", "choices", "suites", "golden files", "planted faults"}};
    std::string exempt;
    std::size_t decide = 0;
    std::size_t proven = 0;
    for (const ClauseTrace& trace : traces) {
        const Clause& clause = *trace.clause;
        if (!needs_fault(clause)) {
            exempt += fmt::format("  {}  {}\n", clause.id, to_string(clause.kind));
            continue;
        }
        ++decide;
        proven += trace.faults.empty() ? 0 : 1;
        rows.push_back({std::string(clause.id), clause.choices.empty() ? "-" : std::string(clause.choices),
                        suites_text(trace), golden_text(trace), faults_text(trace)});
    }
    return print::columns(rows) +
           fmt::format("{} of {} that decide something catch a planted fault.\n", proven,
                       print::counted(decide, "clause")) +
           "Exempt, because they decide nothing: left open by the specification, or of formats that no profile "
           "judges\n" +
           exempt;
}

std::string trace_text(const ClauseTrace& trace) {
    std::string text = fmt::format("{}  {}\n", trace.clause->id, to_string(trace.clause->kind));
    if (!trace.clause->choices.empty()) text += fmt::format("choices: {}\n", trace.clause->choices);
    text += fmt::format("suites: {}\n", trace.suites.empty() ? "-" : fmt::format("{}", fmt::join(trace.suites, ", ")));
    std::vector<std::vector<std::string>> files{{"golden file", "SHA-256"}};
    for (const ManifestEntry* file : trace.golden) files.push_back({file->file, file->sha256});
    if (files.size() > 1) text += print::columns(files);
    if (trace.faults.empty())
        return text + (needs_fault(*trace.clause) ? "no planted fault is caught by it\n" : "it decides nothing\n");
    std::vector<std::vector<std::string>> faults{{"planted fault", "how", "in", "held to", "wrong inputs"}};
    for (const CaughtFault& fault : trace.faults)
        faults.push_back({fault.bug_class.empty() ? "-" : std::string(fault.bug_class), fault.how,
                          fault.conversion.empty() ? "-" : fault.conversion, std::string(fault.profile),
                          fault.inputs == 0 ? "-" : print::grouped(fault.inputs)});
    return text + print::columns(faults);
}

} // namespace mxcert::explain
