// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/statement.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/evidence/verification.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::evidence {
namespace {

using files::Json;

constexpr const char* statement_type = "https://in-toto.io/Statement/v1";
constexpr const char* predicate_type = "https://in-toto.io/attestation/test-result/v0.1";

// A ResourceDescriptor.
Json resource(const std::string& name, const std::string& digest) {
    return {{"name", name}, {"digest", {{"sha256", digest}}}};
}

Json coverage_of(const Json& row) {
    Json coverage = Json::object();
    for (const char* name : {"id", "profile", "status", "compared", "total", "sample", "open"})
        coverage[name] = row.at(name);
    return coverage;
}

Surroundings surroundings_in(const Json& statement, const std::string& where) {
    const files::Members whole(statement, where);
    const files::Members predicate = whole.object("predicate");
    const files::Members run = predicate.object("run");
    return surroundings_of_json(run);
}

} // namespace

Json statement_of(const Json& report, const std::string& digest, const Surroundings& surroundings) {
    const Json& backend = report.at("backend");
    Json subject = Json::array();
    subject.push_back(resource(backend.at("name"), backend.at("build_id")));
    for (const auto& [path, file_digest] : surroundings.files) subject.push_back(resource(path, file_digest));

    Json passed = Json::array();
    Json warned = Json::array();
    Json failed = Json::array();
    Json coverage = Json::array();
    for (const Json& row : report.at("rows")) {
        const std::string status = row.at("status");
        Json& list = status == "PASS" ? passed : status == "UNTESTED" || status == "UNSUPPORTED" ? warned : failed;
        list.push_back(fmt::format("{} {}", row.at("profile").get<std::string>(), row.at("id").get<std::string>()));
        coverage.push_back(coverage_of(row));
    }
    Json run{{"tool", report.at("tool")},
             {"backend",
              {{"version", backend.at("version")},
               {"description", backend.at("description")},
               {"options", backend.at("options")},
               {"record_sha256", backend.at("record_sha256")}}},
             {"host", report.at("host")},
             {"started", report.at("started")},
             {"level", report.at("level")},
             {"seed", report.at("seed")},
             {"complete", report.at("complete")},
             {"certificate", report.at("certificate")},
             {"left_out", report.at("left_out")},
             {"coverage", coverage}};
    run.update(surroundings_json(surroundings));
    return {{"_type", statement_type},
            {"subject", subject},
            {"predicateType", predicate_type},
            {"predicate",
             {{"result", report.at("exit_code") == 0 ? "PASSED" : "FAILED"},
              {"configuration",
               Json::array({resource(report.at("certificate") == true ? "certificate.json" : "report.json", digest),
                            resource("vectors/golden/manifest.json", report.at("vectors").at("manifest_sha256"))})},
              {"passedTests", passed},
              {"warnedTests", warned},
              {"failedTests", failed},
              {"run", run}}}};
}

Surroundings check_statement(const std::filesystem::path& statement, const Json& report,
                             const std::filesystem::path& report_file) {
    try {
        const Json claimed = files::read_json(statement);
        Surroundings surroundings = surroundings_in(claimed, statement.string());
        const Json derived = statement_of(report, sha256_file(report_file), surroundings);
        const Json changes = Json::diff(derived, claimed);
        if (!changes.empty())
            throw Refused(fmt::format("'{}' does not follow from '{}': {} is another", statement.string(),
                                      report_file.string(), changes.front().at("path").get<std::string>()));
        return surroundings;
    } catch (const Refused&) {
        throw;
    } catch (const std::exception& error) {
        throw Refused(error.what());
    }
}

} // namespace mxcert::evidence
