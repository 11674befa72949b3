// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/run_facts.hpp"

#include <fmt/format.h>

#include "conformance/print/progress.hpp"

namespace mxcert::html {

std::string subject_text(const report::Report& report) {
    return report.info.name + (report.info.version.empty() ? "" : " " + report.info.version);
}

std::vector<std::pair<std::string, std::string>> run_facts(const report::Report& report) {
    std::string host = report.host.system;
    for (const std::string& part : {report.host.machine, report.host.cpu})
        if (!part.empty()) host += (host.empty() ? "" : ", ") + part;
    return {
        {"BACKEND", report.invocation.backend},
        {"Description", report.info.description},
        {"Backend's options", report.invocation.backend_options},
        {"Profiles", fmt::format("{}", fmt::join(report.invocation.profiles, ", "))},
        {"Level", to_string(report.level)},
        {"Only", report.selection},
        {"Seed", std::to_string(report.seed)},
        {"Certificate", report::is_certificate(report) ? "yes" : "no"},
        {"Started", report.started},
        {"Took", print::duration_text(report.seconds)},
        {"Machine", host},
        {"Build id", report.info.build_id},
        {"Vectors", report.vectors.version +
                        (report.vectors.manifest_sha256.empty() ? "" : ", SHA-256 " + report.vectors.manifest_sha256)}};
}

} // namespace mxcert::html
