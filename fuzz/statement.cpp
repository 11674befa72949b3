// SPDX-License-Identifier: Apache-2.0
// The in-toto statement beside a certificate, which is always the same one. A statement is refused, or says nothing
// that does not follow from the certificate and from the files that it lists itself.
#include <stdexcept>

#include "conformance/evidence/statement.hpp"
#include "conformance/evidence/verification.hpp"
#include "fuzz/scratch.hpp"
#include "fuzz/target.hpp"
#include "vectors/base/sha256.hpp"

namespace {

using namespace mxcert;

constexpr std::string_view certificate = R"({
"tool": {"name": "mxcert", "version": "1"}, "vectors": {"version": "3.0.0", "manifest_sha256": "00"},
"backend": {"name": "b", "build_id": "11", "version": "1", "description": "", "options": "", "record_sha256": ""},
"host": {"system": "Linux", "machine": "x86_64", "cpu": ""}, "started": "2026-01-01T00:00:00Z", "level": "standard",
"seed": 1, "complete": true, "certificate": true, "left_out": [], "exit_code": 0,
"rows": [{"id": "fp16-e4m3-nearest_even-sat", "profile": "ocp-sat", "status": "PASS", "compared": 65536, "total": 65536,
"sample": false, "open": []}]
})";

void run(std::string_view input) {
    static const fuzz::Scratch scratch;
    static const std::filesystem::path report_file = scratch.path() / "certificate.json";
    static const files::Json report = [] {
        scratch.write("certificate.json", certificate);
        return files::read_json(report_file);
    }();
    static const std::filesystem::path path = scratch.path() / evidence::statement_file;
    scratch.write(evidence::statement_file, input);
    evidence::Surroundings surroundings;
    try {
        surroundings = evidence::check_statement(path, report, report_file);
    } catch (const evidence::Refused&) {
        return;
    }
    fuzz::require_same(files::json_text(files::read_json(path)),
                       files::json_text(evidence::statement_of(report, sha256(certificate), surroundings)),
                       "a statement that is not refused follows from its certificate");
}

const fuzz::Target registered{"statement", run, fuzz::Form::json};

} // namespace
