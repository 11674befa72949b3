// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/report_families.hpp"

#include <algorithm>

#include "catch.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::report;
using Catch::Matchers::Contains;

namespace {

constexpr const char* conversion = "fp32-e4m3-nearest_even-sat";
constexpr const char* quantizer = "quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-32";

verdict::Row one_row(const std::string& id, Status status = Status::pass) {
    verdict::Row row;
    row.id = id;
    row.status = status;
    row.compared = 1000;
    if (const std::size_t slash = id.find('/'); slash != std::string::npos)
        row.operation = id.substr(0, slash);
    else
        row.found.emplace<verdict::TableFindings>().conversion = parse_conversion(id);
    return row;
}

const std::vector<std::string> many = [] {
    std::vector<std::string> planned(RowLines::large - 2, family_of(parse_conversion(conversion)));
    planned.insert(planned.end(), 2, family_of(parse_operation(quantizer)));
    return planned;
}();

std::size_t widest(const std::string& text) {
    std::size_t most = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        most = std::max(most, text.find('\n', at) - at);
    return most;
}

} // namespace

TEST_CASE("each row of a small run is a line", "[report]") {
    RowLines lines({}, {"to e4m3"}, {});
    CHECK_FALSE(lines.are_families());
    CHECK_THAT(lines.heading(), Contains("first counterexample"));
    CHECK_THAT(lines.add({one_row(conversion)}, 1), Contains(conversion));
    CHECK(lines.finish().empty());
}

TEST_CASE("each row of a large run is a line if all are wanted", "[report]") {
    RowLines lines({}, many, {.all_rows = true});
    CHECK_FALSE(lines.are_families());
    CHECK_THAT(lines.add({one_row(conversion)}, 1), Contains(conversion));
}

TEST_CASE("a family is a line when all of it is judged, and what did not pass at once", "[report]") {
    RowLines lines({}, many, {});
    REQUIRE(lines.are_families());
    std::string text = lines.heading();
    for (std::size_t i = 3; i < RowLines::large; ++i) text += lines.add({one_row(conversion)}, 2);
    CHECK(std::count(text.begin(), text.end(), '\n') == 1); // the heading
    text += lines.add({one_row(conversion)}, 5);
    CHECK_THAT(text, Contains("to e4m3       PASS 23 of 23             23,000  all        0:49  " +
                              std::string(conversion) + "\n"));

    verdict::Row sampled = one_row(std::string(quantizer) + "/scale");
    sampled.sample = true;
    CHECK(lines.add({sampled, one_row(std::string(quantizer) + "/blocks")}, 1).empty());
    const std::string failed = lines.add({one_row(std::string(quantizer) + "/scale", Status::fail)}, 1);
    CHECK(failed.starts_with(std::string(quantizer) + "/scale"));
    CHECK_THAT(failed, Contains("FAIL") && Contains("\nquantize           2 of 3 ") && Contains("sample"));
    CHECK(lines.finish().empty());
}

TEST_CASE("a run that is stopped has the families that were begun, and rows that no one planned", "[report]") {
    RowLines lines({}, many, {});
    CHECK(lines.add({one_row(conversion)}, 1).empty());
    verdict::Row provision;
    provision.id = "provision OFP8-BOTH-MODES";
    provision.status = Status::pass;
    CHECK(lines.add({provision}, 0).empty());
    const std::string text = lines.finish();
    CHECK_THAT(text, Contains("to e4m3       PASS 1 of 1") && Contains("provision     PASS 1 of 1"));
}

TEST_CASE("a quiet run has lines for what did not pass alone", "[report]") {
    for (const std::vector<std::string>& planned : {many, std::vector<std::string>{"to e4m3"}}) {
        RowLines lines({}, planned, {.quiet = true});
        CHECK(lines.add({one_row(conversion)}, 1).empty());
        CHECK_THAT(lines.add({one_row(conversion, Status::fail)}, 1), Contains(conversion) && Contains("FAIL"));
        CHECK(lines.finish().empty());
    }
}

TEST_CASE("lines fit the terminal", "[report]") {
    for (const std::size_t width : {50U, 80U, 200U}) {
        CAPTURE(width);
        RowLines lines({}, many, {.color = false, .width = width});
        std::string text = lines.heading();
        for (std::size_t i = 2; i < RowLines::large; ++i) text += lines.add({one_row(conversion)}, 1);
        CHECK(widest(text) <= width);
        CHECK_THAT(text, Contains(" 23,000\n") || Contains(" 23,000  all")); // no number is cut
        const std::string one =
            row_text(one_row(conversion, Status::fail), RowColumns{}, {.color = true, .width = width});
        CHECK_THAT(one, Contains("\x1b[31mFAIL\x1b[0m"));
        CHECK(widest(row_text(one_row(conversion), RowColumns{}, {.width = width})) <= width);
    }
}

TEST_CASE("many profiles are a table, and long lists are cut", "[report]") {
    Report report;
    report.info.name = "x";
    report.invocation.profiles = {"ocp", "ocp-sat", "nvidia-te", "absmax"};
    for (const std::string& profile : report.invocation.profiles) {
        report.rows.push_back(one_row(conversion));
        report.rows.back().profile = profile;
    }
    for (int i = 0; i < 9; ++i) report.outside.push_back("offer " + std::to_string(i));
    const std::string text = verdict_text(report, {});
    CHECK_THAT(text, Contains("Offered, and outside the profile (9):\n  offer 0\n  offer 1\n  ... and 7 more: --rows"));
    CHECK_THAT(text, Contains("x conforms to 4 profiles, at level standard:\n") &&
                         Contains("\n  absmax     1            1,000 "));
    const std::string whole = verdict_text(report, {.all_rows = true});
    CHECK_THAT(whole, Contains("offer 8") && Contains("x conforms to absmax on every one of 1,000 inputs"));
}

TEST_CASE("the last lines of many profiles fit a screen", "[report]") {
    Report report;
    report.info.name = "portable";
    report.missing = {"p3109: a", "p3109: b", "p3109: c", "p3109: d"};
    report.invocation.profiles = {"ocp",
                                  "nvidia-te",
                                  "torchao-float8",
                                  "tensor-scaling",
                                  "deepseek",
                                  "nexus",
                                  "absmax",
                                  "products",
                                  "torchao-nvfp4",
                                  "modelopt",
                                  "compressed-tensors",
                                  "autoround-nvfp4",
                                  "unsigned-scales"};
    for (const std::string& profile : report.invocation.profiles)
        for (const char* id : {conversion, "fp64-e4m3-nearest_even-sat"}) {
            report.rows.push_back(one_row(id));
            report.rows.back().compared = 111'941'931'584;
            report.rows.back().profile = profile;
            report.rows.back().sample = id != conversion;
            std::get<verdict::TableFindings>(report.rows.back().found).places = {.neighbours = 10, .differing = 9};
        }
    for (const char* part : {"/scale", "/blocks"}) {
        report.rows.push_back(one_row(quantizer + std::string(part)));
        report.rows.back().compared = 77'492'327'740;
        report.rows.back().sample = true;
        report.rows.back().profile = "ocp";
    }
    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    const std::string wide = verdict_text(report, {.width = 80});
    CAPTURE(wide);
    CHECK(lines(wide) <= 25);
    CHECK(widest(wide) <= 80);
    CHECK_THAT(wide, Contains("operations") && Contains("sampled") && Contains("\n  compressed-tensors  1 "));
    const std::string narrow = verdict_text(report, {.width = 50});
    CAPTURE(narrow);
    CHECK(lines(narrow) <= 30);
    CHECK(widest(narrow) <= 50);
    CHECK_THAT(narrow, Contains("conv inputs sample ops values\n") &&
                           Contains("\nocp                   1  111 G      1   1  154 G\n"));
    CHECK_THAT(narrow, Contains("p3109: a, p3109: b and 2") && Contains("--rows"));
    CHECK_THAT(verdict_text(report, {.all_rows = true, .width = 80}), Contains("p3109: d"));
    CHECK_THAT(verdict_text(report, {}), Contains("111,941,931,584") && Contains("p3109: d"));

    // What a small suite does not see takes the place of what a sample may miss.
    report.suite = "Small suite: 454,155 inputs of 156 conversions, which show 4,732 of 4,735 planted bugs that every "
                   "input would show; of 400 operations the inputs and cases that show the bugs planted in such "
                   "operations (mxcert selftest --level smoke).\n  not shown: a\n  not shown: b\n  not shown: c\n"
                   "Left out, because there is no small suite: 93 offers.\n";
    const std::string small = verdict_text(report, {.width = 80});
    CAPTURE(small);
    CHECK(lines(small) <= 25);
    CHECK_THAT(small, Contains("\n  not shown: a and 2 more: --rows lists them\nLeft out, because"));
    report.suite.clear();

    for (verdict::Row& row : report.rows) row.sample = false;
    const std::string none = verdict_text(report, {.width = 50});
    CHECK(none.find("inputs sample") == std::string::npos); // all zero
}
