// SPDX-License-Identifier: Apache-2.0
#include "conformance/ci/ci.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/ci/parts.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;
using Json = nlohmann::json;
using Outcome = report::ResultRow::Outcome;

namespace {

report::ResultRow row_of(const std::string& name, Outcome outcome, const std::string& type = "") {
    report::ResultRow row;
    row.name = name;
    row.profile = "ocp-sat";
    row.outcome = outcome;
    row.type = type;
    row.message = type;
    row.compared = 65'536;
    row.seconds = 0.5;
    return row;
}

/// A run with a row of every outcome, and texts that a hostile backend could have.
report::Results mixed() {
    report::Results results;
    results.name = "mxcert gate half|up";
    results.started = "2026-01-31T12:00:00Z";
    results.seconds = 65;
    results.properties = {{"level", "quick"}, {"vectors", "4.3.0"}};
    results.command = "mxcert gate ./my_kernel.so";
    results.argument = "./my_kernel.so";
    results.backend = "half\x1b_up";
    results.version = "1";
    results.build_id = "00ff";
    results.host = "Linux x86_64, a processor";
    results.verdict = "DIFFERENT: half_up <script>\n1 CHANGED\n";
    results.exit_code = 1;
    results.rows.push_back(row_of("bf16-e4m3-nearest_even-sat", Outcome::passed));
    report::ResultRow& failed =
        results.rows.emplace_back(row_of("fp16-e4m3-nearest_even-sat", Outcome::failed, "FAIL"));
    failed.message = "126 of 65,536 inputs have wrong answers";
    failed.text = "FAIL  fp16\n  ```\n</details><script>\n";
    failed.bugs = {"TIES_AWAY", "FLUSH_INPUT"};
    failed.differing = 126;
    failed.command = "mxcert certify ./my_kernel.so --reproduce fp16-e4m3-nearest_even-sat:0x1400";
    report::ResultRow& error = results.rows.emplace_back(row_of("fp16-e5m2-nearest_even-sat", Outcome::error, "ERROR"));
    error.message = "signal 11,\r\n::error::forged, 100%\x1b[2J";
    report::ResultRow& known = results.rows.emplace_back(row_of("fp32-e4m3-nearest_even-sat", Outcome::passed));
    known.type = "acknowledged";
    known.acknowledged = "until 2026-09-30 by kernels@example.com: mended | next";
    known.differing = 3;
    results.rows.push_back(row_of("fp32-e5m2-nearest_even-sat", Outcome::skipped, "UNSUPPORTED"));
    return results;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

} // namespace

TEST_CASE("the summary has the verdict, the rows that did not pass, and no markup of a backend", "[ci]") {
    const std::string text = ci::summary_markdown(mixed());
    CHECK_THAT(text, Contains("### mxcert gate half\\|up\n") && Contains("1 CHANGED") &&
                         Contains("| `fp16-e4m3-nearest_even-sat` | ocp-sat | FAIL | 126 of 65,536 | TIES\\_AWAY, "
                                  "FLUSH\\_INPUT |") &&
                         Contains("5 rows, 2 passed, 1 failed, 1 not finished, 1 not offered in 1:05. Level quick."));
    CHECK_THAT(text, Contains("- `fp32-e4m3-nearest_even-sat` ocp-sat: until 2026-09-30 by kernels\\@example.com"));
    CHECK_THAT(text, !Contains("\n::error") && !Contains("\x1b"));
    // Possible markup is in code, which is indented.
    for (const std::string& line : lines_of(text))
        if (line.find("<script>") != std::string::npos)
            CHECK((line.starts_with("    ") || line.find("\\<") != line.npos));
    report::Results passed = mixed();
    std::erase_if(passed.rows, [](const report::ResultRow& row) { return ci::is_bad(row); });
    CHECK_THAT(ci::summary_markdown(passed), !Contains("| row |") && !Contains("<details>"));
}

TEST_CASE("a summary of very many failures stays small", "[ci]") {
    report::Results results = mixed();
    for (int i = 0; i < 5000; ++i) {
        results.rows.push_back(row_of("quantize-" + std::to_string(i), Outcome::failed, "FAIL"));
        results.rows.back().text = std::string(100'000, 'x');
    }
    const std::string text = ci::summary_markdown(results);
    CHECK(text.size() < 200'000);
    CHECK_THAT(text, Contains("and 4802 more rows"));
}

TEST_CASE("an annotation is one line that no text of a backend ends", "[ci]") {
    report::Results results = mixed();
    const std::vector<std::string> lines = lines_of(ci::github_annotations(results));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] ==
          "::error title=FAIL fp16-e4m3-nearest_even-sat::fp16-e4m3-nearest_even-sat (ocp-sat): FAIL: 126 of "
          "65,536 inputs have wrong answers. TIES_AWAY, FLUSH_INPUT%0Aagain: mxcert certify "
          "./my_kernel.so --reproduce fp16-e4m3-nearest_even-sat:0x1400");
    CHECK_THAT(lines[1], Contains("\\x0D\\x0A::error::forged, 100%25\\x1B[2J"));
    results.source = "src/a,b:c.cu";
    CHECK_THAT(ci::github_annotations(results), Contains("::error file=src/a%2Cb%3Ac.cu,line=1,title=FAIL "));
    for (int i = 0; i < 20; ++i) results.rows.push_back(results.rows[1]);
    CHECK(lines_of(ci::github_annotations(results)).size() == 10);
}

TEST_CASE("SARIF has a result for each finding and a rule for each cause", "[ci]") {
    report::Results results = mixed();
    results.source = "./src/my kernel.cu";
    const Json json = Json::parse(ci::sarif_json(results));
    CHECK(json["version"] == "2.1.0");
    REQUIRE(json["runs"].size() == 1);
    const Json& run = json["runs"][0];
    CHECK(run["invocations"][0]["exitCode"] == 1);
    CHECK(run["invocations"][0]["executionSuccessful"] == true);
    std::vector<std::string> rules;
    for (const Json& rule : run["tool"]["driver"]["rules"]) {
        rules.push_back(rule["id"]);
        CHECK(!rule["shortDescription"]["text"].get<std::string>().empty());
    }
    CHECK(rules == std::vector<std::string>{"TIES_AWAY", "ERROR", "acknowledged"});
    REQUIRE(run["results"].size() == 3);
    for (const Json& result : run["results"]) {
        CHECK(std::find(rules.begin(), rules.end(), result["ruleId"].get<std::string>()) != rules.end());
        const Json& place = result["locations"][0]["physicalLocation"];
        CHECK(place["artifactLocation"]["uri"] == "src/my%20kernel.cu");
        CHECK(place["region"]["startLine"] == 1);
        CHECK(result["partialFingerprints"]["mxcertRow/v1"].get<std::string>().size() == 64);
    }
    CHECK(run["results"][0]["level"] == "error");
    CHECK(!run["results"][0].contains("suppressions"));
    CHECK(run["results"][2]["level"] == "warning");
    CHECK(run["results"][2]["suppressions"][0]["justification"] == mixed().rows[3].acknowledged);
    results.exit_code = 3;
    CHECK(Json::parse(ci::sarif_json(results))["runs"][0]["invocations"][0]["executionSuccessful"] == false);
}

TEST_CASE("code quality has an issue for each finding that nobody acknowledged", "[ci]") {
    const Json issues = Json::parse(ci::code_quality_json(mixed()));
    REQUIRE(issues.size() == 2);
    for (const Json& issue : issues) {
        for (const char* member : {"description", "check_name", "fingerprint"}) CHECK(issue[member].is_string());
        // A path from the root of the repository, without ./
        CHECK(issue["location"]["path"] == "my_kernel.so");
        CHECK(issue["location"]["lines"]["begin"] == 1);
    }
    CHECK(issues[0]["severity"] == "critical");
    CHECK(issues[1]["severity"] == "major");
    CHECK(issues[0]["fingerprint"] != issues[1]["fingerprint"]);
    // The same finding in another run is the same issue.
    report::Results later = mixed();
    later.rows[1].differing = 125;
    later.rows[1].message = "125 of 65,536 inputs have wrong answers";
    CHECK(Json::parse(ci::code_quality_json(later))[0]["fingerprint"] == issues[0]["fingerprint"]);
    CHECK(ci::code_quality_json({}) == "[]\n");
}

TEST_CASE("OCP output is a run of numbered lines with a step for each row", "[ci]") {
    const std::vector<std::string> lines = lines_of(ci::ocptv_lines(mixed(), "2026-01-31T12:01:05Z"));
    std::vector<Json> artifacts;
    for (const std::string& line : lines) artifacts.push_back(Json::parse(line));
    for (std::size_t i = 0; i < artifacts.size(); ++i) {
        CHECK(artifacts[i]["sequenceNumber"] == i);
        CHECK(artifacts[i]["timestamp"] == "2026-01-31T12:01:05Z");
        CHECK(artifacts[i].size() == 3); // these, and one artifact
    }
    CHECK(artifacts.front()["schemaVersion"] == Json{{"major", 2}, {"minor", 0}});
    const Json& start = artifacts[1]["testRunArtifact"]["testRunStart"];
    for (const char* member : {"name", "version", "commandLine", "parameters", "dutInfo"})
        CHECK(start.contains(member));
    CHECK(start["dutInfo"]["softwareInfos"][0]["name"] == "half\\x1B_up");
    CHECK(artifacts.back()["testRunArtifact"]["testRunEnd"] == Json{{"status", "COMPLETE"}, {"result", "FAIL"}});
    std::vector<std::string> ends;
    std::vector<std::string> diagnoses;
    std::size_t validated = 0;
    for (const Json& artifact : artifacts) {
        if (!artifact.contains("testStepArtifact")) continue;
        const Json& step = artifact["testStepArtifact"];
        if (step.contains("testStepEnd")) ends.push_back(step["testStepEnd"]["status"]);
        if (step.contains("diagnosis")) diagnoses.push_back(step["diagnosis"]["verdict"]);
        if (step.contains("error")) CHECK(step["error"]["symptom"] == "ERROR");
        if (step.contains("measurement")) validated += step["measurement"].contains("validators") ? 1 : 0;
    }
    CHECK(ends == std::vector<std::string>{"COMPLETE", "COMPLETE", "ERROR", "COMPLETE", "SKIP"});
    CHECK(diagnoses == std::vector<std::string>{"as-permitted", "TIES_AWAY", "acknowledged"});
    CHECK(validated == 4); // what was acknowledged is measured, and nobody expects none
}
