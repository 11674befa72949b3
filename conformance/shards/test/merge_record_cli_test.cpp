// SPDX-License-Identifier: Apache-2.0
// Parts of a record and their merge as a user runs them.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/shards/test/parts_shell.hpp"

using Catch::Matchers::Contains;

namespace mxcert::test {
namespace {

const std::string how = " portable --level quick --samples-per-step 1 --filter 'bf16-e4m3-nearest_even-*' "
                        "--filter 'fp64-e4m3-nearest_even-sat' --filter 'fp32-e4m3-stochastic*' "
                        "--filter layout-swizzle_128x4-arrange ";

TEST_CASE("the record of merged parts is that of one machine to the byte", "[shards][record][cli][programs]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& arguments) {
        const Result result = shell(folder.path(), "mxcert " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    CHECK(run("record" + how + "-o one").code == 0);
    CHECK(shell(folder.path(), "ls one/*.csv one/layout*.json").code == 0);
    const Result listed = run("record" + how + "--shard 1/3 --keep parts/1 --list");
    CHECK(listed.code == 0);
    CHECK_THAT(listed.out,
               Contains("PART 1 of 3: ") && Contains(" of 4 units, about ") && Contains("Nothing was asked."));
    CHECK_FALSE(fs::exists(folder.path() / "parts/1"));
    for (const char* part : {"1", "2"}) {
        const Result asked = run("record" + how + "--shard " + part + "/3 --keep parts/" + part);
        CHECK(asked.code == 0);
        CHECK_THAT(asked.out, Contains(std::string("PART ") + part + " of 3: answers in ") &&
                                  Contains("It is no record: mxcert merge joins all parts."));
        CHECK_FALSE(fs::exists(folder.path() / "parts" / part / "record.json"));
    }

    // The third part is not there: the command that asks it is printed, and is what is run next.
    const Result missing = run("merge parts/1 parts/2 -o merged");
    CHECK(missing.code == 3);
    CHECK_FALSE(fs::exists(folder.path() / "merged"));
    const std::size_t command = missing.out.find("mxcert record");
    REQUIRE(command != std::string::npos);
    const std::string line = missing.out.substr(command, missing.out.find('\n', command) - command);
    CHECK_THAT(line, Contains("--shard 3/3 --keep part-3"));
    CHECK(shell(folder.path(), line).code == 0);

    const Result merged = run("merge parts/1 parts/2 part-3 -o merged --json merged.json");
    CHECK(merged.code == 0);
    CHECK_THAT(merged.out, Contains("Merged: 4 units of 3 parts") && Contains("in slices of 3 of 3 parts") &&
                               Contains("3 conversions and 1 operation of portable 1 recorded in merged") &&
                               Contains("UNTESTED  a stochastic rounding has no table"));
    const Result differences = shell(folder.path(), "diff -r one merged");
    CHECK(differences.code == 0);
    CHECK(differences.out.empty());
    const nlohmann::json json = nlohmann::json::parse(content((folder.path() / "merged.json").string()));
    CHECK(json["folder"] == "merged");
    CHECK(json["exit_code"] == 0);
    CHECK_FALSE(json.contains("machines"));
    CHECK(run("certify merged --level quick --profile ocp-sat --filter 'bf16-*'").code == 0);

    const auto refused = [&](const std::string& arguments, const std::string& why) {
        const Result result = run("merge " + arguments);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, Contains(why));
    };
    const std::string all = "parts/1 parts/2 part-3 --no-backend ";
    refused(all, "-o is missing");
    refused(all + "-o merged", "not empty");
    refused(all + "-o new --html page.html", "--html: parts of a record do not take it");
    CHECK_THAT(run("merge " + all + "-o again -q").out, Contains("Nothing was asked again: --no-backend"));

    // Another kind of machine.
    make_other_machine(folder.path(), "part-3");
    refused(all + "-o mixed", "asked on 2 kinds of machines");
    CHECK_FALSE(fs::exists(folder.path() / "mixed"));
    const Result mixed = run("merge " + all + "-o mixed --mixed --json mixed.json");
    CHECK(mixed.code == 0);
    CHECK_THAT(mixed.out, Contains("Asked on 2 kinds of machines: ") && Contains("another"));
    const auto machines = [&](const char* path) {
        return nlohmann::json::parse(content((folder.path() / path).string()))["machines"];
    };
    REQUIRE(machines("mixed/record.json").size() == 2);
    CHECK(machines("mixed/record.json") == machines("mixed.json"));
    CHECK(shell(folder.path(), "diff -r -x record.json one mixed").code == 0);

    // The parts of a record prove no certificate.
    CHECK(run("certify portable --level quick --filter 'bf16-e4m3-nearest_even-*' --report out --quiet").code == 0);
    const Result verified = run("verify out/report.json --record parts/1");
    CHECK(verified.code == 1);
    CHECK_THAT(verified.out + verified.err, Contains("parts of mxcert record"));

    shell(folder.path(), "sed -i 's/\"reason\": \"\"/\"reason\": \"x\"/' parts/1/units/*");
    refused(all + "-o altered --mixed", "the file was changed after it was written");
}

TEST_CASE("a part of a record that was killed goes on", "[shards][record][cli][programs]") {
    const TemporaryFolder folder;
    const std::string command = "mxcert record portable --level quick --filter 'fp16-e?m?-nearest_even-*' --jobs 1 "
                                "--shard 1/1 --keep part";
    const Result result = killed_and_again(folder.path(), command);
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("kept from an earlier run)"));
    CHECK(shell(folder.path(), "mxcert merge part --no-backend -o record").code == 0);
}

TEST_CASE("a backend that answers otherwise since is not recorded", "[shards][record][cli][programs]") {
    const TemporaryFolder folder;
    const std::string backend = "'pipe:e5m2-fp16-nearest_even-nosat:sed -u -f rules'";
    const std::string right = "echo 's/$/00/' > rules; ";
    CHECK(shell(folder.path(), right + "mxcert record " + backend + " --shard 1/1 --keep part").code == 0);
    CHECK(shell(folder.path(), "mxcert merge part -o right").code == 0);
    const Result changed = shell(folder.path(), "echo 's/$/01/' > rules; mxcert merge part -o changed");
    CHECK(changed.code == 1);
    CHECK_THAT(changed.out,
               Contains("FAIL  asked again, it answers otherwise: input 0x") && Contains("Nothing was recorded."));
    CHECK_FALSE(fs::exists(folder.path() / "changed/record.json"));
}

TEST_CASE("a part of a record that cannot be is refused before anything is asked", "[shards][record][cli]") {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& arguments, const std::string& why) {
        const Result result = shell(folder.path(), "mxcert record " + arguments);
        INFO(arguments << "\n" << result.out << result.err);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, Contains(why));
    };
    const std::string small = "portable --level quick --filter e5m2-fp16-nearest_even-nosat ";
    refused(small + "--keep part --shard 4/3", "expected I/N");
    refused(small + "--keep part --shard 1/2", "the run has 1 unit");
    refused(small + "--shard 1/1", "--keep");
    refused(small + "--keep part", "--shard");
    refused(small + "-o out --list", "--shard");
    refused(small + "--keep part --shard 1/1 -o out", "exclude each other");
    refused(small + "--keep part --shard 1/1 --json -", "exclude each other");
    refused(small, "--output");
    CHECK_FALSE(fs::exists(folder.path() / "part"));
    const Result nothing = shell(folder.path(), "mxcert record portable --filter no-such-* --keep part --shard 1/1");
    CHECK(nothing.code == 4);
    CHECK_THAT(nothing.out, Contains("Nothing of portable is recorded."));
    CHECK(shell(folder.path(), "mxcert record " + small + "-o out").code == 0);
    refused("out --keep part --shard 1/1", "this one is recorded already");
    CHECK(shell(folder.path(), "mxcert record " + small + "--keep part --shard 1/1").code == 0);
    refused(small + "--keep part --shard 1/1 --seed 2", "has a part of another run: seed 1 and 2");
    CHECK(shell(folder.path(), "mxcert certify " + small + "--shard 1/1 --keep judged").code == 0);
    refused(small + "--keep judged --shard 1/1", R"(command "certify" and "record")");
}

} // namespace
} // namespace mxcert::test
