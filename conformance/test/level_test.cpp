// SPDX-License-Identifier: Apache-2.0
// The levels of a run: their names, and that every command takes and states its own.
#include "conformance/level.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;

TEST_CASE("levels are read as they are written, in ascending order", "[level]") {
    std::vector<Level> order;
    for (const std::string& name : level_names()) {
        order.push_back(parse_level(name).level);
        CHECK(to_string(parse_level(name)) == name);
        CHECK(option_of(parse_level(name)) == "--level " + name);
    }
    CHECK(std::is_sorted(order.begin(), order.end()));
    CHECK(parse_level("budget 12") == LevelOf{Level::budget, 12});
    CHECK(to_string({Level::budget, 12}) == "budget 12");
    CHECK(option_of({Level::budget, 12}) == "--budget 12");
    for (const char* wrong : {"", "budget", "budget 0", "budget 01", "budget -1", "budget 1x", "budget 1048577",
                              "Quick", "budget 18446744073709551616"})
        CHECK_THROWS_WITH(parse_level(wrong), Contains("is no level: there are smoke, quick, standard, complete"));
}

namespace {

const std::string one = " --filter e4m3-fp16-nearest_even-nosat ";

nlohmann::json json_in(const TemporaryFolder& folder, const char* name) {
    return nlohmann::json::parse(content((folder.path() / name).string()));
}

/// certify states its level in text and in JSON, and passes again as it did.
void check_certify_at(const std::string& level) {
    const TemporaryFolder folder;
    const Result certified =
        shell(folder.path(), "mxcert certify portable --profile ocp-sat --json out.json --level " + (level + one));
    CAPTURE(level, certified.out, certified.err);
    CHECK(certified.code == 0);
    CHECK_THAT(certified.out, Contains(", at level " + level + "\n"));
    CHECK(json_in(folder, "out.json")["level"] == level);
    CHECK(shell(folder.path(), "mxcert verify out.json portable --all").code == 0);
}

} // namespace

// The calls of two thousand million values take a minute.
TEST_CASE("certify takes and states the level complete", "[.][exhaustive]") { check_certify_at("complete"); }

TEST_CASE("commands take and state the level of their run", "[level][cli][values]") {
    const TemporaryFolder folder;
    const auto mxcert = [&](const std::string& arguments) {
        Result result = shell(folder.path(), "mxcert " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    const auto json = [&](const char* name) { return json_in(folder, name); };
    for (const char* level : {"smoke", "quick", "standard"}) check_certify_at(level);
    // Of a row that there is not: the largest calls take a minute.
    const Result complete = mxcert("certify portable --profile ocp-sat --json out.json --level complete --filter no-*");
    CHECK(complete.code == 4);
    CHECK_THAT(complete.out, Contains(", at level complete: no row at all"));
    CHECK(json("out.json")["level"] == "complete");
    CHECK_THAT(mxcert("certify portable --profile ocp-sat" + one).out, Contains(", at level standard\n"));
    const Result budget = mxcert("certify portable --profile ocp-sat --budget 2 --json out.json" + one);
    CHECK_THAT(budget.out, Contains(", at level budget 2\n"));
    CHECK(json("out.json")["level"] == "budget 2");

    CHECK_THAT(mxcert("record portable -o kept --level quick" + one).out,
               Contains("recorded in kept at level quick\n"));
    CHECK_THAT(mxcert("certify kept --profile ocp-sat").out, Contains(", at level quick\n"));
    const Result more = mxcert("certify kept --profile ocp-sat --level complete");
    CHECK(more.code == 2);
    CHECK_THAT(more.err, Contains("--level complete: the answers were stored at level quick"));
    CHECK_THAT(mxcert("diff kept portable" + one).out, Contains("kept and portable, at level quick: 1 same"));
    CHECK_THAT(mxcert("identify portable --level quick" + one).out, Contains("\nLevel: quick\n"));
    for (const char* command : {"record portable -o few", "diff kept portable", "identify portable"})
        CHECK(mxcert(command + std::string(" --level smoke")).code == 2);

    const std::string gate = "gate portable --baseline base.json" + one;
    CHECK(mxcert(gate + "--profile ocp-sat --level smoke --acknowledge").code == 0);
    CHECK(json("base.json")["level"] == "smoke");
    const Result same = mxcert(gate);
    CHECK(same.code == 0);
    CHECK_THAT(same.out, Contains("base.json, at level smoke: 1 same"));
    CHECK_THAT(mxcert(gate + "--level quick").err, Contains("'level'"));
}

TEST_CASE("the options that levels replaced are named", "[level][cli]") {
    const TemporaryFolder folder;
    for (const auto& [wrong, meant] : {std::pair("certify portable --suite smoke", "--level smoke"),
                                       std::pair("certify portable --every-input", "--level complete"),
                                       std::pair("selftest --suite=smoke", "--level smoke"),
                                       std::pair("gate portable --baseline x --every-input", "--level complete")}) {
        CAPTURE(wrong);
        const Result result = shell(folder.path(), std::string("mxcert ") + wrong);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, Contains(std::string("did you mean ") + meant + "?"));
    }
}
