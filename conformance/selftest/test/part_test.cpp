// SPDX-License-Identifier: Apache-2.0
// Parts of a selftest, and their merge.
#include "conformance/selftest/part.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "catch.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/selftest/stored_outcomes.hpp"
#include "conformance/shards/json.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::selftest;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t parts_there = 3;
const Selection few{{"e2m1-fp32-*", "e4m3-bf16-*"}, {}, false};

/// The files of a selftest in three parts.
class ThreeParts {
  public:
    ThreeParts() {
        ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
        for (std::uint64_t i = 0; i < parts_there; ++i) {
            files.push_back(folder.path() / (std::to_string(i + 1) + ".json"));
            write(i, stored()[i]);
        }
    }

    void write(std::uint64_t part, const files::Json& json) const {
        files::OutputFile(files[part]).write(files::json_text(json));
    }

    /// Changes a part and makes its checksum right again.
    void change(std::uint64_t part, const std::function<void(files::Json&)>& edit) const {
        files::Json json = files::read_json(files[part]);
        edit(json);
        json["sha256"] = shards::digest_of_json(json);
        write(part, json);
    }

    static const PlantedList& all() {
        static const PlantedList list = planted_of(few);
        return list;
    }

    TemporaryFolder folder;
    std::vector<std::filesystem::path> files;

  private:
    static const std::vector<files::Json>& stored() {
        static const std::vector<files::Json> parts = [] {
            std::vector<files::Json> made;
            for (std::uint64_t i = 0; i < parts_there; ++i) {
                const PartOf part{i, parts_there};
                made.push_back(part_json(few, all(), part, plant_all(bugs_of(all(), part), 2, {})));
            }
            return made;
        }();
        return parts;
    }
};

} // namespace

TEST_CASE("each bug is dealt to one part, and no part has more than one bug more than another", "[bugs]") {
    const PlantedList all = planted_of({{"e2m1-*", "e4m3-bf16-*", "layout-*"}, {}, false});
    const std::vector<std::string> names = names_of(all);
    REQUIRE(all.backends.size() > 5);
    for (const std::uint64_t parts : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, names.size()}) {
        std::map<std::string, int> found;
        for (std::uint64_t part = 0; part < parts; ++part) {
            const std::vector<std::string> some = names_of(bugs_of(all, {part, parts}));
            CHECK(some.size() >= names.size() / parts);
            CHECK(some.size() <= names.size() / parts + 1);
            for (const std::string& name : some) ++found[name];
        }
        CHECK(found.size() == names.size());
        CHECK(std::all_of(found.begin(), found.end(), [](const auto& entry) { return entry.second == 1; }));
    }
    CHECK_THROWS_WITH(bugs_of(all, {0, names.size() + 1}), Contains("each part needs one"));
}

TEST_CASE("the merged parts of a selftest have the outcomes of one run", "[bugs]") {
    const ThreeParts three;
    const SelftestParts parts({three.files[2], three.files[0], three.files[1]});
    CHECK(parts.missing().empty());
    CHECK(parts.plant_again(2) == parts_there);
    CHECK(outcomes_json(parts.outcomes()) == outcomes_json(plant_all(ThreeParts::all(), 2, {})));
    const std::vector<std::string> missing = SelftestParts({three.files[1]}).missing();
    REQUIRE(missing.size() == 2);
    CHECK(missing[1] == "mxcert selftest --filter 'e2m1-fp32-*' --filter 'e4m3-bf16-*' --shard 3/3 --json part-3.json");
}

TEST_CASE("a part of a selftest that was changed, or is of another run, is refused", "[bugs]") {
    const ThreeParts three;
    const auto refused = [&](const std::string& why) {
        CAPTURE(why);
        CHECK_THROWS_WITH(SelftestParts(three.files), Contains(why));
    };
    SECTION("a part of another run") {
        three.change(1, [](files::Json& json) { json["run"]["filters"] = {"e2m1-fp32-*"}; });
        refused("are parts of different runs: filters");
        CHECK_THROWS_WITH(SelftestParts({three.files[1]}), Contains("planted 24 and") || Contains("planted 8 and"));
    }
    SECTION("another program") {
        const auto change_all = [&](const std::function<void(files::Json&)>& edit) {
            for (std::uint64_t i = 0; i < parts_there; ++i)
                three.change(i, [&](files::Json& json) { edit(json["run"]); });
        };
        change_all([](files::Json& run) { run["planted_sha256"] = "0"; });
        refused("1.json' is of another program than this one: planted_sha256");
        change_all([](files::Json& run) { run.erase("planted_sha256"); });
        refused("planted_sha256");
        change_all([](files::Json& run) { run["profiles"] = {"no-such"}; });
        refused("1.json: run: 'profiles' unknown");
        change_all([](files::Json& run) { run["vectors"]["version"] = "0.0.0"; });
        refused("another program than this one: vectors version");
        change_all([](files::Json& run) { run["tool"]["revision"] = "another"; });
        refused("another program than this one: tool revision");
    }
    SECTION("no such number of parts") {
        const std::uint64_t number = GENERATE(std::uint64_t{0}, std::uint64_t{1'000'000'000});
        for (std::uint64_t i = 0; i < parts_there; ++i)
            three.change(i, [&](files::Json& json) { json["run"]["parts"] = number; });
        refused("is no number of parts");
    }
    SECTION("twice") {
        const files::Json second = files::read_json(three.files[1]);
        three.write(1, files::read_json(three.files[2]));
        refused("2.json' and '" + three.files[2].string() + "' are both part 3 of 3");
        three.change(2, [](files::Json& json) { json["part"] = 4; });
        three.write(1, second);
        refused("3.json: 'part' is none of the run");
    }
    SECTION("its counts") {
        three.change(1, [](files::Json& json) { json["counts"]["escaped"] = 1; });
        refused("2.json: 'counts' are not those of the outcomes: escaped 0 and 1");
    }
    SECTION("its outcomes") {
        const auto change = [&](const std::function<void(files::Json&)>& edit) {
            three.change(1, [&](files::Json& json) { edit(json["outcomes"]); });
        };
        change([](files::Json& outcomes) { std::swap(outcomes[2], outcomes[3]); });
        refused("outcomes[2]: is not of the bug that is planted there");
        change([](files::Json& outcomes) { outcomes[2]["outcome"] = "fine"; });
        refused("outcomes[2]: 'outcome' is none");
        change([](files::Json& outcomes) { outcomes[1]["named"] = {"NO_SUCH"}; });
        refused("NO_SUCH");
        change([](files::Json& outcomes) { outcomes.erase(0); });
        refused("'outcomes' has 7, and 8 are planted in this part");
    }
    SECTION("its bytes") {
        files::Json json = files::read_json(three.files[1]);
        json["outcomes"][0]["differing"] = 7;
        three.write(1, json);
        refused("the file was changed after it was written");
        json["schema"] = "mxcert-selftest_part-9";
        three.write(1, json);
        refused("the one this version reads");
        three.write(1, files::Json::array());
        refused("is no part of a selftest");
    }
}

TEST_CASE("a part whose bugs have other outcomes when they are planted again is refused", "[bugs]") {
    const ThreeParts three;
    three.change(1, [](files::Json& json) {
        for (files::Json& one : json["outcomes"]) {
            const char* const instead = one["outcome"] == "named" ? "alike" : "named";
            --json["counts"][one["outcome"].get<std::string>()].get_ref<std::uint64_t&>();
            ++json["counts"][instead].get_ref<std::uint64_t&>();
            one["outcome"] = instead;
        }
    });
    const SelftestParts parts(three.files);
    CHECK_THROWS_WITH(parts.plant_again(2),
                      Contains("2.json': outcomes[") && Contains("planted again") && Contains("--shard 2/3 --json"));
}

TEST_CASE("mxcert selftest --shard and mxcert merge as a user runs them", "[bugs][cli][programs]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& arguments) {
        test::Result result = test::shell(folder.path(), "mxcert " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    const std::string these = "selftest --filter 'e2m1-fp32-*' --filter 'e4m3-bf16-*' ";
    CHECK(run(these + "--json one.json").code == 0);
    const test::Result part = run(these + "--shard 1/2 --json part-1.json");
    CHECK(part.code == 0);
    CHECK_THAT(part.out, Contains("PART 1 of 2: 12 of 24 bugs. It is no result"));
    const test::Result missing = run("merge part-1.json --json merged.json");
    CHECK(missing.code == 3);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "merged.json"));
    const std::size_t command = missing.out.find("mxcert selftest");
    REQUIRE(command != std::string::npos);
    CHECK(test::shell(folder.path(), missing.out.substr(command)).code == 0);
    const test::Result merged = run("merge part-1.json part-2.json --json merged.json --html merged.html");
    CHECK(merged.code == 0);
    CHECK_THAT(merged.out, Contains("Merged: 24 bugs of 2 parts. Planted again, with the same result: 2 bugs"));
    CHECK(test::shell(folder.path(), "cmp one.json merged.json").code == 0);

    const auto refused = [&](const std::string& arguments, const std::string& why) {
        const test::Result result = run(arguments);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, Contains(why));
    };
    refused("merge part-1.json part-2.json --mixed", "--mixed: parts of a selftest");
    refused("merge part-1.json .", "'.' is a folder");
    refused("merge part-1.json part-1.json", "are both part 1 of 2");
    refused("merge part-1.json one.json", "the result of a whole one");
    refused(these + "--shard 1/2", "--json");
    refused(these + "--shard 3/2 --json x.json", "expected I/N");
    refused(these + "--shard 1/25 --json x.json", "24 bugs planted, and each part needs one");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "x.json"));
}
