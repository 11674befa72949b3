// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/record.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/inputs/points_csv.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/test/fake_subject.hpp"

using namespace mxcert;
using namespace mxcert::record;
using mxcert::test::FakeSubject;
namespace fs = std::filesystem;

namespace {

// A folder that is not there yet, and is gone after the test.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("mxcert_record_test_" + std::to_string(::getpid()));
    Folder() { fs::remove_all(path); }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const Record& sample_record() {
    static const Record record = [] {
        FakeSubject subject;
        subject.offer("fp16-e4m3-nearest_even-sat");
        subject.offer("fp64-e4m3-nearest_even-sat");
        subject.info().conversions.push_back(parse_conversion("fp16-e4m3-stochastic_a8-sat"));
        return take_record(subject, {});
    }();
    return record;
}

std::unique_ptr<observe::Subject> open_record(const fs::path& path) {
    return subjects::open_subject({observe::BackendSpec::Kind::record, "record", path, {}}, {});
}

} // namespace

TEST_CASE("a record reads back as what was written") {
    const Folder folder;
    const Record& record = sample_record();
    CHECK(record.conversions.size() == 2);
    CHECK(record.unrecorded.size() == 1);
    write_record(record, folder.path);
    const Record again = read_record(folder.path);
    CHECK(again.info.name == "fake");
    CHECK(again.info.conversions == record.info.conversions);
    REQUIRE(again.conversions.size() == 2);
    CHECK(again.conversions[0].table.steps == record.conversions[0].table.steps);
    CHECK(again.conversions[1].table.steps.empty());
    CHECK(again.conversions[1].points.size() == record.conversions[1].points.size());
    CHECK(again.conversions[1].points.size() > 1000);
    CHECK(again.info.unknown.size() == 1);
}

TEST_CASE("a record answers like what it recorded") {
    const Folder folder;
    write_record(sample_record(), folder.path);
    const std::unique_ptr<observe::Subject> subject = open_record(folder.path);
    CHECK(subject->is_record());
    const Conversion fp16 = parse_conversion("fp16-e4m3-nearest_even-sat");
    const Conversion fp64 = parse_conversion("fp64-e4m3-nearest_even-sat");
    CHECK(subject->observe(fp16, nullptr).status == Status::pass);
    CHECK(subject->observe(parse_conversion("bf16-e4m3-nearest_even-sat"), nullptr).status == Status::unsupported);
    CHECK(subject->observe_points(fp16, {{0x3C00, 0, 0}}, nullptr).points.at(0).got == 0x38);
    const std::vector<inputs::Point> points = subject->answerable(fp64, {});
    CHECK(subject->observe_points(fp64, points, nullptr).points.size() == points.size());
    CHECK(subject->observe_points(fp64, {{0x3FF123456789ABCD, 0, 0}}, nullptr).status == Status::incomplete);
}

TEST_CASE("a record holds a table of a source with a given scale, which level complete asks") {
    const Folder folder;
    Record record = sample_record();
    const Conversion by_scale = parse_conversion("fp32_by_e8m0-e4m3-nearest_even-sat");
    const StepTable table{by_scale.from, by_scale.to, {{0, by_scale.from->last_code(), 0x11}}};
    record.conversions.push_back({by_scale, table, {}, 0, {}});
    record.info.conversions.push_back(by_scale);
    write_record(record, folder.path);
    const std::unique_ptr<observe::Subject> subject = open_record(folder.path);
    CHECK_FALSE(subject->holds_points(by_scale));
    CHECK(subject->observe(by_scale, nullptr).table.steps == table.steps);
    CHECK(subject->observe_points(by_scale, {{0x7F3F800000, 0, 0}}, nullptr).points.at(0).got == 0x11);
}

TEST_CASE("a record says of how many inputs it was sure") {
    const Folder folder;
    Record record = sample_record();
    RecordedConversion& table = record.conversions.at(0);
    RecordedConversion& points = record.conversions.at(1);
    table.repeated = table.conversion.from->last_code();
    points.points.resize(4);
    points.repeated = 3;
    write_record(record, folder.path);
    const std::unique_ptr<observe::Subject> subject = open_record(folder.path);
    const auto repeated = [&](const RecordedConversion& conversion, const std::vector<inputs::Point>& inputs) {
        return subject->observe_points(conversion.conversion, inputs, nullptr).repeated;
    };
    // One of them was asked once, and may be among those that are asked for here.
    CHECK(repeated(points, points.points) == 3);
    CHECK(repeated(points, {points.points[0], points.points[1]}) == 1);
    CHECK(repeated(points, {points.points[0]}) == 0);
    CHECK(repeated(table, {{1, 0, 0}, {2, 0, 0}}) == 1);
}

TEST_CASE("a record is not written over anything") {
    const Folder folder;
    fs::create_directories(folder.path);
    write(folder.path / "mine", "x");
    CHECK_THROWS_AS(write_record(sample_record(), folder.path), std::runtime_error);
    CHECK(read(folder.path / "mine") == "x");
    CHECK_THROWS_AS(check_record_folder(folder.path / "mine"), std::runtime_error);
}

TEST_CASE("a broken record is refused, with the place") {
    const Folder folder;
    const fs::path index = folder.path / "record.json";
    const auto refused = [&](const std::function<void(nlohmann::ordered_json&)>& spoil) {
        fs::remove_all(folder.path);
        write_record(sample_record(), folder.path);
        nlohmann::ordered_json json = nlohmann::ordered_json::parse(read(index));
        spoil(json);
        write(index, json.dump());
        try {
            (void)read_record(folder.path);
        } catch (const std::runtime_error& error) {
            return std::string(error.what()).find("mxcert_record_test") != std::string::npos;
        }
        return false;
    };
    using Json = nlohmann::ordered_json;
    CHECK_FALSE(refused([](Json&) {}));
    CHECK(refused([](Json& j) { j["schema"] = "mxcert-record-4"; }));
    CHECK(refused([](Json& j) { j.erase("left_out"); }));
    CHECK(refused([](Json& j) { j["left_out"] = "x"; }));
    CHECK(refused([](Json& j) { j["left_out"] = {"fp16-e4m3"}; }));
    CHECK(refused([](Json& j) { j["level"] = "all"; }));
    CHECK(refused([](Json& j) { j.erase("schema"); }));
    CHECK(refused([](Json& j) { j = Json::array(); }));
    CHECK(refused([](Json& j) { j["backend"] = 1; }));
    CHECK(refused([](Json& j) { j["seed"] = -1; }));
    CHECK(refused([](Json& j) { j["files"] = "x"; }));
    CHECK(refused([](Json& j) { j["files"][0] = "x"; }));
    CHECK(refused([](Json& j) { j["files"][0]["file"] = "../record.json"; }));
    CHECK(refused([](Json& j) { j["files"][0]["file"] = "/etc/passwd"; }));
    CHECK(refused([](Json& j) { j["files"][0]["file"] = ""; }));
    CHECK(refused([](Json& j) { j["files"][0]["file"] = "none.csv"; }));
    CHECK(refused([](Json& j) { j["files"][0]["rows"] = 3; }));
    CHECK(refused([](Json& j) { j["files"][0]["sha256"] = std::string(64, '0'); }));
    CHECK(refused([](Json& j) { j["files"][0]["kind"] = "points"; }));
    CHECK(refused([](Json& j) { j["files"][0]["kind"] = "both"; }));
    CHECK(refused([](Json& j) { j["files"][0]["conversion"] = "fp16-e4m9-up-sat"; }));
    CHECK(refused([](Json& j) { j["files"][0]["conversion"] = "fp16-e4m3-up-sat"; }));
    CHECK(refused([](Json& j) { j["files"].push_back(j["files"][0]); }));
    CHECK(refused([](Json& j) { j.erase("not_recorded"); }));

    fs::remove_all(folder.path);
    write_record(sample_record(), folder.path);
    const fs::path csv = folder.path / "fp16-e4m3-nearest_even-sat.csv";
    write(csv, read(csv).substr(0, 100));
    CHECK_THROWS_AS(read_record(folder.path), std::runtime_error);
    write(index, "{");
    CHECK_THROWS_AS(read_record(folder.path), std::runtime_error);
    fs::remove(index);
    CHECK_THROWS_AS(read_record(folder.path), std::runtime_error);
}

TEST_CASE("a record that nests too deep is refused") {
    const Folder folder;
    fs::create_directories(folder.path);
    write(folder.path / "record.json", std::string(100'000, '[') + std::string(100'000, ']'));
    CHECK_THROWS_WITH(read_record(folder.path), Catch::Contains("nested deeper than 32 levels"));
}

TEST_CASE("points as CSV") {
    const Format& from = *find_format("fp64");
    const Format& to = *find_format("e4m3");
    const std::string text = inputs::write_points({{0, 0, 0x80}, {0xABC, 0, 0x7F}}, from, to);
    CHECK(text == "input,code\n0000000000000000,80\n0000000000000ABC,7F\n");
    CHECK(inputs::parse_points(text, "t", from, to).at(1).input == 0xABC);
    for (const char* bad :
         {"", "input,code\n", "input,code", "input,cod\n0000000000000000,80\n", "input,code\n0,80\n",
          "input,code\n0000000000000abc,7F\n", "input,code\n0000000000000ABC,7f\n", "input,code\n0000000000000ABC\n",
          "input,code\n0000000000000ABC,7F,\n", "input,code\n0000000000000ABC,7F\n0000000000000ABC,7F\n",
          "input,code\r\n0000000000000ABC,7F\r\n", "input,code\n0000000000000ABC,7F\n\n"})
        CHECK_THROWS_AS(inputs::parse_points(bad, "t", from, to), std::runtime_error);
}

TEST_CASE("an output file is whole or not there") {
    const Folder folder;
    fs::create_directories(folder.path);
    const fs::path path = folder.path / "report.json";
    {
        const files::OutputFile unused(path);
        CHECK_FALSE(fs::exists(path));
    }
    CHECK(fs::is_empty(folder.path));
    {
        files::OutputFile file(path);
        file.write("one");
        CHECK(read(path) == "one");
        CHECK_THROWS_AS(file.write("twice"), std::logic_error);
    }
    files::OutputFile(path).write("two");
    CHECK(read(path) == "two");
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator{}) == 1);
    CHECK_THROWS_WITH(files::OutputFile(folder.path), Catch::Contains("directory"));
    CHECK_THROWS_WITH(files::OutputFile(folder.path / "none" / "x"), Catch::Contains("No such file"));
    files::OutputFile full("/dev/full"); // not a regular file: written in place
    CHECK_THROWS_WITH(full.write("x"), Catch::Contains("No space left"));
    CHECK(fs::exists("/dev/full"));
}
