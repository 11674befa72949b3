// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/report.hpp"

#include <set>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "catch.hpp"
#include "conformance/print/progress.hpp"
#include "conformance/print/terminal.hpp"
#include "conformance/test/json_schema.hpp"

using namespace mxcert;
using namespace mxcert::report;
using Json = nlohmann::json;

namespace {

verdict::Row row(const std::string& id, Status status, bool required = false) {
    verdict::Row r;
    r.id = id;
    if (!id.starts_with("provision")) r.found.emplace<verdict::TableFindings>().conversion = parse_conversion(id);
    r.profile = "ocp-sat";
    r.status = status;
    r.required = required;
    r.clauses = {"OFP8-ROUND"};
    r.compared = 65'536;
    r.seconds = 0.25;
    if (status != Status::pass) r.reason = "a reason";
    return r;
}

verdict::Row failed() {
    verdict::Row r = row("fp32-e4m3-nearest_even-sat", Status::fail);
    r.compared = 4'294'967'296;
    r.differing = 1;
    auto& table = std::get<verdict::TableFindings>(r.found);
    table.ranges = 1;
    table.differences = {{0x3F880001, 0x3F880001, 0x38, permit_code(0x39), "OFP8-ROUND"}};
    return r;
}

verdict::Row crashed() {
    verdict::Row r = row("fp16-e5m2-down-sat", Status::error);
    std::get<verdict::TableFindings>(r.found).culprits = {{0x3C01, 0x3C01, 1, "signal 11 (SIGSEGV)"},
                                                          {0x4000, 0x40FF, 256, "exit 3"}};
    return r;
}

Report report_of(std::vector<verdict::Row> rows) {
    Report r;
    r.invocation = {"./x.so", {"ocp-sat"}, ""};
    r.info.name = "x";
    r.info.version = "1";
    r.rows = std::move(rows);
    r.started = "2026-01-31T12:00:00Z";
    r.vectors = {"1.0.0", ""};
    return r;
}

const std::vector<verdict::Row> every_status{failed(),
                                             row("fp16-e4m3-nearest_even-sat", Status::pass),
                                             row("fp16-e4m3-up-sat", Status::mistrusted),
                                             row("fp16-e4m3-down-sat", Status::untested),
                                             row("fp16-e5m2-up-sat", Status::unsupported),
                                             crashed(),
                                             row("fp16-e5m2-toward_zero-sat", Status::incomplete),
                                             row("provision OFP8-RNE", Status::unsupported, true)};

} // namespace

TEST_CASE("the JSON report fits its schema") {
    const test::JsonSchema schema(MXCERT_TEST_SOURCE "/conformance/schema/report-1.json");
    for (const auto& rows : {std::vector<verdict::Row>{}, every_status})
        CHECK(schema.misfit(Json::parse(report_json(report_of(rows)))).place == "");
    // The check itself can fail.
    Json json = Json::parse(report_json(report_of(every_status)));
    json["rows"][0].erase("golden");
    CHECK(schema.misfit(json).place == "/rows/0/golden");
    json = Json::parse(report_json(report_of(every_status)));
    json["rows"][0]["status"] = "PASSED";
    CHECK(schema.misfit(json).place == "/rows/0/status");
    json = Json::parse(report_json(report_of(every_status)));
    json["started"] = "today";
    CHECK(schema.misfit(json).keyword == "/properties/started/pattern");
    json = Json::parse(report_json(report_of(every_status)));
    json["more"] = 1;
    CHECK(schema.misfit(json).place == ""); // a member of a later version
}

TEST_CASE("every report names the inputs that end the worker") {
    const Json json = Json::parse(report_json(report_of({crashed()})));
    const Json& culprits = json["rows"][0]["culprits"];
    REQUIRE(culprits.size() == 2);
    const std::string again = "mxcert certify ./x.so --profile ocp-sat --reproduce fp16-e5m2-down-sat:0x3C01";
    CHECK(culprits[0] == Json({{"first", "3C01"},
                               {"last", "3C01"},
                               {"inputs", 1},
                               {"how", "signal 11 (SIGSEGV)"},
                               {"reproduce", again}}));
    CHECK(culprits[1]["last"] == "40FF");
    CHECK(culprits[1]["inputs"] == 256);
    CHECK(culprits[1]["reproduce"] == "");
    const std::string text = failure_text(crashed(), report_of({}).invocation);
    CHECK(text.find("    again:    " + again + "\n") != std::string::npos);
    CHECK(text.find("exit 3, only within a request of 256 inputs") != std::string::npos);
    CHECK(junit_xml(report_results(report_of({crashed()}))).find("only within a request of 256 inputs") !=
          std::string::npos);
    CHECK(junit_xml(report_results(report_of({crashed()}))).find(again) != std::string::npos);
}

TEST_CASE("the JSON report says what happened") {
    const Json json = Json::parse(report_json(report_of(every_status)));
    CHECK(json["schema"] == "mxcert-report-1");
    CHECK(json["exit_code"] == 1);
    CHECK(json["certificate"] == false);
    CHECK(json["counts"]["PASS"] == 1);
    CHECK(json["counts"]["UNSUPPORTED"] == 2);
    std::size_t sum = 0;
    for (const Json& n : json["counts"]) sum += n.get<std::size_t>();
    CHECK(sum == every_status.size());
    CHECK(json["clauses"]["secondary"] == Json::array({"OFP8-ROUND"}));
    const Json& d = json["rows"][0]["differences"][0];
    CHECK(d["first"] == "3F880001");
    CHECK(d["got"] == "38");
    CHECK(d["expected"] == "39");
    CHECK(d["inputs"] == 1);
    CHECK(d["reproduce"] ==
          "mxcert certify ./x.so --profile ocp-sat --reproduce fp32-e4m3-nearest_even-sat:0x3F880001");
    CHECK(json["rows"][7]["kind"] == "provision");
}

TEST_CASE("broken text from a backend does not break the files") {
    Report r = report_of({row("fp16-e4m3-up-sat", Status::error)});
    r.info.description = "\xFF\xFE";
    r.rows[0].reason = "bell \x07 & <tag> \"quoted\" \xC3";
    r.rows[0].detail = "line 1\n\x1b[2J]]>\x01\xFF\n";
    CHECK_NOTHROW(Json::parse(report_json(r)));
    const std::string xml = junit_xml(report_results(r));
    for (const char c : xml) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
    pugi::xml_document document;
    REQUIRE(document.load_string(xml.c_str()));
    const pugi::xml_node error = document.select_node("//error").node();
    CHECK(std::string(error.attribute("message").value()) == "bell \\x07 & <tag> \"quoted\" \\xC3");
    CHECK(std::string(error.text().get()).find("\\x1B[2J]]>\\x01\\xFF") != std::string::npos);
    CHECK(summary_text(r).find('\x1b') == std::string::npos);
}

TEST_CASE("JUnit XML maps every status") {
    pugi::xml_document document;
    const std::string xml = junit_xml(report_results(report_of(every_status)));
    REQUIRE(document.load_string(xml.c_str()));
    const pugi::xml_node suite = document.child("testsuites").child("testsuite");
    CHECK(suite.attribute("tests").as_int() == 8);
    CHECK(suite.attribute("failures").as_int() == 4);
    CHECK(suite.attribute("errors").as_int() == 2);
    CHECK(suite.attribute("skipped").as_int() == 1);
    CHECK(document.select_nodes("//testcase").size() == 8);
    const auto child = [&](std::size_t i) {
        pugi::xml_node test = suite.child("testcase");
        for (; i != 0; --i) test = test.next_sibling("testcase");
        return std::string(test.first_child().name());
    };
    const char* wanted[] = {"failure", "", "failure", "failure", "skipped", "error", "error", "failure"};
    for (std::size_t i = 0; i < every_status.size(); ++i) CHECK(child(i) == wanted[i]);
    const std::string text = document.select_node("//failure").node().text().get();
    CHECK(text.find("3F880001") != std::string::npos);
    CHECK(text.find("--reproduce") != std::string::npos);
}

TEST_CASE("a failure shows bits, values, clause and how to run it again") {
    const std::string text = failure_text(failed(), report_of({}).invocation);
    for (const char* part : {"3F880001", "0x1.100002p+0 (1.0625001192092896)", "39", "0x1.2p+0 (1.125)", "OFP8-ROUND",
                             "38", "0x1p+0 (1)", "1 differing input in 1 range",
                             "mxcert certify ./x.so --profile ocp-sat --reproduce "
                             "fp32-e4m3-nearest_even-sat:0x3F880001\n"})
        CHECK(text.find(part) != std::string::npos);
    CHECK(failure_text(row("fp16-e4m3-up-sat", Status::pass), {}).empty());
}

TEST_CASE("a failure's reproduction line reads back as the input that failed") {
    const std::string text = failure_text(failed(), report_of({}).invocation);
    const std::size_t at = text.find("--reproduce ") + 12;
    const cases::Reproduction parsed = cases::parse_reproduction(text.substr(at, text.find('\n', at) - at));
    CHECK(to_string(parsed.conversion) == failed().id);
    CHECK(parsed.input == 0x3F880001);
}

TEST_CASE("the verdict claims what was shown, no more") {
    Report passed =
        report_of({row("fp16-e4m3-nearest_even-sat", Status::pass), row("fp16-e5m2-nearest_even-sat", Status::pass),
                   row("provision OFP8-RNE", Status::pass)});
    CHECK(is_certificate(passed));
    CHECK(verdict_text(passed, {})
              .find("PASS: x conforms to ocp-sat on every one of 131,072 inputs of 2 conversions, and "
                    "offers what 1 provision clause demands") != std::string::npos);
    CHECK(verdict_text(passed, {}).find("1 secondary") != std::string::npos);
    passed.selection = "--filter fp16-*";
    CHECK_FALSE(is_certificate(passed));
    CHECK(verdict_text(passed, {}).find("conforms") == std::string::npos);
    CHECK(verdict_text(passed, {}).find("not a certificate") != std::string::npos);

    verdict::Row points = row("fp64-e4m3-nearest_even-sat", Status::pass);
    points.sample = true;
    points.compared = 1234;
    const std::string text = verdict_text(report_of({points}), {});
    CHECK(text.find("every one of") == std::string::npos);
    CHECK(text.find("sample of 1,234 inputs of 1 conversion") != std::string::npos);
    CHECK(text.find("inside every step, drawn by the seed") != std::string::npos);

    // Nobody can ask every input with every random word: it is a sample.
    verdict::Row given_row = row("fp32-e4m3-stochastic_a8-sat", Status::pass);
    given_row.sample = true;
    CHECK_FALSE(is_certificate(report_of({given_row})));
    CHECK(verdict_text(report_of({given_row}), {}).find("up to 256 random words") != std::string::npos);
    CHECK(verdict_text(report_of({given_row}), {}).find("more than 32 bits") == std::string::npos);
    verdict::Row lazy = row("fp16-e4m3-nearest_even-sat", Status::pass);
    lazy.sample = true;
    CHECK_FALSE(is_certificate(report_of({lazy})));

    for (const Status status :
         {Status::fail, Status::mistrusted, Status::untested, Status::error, Status::incomplete}) {
        const Report r = report_of({row("fp16-e4m3-nearest_even-sat", Status::pass), row("fp16-e4m3-up-sat", status)});
        CHECK_FALSE(is_certificate(r));
        CHECK(verdict_text(r, {}).find("PASS: ") == std::string::npos);
    }
    CHECK_FALSE(is_certificate(report_of({})));
    CHECK(verdict_text(report_of({}), {}).find("NOTHING CHECKED") != std::string::npos);
}

TEST_CASE("the last of several profiles does not speak for the others") {
    Report r = report_of({row("fp16-e4m3-nearest_even-sat", Status::pass)});
    r.invocation.profiles = {"ocp-sat", "ocp-nosat"};
    const std::string text = verdict_text(r, {});
    CHECK(text.find("AGREES: x agrees with ocp-sat") != std::string::npos);
    CHECK(text.find("conforms") == std::string::npos);
    CHECK(text.find("nothing was judged by ocp-nosat") != std::string::npos);
    CHECK_FALSE(is_certificate(r));
}

TEST_CASE("the rows of conversions stand below their heading, however long the names are") {
    for (const char* id : {"fp16-e4m3-nearest_even-sat", "amax_fp16-e8m0_for_e4m3-ocp_floor-nosat"}) {
        const std::string text =
            summary_text(report_of({row("e4m3-fp16-nearest_even-nosat", Status::pass), row(id, Status::pass)}));
        CAPTURE(text);
        const auto column_of = [&](const std::string& line, const std::string& word) {
            const std::size_t begin = text.find("\n" + line);
            REQUIRE(begin != std::string::npos);
            return text.find(word, begin + 1 + line.size()) - begin;
        };
        const std::size_t status = column_of("conversion ", "status");
        CHECK(column_of(id, "PASS") == status);
        CHECK(column_of("e4m3-fp16-", "PASS") == status);
    }
}

TEST_CASE("colour only where it is wanted") {
    CHECK(print::colored("x", Status::pass, false) == "x");
    CHECK(print::colored("x", Status::fail, true) == "\x1b[31mx\x1b[0m");
    CHECK(print::use_color(print::ColorMode::always, stdout));
    CHECK_FALSE(print::use_color(print::ColorMode::never, stdout));
    CHECK_THROWS(print::parse_color_mode("sometimes"));
}

TEST_CASE("times and rates for people") {
    CHECK(print::duration_text(0) == "0:00");
    CHECK(print::duration_text(59.6) == "1:00");
    CHECK(print::duration_text(3723) == "1:02:03");
    CHECK(print::duration_text(1e30) == "99:59:59");
    CHECK(print::rate_text(999) == "999 inputs/s");
    CHECK(print::rate_text(1.5e9) == "1.5 G inputs/s");
}
