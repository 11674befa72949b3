// SPDX-License-Identifier: Apache-2.0
// Devices that are not attached, as docs/offline.md shows them: through a shell pipe, and through an RTL simulation.
#include <algorithm>

#include "catch.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/offline_fixture.hpp"

using namespace mxcert;
using namespace mxcert::offline;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

const std::string planted = mxcert::test::planted_plugin();
const std::string python = "python3 '" MXCERT_TEST_SOURCE "/conformance/test/python_worker.py'";
const std::string chosen = " --filter 'fp32-e4m3-nearest_even-sat' --filter 'bf16-e4m3-nearest_even-sat' "
                           "--filter 'e4m3-fp16-*' --filter 'fp64-e5m2-nearest_even-*'";

/// The words of a file for $readmemh.
std::vector<std::string> words_of(const fs::path& path) {
    std::ifstream file(path);
    std::vector<std::string> words;
    for (std::string line; std::getline(file, line);)
        if (!line.starts_with("//")) words.push_back(line);
    return words;
}

/// What the exact model answers to them, as $writememh writes it.
std::vector<std::string> hex_answers(const std::vector<std::string>& inputs, const Conversion& conversion) {
    const StepTable table = tabulate(*conversion.from, *conversion.to, choices_of(conversion));
    std::vector<std::string> words;
    for (const std::string& input : inputs)
        words.push_back(hex(table.steps[find_step(table, parse_hex(input, *conversion.from))].code, *conversion.to));
    return words;
}

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

} // namespace

TEST_CASE("a folder that is not empty is refused before anything is planned") {
    const TemporaryFolder folder;
    const std::string planned = " --format hex --points all --filter 'fp32-e4m3-nearest_even-sat'";
    CHECK_THAT(shell(folder.path(), "mxcert offline new" + planned).err, Contains("lines of hex"));
    const Result full = shell(folder.path(), "mkdir full; touch full/file; mxcert offline full" + planned);
    CHECK(full.code == 2);
    CHECK_THAT(full.err, Contains("'full' is not empty"));
}

TEST_CASE("a device through a shell pipe", "[values]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& command) { return shell(folder.path(), command); };
    const Result wrote = run("mxcert offline dev" + chosen);
    CAPTURE(wrote.err);
    REQUIRE(wrote.code == 0);
    CHECK_THAT(wrote.out, Contains("mxcert certify dev"));
    CHECK(run("mxcert offline dev").code == 2); // not empty
    CHECK(run("mxcert certify dev").code == 2); // no answers yet

    // The stock worker with a plugin, as it would run on the device.
    const std::string portable = program_folder().parent_path().string() + "/lib/mxcert/portable.so";
    REQUIRE(run("mxcert-worker '" + portable + "' < dev/requests.mxcf > dev/responses.mxcf").code == 0);
    const Result passed = run("mxcert certify dev");
    CAPTURE(passed.out, passed.err);
    CHECK(passed.code == 0);
    CHECK_THAT(passed.out, Contains("fp32-e4m3-nearest_even-sat") && Contains("(sample)"));
    CHECK_THAT(passed.out, Contains("This is not a certificate: only a part was run, --points boundaries"));
    CHECK_THAT(passed.out, !Contains("UNSUPPORTED"));
    // It is a BACKEND everywhere.
    CHECK(run("mxcert diff dev portable").code == 0);
    CHECK(run("mxcert record dev -o taken").code == 0);
    CHECK(run("mxcert diff taken dev").code == 0);
    const Result taken = run("mxcert certify taken --profile ocp-sat --filter 'bf16-*'");
    CHECK(taken.code == 0);
    CHECK_THAT(run("mxcert certify taken --profile ocp-sat").out, Contains("(sample)") && !Contains("UNTESTED"));
    CHECK_FALSE(run("mxcert certify taken --profile ocp-sat --report r").out.empty());
    CHECK_FALSE(fs::exists(folder.path() / "r/certificate.json"));

    // A program in another language; it offers two of the conversions.
    REQUIRE(run(python + " < dev/requests.mxcf > dev/responses.mxcf").code == 0);
    const Result other_result = run("mxcert certify dev");
    CAPTURE(other_result.out);
    CHECK(other_result.code == 0);
    CHECK_THAT(other_result.out, !Contains("provision")); // what the folder does not ask about is not judged
    const Result part = run("mxcert certify dev --profile ocp-sat --filter '*-e4m3-*'");
    CAPTURE(part.out);
    CHECK(part.code == 0);
    CHECK_THAT(part.out, Contains("python") && Contains("2 conversions"));

    // A mistake on a boundary is found, named, and run again from the file.
    REQUIRE(run("mxcert-worker '" + planted + "' < dev/requests.mxcf > dev/responses.mxcf").code == 0);
    CHECK(run("head -c 3000 dev/responses.mxcf > cut && cp cut dev/responses.mxcf && mxcert certify dev").code == 3);
    CHECK_THAT(run("mxcert certify dev --quiet").out, Contains("responses.mxcf: ends at byte 3000"));
}

TEST_CASE("a device that makes scales is asked by their rule") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& command) { return shell(folder.path(), command); };
    REQUIRE(run("mxcert offline dev --profile ocp-sat --filter 'amax_bf16-e8m0_for_e4m3-ocp_floor-sat'").code == 0);
    const std::string portable = program_folder().parent_path().string() + "/lib/mxcert/portable.so";
    REQUIRE(run("mxcert-worker '" + portable + "' < dev/requests.mxcf > dev/responses.mxcf").code == 0);
    const Result passed = run("mxcert certify dev");
    CAPTURE(passed.out, passed.err);
    CHECK(passed.code == 0);
    CHECK_THAT(passed.out,
               Contains("amax_bf16-e8m0_for_e4m3-ocp_floor-sat") && Contains("PASS") && !Contains("UNSUPPORTED"));
}

TEST_CASE("a mistake of a device is named and reproduced from its file", "[programs]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& command) { return shell(folder.path(), command); };
    REQUIRE(run("mxcert offline dev --filter fp32-e4m3-nearest_even-sat --backend-option 3F880001").code == 0);
    REQUIRE(run("mxcert-worker '" + planted + "' < dev/requests.mxcf > dev/responses.mxcf").code == 0);
    const Result failed = run("mxcert certify dev --filter 'fp32-*'");
    CAPTURE(failed.out);
    CHECK(failed.code == 1);
    CHECK_THAT(failed.out, Contains("1 of ") && Contains("input     0x3F880001"));
    const Result again = run("mxcert certify dev --reproduce fp32-e4m3-nearest_even-sat:3F880001");
    CHECK(again.code == 1);
    CHECK_THAT(again.out, Contains("input     0x3F880001"));
    const Result never = run("mxcert certify dev --reproduce fp32-e4m3-nearest_even-sat:3F812345");
    CHECK(never.code == 3);
    CHECK_THAT(never.out, Contains("was not asked"));
}

TEST_CASE("a device that answers in hexadecimal words", "[programs]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& command) { return shell(folder.path(), command); };
    for (const char* points : {"all", "boundaries"}) {
        CAPTURE(points);
        const std::string name = "bf16-e4m3-nearest_even-sat";
        fs::remove_all(folder.path() / "rtl");
        REQUIRE(
            run("mxcert offline rtl --format hex --profile ocp-sat --filter " + name + " --points " + points).code ==
            0);
        const std::vector<std::string> inputs = words_of(folder.path() / "rtl" / (name + ".in.hex"));
        const std::vector<std::string> right = hex_answers(inputs, parse_conversion(name));
        const std::size_t half = right.size() / 2; // then the same inputs in another order
        CHECK((std::string(points) == "all") == (half == 65'536));
        const auto certify = [&](const std::vector<std::string>& lines, const char* wanted, int code) {
            write(folder.path() / "rtl" / (name + ".out.hex"), text_of(lines));
            const Result result = run("mxcert certify rtl --json report.json");
            CAPTURE(result.out, result.err);
            const files::Json report = files::Json::parse(content(folder.path() / "report.json"));
            CHECK(result.code == code);
            CHECK(report["rows"].size() == 1);
            CHECK(report["rows"][0]["status"] == wanted);
            return report["rows"][0];
        };
        const files::Json passed = certify(right, "PASS", 0);
        CHECK(passed["compared"] == half);
        CHECK(passed["repeated"] == half);

        // An address in the middle, comments and the words below it: what $writememh writes of a part.
        std::vector<std::string> another_lines = right;
        another_lines.insert(another_lines.begin() + 5, {"// five", "@5"});
        (void)certify(another_lines, "PASS", 0);

        // The word of input 0, +0 in E4M3, both times it is asked, and once.
        REQUIRE(right.front() == "00");
        const auto again =
            static_cast<std::size_t>(std::find(inputs.begin() + 1, inputs.end(), inputs.front()) - inputs.begin());
        REQUIRE((half <= again && again < inputs.size()));
        another_lines = right;
        another_lines.front() = another_lines[again] = "01";
        const files::Json failed = certify(another_lines, "FAIL", 1);
        CHECK(failed["differing"] == 1);
        CHECK(failed["differences"][0]["first"] == "0000");
        CHECK(failed["differences"][0]["expected"] == "00");
        CHECK(failed["differences"][0]["got"] == "01");
        another_lines.front() = "00"; // then 01: the answer changed
        (void)certify(another_lines, "FAIL", 1);
        another_lines = right;
        another_lines.front() = "xx";
        (void)certify(another_lines, "MISTRUSTED", 1);
        another_lines.front() = "100";
        (void)certify(another_lines, "ERROR", 3);
        another_lines = right;
        another_lines.pop_back();
        (void)certify(another_lines, "INCOMPLETE", 3);
        another_lines = right;
        another_lines.emplace_back("00");
        (void)certify(another_lines, "ERROR", 3);
    }
}

TEST_CASE("a device in RTL simulation", "[programs]") {
    if (absent(std::system("command -v iverilog >/dev/null && command -v vvp >/dev/null") != 0, "iverilog",
               "apt-get install iverilog"))
        return;
    const TemporaryFolder folder;
    const auto run = [&](const std::string& command) { return shell(folder.path(), command); };
    const Result wrote =
        run("mxcert offline rtl --format hex --points all --profile ocp-sat --filter bf16-e4m3-nearest_even-sat");
    CAPTURE(wrote.err);
    REQUIRE(wrote.code == 0);
    const std::string rtl = "'" MXCERT_TEST_SOURCE "'/docs/examples/rtl/";
    const auto simulate = [&](const std::string& bug, const std::string& words) {
        return run("cd rtl && iverilog -g2005 -Ptestbench.BUG=" + bug + " -Ptestbench.WORDS=" + words + " -o sim " +
                   rtl + "testbench.v " + rtl + "bf16_to_e4m3.v && vvp sim && rm sim")
            .code;
    };
    REQUIRE(simulate("0", "131072") == 0);
    const Result passed = run("mxcert certify rtl");
    CAPTURE(passed.out, passed.err);
    CHECK_THAT(passed.out, Contains("every one of 65,536 inputs of 1 conversion"));
    CHECK(run("mxcert certify rtl --filter 'bf16-*'").code == 0);

    REQUIRE(simulate("1", "131072") == 0);
    const Result failed = run("mxcert certify rtl --filter 'bf16-*'");
    CAPTURE(failed.out);
    CHECK(failed.code == 1);
    CHECK_THAT(failed.out, Contains("FAIL  bf16-e4m3-nearest_even-sat"));
    // The smallest tie above an even code: 2^-10 lies half way between 0 and 2^-9.
    CHECK_THAT(failed.out, Contains("input     0x3A80") && Contains("expected  0x00") && Contains("got       0x01"));

    // A simulation that ends early, and one that never writes some words.
    REQUIRE(simulate("0", "131000") == 0);
    CHECK(run("mxcert certify rtl --filter 'bf16-*'").code == 3);
    REQUIRE(simulate("0", "131072") == 0);
    const fs::path answers = folder.path() / "rtl/bf16-e4m3-nearest_even-sat.out.hex";
    std::string text = content(answers);
    text.replace(text.find("\n01\n") + 1, 2, "xx");
    write(answers, text);
    const Result unwritten = run("mxcert certify rtl --filter 'bf16-*'");
    CHECK(unwritten.code == 1);
    CHECK_THAT(unwritten.out, Contains("MISTRUSTED") && Contains("is xx"));
}

TEST_CASE("all inputs of a wide source are no hex file") {
    const TemporaryFolder folder;
    const Result result = shell(folder.path(), "mxcert offline x --format hex --points all --filter 'fp32-e4m3-*'");
    CHECK(result.code == 2);
    CHECK_THAT(result.err, Contains("--points boundaries"));
    CHECK_FALSE(fs::exists(folder.path() / "x/offline.json"));
}
