// SPDX-License-Identifier: Apache-2.0
// Which rows `certify` runs: --list, --fail-fast, --last-failed, filters that match nothing, and other names of
// roundings.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

/// A backend with a right conversion between two wrong ones, which answers quickly.
struct ThreeConversions {
    TemporaryFolder folder;
    ThreeConversions() {
        std::ofstream(folder.path() / "emulator")
            << "#!/bin/sh\ncase $MXCERT_CONVERSION in\n"
               "*-nosat) exec sed 's/$/00/';;\n*) exec sed 's/.*/0000/';;\nesac\n";
        fs::permissions(folder.path() / "emulator", fs::perms::owner_all);
    }
    [[nodiscard]] Result certify(const std::string& arguments) const {
        Result result = shell(folder.path(), "mxcert certify --pipe ./emulator --conversion e5m2-fp16-rne-sat "
                                             "--conversion e5m2-fp16-rne-nosat --conversion e5m2-fp16-rtz-sat "
                                             "--profile ocp-sat --level smoke --jobs 1 --backend-option at-end " +
                                                 arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    }
    [[nodiscard]] Json json(const std::string& file) const { return Json::parse(std::ifstream(folder.path() / file)); }
};

std::vector<std::string> rows_of(const Json& report) {
    std::vector<std::string> ids;
    for (const Json& row : report["rows"])
        if (row["kind"] == "conversion") ids.push_back(row["id"]);
    return ids;
}

constexpr const char* first_row = "e5m2-fp16-nearest_even-sat";
constexpr const char* right_row = "e5m2-fp16-nearest_even-nosat";
constexpr const char* last_row = "e5m2-fp16-toward_zero-sat";

} // namespace

TEST_CASE("what would run is listed, and nothing is asked", "[cli]") {
    const ThreeConversions backend;
    const Result listed = backend.certify("--list");
    CHECK(listed.code == 0);
    CHECK_THAT(listed.out, Contains(std::string(first_row) + "    ocp-sat") && Contains(last_row) &&
                               Contains(" rows at level smoke: 3 conversions with ") && Contains("Nothing was run."));
    CHECK_THAT(backend.certify("--list --filter 'e5m2-*-rtz-*'").out, Contains(last_row) && !Contains(first_row));
    const Result nothing = backend.certify("--list --filter 'e4m3-*'");
    CHECK(nothing.code == 4);
    CHECK_THAT(nothing.out, Contains("0 rows"));
    const Result json = backend.certify("--list --json -");
    CHECK(json.code == 0);
    CHECK_THAT(json.out, Catch::StartsWith("{\n") && Contains("\"id\": \"" + std::string(first_row) + "\""));
    const Result quantizer = shell(backend.folder.path(), "mxcert certify portable --list --filter 'quantize-bf16-*'");
    CHECK_THAT(quantizer.out, Contains("/scale") && Contains("/blocks"));
    CHECK_THAT(shell(backend.folder.path(), "mxcert certify portable --list --level quick --profile ocp --filter "
                                            "fp32-e4m3-stochastic_a8-sat")
                   .out,
               Contains("with random bits") && Contains("0.54"));
    // 2^32 inputs and those of large calls, at a nanosecond each; asked once for both profiles.
    const std::string conversion = "mxcert certify portable --list --filter fp32-e4m3-nearest_even-sat";
    CHECK_THAT(shell(backend.folder.path(), conversion + " --profile ocp --profile ocp-sat").out,
               Contains("ocp      4,294,967,296  4.31\n") && Contains("ocp-sat  4,294,967,296  4.31\n") &&
                   Contains("About 0:04 on one processor"));
    CHECK_THAT(shell(backend.folder.path(), "mxcert certify portable --list --level complete --filter "
                                            "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-any")
                   .out,
               Contains("About 9:13 on one processor")); // 16 * 2^27 amaxes and 128 * 2^32 pairs
}

TEST_CASE("a run stops at the first failure if that is wanted, and then is no whole one", "[cli]") {
    const ThreeConversions backend;
    const Result whole = backend.certify("--json whole.json");
    CHECK(whole.code == 1);
    CHECK(rows_of(backend.json("whole.json")).size() == 3);
    CHECK(backend.json("whole.json")["stopped_by"] == "");
    const Result stopped = backend.certify("--fail-fast --json stopped.json");
    CHECK(stopped.code == 1);
    CHECK_THAT(stopped.out, Contains("Stopped at the first row that did not pass, by --fail-fast"));
    CHECK(rows_of(backend.json("stopped.json")) == std::vector<std::string>{first_row});
    CHECK(backend.json("stopped.json")["stopped_by"] == "--fail-fast");
    CHECK(backend.json("stopped.json")["interrupted"] == true);
    CHECK(shell(backend.folder.path(), "mxcert verify stopped.json").code == 1);
    // Where the failure is the last row nothing was left out.
    CHECK_THAT(backend.certify("--fail-fast --filter '*-rtz-*'").out, !Contains("--fail-fast"));
    CHECK_THAT(backend.certify(std::string("--fail-fast --filter ") + right_row).out, Contains("AGREES"));
}

TEST_CASE("what failed last runs again alone", "[cli][programs]") {
    const ThreeConversions backend;
    const Result none = backend.certify("--report out --last-failed");
    CHECK(none.code == 2);
    CHECK_THAT(none.err, Contains("there is no 'out/report.json'; a run with --report out writes it"));
    CHECK(backend.certify("--last-failed").code == 2);
    REQUIRE(backend.certify("--report out").code == 1);
    CHECK(backend.certify("--report out --last-failed").code == 1);
    CHECK(rows_of(backend.json("out/report.json")) == std::vector<std::string>{first_row, last_row});
    // Only what passes: all of it is run.
    REQUIRE(backend.certify(std::string("--report out --filter ") + right_row).code == 0);
    const Result all = backend.certify("--report out --last-failed");
    CHECK_THAT(all.err, Contains("every row passed, so all are run"));
    CHECK(rows_of(backend.json("out/report.json")).size() == 3);
    std::ofstream(backend.folder.path() / "out/report.json") << "{}";
    CHECK(backend.certify("--report out --last-failed").code == 2);
}

TEST_CASE("a filter that matches nothing names the nearest that does", "[cli]") {
    const ThreeConversions backend;
    const Result misspelt = backend.certify("--filter 'e5m2-*-nearest-even-nosat'");
    CHECK(misspelt.code == 4);
    CHECK_THAT(misspelt.err, Contains("--filter 'e5m2-*-nearest-even-nosat' matches nothing that emulator offers; did "
                                      "you mean 'e5m2-*-nearest_even-nosat'?"));
    // One of two that does not match is told as well.
    const Result part = backend.certify(std::string("--filter e5m2-fp61-rne-sat --filter ") + right_row);
    CHECK(part.code == 0);
    CHECK_THAT(part.err, Contains("did you mean 'e5m2-fp16-nearest_even-sat'?"));
    CHECK_THAT(backend.certify("--leave-out 'e5m2-fp32-*'").err, Contains("did you mean 'e5m2-fp16-*'?"));
}

TEST_CASE("help explains a command as its own option does", "[cli]") {
    const TemporaryFolder folder;
    for (const char* command : {"certify", "vectors export", ""}) {
        const Result help = shell(folder.path(), std::string("mxcert help ") + command);
        CHECK(help.code == 0);
        CHECK(help.out == shell(folder.path(), std::string("mxcert ") + command + " --help").out);
    }
    const Result unknown = shell(folder.path(), "mxcert help certfy");
    CHECK(unknown.code == 2);
    CHECK_THAT(unknown.err, Contains("did you mean certify, verify?"));
    CHECK(shell(folder.path(), "mxcert help certify all").code == 2);
}
