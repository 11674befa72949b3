// SPDX-License-Identifier: Apache-2.0
// A record of merged parts is that of one machine, to the byte; of what is missing or was changed there is none.
#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/record/record.hpp"
#include "conformance/record/record_ask.hpp"
#include "conformance/shards/test/parts_fixture.hpp"
#include "reference/operation/operation_name.hpp"

using Catch::Matchers::Contains;

namespace mxcert::shards {
namespace {

const std::string sampled = "fp64-e4m3-nearest_even-sat";
const std::string operation = "scaling-te_delayed";
const std::string large = "dequantize-e2m1-e8m0-bf16-row-32"; ///< has parts, and long outputs

/// A record of that subject in parts.
class CutRecord : public CutRun {
  public:
    explicit CutRecord(std::uint64_t parts = 3, std::uint64_t seed = 1, const std::string& offered = operation)
        : CutRun(parts, seed) {
        options.profiles.clear();
        options.recorded = true;
        subject.tables.offer(sampled);
        subject.tables.info().conversions.push_back(parse_conversion("fp16-e4m3-stochastic_a8-sat"));
        subject.tables.info().operations.push_back(parse_operation(offered));
        plan = record::plan_record(subject, options, golden());
        units = units_of(plan, subject.info(), options, parts);
        shard.run = run_of(subject.info(), options, units, parts);
    }

    [[nodiscard]] record::RecordOptions taking() const {
        record::RecordOptions taking;
        taking.seed = options.seed;
        taking.samples_per_step = options.samples_per_step;
        taking.level = {options.level};
        return taking;
    }
    [[nodiscard]] record::Record take(AskAgain* again = nullptr) const { return take(folders(), again); }
    [[nodiscard]] record::Record take(const std::vector<std::filesystem::path>& from, AskAgain* again = nullptr) const {
        Parts parts(from);
        parts.read(plan, options);
        parts.store().compare_with(again);
        return record::take_record(*open_stored(parts.store()), taking());
    }
    /// The files of a record, by name.
    [[nodiscard]] std::map<std::string, std::string> files_of(const record::Record& record) const {
        const TemporaryFolder written;
        record::write_record(record, written.path() / "record");
        std::map<std::string, std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(written.path() / "record"))
            files[entry.path().filename().string()] = content(entry.path());
        return files;
    }
};

/// Why an offer is not recorded, with the status; "" if it is.
std::string why(const record::Record& record, const std::string& offer) {
    for (const record::Unrecorded& left : record.unrecorded)
        if (left.conversion == offer) return fmt::format("{} {}", to_string(left.status), left.reason);
    return {};
}

TEST_CASE("the record of merged parts is that of one machine", "[shards][record]") {
    const std::uint64_t parts = GENERATE(as<std::uint64_t>(), 1, 2, 3);
    CutRecord run(parts);
    run.ask_all();
    const std::uint64_t asked = run.subject.asked;
    const record::Record merged = run.take();
    CHECK(run.subject.asked == asked); // nobody was asked again
    CHECK(merged.conversions.size() == 3);
    REQUIRE(merged.operations.size() == 1);
    CHECK(merged.left_out == std::vector<std::string>{"fp16-e4m3-stochastic_a8-sat"});
    const auto files = run.files_of(merged);
    CHECK(files.size() == 5);
    CHECK(files == run.files_of(record::take_record(run.subject, run.taking())));
}

TEST_CASE("no unit of a record judges, sweeps or asks what no record has", "[shards][record]") {
    CutRecord run;
    const std::string quantizer = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32";
    run.subject.tables.info().operations.push_back(parse_operation(quantizer));
    run.options.level = Level::standard;
    const certify::Plan plan = record::plan_record(run.subject, run.options, CutRun::golden());
    const auto offers_of = [&] {
        std::set<std::string> offers;
        for (const Unit& unit : units_of(plan, run.subject.info(), run.options, 3)) {
            if (unit.kind == Unit::Kind::sweep) offers.insert("a sweep");
            offers.insert(unit.name.substr(0, unit.name.find('.')));
        }
        return offers;
    };
    CHECK(offers_of() == std::set<std::string>{cut, whole, sampled, operation, quantizer});
    CHECK(run.shard.run.options().recorded);
    run.options.recorded = false; // certify would sweep it
    CHECK(offers_of().contains("a sweep"));
}

TEST_CASE("an operation is recorded whole, whichever of its rows is selected", "[shards][record]") {
    CutRecord run(1, 1, large);
    run.options.filters = {large + "/blocks"};
    run.plan = record::plan_record(run.subject, run.options, CutRun::golden());
    run.units = units_of(run.plan, run.subject.info(), run.options, 1);
    CHECK(run.plan.conversions.empty());
    REQUIRE(run.units.size() == 1);
    run.shard.run = run_of(run.subject.info(), run.options, run.units, 1);
    (void)run.ask(0);
    std::set<std::string> rows;
    for (const StoredRun& stored : read_answers(run.file_of(large)).runs) rows.insert(stored.run.row);
    CHECK(rows == std::set<std::string>{"values", "blocks"});
    record::RecordOptions taking = run.taking();
    taking.filters = run.options.filters;
    const record::Record record = record::take_record(run.subject, taking);
    REQUIRE(record.operations.size() == 1);
    CHECK(record.conversions.empty());
    CHECK(record.operations[0].runs.size() == read_answers(run.file_of(large)).runs.size());
}

TEST_CASE("long outputs decide what a record asks next, so that a unit stores them whole", "[shards][record]") {
    CutRecord run(3, 1, large);
    run.ask_all();
    const record::Record merged = run.take();
    REQUIRE(merged.operations.size() == 1);
    const Answers answers = read_answers(run.file_of(large));
    std::size_t longer = 0;
    for (std::size_t i = 0; i < answers.runs.size(); ++i) {
        const bool is_long = answers.runs[i].run.outputs.size() > record::most_packed;
        longer += is_long ? 1 : 0;
        CHECK(merged.operations[0].runs.at(i).outputs.empty() == is_long);
        CHECK(merged.operations[0].runs.at(i).answer == answers.runs[i].run.answer);
    }
    CHECK(longer != 0);
}

TEST_CASE("a unit of a record that is not there is named, with the command that asks it", "[shards][record]") {
    CutRecord run;
    run.ask_all();
    const std::string unit = GENERATE(as<std::string>(), cut + ".places", whole, sampled, operation);
    const std::filesystem::path file = run.file_of(unit);
    std::filesystem::remove(file);
    Parts parts(run.folders());
    parts.read(run.plan, run.options);
    REQUIRE(parts.missing().size() == 1);
    CHECK(parts.missing().front().units == std::vector<std::string>{unit});
    CHECK(parts.missing().front().command ==
          fmt::format("mxcert record ./sliced.so --samples-per-step 4 --level quick --shard {}/3 --keep {}",
                      parts.missing().front().part + 1, file.parent_path().parent_path().string()));
    const record::Record merged = run.take();
    const std::string offer = unit.substr(0, unit.find('.'));
    CHECK_THAT(why(merged, offer), Contains("INCOMPLETE") && Contains("no part has the answer"));
    CHECK(std::count(merged.left_out.begin(), merged.left_out.end(), offer) == 1);
    (void)run.ask(parts.missing().front().part);
    CHECK(run.files_of(run.take()) == run.files_of(record::take_record(run.subject, run.taking())));
}

TEST_CASE("what is cut out of a unit or changed is not recorded although its checksums are right", "[shards][record]") {
    CutRecord run;
    run.ask_all();
    const std::string what = GENERATE(as<std::string>(), "the first run", "the last run", "a digest", "a step");
    const std::string& offer = what == "a step" ? whole : operation;
    run.change(offer, [&](files::Json& json) {
        files::Json& runs = json["runs"];
        if (what == "the first run") runs.erase(0);
        if (what == "the last run") runs.erase(runs.size() - 1);
        if (what == "a digest") runs[0]["answer"] = std::string(64, '0');
        if (what != "a step") return;
        files::Json& seen = json["observations"][0];
        const std::string step = seen["steps"][3].get<std::string>();
        const Code first = std::stoull(step, nullptr, 16);
        const Code last = std::stoull(step.substr(step.find(' ')), nullptr, 16);
        seen["steps"].erase(3);
        seen["inputs"] = seen["inputs"].get<std::uint64_t>() - (last - first + 1);
    });
    const record::Record merged = run.take();
    INFO(what);
    if (what == "a digest")
        CHECK_THAT(why(merged, offer), Contains("ERROR") && Contains("outputs are not those of their digest"));
    else
        CHECK_THAT(why(merged, offer), Contains("INCOMPLETE"));
    CHECK(merged.unrecorded.size() == 2); // with the random one
}

TEST_CASE("parts of other records, or of certify, are refused", "[shards][record]") {
    CutRecord run;
    run.ask_all();
    const auto refused = [&](CutRun& other, const std::string& why) {
        (void)other.ask(0);
        CHECK_THROWS_WITH(Parts({run.part(0), other.part(0)}), Contains(why));
        CHECK_THROWS_WITH(Parts({other.part(0), run.part(0)}), Contains("different runs"));
    };
    CutRecord seed(3, 2);
    refused(seed, "parts of different runs: seed 1 and 2");
    CutRecord count(2);
    refused(count, "parts 3 and 2");
    CutRecord filtered;
    filtered.shard.run.filters = {"fp16-*"};
    refused(filtered, "filters");
    CutRecord build;
    build.shard.run.info.build_id = "another";
    refused(build, "backend build_id");
    CutRun certify;
    certify.shard.run.info = run.shard.run.info;
    refused(certify, R"(command "record" and "certify")");
    CutRecord version;
    version.shard.run.tool_version = "0.0.1";
    (void)version.ask(0);
    CHECK_THROWS_WITH(Parts({version.part(0)}), Contains("was asked with the version '0.0.1'"));
    // The seed decides what is asked: a part does not go on in the folder of another.
    CHECK_THROWS_WITH(seed.ask(0, run.part(0)), Contains("has a part of another run: seed"));
}

TEST_CASE("a part of a record may come twice, but not with other answers", "[shards][record]") {
    CutRecord run;
    run.ask_all();
    const auto expected = run.files_of(run.take());
    std::vector<std::filesystem::path> twice = run.folders();
    for (std::uint64_t i = 0; i < 3; ++i) {
        twice.push_back(run.folder.path() / "copy" / std::to_string(i));
        (void)run.ask(i, twice.back());
    }
    CHECK(run.files_of(run.take(twice)) == expected);
    run.subject.salt = 1;
    std::vector<std::filesystem::path> other = run.folders();
    for (std::uint64_t i = 0; i < 3; ++i) {
        other.push_back(run.folder.path() / "other" / std::to_string(i));
        (void)run.ask(i, other.back());
    }
    CHECK_THROWS_WITH(run.take(other), Contains(operation) && Contains("has other answers than '"));
}

TEST_CASE("a backend whose answers changed since is not recorded", "[shards][record]") {
    CutRecord run;
    run.ask_all();
    const std::string unit = GENERATE(as<std::string>(), whole, sampled, operation);
    const std::map<std::string, std::uint64_t> drawn{{unit, 7}};
    AskAgain same(run.subject, drawn);
    CHECK(why(run.take(&same), unit).empty());
    CHECK(same.units() == 1);
    CHECK(same.values() > 0);
    run.subject.salt = 1;
    for (const std::string& offer : {whole, sampled})
        for (Step& step : run.subject.tables.tables.at(offer).steps) step.code ^= 1;
    AskAgain other(run.subject, drawn);
    const record::Record merged = run.take(&other);
    CHECK_THAT(why(merged, unit), Contains("FAIL") && Contains("asked again, it answers otherwise"));
    CHECK(merged.unrecorded.size() == 2); // with the random one
}

TEST_CASE("a part of a record goes on where it was, and asks again what did not pass", "[shards][record]") {
    CutRecord run(1);
    run.subject.fails = question_of(run.units[2].piece);
    run.subject.end = "its END counts 3 requests";
    const PartResult first = run.ask(0);
    CHECK(first.answered == run.units.size() - 2);
    const record::Record broken = run.take();
    CHECK(why(broken, cut) == "ERROR as the test wants");
    CHECK(why(broken, operation) == "ERROR its END counts 3 requests");
    run.subject.asked = 0;
    run.subject.fails.clear();
    const std::string as_one = why(record::take_record(run.subject, run.taking()), operation);
    CHECK(as_one == why(broken, operation)); // of one machine it is the same
    run.subject.end.clear();
    const PartResult second = run.ask(0);
    CHECK(second.kept == run.units.size() - 2);
    CHECK(second.answered == run.units.size());
    CHECK(run.files_of(run.take()) == run.files_of(record::take_record(run.subject, run.taking())));
    run.subject.asked = 0;
    CHECK(run.ask(0).kept == run.units.size());
    CHECK(run.subject.asked == 0);
}

TEST_CASE("a part of a record that is stopped stores no unit that was cut short", "[shards][record]") {
    CutRecord run(1);
    std::atomic<bool> stop{false};
    run.options.stop = &stop;
    run.shard.part = 0;
    run.subject.end = "exited with signal 2";
    PartEvents events;
    events.started = [&](const Unit& unit, std::size_t, std::size_t) { stop = unit.name == operation; };
    const PartResult result = ask_part(run.subject, run.plan, run.units, run.shard, run.options, run.part(0), events);
    CHECK(result.answered == run.units.size() - 1);
    REQUIRE(!result.rows.empty());
    CHECK(result.rows.back().status == Status::incomplete);
    CHECK_FALSE(std::filesystem::exists(unit_path(run.part(0), operation)));
}

} // namespace
} // namespace mxcert::shards
