// SPDX-License-Identifier: Apache-2.0
// Operations as a user asks for them: failures that are run again by their own line, records, diffs, repeated runs,
// signals.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using mxcert::test::contains;
using mxcert::test::Result;
using mxcert::test::shell;
using mxcert::test::shell_until;
namespace fs = std::filesystem;

namespace {

const std::string plugin = std::string("'") + MXCERT_TEST_QUANTIZER + "'";
const std::string quantizer = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32";

nlohmann::json json_of(const fs::path& path) { return nlohmann::json::parse(content(path)); }

} // namespace

TEST_CASE("the line under a wrong block is a command that shows it again", "[operation][cli][values]") {
    const TemporaryFolder folder;
    const std::string fault = "    a tail of 1: line 0, block 1: the scale is 0x77, not 0x7A";
    const Result first = shell(folder.path(), "mxcert certify " + plugin +
                                                  " --backend-option 'tail shares' --seed 5 "
                                                  "--profile ocp-sat --filter '" +
                                                  quantizer + "/blocks' --max-failures 3 --json first.json");
    INFO(first.out);
    CHECK(first.code == 1);
    CHECK(contains(first.out, fault));
    const std::string label = "    again:    ";
    std::size_t at = first.out.find(label);
    REQUIRE(at != std::string::npos);
    const std::size_t end = first.out.find('\n', at);
    const std::string line = first.out.substr(at + label.size(), end - at - label.size());
    CHECK(contains(line, "--backend-option='tail shares' --seed 5 --reproduce " + quantizer + "/blocks:5"));
    const Result again = shell(folder.path(), line);
    INFO(again.out);
    CHECK(again.code == 1);
    CHECK(contains(again.out, fault));
    CHECK(contains(again.out, line));
    CHECK(json_of(folder.path() / "first.json")["rows"][0]["reproduce"][0] == line);
    // Without the fault it passes, and is not a certificate.
    const Result right =
        shell(folder.path(), "mxcert certify " + plugin + " --profile ocp-sat --reproduce " + quantizer + "/blocks:5");
    CHECK(right.code == 0);
    CHECK(contains(right.out, "This is not a certificate"));
    for (const char* wrong : {"/blocks:x", "/blocks:", "/none:1", "/scale:3F8", "/blocks:1:2"})
        CHECK(shell(folder.path(), "mxcert certify " + plugin + " --reproduce " + quantizer + wrong).code == 2);
}

TEST_CASE("operations are recorded, compared and repeated", "[operation][cli][record][values]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& command) {
        const Result result = shell(folder.path(), "mxcert " + command);
        INFO(command << "\n" << result.out << result.err);
        CHECK(result.code < 2);
        return result;
    };
    const std::string only = " --filter 'dequantize-*'";
    CHECK(contains(run("record " + plugin + " -o right" + only).out, "1 operation of quantizer 1 recorded in right"));
    run("record " + plugin + " -o wrong --backend-option 'tail shares'" + only);
    CHECK(run("certify right --profile ocp-sat --json first.json").code == 0);
    CHECK(run("certify wrong --profile ocp-sat").code == 1);
    CHECK(run("diff right " + plugin + only).code == 0);
    const Result found = run("diff right wrong --json diff.json");
    CHECK(found.code == 1);
    CHECK(contains(found.out, "a tail of 1: 5 values, first row 0, column 32 (block 1, lane 0): "));
    const nlohmann::json rows = json_of(folder.path() / "diff.json")["operations"];
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]["result"] == "same");
    CHECK(rows[1]["result"] == "different");
    REQUIRE(rows[1]["runs"].size() == 10);
    CHECK(rows[1]["runs"][0]["name"] == "a tail of 1");
    CHECK(rows[1]["runs"][0]["values"] == 5);

    CHECK(run("verify first.json right --all").code == 0);
    fs::rename(folder.path() / "right", folder.path() / "old");
    fs::rename(folder.path() / "wrong", folder.path() / "right");
    const Result repeated = run("verify first.json right --all");
    CHECK(repeated.code == 1);
    CHECK(contains(repeated.out, "/blocks, ocp-sat: observed_sha256"));
    CHECK(contains(repeated.out, "/blocks, ocp-sat: status"));
}

TEST_CASE("operations are asked of a device that is not attached", "[operation][cli][offline][.][exhaustive]") {
    const TemporaryFolder folder;
    const std::string worker = std::string("'") + MXCERT_TEST_WORKER + "' " + plugin;
    const auto asked = [&](const std::string& device, const std::string& options) {
        return shell(folder.path(), worker + " < /dev/null > hello.mxcf; mxcert offline " + device +
                                        " --hello hello.mxcf --profile ocp-sat --filter 'dequantize-*' --filter '" +
                                        quantizer + "/*' " + options + " && " + worker + " < " + device +
                                        "/requests.mxcf > " + device + "/responses.mxcf");
    };
    const Result written = asked("right", "");
    INFO(written.out << written.err);
    REQUIRE(written.code == 0);
    CHECK(contains(written.out, "values of 2 operations"));
    const Result right = shell(folder.path(), "mxcert certify right --json right.json");
    INFO(right.out);
    CHECK(right.code == 0);
    const nlohmann::json json = json_of(folder.path() / "right.json");
    CHECK(json["counts"]["PASS"] == 5);
    CHECK(json["certificate"] == false);
    CHECK(shell(folder.path(), "mxcert diff right " + plugin + " --filter 'dequantize-*'").code == 0);

    REQUIRE(asked("wrong", "--backend-option 'tail shares'").code == 0);
    const Result wrong = shell(folder.path(), "mxcert certify wrong");
    INFO(wrong.out);
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.out, "a tail of 1: line 0, block 1: the scale is 0x77, not 0x7A"));

    // Cut short, with a byte turned, and answers to other requests.
    const auto spoilt = [&](const std::string& command, const char* status) {
        const Result result = shell(folder.path(), "rm -rf bad; cp -r right bad; cd bad; " + command +
                                                       "; cd ..; mxcert certify bad --json bad.json");
        INFO(command << "\n" << result.out << result.err);
        CHECK((result.code == 1 || result.code == 3));
        const nlohmann::json report = json_of(folder.path() / "bad.json");
        for (const auto& row : report["rows"]) CHECK(row["status"] != "PASS");
        CHECK(report["counts"][status] == 5);
    };
    spoilt("truncate -s -5 responses.mxcf", "INCOMPLETE");
    spoilt("truncate -s 40000 responses.mxcf", "INCOMPLETE");
    spoilt("cp ../wrong/responses.mxcf .; truncate -s 3000 responses.mxcf", "INCOMPLETE");
    const Result turned =
        shell(folder.path(), "rm -rf bad; cp -r right bad; printf 'x' | dd of=bad/responses.mxcf bs=1 "
                             "seek=200100 conv=notrunc status=none; mxcert certify bad");
    INFO(turned.out);
    CHECK(turned.code == 3);
    CHECK(contains(turned.out, "the digest of the outputs is not the one that was sent with them"));
    CHECK(shell(folder.path(), "printf x >> right/requests.mxcf; mxcert certify right").code == 2);
    CHECK(shell(folder.path(), "mxcert offline no --hello hello.mxcf --format hex").code == 2);
    CHECK(shell(folder.path(), "mxcert offline no --hello right/requests.mxcf").code == 2);
}

TEST_CASE("a run that is stopped within an operation is not finished, and has no error", "[operation][cli][programs]") {
    const TemporaryFolder folder;
    const Result result = shell_until(folder.path(),
                                      "mxcert certify '" MXCERT_TEST_HOSTILE
                                      "/ways.so' --profile ocp-sat --filter 'quantize-*' --json out.json",
                                      "kill -INT $pid");
    INFO(result.out << result.err);
    CHECK(result.code == 3);
    const nlohmann::json json = json_of(folder.path() / "out.json");
    CHECK(json["interrupted"] == true);
    CHECK(json["counts"]["INCOMPLETE"] > 0);
    CHECK(json["counts"]["ERROR"] == 0);
}

TEST_CASE("a run that is stopped and has a FAIL says that it was stopped", "[cli][programs]") {
    const TemporaryFolder folder;
    // So many calls after the wrong one its answer has long been read.
    constexpr int calls = 1000;
    const Result result =
        shell_until(folder.path(),
                    "mxcert certify '" + test::planted_plugin() +
                        "' --backend-option 00000001 --profile ocp-sat --filter fp32-e4m3-nearest_even-sat "
                        "--jobs 1 --json out.json",
                    "kill -INT $pid", calls);
    INFO(result.out << result.err);
    CHECK(result.code == 1);
    const nlohmann::json json = json_of(folder.path() / "out.json");
    CHECK(json["counts"]["FAIL"] == 1);
    CHECK(json["interrupted"] == true);
}

TEST_CASE("parity says which quantizer it wants, and that it compared nothing", "[programs]") {
    const TemporaryFolder folder;
    const auto parity = [&](const std::string& arguments) {
        return shell(folder.path(), "mxcert parity " + plugin + " " + plugin + " --level quick " + arguments);
    };
    const Result several = parity("--operation 'quantize-*'");
    CHECK(several.code == 2);
    CHECK(contains(several.err, "--operation: 'quantize-*' matches 2 quantizers of"));
    const Result unknown = parity("--operation '*-ocp_floor-*' --against 'nvfp5-*'");
    CHECK(unknown.code == 2);
    CHECK(contains(unknown.err, "offers no quantizer 'nvfp5-*'"));
    CHECK(parity("--filter 'nothing-*'").code == 4);
    CHECK(parity("--operation '*-ocp_floor-*' --values fp8").code == 2);
    CHECK(parity("--operation '*-ocp_floor-*' --before-a gelu").code == 2);
    CHECK(parity("--operation '*-ocp_floor-*' --measure missing.npy").code == 2);
    const Result refused = parity("--filter '*-ocp_floor-*' --backend-option 'refuses all'");
    INFO(refused.out << refused.err);
    CHECK(refused.code == 4);
    CHECK(contains(refused.out, "UNTESTED: nothing was compared: one of both refuses every shape."));
}
