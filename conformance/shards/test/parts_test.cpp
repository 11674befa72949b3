// SPDX-License-Identifier: Apache-2.0
// Nothing is certified that was not asked: parts that lack something, or were made up, do not pass.
#include "conformance/shards/parts.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/shards/test/parts_fixture.hpp"
#include "conformance/verdict/canary.hpp"
#include "reference/operation/operation_name.hpp"

using Catch::Matchers::Contains;

namespace mxcert::shards {
namespace {

std::string a_piece(const CutRun& run, std::size_t number) {
    std::vector<std::string> names;
    for (const Unit& unit : run.units)
        if (unit.kind == Unit::Kind::piece) names.push_back(unit.name);
    return names.at(number);
}

files::Json& steps_of(files::Json& json) { return json["observations"][0]["steps"]; }

/// Makes the count of inputs that of the steps.
void recount(files::Json& json) {
    std::uint64_t inputs = 0;
    for (const files::Json& line : steps_of(json)) {
        const std::string text = line.get<std::string>();
        const std::size_t space = text.find(' ');
        inputs += std::stoull(text.substr(space), nullptr, 16) - std::stoull(text, nullptr, 16) + 1;
    }
    json["observations"][0]["inputs"] = inputs;
}

TEST_CASE("merged parts are judged as one run", "[shards]") {
    CutRun run;
    run.ask_all();
    const std::uint64_t asked = run.subject.asked;
    CHECK(asked == run.units.size());
    const std::vector<verdict::Row> rows = run.merge();
    CHECK(run.subject.asked == asked); // nobody was asked again
    const verdict::Row row = row_of(rows, cut);
    CHECK(row.status == Status::pass);
    CHECK(row.compared == std::uint64_t{1} << 32);
    CHECK(row.repeated == std::uint64_t{1} << 28);
    CHECK(verdict::table_of(row)->places.placed == 1000);
    CHECK(verdict::table_of(row)->places.in_batches == std::uint64_t{1} << 32);
    CHECK(row.observed_sha256 == row_of(certify::certify(run.subject, run.plan, run.options, {}), cut).observed_sha256);
    CHECK(row_of(rows, whole).status == Status::pass);
    Parts parts(run.folders());
    (void)run.judge(parts);
    CHECK(parts.missing().empty());
    CHECK(parts.hosts().size() == 1);
    CHECK(parts.units() == run.units.size());
    CHECK(parts.drawn().size() == 3);
}

TEST_CASE("a unit that is not there is named, with the command that asks it, and passes nothing", "[shards]") {
    CutRun run;
    run.ask_all();
    const std::string unit = GENERATE(as<std::string>(), "piece", "places", "whole");
    const std::string name = unit == "piece" ? a_piece(run, 5) : unit == "places" ? cut + ".places" : whole;
    const std::filesystem::path file = run.file_of(name);
    std::filesystem::remove(file);
    Parts parts(run.folders());
    const std::vector<verdict::Row> rows = run.judge(parts);
    REQUIRE(parts.missing().size() == 1);
    CHECK(parts.missing().front().units == std::vector<std::string>{name});
    const std::string part = std::to_string(parts.missing().front().part + 1);
    CHECK(parts.missing().front().command ==
          "mxcert certify ./sliced.so --profile ocp-sat --samples-per-step 4 --level quick --shard " + part +
              "/3 --keep " + file.parent_path().parent_path().string());
    const verdict::Row row = row_of(rows, unit == "whole" ? whole : cut);
    CHECK(row.status == Status::incomplete);
    CHECK_THAT(row.reason, Contains("no part has the answer"));
    // That command makes it whole.
    (void)run.ask(parts.missing().front().part);
    CHECK(row_of(run.merge(), cut).status == Status::pass);
}

TEST_CASE("a folder that is not there leaves its units missing", "[shards]") {
    CutRun run;
    run.ask_all();
    Parts parts({run.part(0), run.part(2)});
    const std::vector<verdict::Row> rows = run.judge(parts);
    REQUIRE(parts.missing().size() == 1);
    CHECK(parts.missing().front().part == 1);
    CHECK_THAT(parts.missing().front().command, Contains("--shard 2/3 --keep part-2"));
    CHECK(row_of(rows, cut).status == Status::incomplete);
}

TEST_CASE("what was cut short, has a hole or overlaps is seen although its checksums are right", "[shards]") {
    CutRun run;
    run.ask_all();
    const std::string piece = a_piece(run, 7);
    const std::string what = GENERATE(as<std::string>(), "cut", "hole", "overlap", "other inputs");
    run.change(piece, [&](files::Json& json) {
        files::Json& steps = steps_of(json);
        REQUIRE(!steps.empty());
        const std::string first = steps[0].get<std::string>();
        const Code begin = std::stoull(first, nullptr, 16);
        const Code end = std::stoull(first.substr(first.find(' ')), nullptr, 16);
        const std::string code = first.substr(first.rfind(' '));
        if (what == "cut") steps[0] = fmt::format("{:X} {:X}{}", begin, end - 1, code);
        if (what == "hole") {
            steps[0] = fmt::format("{:X} {:X}{}", begin, begin + 9, code);
            steps.insert(steps.begin() + 1, fmt::format("{:X} {:X}{}", begin + 11, end, code));
        }
        // With right codes: nothing else is wrong.
        if (what == "overlap") steps.insert(steps.begin(), fmt::format("{:X} {:X}{}", begin - 10, begin - 1, code));
        if (what == "other inputs") steps[0] = fmt::format("{:X} {:X}{}", begin - 1, end - 1, code);
        recount(json);
    });
    const verdict::Row row = row_of(run.merge(), cut);
    INFO(what << ": " << row.reason);
    CHECK(row.status != Status::pass);
    // In a small conversion, too.
    run.change(whole, [&](files::Json& json) {
        steps_of(json).erase(3);
        recount(json);
    });
    CHECK(row_of(run.merge(), whole).status != Status::pass);
}

TEST_CASE("a wrong code in a part fails, and so does one in another place of a call", "[shards][programs]") {
    CutRun run;
    run.ask_all();
    run.change(a_piece(run, 0), [&](files::Json& json) {
        auto& first = steps_of(json)[0].get_ref<std::string&>();
        first.back() = '1';
    });
    CHECK(row_of(run.merge(), cut).status == Status::fail);

    CutRun moved;
    moved.subject.elsewhere = {0x3F880001, 0x38};
    moved.ask_all();
    const verdict::Row row = row_of(moved.merge(), cut);
    CHECK(row.status == Status::fail);
    CHECK_THAT(row.reason, Contains("input 0x3F880001 gave other answers in another unit"));
}

// The diagnosis, of the part and of the whole run, takes ten seconds.
TEST_CASE("a wrong answer fails its part at once, and the merged run", "[.][exhaustive]") {
    CutRun wrong;
    StepTable& table = wrong.subject.tables.offer(cut);
    table.steps = verdict::plant(table.steps, 0x3F880001, 0x38);
    bool failed = false;
    for (std::uint64_t i = 0; i < 3; ++i)
        for (const verdict::Row& of_part : wrong.ask(i).rows) failed = failed || of_part.status == Status::fail;
    CHECK(failed);
    const std::vector<verdict::Row> rows = wrong.merge();
    CHECK(row_of(rows, cut).status == Status::fail);
    CHECK(row_of(rows, cut).differing == 1);
}

TEST_CASE("a file that was changed is refused and named", "[shards]") {
    CutRun run;
    run.ask_all();
    const std::filesystem::path file = run.file_of(a_piece(run, 3));
    std::string text = content(file);
    const std::string what = GENERATE(as<std::string>(), "a digit", "a checksum", "the end");
    if (what == "a digit") text.replace(text.find("\"steps\""), 30, "\"steps\": [ \"0 1 2\", \"3 4 5\",   ");
    if (what == "a checksum") text.replace(text.rfind("\"sha256\"") + 12, 4, "0000");
    if (what == "the end") text.resize(text.size() / 2);
    files::OutputFile(file).write(text);
    Parts parts(run.folders());
    CHECK_THROWS_WITH(parts.read(run.plan, run.options), Contains(file.string()));
    // The part itself is not asked over it either.
    CHECK_THROWS_WITH(run.ask_all(), Contains(file.string()));
}

TEST_CASE("numbers that cannot be are refused with their place", "[shards]") {
    CutRun run;
    run.ask_all();
    const std::string piece = a_piece(run, 3);
    const auto refused = [&](const std::function<void(files::Json&)>& edit, const std::string& why) {
        run.change(piece, edit);
        Parts parts(run.folders());
        CHECK_THROWS_WITH(parts.read(run.plan, run.options), Contains(why));
    };
    refused([](files::Json& json) { json["observations"][0]["inputs"] = 5; }, "are of 67108864 inputs, not of 5");
    refused([](files::Json& json) { steps_of(json) = {"9 5 1"}; }, "do not ascend");
    refused([](files::Json& json) { steps_of(json) = {"5 9"}; }, "not three numbers");
    refused([](files::Json& json) { steps_of(json) = {"5 9 1 1"}; }, "not three numbers");
    refused([](files::Json& json) { steps_of(json) = {"-5 9 1"}; }, "not three numbers");
    refused([](files::Json& json) { steps_of(json) = {7}; }, "no text");
    refused([](files::Json& json) { json["observations"][0]["status"] = "FINE"; }, "is no status");
    refused([](files::Json& json) { json["observations"] = 1; }, "is not a list");
    refused([](files::Json& json) { json["schema"] = "mxcert-unit-9"; }, "the one this version reads");
}

TEST_CASE("codes that no format has are an error, whatever the checksums say", "[shards]") {
    CutRun run;
    run.ask_all();
    run.change(a_piece(run, 0), [](files::Json& json) {
        steps_of(json) = {"0 3 FFFFFFFF", "FFFFFFFFFFFFFFF0 FFFFFFFFFFFFFFFF 0"};
        recount(json);
    });
    const verdict::Row row = row_of(run.merge(), cut);
    CHECK(row.status == Status::error);
    CHECK_THAT(row.reason, Contains("none of its formats"));
}

TEST_CASE("a part may come twice, but not with other answers", "[shards]") {
    CutRun run;
    run.ask_all();
    const std::filesystem::path copy = run.folder.path() / "copy";
    (void)run.ask(1, copy);
    std::vector<std::filesystem::path> folders = run.folders();
    folders.push_back(copy);
    Parts parts(folders);
    CHECK(row_of(run.judge(parts), cut).status == Status::pass);

    const std::filesystem::path other = run.folder.path() / "other";
    StepTable& table = run.subject.tables.offer(cut);
    table.steps = verdict::plant(table.steps, 0x3F880001, 0x38);
    for (std::uint64_t i = 0; i < 3; ++i) (void)run.ask(i, other / std::to_string(i));
    folders = run.folders();
    for (std::uint64_t i = 0; i < 3; ++i) folders.push_back(other / std::to_string(i));
    Parts differing(folders);
    CHECK_THROWS_WITH(differing.read(run.plan, run.options), Contains("has other answers than '"));
}

TEST_CASE("parts of different runs are refused, with what differs", "[shards]") {
    CutRun run;
    run.ask_all();
    const auto refused = [&](CutRun& other, const std::string& why) {
        (void)other.ask(0);
        CHECK_THROWS_WITH(Parts({run.part(0), other.part(0)}), Contains(why));
    };
    CutRun seed(3, 2);
    refused(seed, "parts of different runs: seed 1 and 2");
    CutRun count(4);
    refused(count, "parts 3 and 4");
    CutRun build;
    build.shard.run.info.build_id = "another";
    refused(build, "backend build_id");
    CutRun options;
    options.shard.run.backend_options = "x";
    refused(options, "backend_options");
    CutRun level;
    level.shard.run.level = {Level::standard};
    refused(level, "level");
    CutRun version;
    version.shard.run.tool_version = "0.0.1";
    (void)version.ask(0);
    CHECK_THROWS_WITH(Parts({version.part(0)}), Contains("was asked with the version '0.0.1'"));
    CutRun vectors;
    vectors.shard.run.vectors.manifest_sha256 = "0";
    (void)vectors.ask(0);
    CHECK_THROWS_WITH(Parts({vectors.part(0)}), Contains("manifest of vectors"));
    CutRun units;
    units.shard.run.units_sha256 = "0";
    units.ask_all();
    CHECK_THROWS_WITH(units.merge(), Contains("cut into other units"));
    CHECK_THROWS_WITH(Parts({run.folder.path()}), Contains("no shard.json"));
}

TEST_CASE("a unit in the folder of another part, or of no run, is refused", "[shards]") {
    CutRun run;
    run.ask_all();
    const std::filesystem::path file = run.file_of(whole);
    const std::filesystem::path home = file.parent_path().parent_path();
    const std::filesystem::path elsewhere = home == run.part(0) ? run.part(1) : run.part(0);
    std::filesystem::rename(file, unit_path(elsewhere, whole));
    CHECK_THROWS_WITH(run.merge(), Contains("is a unit of part"));
    std::filesystem::rename(unit_path(elsewhere, whole), elsewhere / "units" / "stray.json");
    CHECK_THROWS_WITH(run.merge(), Contains("stray.json: is no unit of the run"));
    std::filesystem::remove(elsewhere / "units" / "stray.json");
    // The file of another unit under its name.
    std::filesystem::copy(run.file_of(cut + ".places"), unit_path(home, whole));
    CHECK_THROWS_WITH(run.merge(), Contains("has the answers of the unit " + cut + ".places"));
}

TEST_CASE("a part goes on where it was, and asks again what did not pass", "[shards]") {
    CutRun run(1);
    run.subject.fails = question_of(run.units[2].piece);
    const PartResult first = run.ask(0);
    CHECK(first.units == run.units.size());
    CHECK(first.answered == run.units.size() - 1);
    CHECK(first.kept == 0);
    CHECK(
        std::any_of(first.rows.begin(), first.rows.end(), [](const auto& row) { return row.status == Status::error; }));
    CHECK(row_of(run.merge(), cut).status == Status::error);
    run.subject.asked = 0;
    run.subject.fails.clear();
    const PartResult second = run.ask(0);
    CHECK(run.subject.asked == 1);
    CHECK(second.kept == run.units.size() - 1);
    CHECK(second.answered == run.units.size());
    CHECK(row_of(run.merge(), cut).status == Status::pass);
    // Another run does not go on in its folder.
    CutRun other(1, 2);
    CHECK_THROWS_WITH(other.ask(0, run.part(0)), Contains("has a part of another run: seed"));
}

TEST_CASE("a worker of operations that does not end well is no success of its part, nor of the merge", "[shards]") {
    CutRun run(1);
    run.subject.tables.info().operations.push_back(parse_operation("layout-swizzle_128x4-arrange"));
    run.options.profiles = {"nvidia-te"};
    run.options.filters = {"layout-*/*"};
    run.plan = certify::make_plan(run.subject, run.options, CutRun::golden());
    run.units = units_of(run.plan, run.subject.info(), run.options, 1);
    REQUIRE(run.units.size() == 1);
    run.shard.run = run_of(run.subject.info(), run.options, run.units, 1);
    run.subject.end = "its END counts 3 requests";
    const std::vector<verdict::Row> asked = run.ask(0).rows;
    CHECK(row_of(asked, "operations").status == Status::error);
    CHECK(read_answers(run.file_of(run.units[0].name)).status != Status::pass); // asked again
    const verdict::Row merged = row_of(run.merge(), "operations");
    CHECK(merged.status == Status::error);
    CHECK(merged.reason == run.subject.end);
    run.subject.end.clear();
    CHECK(run.ask(0).kept == 0);
    CHECK_THROWS(row_of(run.merge(), "operations"));
}

TEST_CASE("a slice of each part that is asked again and differs fails", "[shards]") {
    CutRun run;
    run.ask_all();
    Parts parts(run.folders());
    parts.read(run.plan, run.options);
    const auto judge = [&](AskAgain& again) {
        parts.store().compare_with(&again);
        return certify::certify(*open_stored(parts.store()), run.plan, run.options, {});
    };
    AskAgain same(run.subject, parts.drawn());
    CHECK(row_of(judge(same), cut).status == Status::pass);
    CHECK(same.units() == 3);
    CHECK(same.values() > 4000);
    // Whatever is asked again of FP32 is another code now.
    for (Step& step : run.subject.tables.offer(cut).steps) step.code ^= 1;
    std::map<std::string, std::uint64_t> drawn{{a_piece(run, 4), 5}};
    AskAgain other(run.subject, drawn);
    const verdict::Row row = row_of(judge(other), cut);
    CHECK(row.status == Status::fail);
    CHECK_THAT(row.reason, Contains("asked again, it answers otherwise: input 0x"));
    CHECK(other.units() == 0);
}

TEST_CASE("machines of several kinds are told apart", "[shards]") {
    CutRun run;
    run.ask_all();
    run.change(whole, [](files::Json& json) { json["host"]["cpu"] = "another"; });
    Parts parts(run.folders());
    (void)run.judge(parts);
    CHECK(parts.hosts().size() == 2);
}

} // namespace
} // namespace mxcert::shards
