// SPDX-License-Identifier: Apache-2.0
// Operations in records and diffs, and their cases by --reproduce: with a quantizer that is right, and with faults.
#include "conformance/record/recorded_run.hpp"

#include <algorithm>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/diff/diff.hpp"
#include "conformance/files/pack.hpp"
#include "conformance/record/record.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::record;
using Catch::Matchers::Contains;
using mxcert::test::open_plugin;
namespace fs = std::filesystem;

namespace {

constexpr const char* quantizer = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32";

std::unique_ptr<observe::Subject> open_record(const fs::path& path) {
    return subjects::open_subject({observe::BackendSpec::Kind::record, "record", path, {}}, {});
}

Record take(observe::Subject& subject, const std::string& filter = quantizer) {
    RecordOptions options;
    options.filters = {filter};
    return take_record(subject, options);
}

// Of the quantizer of the tests: taken once, it takes a while.
const Record& right_record() {
    static const Record record = take(*open_plugin(MXCERT_TEST_QUANTIZER, ""));
    return record;
}

std::vector<verdict::Row> certify_subject(observe::Subject& subject, const std::string& filter,
                                          const std::string& reproduce = "", const std::string& profile = "ocp-sat") {
    static verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.level = Level::quick;
    options.profiles = {profile};
    options.filters = {filter};
    options.samples_per_step = 0;
    if (!reproduce.empty()) options.reproduce = cases::parse_reproduction(reproduce);
    return certify::certify(subject, certify::make_plan(subject, options, golden), options, {});
}

verdict::Row row_of(const std::vector<verdict::Row>& rows, const std::string& part) {
    const auto at =
        std::find_if(rows.begin(), rows.end(), [&](const verdict::Row& row) { return row.id.ends_with(part); });
    REQUIRE(at != rows.end());
    return *at;
}

diff::OperationDiff diff_of(const diff::Diff& diff, const std::string& part) {
    const auto at = std::find_if(diff.operations.begin(), diff.operations.end(),
                                 [&](const diff::OperationDiff& row) { return row.id.ends_with(part); });
    REQUIRE(at != diff.operations.end());
    return *at;
}

diff::DiffOptions of_quantizer(const std::string& part = "/*") {
    diff::DiffOptions options;
    options.filters = {quantizer + part};
    return options;
}

/// A subject with one wrong byte: in a value of the first output of a run with this name.
class OneByteWrong final : public test::BareSubject {
  public:
    OneByteWrong(observe::Subject& right, std::string name, std::uint64_t value)
        : right_(right), name_(std::move(name)), value_(value) {
        info() = right.info();
    }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        frames::RunAnswer answer = right_.run(operation, run_case);
        if (run_case.name == name_) answer.outputs[0].set(value_, answer.outputs[0].get(value_) ^ 1);
        return answer;
    }

  private:
    observe::Subject& right_;
    std::string name_;
    std::uint64_t value_;
};

} // namespace

TEST_CASE("what is packed is what comes out, and nothing else does", "[record]") {
    std::string bytes;
    for (const std::size_t size : {0U, 1U, 2U, 3U, 4U, 5U, 1000U}) {
        while (bytes.size() < size) bytes += static_cast<char>(bytes.size() * 37 % 256);
        const std::string packed = files::pack(bytes);
        CHECK(files::unpack(packed, size) == bytes);
        CHECK_THROWS_AS(files::unpack(packed, size + 1), std::runtime_error);
        if (size != 0) CHECK_THROWS_AS(files::unpack(packed, size - 1), std::runtime_error);
        CHECK_THROWS_AS(files::unpack(packed.substr(4), size), std::runtime_error);
        CHECK_THROWS_AS(files::unpack(packed + "AAAA", size), std::runtime_error);
        CHECK_THROWS_AS(files::unpack(packed.substr(0, packed.size() - 1) + "*", size), std::runtime_error);
    }
    CHECK(files::pack(std::string(1 << 20, 'x')).size() < 2000);
}

TEST_CASE("a record has the runs of an operation, and certify judges them like the backend",
          "[record][operation][values]") {
    const TemporaryFolder folder;
    const Record& record = right_record();
    REQUIRE(record.operations.size() == 1);
    CHECK(record.conversions.empty());
    CHECK(record.operations[0].runs.size() > 15);
    write_record(record, folder.path() / "r");
    const auto subject = open_record(folder.path() / "r");
    CHECK(to_string(subject->info().operations.at(0)) == quantizer);
    const std::vector<verdict::Row> rows = certify_subject(*subject, "*");
    CHECK(rows.size() == 3);
    for (const verdict::Row& row : rows) {
        INFO(row.id << ": " << row.reason);
        CHECK(row.status == Status::pass);
    }
    const auto live = open_plugin(MXCERT_TEST_QUANTIZER, "");
    CHECK(row_of(rows, "/blocks").observed_sha256 ==
          row_of(certify_subject(*live, "*-32/blocks"), "/blocks").observed_sha256);
}

TEST_CASE("a record of a wrong quantizer fails as that does", "[record][operation][values]") {
    for (const auto& [fault, part] :
         {std::pair{"tail shares", "/blocks"}, std::pair{"subnormals flushed", "/elements"}}) {
        INFO(fault);
        const TemporaryFolder folder;
        const auto live = open_plugin(MXCERT_TEST_QUANTIZER, fault);
        const std::string asked = std::string(quantizer) + part;
        write_record(take(*live, asked), folder.path() / "r");
        const auto subject = open_record(folder.path() / "r");
        const verdict::Row row = row_of(certify_subject(*subject, asked), part);
        const verdict::Row seen = row_of(certify_subject(*live, asked), part);
        CHECK(row.status == Status::fail);
        CHECK(seen.status == Status::fail);
        CHECK(std::ranges::equal(verdict::wrong_of(row), verdict::wrong_of(seen)));
        REQUIRE((verdict::cases_of(row) == nullptr) == (verdict::cases_of(seen) == nullptr));
        if (verdict::cases_of(row) != nullptr) CHECK(verdict::cases_of(row)->cases == verdict::cases_of(seen)->cases);
        const diff::Diff found = diff::diff(*open_plugin(MXCERT_TEST_QUANTIZER, ""), *subject, of_quantizer(part));
        CHECK(diff::exit_code(found) == 1);
        CHECK(diff_of(found, part).status == Status::fail);
    }
}

TEST_CASE("what a record has no answer to, or only a digest of, never passes", "[record][operation][values]") {
    const Operation operation = parse_operation(quantizer);
    const auto certified = [&](const Record& record) {
        const TemporaryFolder folder;
        write_record(record, folder.path() / "r");
        return certify_subject(*open_record(folder.path() / "r"), "*");
    };
    Record without_row = right_record();
    std::erase_if(without_row.operations[0].runs, [](const RecordedRun& run) { return run.row == "blocks"; });
    const std::vector<verdict::Row> rows = certified(without_row);
    CHECK(row_of(rows, "/scale").status == Status::pass);
    CHECK(row_of(rows, "/blocks").status == Status::incomplete);
    CHECK_THAT(row_of(rows, "/blocks").reason, Contains("the record has no answer to this run"));
    CHECK(verdict::exit_code(rows) == 3);

    Record digests = right_record();
    for (RecordedRun& run : digests.operations[0].runs)
        if (run.row == "blocks") run.outputs.clear();
    CHECK(row_of(certified(digests), "/blocks").status == Status::untested);
    Record broken = right_record();
    broken.operations[0].runs[0].outputs = files::pack("x");
    CHECK(row_of(certified(broken), "/scale").status == Status::error);
    Record other_record = right_record();
    other_record.operations[0].runs[0].outputs = other_record.operations[0].runs.back().outputs;
    CHECK(row_of(certified(other_record), "/scale").status == Status::error);
    Record none = right_record();
    none.operations[0].runs.clear();
    CHECK(verdict::exit_code(certified(none)) == 3);
}

TEST_CASE("one changed byte in one run shows in diff, with its place", "[record][operation][values]") {
    const TemporaryFolder folder;
    write_record(right_record(), folder.path() / "r");
    const auto record = open_record(folder.path() / "r");
    const auto live = open_plugin(MXCERT_TEST_QUANTIZER, "");
    const diff::DiffOptions all = of_quantizer();
    const diff::Diff same = diff::diff(*record, *live, all);
    CHECK(diff::exit_code(same) == 0);
    CHECK(same.operations.size() == 3);
    for (const diff::OperationDiff& row : same.operations) CHECK(row.compared > 0);

    // Of rows of 33 values: the second row's lane 7 of the first block.
    OneByteWrong wrong(*live, "a tail of 1", 33 + 7);
    for (observe::Subject* other_subject : {live.get(), record.get()}) {
        const diff::Diff found = diff::diff(wrong, *other_subject, all);
        CHECK(diff::exit_code(found) == 1);
        CHECK(diff_of(found, "/scale").status == Status::pass);
        CHECK(diff_of(found, "/elements").status == Status::pass);
        const diff::OperationDiff row = diff_of(found, "/blocks");
        CHECK(row.status == Status::fail);
        REQUIRE(row.runs.size() == 1);
        CHECK(row.runs[0].name == "a tail of 1");
        CHECK(row.runs[0].values == 1);
        CHECK_THAT(row.runs[0].first, Contains("row 1, column 7 (block 0, lane 7): "));
    }
    // Where the record has but a digest, that tells, too.
    Record digests = right_record();
    for (RecordedRun& run : digests.operations[0].runs)
        if (run.row == "blocks") run.outputs.clear();
    write_record(digests, folder.path() / "d");
    const auto of_digests = open_record(folder.path() / "d");
    CHECK(diff::exit_code(diff::diff(*of_digests, *record, all)) == 0);
    CHECK(diff::exit_code(diff::diff(*live, *of_digests, of_quantizer("/blocks"))) == 0);
    const diff::Diff found = diff::diff(*of_digests, wrong, of_quantizer("/blocks"));
    REQUIRE(diff_of(found, "/blocks").runs.size() == 1);
    CHECK_THAT(diff_of(found, "/blocks").runs[0].first, Contains("digests differ"));
    // What is missing is not the same.
    Record without_row = right_record();
    std::erase_if(without_row.operations[0].runs, [](const RecordedRun& run) { return run.name == "zero"; });
    write_record(without_row, folder.path() / "w");
    const diff::Diff missing = diff::diff(*live, *open_record(folder.path() / "w"), of_quantizer("/blocks"));
    CHECK(diff::exit_code(missing) == 3);
    CHECK(diff_of(missing, "/blocks").status == Status::incomplete);
    Record seeds = right_record();
    seeds.seed = 7;
    write_record(seeds, folder.path() / "s");
    CHECK(diff::exit_code(diff::diff(*record, *open_record(folder.path() / "s"), all)) == 3);
}

TEST_CASE("a record with operations that was changed is refused", "[record][operation][values]") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "r";
    const Record right = take(*open_plugin(MXCERT_TEST_QUANTIZER, ""), fmt::format("{}/blocks", quantizer));
    REQUIRE(right.operations.at(0).runs.size() > 5);
    using Json = nlohmann::ordered_json;
    const auto refused = [&](const std::function<void(Json&)>& spoil) {
        fs::remove_all(path);
        write_record(right, path);
        Json json = Json::parse(content(path / "record.json"));
        spoil(json);
        std::ofstream(path / "record.json") << json.dump();
        try {
            (void)read_record(path);
        } catch (const std::runtime_error&) {
            return true;
        }
        return false;
    };
    CHECK_FALSE(refused([](Json&) {}));
    CHECK(refused([](Json& j) { j["operations"][0]["sha256"] = std::string(64, '0'); }));
    CHECK(refused([](Json& j) { j["operations"][0]["file"] = "../record.json"; }));
    CHECK(refused([](Json& j) { j["operations"][0]["operation"] = "quantize-fp32"; }));
    CHECK(refused([](Json& j) { j["operations"][0]["runs"] = 1; }));
    CHECK(refused([](Json& j) { j["operations"].push_back(j["operations"][0]); }));
    CHECK(refused([](Json& j) { j.erase("operations"); }));
    CHECK(refused([](Json& j) { j.erase("samples_per_step"); }));
    CHECK(refused([](Json& j) { j["schema"] = "mxcert-record-4"; }));
    // One of before: it has no operations.
    CHECK_FALSE(refused([](Json& j) {
        j["schema"] = "mxcert-record-1";
        j.erase("operations");
        j.erase("samples_per_step");
    }));
    for (const bool cut : {false, true}) {
        fs::remove_all(path);
        write_record(right, path);
        const fs::path runs = path / (fmt::format("{}.json", quantizer));
        std::string text = content(runs);
        if (cut)
            text.resize(text.size() / 2);
        else
            text[text.size() / 2] ^= 1;
        std::ofstream(runs, std::ios::binary) << text;
        CHECK_THROWS_WITH(read_record(path), Contains("its SHA-256 is not the one in record.json"));
    }
}

TEST_CASE("a case of an operation is asked again by its reproduction, and fails again",
          "[operation][reproduce][values]") {
    const auto right = open_plugin(MXCERT_TEST_QUANTIZER, "");
    for (const auto& [fault, part] :
         {std::pair{"tail shares", "/blocks"}, std::pair{"lanes swapped", "/blocks"},
          std::pair{"subnormals flushed", "/elements"}, std::pair{"without lane 0", "/scale"}}) {
        INFO(fault << part);
        const auto wrong = open_plugin(MXCERT_TEST_QUANTIZER, fault);
        const verdict::Row row = row_of(certify_subject(*wrong, std::string(quantizer) + part), part);
        REQUIRE(row.status == Status::fail);
        std::string number;
        const verdict::CaseFindings* of_cases = verdict::cases_of(row);
        if (of_cases != nullptr) {
            REQUIRE(of_cases->cases.size() == verdict::wrong_of(row).size());
            number = std::to_string(of_cases->cases.front());
        } else {
            REQUIRE_FALSE(verdict::differences_of(row).empty());
            number = fmt::format("0x{:0{}X}", verdict::differences_of(row).front().first,
                                 (verdict::conversion_of(row)->from->width() + 3) / 4);
        }
        const std::string line = row.id + ":" + number;
        CHECK(cases::to_string(cases::parse_reproduction(line)) == line);
        const std::vector<verdict::Row> again = certify_subject(*wrong, "*", line);
        REQUIRE(again.size() == 1);
        CHECK(again[0].status == Status::fail);
        CHECK(again[0].compared < row.compared);
        if (of_cases == nullptr) {
            CHECK(again[0].compared == 1);
            REQUIRE(verdict::differences_of(again[0]).size() == 1);
            CHECK(verdict::differences_of(again[0])[0].got == verdict::differences_of(row)[0].got);
        } else {
            CHECK(verdict::wrong_of(again[0]).front() == verdict::wrong_of(row).front());
        }
        CHECK(row_of(certify_subject(*right, "*", line), part).status == Status::pass);
    }
    const std::vector<verdict::Row> beyond = certify_subject(*right, "*", fmt::format("{}/blocks:99", quantizer));
    CHECK(row_of(beyond, "/blocks").status == Status::untested);
    CHECK_THAT(row_of(beyond, "/blocks").reason, Contains("there is no case 99: they are 0 to "));
    CHECK_THROWS_WITH(certify_subject(*right, "*", fmt::format("{}/places:0", quantizer)), Contains("has no row"));
    CHECK(verdict::exit_code(certify_subject(*right, "*", "dequantize-e5m2-e8m0-fp32-row-32/blocks:0")) == 1);
    // Of a record, too.
    const TemporaryFolder folder;
    write_record(right_record(), folder.path() / "r");
    const auto record = open_record(folder.path() / "r");
    for (const char* what : {"/blocks:3", "/scale:3F800000", "/elements:0000000000", "/blocks"}) {
        INFO(what);
        CHECK(verdict::exit_code(certify_subject(*record, "*", std::string(quantizer) + what)) == 0);
    }
}

TEST_CASE("cases with float scales, layouts and traces are asked again", "[operation][reproduce][values]") {
    struct Planted {
        const char* plugin;
        const char* fault;
        const char* profile;
        const char* filter;
    };
    for (const Planted& planted : {Planted{MXCERT_TEST_QUANTIZER, "swizzled twice", "nvidia-te", "layout*"},
                                   Planted{MXCERT_TEST_QUANTIZER, "one byte lost", "nvidia-te", "layout*"},
                                   Planted{MXCERT_TEST_QUANTIZER, "tail shares", "ocp-sat", "dequantize*/blocks"}}) {
        INFO(planted.fault);
        const auto wrong = open_plugin(planted.plugin, planted.fault);
        const std::vector<verdict::Row> rows = certify_subject(*wrong, planted.filter, "", planted.profile);
        const auto row =
            std::find_if(rows.begin(), rows.end(), [](const verdict::Row& r) { return r.status == Status::fail; });
        REQUIRE(row != rows.end());
        REQUIRE(verdict::cases_of(*row)->cases.size() == verdict::wrong_of(*row).size());
        const std::vector<verdict::Row> again = certify_subject(
            *wrong, "*", row->id + ":" + std::to_string(verdict::cases_of(*row)->cases.front()), planted.profile);
        REQUIRE(again.size() == 1);
        CHECK(again[0].status == Status::fail);
        CHECK(verdict::wrong_of(again[0]).front() == verdict::wrong_of(*row).front());
    }
}

TEST_CASE("an operation that must be offered and is not fails", "[operation][require][values]") {
    const auto right = open_plugin(MXCERT_TEST_QUANTIZER, "");
    static verdict::GoldenSource golden;
    const auto required = [&](const std::string& pattern, const std::string& filter) {
        verdict::CertifyOptions options;
        options.level = Level::quick;
        options.profiles = {"ocp-sat"};
        options.filters = {filter};
        options.required = {pattern};
        options.samples_per_step = 0;
        return certify::certify(*right, certify::make_plan(*right, options, golden), options, {});
    };
    const std::string part = fmt::format("{}/scale", quantizer);
    CHECK(verdict::exit_code(required(quantizer, part)) == 0);
    CHECK(row_of(required("quantize-*-row-32", part), "/scale").required);
    CHECK(verdict::exit_code(required("dequantize-*-column-32", part)) == 1);
    CHECK(row_of(required("dequantize-*-column-32", part), "column-32").status == Status::unsupported);
    CHECK(row_of(required("dequantize-*", part), "dequantize-*").status == Status::untested);
    for (const char* never :
         {"quantise-*", "quantize-fp32", "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-up-32"})
        CHECK_THROWS_AS(required(never, part), std::invalid_argument);
}
