// SPDX-License-Identifier: Apache-2.0
// Reports that certify wrote do not contradict themselves, whatever came of the run.
#include "conformance/evidence/arithmetic.hpp"

#include <filesystem>

#include "catch.hpp"

namespace mxcert::evidence {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the committed reports do not contradict themselves", "[evidence]") {
    std::size_t checked = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MXCERT_TEST_SOURCE) / "docs/results")) {
        const std::string name = entry.path().filename().string();
        if (name != "report.json" && name != "certificate.json") continue;
        const files::Json report = files::read_json(entry.path());
        // Older versions wrote other members.
        if (!report.contains("complete") || !report["rows"][0].contains("open") ||
            !report["rows"][0].contains("findings"))
            continue;
        INFO(entry.path().string());
        CHECK(contradiction(report) == "");
        ++checked;
    }
    CHECK(checked >= 10);
}

TEST_CASE("2^40 inputs are countable: a certificate may claim them, and not one less", "[evidence]") {
    files::Json report = files::read_json(fs::path(MXCERT_TEST_SOURCE) / "docs/results/quotients/certificate.json");
    files::Json& row = report["rows"][0];
    REQUIRE(row["total"] == "2^40");
    CHECK(contradiction(report) == "");
    row["compared"] = (std::uint64_t{1} << 40) - 1;
    CHECK_THAT(contradiction(report),
               Catch::Contains("is no sample and compared 1099511627775 of 1099511627776 inputs"));
    row["compared"] = std::uint64_t{1} << 40;
    row["total"] = "2^64";
    CHECK_THAT(contradiction(report), Catch::Contains("is no sample of 2^64 inputs, which nobody can ask"));
    row["total"] = "2^70";
    CHECK_THAT(contradiction(report), Catch::Contains("is no sample of 2^70 inputs, which nobody can ask"));
}

} // namespace
} // namespace mxcert::evidence
