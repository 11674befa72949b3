// SPDX-License-Identifier: Apache-2.0
// Parts and their merge as a user runs them.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/shards/test/parts_shell.hpp"

using Catch::Matchers::Contains;

namespace mxcert::test {
namespace {

nlohmann::json without_surroundings(const fs::path& path) {
    nlohmann::json report = nlohmann::json::parse(content(path.string()));
    // Parts are not asked in turn: no process has all of them.
    for (const char* name : {"started", "seconds", "host", "jobs", "sha256", "turns"}) report.erase(name);
    for (nlohmann::json& row : report["rows"]) row.erase("seconds");
    return report;
}

const std::string right = "'pipe:e5m2-fp16-nearest_even-nosat,e5m2-fp16-nearest_even-sat:sed -u s/$/00/' "
                          "--profile ocp-nosat --profile ocp-sat --level quick ";

TEST_CASE("the certificate of merged parts is that of one run, but for times and machines", "[shards][cli][programs]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& arguments) {
        const Result result = shell(folder.path(), "mxcert " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    CHECK(run("certify " + right + "--report one").code == 0);
    const Result part = run("certify " + right + "--shard 1/2 --keep parts/1");
    CHECK(part.code == 0);
    CHECK_THAT(part.out, Contains("PART 1 of 2: no wrong answer in 256 values in 1 of 1 unit"));
    CHECK_THAT(part.out, Contains("It is not a certificate"));
    CHECK_FALSE(fs::exists(folder.path() / "parts/1/certificate.json"));

    // The other part is not there: the command that asks it is printed, and is what is run next.
    const Result missing = run("merge parts/1 -o merged");
    CHECK(missing.code == 3);
    CHECK_FALSE(fs::exists(folder.path() / "merged/certificate.json"));
    const std::size_t command = missing.out.find("mxcert certify");
    REQUIRE(command != std::string::npos);
    const std::string line = missing.out.substr(command, missing.out.find('\n', command) - command);
    CHECK_THAT(line, Contains("--shard 2/2 --keep part-2"));
    CHECK(shell(folder.path(), line).code == 0);

    const Result merged = run("merge parts/1 part-2 -o merged");
    CHECK(merged.code == 0);
    CHECK_THAT(merged.out, Contains("Merged: 2 units of 2 parts"));
    CHECK_THAT(merged.out, Contains("Asked again: ") && Contains("in slices of 2 of 2 parts"));
    CHECK_THAT(merged.out, Contains("conforms to ocp-sat"));
    REQUIRE(fs::exists(folder.path() / "merged/certificate.json"));
    CHECK(without_surroundings(folder.path() / "merged/certificate.json") ==
          without_surroundings(folder.path() / "one/certificate.json"));
    // What the parts had loaded, as one run says it.
    const auto run_in = [&](const char* of) {
        return nlohmann::json::parse(content((folder.path() / of / "statement.json").string()))["predicate"]["run"];
    };
    CHECK(run_in("merged")["files"].size() >= 2); // the worker and its C library
    for (const char* name : {"files", "packages", "environment", "unproven"})
        CHECK(run_in("merged")[name] == run_in("one")[name]);
    CHECK_THAT(run("verify merged/certificate.json").out, Contains("the backend had loaded"));
    CHECK_THAT(run("merge parts/1 part-2 --no-backend").out, Contains("Nothing was asked again: --no-backend"));

    // Another kind of machine.
    make_other_machine(folder.path(), "part-2", "unit['sandbox'] = {'mode': 'off', 'in_force': [], 'missing': []}\n");
    const Result refused = run("merge parts/1 part-2 -o merged --no-backend");
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("asked on 2 kinds of machines") && Contains("--mixed"));
    CHECK(run("merge parts/1 part-2 -o mixed --no-backend --mixed").code == 0);
    const nlohmann::json report = nlohmann::json::parse(content((folder.path() / "mixed/certificate.json").string()));
    REQUIRE(report["machines"].size() == 2);
    CHECK(report["machines"][1]["cpu"] == "another");
    CHECK(report["sandbox"]["mode"] == "off"); // the least that held
    CHECK_THAT(content((folder.path() / "mixed/summary.txt").string()), Contains("asked on   "));
}

TEST_CASE("a part that was killed goes on, and one that is changed is refused", "[shards][cli][programs]") {
    const TemporaryFolder folder;
    const std::string command = "mxcert certify portable --level quick --filter 'fp16-e?m?-nearest_even-*' --jobs 1 "
                                "--shard 1/1 --keep part";
    const Result result = killed_and_again(folder.path(), command);
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("kept from an earlier run)"));
    CHECK(shell(folder.path(), "mxcert merge part --no-backend").code == 0);
    const Result changed =
        shell(folder.path(), "file=$(ls part/units/* | head -n 1); sed -i 's/\"repeated\": 6/\"repeated\": 7/' $file; "
                             "echo $file; mxcert merge part");
    CHECK(changed.code == 2);
    CHECK_THAT(changed.err, Contains(changed.out.substr(0, changed.out.find('\n'))) &&
                                Contains("the file was changed after it was written"));
}

TEST_CASE("a part that cannot be is refused before anything is asked", "[shards][cli]") {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& arguments, const std::string& why) {
        const Result result = shell(folder.path(), "mxcert " + arguments);
        INFO(arguments << "\n" << result.out << result.err);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, Contains(why));
    };
    const std::string small = "certify portable --level quick --filter e5m2-fp16-nearest_even-nosat --keep part ";
    for (const char* number : {"0/3", "4/3", "3", "3/", "/3", "a/b", "1/2/3", "-1/3", "1/0"})
        refused(small + "--shard " + number, "expected I/N");
    refused(small + "--shard 1/2", "the run has 1 unit");
    refused("certify portable --shard 1/2", "--keep");
    refused("certify portable --level smoke --keep part --shard 1/2", "a few inputs are not cut");
    refused(small + "--shard 1/1 --json -", "--json");
    refused("merge part", "no shard.json");
    refused("merge", "PART");
    CHECK(shell(folder.path(), "mxcert " + small + "--shard 1/1 --list").code == 0);
    CHECK_FALSE(fs::exists(folder.path() / "part"));
    shell(folder.path(), "mkdir part; touch part/other");
    refused(small + "--shard 1/1", "is not empty");
    shell(folder.path(), "rm part/other; mxcert " + small + "--shard 1/1");
    refused(small + "--shard 1/1 --seed 2", "has a part of another run: seed 1 and 2");
    refused("merge part --backend ./none.so", "none.so");
}

TEST_CASE("one wrong input in 2^32 fails its part and the merge, as it fails one run", "[.][exhaustive][shards]") {
    const TemporaryFolder folder;
    const std::string run = "mxcert certify '" + planted_plugin() +
                            "' --backend-option 3F880001 --profile ocp-sat --level quick "
                            "--filter fp32-e4m3-nearest_even-sat --quiet ";
    CHECK(shell(folder.path(), run + "--report one").code == 1);
    int failed = 0;
    for (const char* part : {"1", "2", "3"}) {
        const Result result = shell(folder.path(), run + "--shard " + part + "/3 --keep parts/" + part);
        failed += result.code == 1 ? 1 : 0;
        if (result.code == 1) CHECK_THAT(result.out, Contains("0x3F880001"));
    }
    CHECK(failed >= 1); // the piece, and perhaps the unit that asks boundaries in every place
    CHECK(shell(folder.path(), "mxcert merge parts/* -o merged").code == 1);
    CHECK(without_surroundings(folder.path() / "merged/report.json") ==
          without_surroundings(folder.path() / "one/report.json"));
}

} // namespace
} // namespace mxcert::test
