// SPDX-License-Identifier: Apache-2.0
// The gate as a pipeline runs it: what it says, how it ends, and what it writes.
#include <fstream>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "catch.hpp"
#include "conformance/record/record.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"
#include "vectors/golden_store/manifest.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* id = "fp16-e4m3-nearest_even-sat";
const std::string day = " --today 2026-06-01 ";
const std::string word = " --acknowledge --reason 'ties away' --owner kernels@example.com --expires 2026-06-30 ";

void record(const fs::path& folder, FakeSubject& subject) {
    record::write_record(record::take_record(subject, {}), folder);
}

/// Records of one backend: `right`, `ties` and `cut`, which round otherwise, `less`, which has a conversion less, and
/// one of another backend.
struct Recorded {
    TemporaryFolder folder;
    Recorded() {
        for (const auto& [name, rounding] :
             {std::pair("right", Rounding::nearest_even), std::pair("ties", Rounding::nearest_away),
              std::pair("cut", Rounding::toward_zero)}) {
            FakeSubject subject;
            StepTable& table = subject.offer(id);
            Choices choices = choices_of(parse_conversion(id));
            choices.rounding = rounding;
            table = tabulate(*table.from, *table.to, choices);
            subject.offer("fp16-e5m2-nearest_even-sat");
            record(folder.path() / name, subject);
        }
        FakeSubject less;
        less.offer(id);
        record(folder.path() / "less", less);
        FakeSubject other_subject;
        other_subject.info().name = "other";
        other_subject.offer(id);
        record(folder.path() / "other", other_subject);
    }
    [[nodiscard]] Result gate(const std::string& arguments) const {
        Result result = shell(folder.path(), "mxcert gate " + arguments);
        UNSCOPED_INFO("mxcert gate " << arguments << "\n" << result.out << result.err);
        return result;
    }
    [[nodiscard]] bool has(const std::string& file) const { return fs::exists(folder.path() / file); }
    [[nodiscard]] std::string text(const std::string& file) const { return content((folder.path() / file).string()); }
    void write(const std::string& file, const std::string& text) const {
        std::ofstream(folder.path() / file, std::ios::binary) << text;
    }
};

pugi::xml_node suite_of(const pugi::xml_document& document) { return document.child("testsuites").child("testsuite"); }

std::string edited_text(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

} // namespace

TEST_CASE("the gate opens for what was acknowledged and shuts for anything else", "[gate][cli]") {
    const Recorded recorded;
    CHECK(recorded.gate("ties --baseline base.json --profile ocp-sat --acknowledge" + day).code == 2);
    CHECK_FALSE(recorded.has("base.json"));
    const Result written = recorded.gate("ties --baseline base.json --profile ocp-sat" + word + day);
    REQUIRE(written.code == 0);
    CHECK_THAT(written.out, Contains("NEW  fp16-e4m3-nearest_even-sat  ocp-sat"));
    CHECK_THAT(written.out,
               Contains("Acknowledged: base.json has 1 deviation (1 newly acknowledged) and 1 passing row"));

    const Result same = recorded.gate("ties --baseline base.json" + day);
    CHECK(same.code == 0);
    CHECK_THAT(same.out, Contains("acknowledged until 2026-06-30 by kernels@example.com: ties away"));
    CHECK_THAT(same.out, Contains("TIES_AWAY"));
    CHECK_THAT(same.out,
               Contains("SAME: fake against ocp-sat and base.json, at level standard: 1 acknowledged, 1 same"));
    CHECK_THAT(recorded.gate("ties --quiet --baseline base.json" + day).out, !Contains("ties away"));

    const Result late = recorded.gate("ties --baseline base.json --today 2026-07-01");
    CHECK(late.code == 1);
    CHECK_THAT(late.out, Contains("EXPIRED  fp16-e4m3-nearest_even-sat  ocp-sat"));
    CHECK(recorded.gate("ties --baseline base.json --today 2026-06-30").code == 0);

    const Result mended = recorded.gate("right --baseline base.json" + day);
    CHECK(mended.code == 1);
    CHECK_THAT(mended.out, Contains("UNEXPECTED PASS  fp16-e4m3-nearest_even-sat"));
    CHECK_THAT(mended.out, Contains("was 0x01, is permitted"));
    const Result changed = recorded.gate("cut --baseline base.json" + day);
    CHECK(changed.code == 1);
    CHECK_THAT(changed.out, Contains("CHANGED  fp16-e4m3-nearest_even-sat"));
    CHECK_THAT(changed.out, Contains("TRUNCATES: rounding=toward_zero"));
    CHECK_THAT(changed.out, Contains("again: mxcert certify cut --profile ocp-sat --reproduce fp16-e4m3-"));

    const Result gone = recorded.gate("less --baseline base.json" + day);
    CHECK(gone.code == 1);
    CHECK_THAT(gone.out, Contains("GONE  fp16-e5m2-nearest_even-sat  ocp-sat: the run has no such row"));
    // Each change goes when somebody stands for it; what passes needs no word.
    CHECK(recorded.gate("right --baseline base.json --acknowledge" + day).code == 0);
    CHECK(recorded.gate("right --baseline base.json" + day).code == 0);
    CHECK(recorded.gate("less --baseline base.json --acknowledge" + day).code == 0);
    const Result added = recorded.gate("right --baseline base.json" + day);
    CHECK(added.code == 1);
    CHECK_THAT(added.out, Contains("ADDED  fp16-e5m2-nearest_even-sat  ocp-sat: PASS"));
}

TEST_CASE("what an editor did to a baseline is seen", "[gate][cli]") {
    const Recorded recorded;
    REQUIRE(recorded.gate("ties --baseline base.json --profile ocp-sat" + word + day).code == 0);
    const std::string whole = recorded.text("base.json");
    const auto with = [&](const std::string& what, const std::string& altered) {
        recorded.write("edited.json", edited_text(whole, what, altered));
        return recorded.gate("ties --baseline edited.json" + day);
    };
    CHECK(with("ties away", "another reason").code == 0);
    // An answer that is not the one that comes.
    const Result wrong = with("\"1400 01\"", "\"1400 02\"");
    CHECK(wrong.code == 1);
    CHECK_THAT(wrong.out, Contains("0x1400: was 0x02, is 0x01  TIES_AWAY"));
    const Result broken = with("2026-06-30", "2026-06-31");
    CHECK(broken.code == 2);
    CHECK_THAT(
        broken.err,
        Contains("edited.json: deviations[0] (fp16-e4m3-nearest_even-sat): 'expires' '2026-06-31' is not a date"));
    // Of something else.
    const std::string version = "\"version\": \"" + std::string(vectors_version) + "\"";
    const Result vectors = with(version, "\"version\": \"0.9.0\"");
    CHECK(vectors.code == 2);
    CHECK_THAT(vectors.err, Contains("edited.json: the vector set 'vectors' is '0.9.0 (") && Contains("--acknowledge"));
    CHECK(recorded.gate("ties --baseline edited.json --acknowledge" + day).code == 0);
    CHECK(recorded.gate("ties --baseline edited.json" + day).code == 0);
    const Result other_result = recorded.gate("other --baseline base.json" + day);
    CHECK(other_result.code == 2);
    CHECK_THAT(other_result.err, Contains("base.json: 'backend': 'name' is 'fake', and this run has 'other'"));
    CHECK_THAT(recorded.gate("ties --baseline base.json --profile ocp" + day).err,
               Contains("base.json: 'profiles' is 'ocp-sat', and this run has 'ocp'"));
    for (const char* options :
         {"--seed 2", "--samples-per-step 3", "--level complete", "--backend-option x", "--profile ocp", "--reason x",
          "--today tomorrow", "--acknowledge --expires 2026-05-31 --reason x --owner y"}) {
        CAPTURE(options);
        CHECK(recorded.gate("ties --baseline base.json " + std::string(options) + day).code == 2);
    }
    const auto missing = recorded.gate("ties --baseline none.json" + day);
    CHECK(missing.code == 2);
    CHECK_THAT(missing.err, Contains("none.json: there is no such file; --acknowledge writes it"));
    CHECK(recorded.gate("none --baseline base.json" + day).code == 2);
    CHECK(recorded.text("base.json") == whole);
}

TEST_CASE("a part of a baseline is compared as a part", "[gate][cli]") {
    const Recorded recorded;
    REQUIRE(recorded.gate("ties --baseline base.json --profile ocp-sat" + word + day).code == 0);
    const Result part = recorded.gate("cut --baseline base.json --filter '*-e5m2-*'" + day);
    CHECK(part.code == 0);
    CHECK_THAT(part.out, Contains("Only a part was compared: --filter *-e5m2-*"));
    CHECK(recorded.gate("cut --baseline base.json --filter 'bf16-*'" + day).code == 4);
    // Written as a part: the other row stays as it is.
    const std::string before = recorded.text("base.json");
    CHECK(recorded.gate("cut --baseline base.json --filter '*-e5m2-*' --acknowledge" + day).code == 0);
    CHECK(recorded.text("base.json") == before);
}

TEST_CASE("the gate writes JUnit XML and a baseline that fits its schema", "[gate][cli]") {
    const Recorded recorded;
    REQUIRE(recorded.gate("ties --baseline base.json --profile ocp-sat" + word + day).code == 0);
    CHECK(recorded.gate("cut --baseline base.json --junit out.xml" + day).code == 1);
    pugi::xml_document document;
    REQUIRE(document.load_file((recorded.folder.path() / "out.xml").c_str()));
    const pugi::xml_node suite = suite_of(document);
    CHECK(std::string(suite.attribute("tests").value()) == "2");
    CHECK(std::string(suite.attribute("failures").value()) == "1");
    CHECK(std::string(suite.child("testcase").child("failure").attribute("type").value()) == "CHANGED");
    CHECK(recorded.gate("ties --baseline base.json --junit out.xml" + day).code == 0);
    REQUIRE(document.load_file((recorded.folder.path() / "out.xml").c_str()));
    CHECK_THAT(std::string(suite_of(document).child("testcase").child_value("system-out")),
               Contains("until 2026-06-30"));
    if (absent(shell(recorded.folder.path(), "python3 -c 'import jsonschema'").code != 0, "python3-jsonschema",
               "./dev test installs it"))
        return;
    const Result valid = shell(recorded.folder.path(),
                               "python3 -c 'import json, jsonschema; "
                               "jsonschema.validate(json.load(open(\"base.json\")), "
                               "json.load(open(\"" MXCERT_TEST_SOURCE "/conformance/schema/baseline-1.json\")))'");
    INFO(valid.err);
    CHECK(valid.code == 0);
}

TEST_CASE("the gate writes what certify writes, and how each row stands", "[gate][cli]") {
    const Recorded recorded;
    REQUIRE(recorded.gate("ties --baseline base.json --profile ocp-sat" + word + day).code == 0);
    const Result changed = recorded.gate("cut --baseline base.json --report out --json - --sarif out.sarif" + day);
    CHECK(changed.code == 1);
    CHECK_THAT(changed.err, Contains("CHANGED") && Contains("DIFFERENT"));
    const nlohmann::json gate = nlohmann::json::parse(changed.out);
    CHECK(gate["schema"] == "mxcert-gate-1");
    CHECK(gate["exit_code"] == 1);
    CHECK(gate["counts"] == nlohmann::json{{"CHANGED", 1}, {"same", 1}});
    const nlohmann::json& row = gate["rows"][0];
    CHECK(row["id"] == id);
    CHECK(row["standing"] == "CHANGED");
    CHECK(row["different"] == true);
    CHECK(row["acknowledged"]["owner"] == "kernels@example.com");
    REQUIRE(!row["changes"].empty());
    CHECK_THAT(row["reproduce"].get<std::string>(), Contains("mxcert certify cut"));
    CHECK(recorded.text("out/gate.json") == changed.out);
    CHECK(nlohmann::json::parse(recorded.text("out/report.json"))["exit_code"] == 1);
    CHECK_THAT(recorded.text("out/summary.txt"), Contains("FAIL"));
    CHECK_THAT(recorded.text("out/junit.xml"), Contains("mxcert gate"));
    // A certificate of certify does not stay beside the report of another run, and the gate writes none.
    recorded.write("out/certificate.json", "{}");
    CHECK(recorded.gate("right --baseline base.json --report out" + day).code == 1);
    CHECK(!recorded.has("out/certificate.json"));
    // An acknowledged deviation is shown and does not count.
    CHECK(recorded.gate("ties --baseline base.json --sarif out.sarif --code-quality out.cq" + day).code == 0);
    CHECK_THAT(recorded.text("out.sarif"), Contains("until 2026-06-30 by kernels@example.com: ties away"));
    CHECK(recorded.text("out.cq") == "[]\n");
}

TEST_CASE("under GitHub Actions the gate annotates and appends to the summary of the step", "[gate][cli]") {
    const Recorded recorded;
    REQUIRE(recorded.gate("ties --baseline base.json --profile ocp-sat" + word + day).code == 0);
    const auto run = [&](const std::string& variables, const std::string& options) {
        return shell(recorded.folder.path(), "echo before > step.md; export GITHUB_STEP_SUMMARY=step.md " + variables +
                                                 "; mxcert gate cut --baseline base.json --source k.cu" + options +
                                                 day);
    };
    CHECK_THAT(run("", "").out, !Contains("::error"));
    CHECK(recorded.text("step.md") == "before\n");
    const Result here = run("GITHUB_ACTIONS=true", "");
    CHECK(here.code == 1);
    CHECK_THAT(here.out, Contains("\n::error file=k.cu,line=1,title=CHANGED fp16-e4m3-nearest_even-sat::"));
    CHECK_THAT(recorded.text("step.md"), Contains("before\n### mxcert gate") && Contains("| CHANGED |"));
    CHECK(run("GITHUB_ACTIONS=true", " --summary own.md").code == 1);
    CHECK(recorded.text("step.md") == "before\n");
    CHECK_THAT(recorded.text("own.md"), Contains("### mxcert gate"));
    // A summary that nobody asked for does not decide the run.
    const Result unwritable = run("GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=none/step.md", "");
    CHECK(unwritable.code == 1);
    CHECK_THAT(unwritable.err, Contains("cannot write to $GITHUB_STEP_SUMMARY, 'none/step.md'"));
}

TEST_CASE("a gate that was stopped goes on with the answers that it kept", "[gate][cli]") {
    const TemporaryFolder folder;
    const std::string gate =
        "mxcert gate portable --filter 'e5m2-fp16-nearest_even-nosat' --baseline base.json --level "
        "quick --jobs 1 --keep kept" +
        day;
    REQUIRE(shell(folder.path(), gate + word).code == 0);
    CHECK(shell(folder.path(), gate + " --report out").code == 0);
    const std::string report = content((folder.path() / "out/report.json").string());
    CHECK(nlohmann::json::parse(report)["rows"][0]["kept"] == true);
}

TEST_CASE("the gate knows an input that ends the backend", "[gate][cli]") {
    const TemporaryFolder folder;
    const std::string ways = std::string("'") + MXCERT_TEST_HOSTILE + "/ways.so'";
    const auto gate = [&](const std::string& options) {
        Result result = shell(folder.path(), "mxcert gate " + ways + " --baseline base.json --jobs 1 --filter " + id +
                                                 " " + options + day);
        UNSCOPED_INFO(options << "\n" << result.out << result.err);
        return result;
    };
    const Result shut = gate("--profile ocp-sat --backend-option crash_one:3C01" + word);
    REQUIRE(shut.code == 0);
    CHECK_THAT(content((folder.path() / "base.json").string()), Contains("3C01: signal 11 (SIGSEGV)"));
    CHECK(gate("").code == 0);
    CHECK(gate("--backend-option crash_one:3C02").code == 2);
    const std::string text = content((folder.path() / "base.json").string());
    // Another input is another error: what else the backend does there is not known.
    std::ofstream(folder.path() / "base.json") << edited_text(text, "crash_one:3C01", "crash_one:3C02");
    const Result other_result = gate("");
    CHECK(other_result.code == 3);
    CHECK_THAT(other_result.out, Contains("NOT FINISHED  fp16-e4m3-nearest_even-sat"));
}

TEST_CASE("the gate covers operations", "[gate][cli][operation][values]") {
    const TemporaryFolder folder;
    const std::string plugin = std::string("'") + MXCERT_TEST_QUANTIZER + "'";
    const auto run = [&](const std::string& command) {
        Result result = shell(folder.path(), "mxcert " + command);
        UNSCOPED_INFO(command << "\n" << result.out << result.err);
        return result;
    };
    const std::string only = " --filter 'dequantize-*'";
    REQUIRE(run("record " + plugin + " -o right" + only).code == 0);
    REQUIRE(run("record " + plugin + " -o wrong --backend-option 'tail shares'" + only).code == 0);
    REQUIRE(run("gate wrong --baseline base.json --profile ocp-sat" + word + day).code == 0);
    CHECK(run("gate wrong --baseline base.json" + day).code == 0);
    const Result mended = run("gate right --baseline base.json" + day);
    CHECK(mended.code == 1);
    CHECK_THAT(mended.out, Contains("UNEXPECTED PASS  dequantize-"));
    // The same verdict, and another answer.
    const std::string text = content((folder.path() / "base.json").string());
    const std::size_t digest = text.find("\"answers_sha256\": \"") + 19;
    std::string altered = text;
    altered[digest] = altered[digest] == '0' ? '1' : '0';
    std::ofstream(folder.path() / "base.json") << altered;
    const Result changed = run("gate wrong --baseline base.json" + day);
    CHECK(changed.code == 1);
    CHECK_THAT(changed.out, Contains("CHANGED  dequantize-"));
    CHECK_THAT(changed.out, Contains("again: mxcert certify wrong"));
}
