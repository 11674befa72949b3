// SPDX-License-Identifier: Apache-2.0
// A certificate is run again: the same is the same, anything altered is found, and no file is too strange.
#include <stdexcept>

#include "catch.hpp"
#include "conformance/record/record.hpp"
#include "conformance/report/stored_report.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::report;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

/// A folder with records and the certificate of one of them.
struct Certified {
    TemporaryFolder folder;
    Certified() {
        FakeSubject subject;
        for (const char* id :
             {"fp16-e4m3-nearest_even-sat", "fp64-e4m3-nearest_even-sat", "fp16-e5m2-nearest_even-sat",
              "fp64-e5m2-nearest_even-sat", "bf16-e4m3-nearest_even-sat", "bf16-e5m2-nearest_even-sat"})
            subject.offer(id);
        record::Record record = record::take_record(subject, {});
        record::write_record(record, folder.path() / "right");
        StepTable& table = record.conversions.front().table;
        table.steps.back().code ^= 0x80; // another NaN, which ocp-sat permits
        record::write_record(record, folder.path() / "other");
        record.info.version = "2";
        table.steps.back().code ^= 0x80;
        record::write_record(record, folder.path() / "version2");
        const Result result =
            shell(folder.path(), "mxcert certify right --profile ocp-sat --leave-out 'fp64-*' --seed 7 --report out");
        CAPTURE(result.out, result.err);
        REQUIRE(result.code == 0);
        REQUIRE(fs::exists(certificate()));
    }
    [[nodiscard]] fs::path certificate() const { return folder.path() / "out/certificate.json"; }
};

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

} // namespace

TEST_CASE("a certificate is run again", "[programs]") {
    const Certified certified;
    const auto repeat = [&](const std::string& arguments) {
        return shell(certified.folder.path(), "mxcert verify out/certificate.json --all " + arguments);
    };
    const files::Json report = files::read_json(certified.certificate());
    CHECK(report["tool"].contains("revision"));
    CHECK(report["seed"] == 7);
    CHECK(report["sha256"] == report_checksum(report));

    const Result same = repeat("right");
    CHECK(same.code == 0);
    CHECK_THAT(same.out, Contains("VERIFIED: the certificate of fake against ocp-sat") &&
                             Contains("the whole run: 4 rows, with the same statuses, counts and digests"));
    CHECK(repeat("right --jobs 1 --quiet --json again.json").code == 0);
    CHECK(files::read_json(certified.folder.path() / "again.json")["verified"] == true);
    CHECK(shell(certified.folder.path(), "mv right moved").code == 0);
    const Result none = repeat("");
    CHECK(none.code == 2);
    CHECK_THAT(none.err, Contains("--all repeats the run with a BACKEND"));
    CHECK(repeat("right").code == 2);
    CHECK(repeat("moved").code == 0);
    const Result other_result = repeat("other");
    CHECK(other_result.code == 1);
    CHECK_THAT(other_result.out, Contains("fp16-e4m3-nearest_even-sat, ocp-sat: observed_sha256: was "));
    const Result version = repeat("version2");
    CHECK(version.code == 1);
    CHECK_THAT(version.out, Contains("backend version: was 1, is 2"));
    CHECK_THAT(version.out, !Contains("observed_sha256"));

    CHECK(repeat("moved --seed 3").code == 2);
    CHECK(repeat("moved --profile ocp").code == 2);
    CHECK(repeat("moved --record moved").code == 2);
    CHECK(shell(certified.folder.path(), "mxcert certify").code == 2);
    CHECK(shell(certified.folder.path(), "mxcert verify no-such-file moved --all").code == 2);
    CHECK(shell(certified.folder.path(), "mxcert verify out/summary.txt moved --all").code == 1);

    // A run of a part is repeated as that part.
    REQUIRE(shell(certified.folder.path(), "mxcert certify moved --filter 'fp16-e4m3-*' --json part.json").code == 0);
    const Result part = shell(certified.folder.path(), "mxcert verify part.json moved --all");
    CHECK(part.code == 0);
    CHECK_THAT(part.out, Contains("the whole run: 1 row,"));
}

TEST_CASE("a run that did not pass is run again", "[programs]") {
    const TemporaryFolder folder;
    const std::string plugin = "'" MXCERT_TEST_HOSTILE "/ways.so'";
    const struct {
        const char* way;
        const char* other;
        int code;
        const char* status;
        const char* changed;
    } table[] = {
        {"wrong:3C01", "wrong:3C05", 1, "FAIL", "differences"},
        // The rest of the row is as it was: as many inputs were compared.
        {"crash_one:3C01", "crash_one:3C05", 3, "ERROR", "culprits"},
    };
    for (const auto& row : table) {
        CAPTURE(row.way);
        const auto run = [&](const std::string& way, const std::string& arguments) {
            return shell(folder.path(), "MXCERT_TEST_WAY=" + way + " mxcert " + arguments);
        };
        const Result first =
            run(row.way, "certify " + plugin +
                             " --level quick --profile ocp-sat --filter fp16-e4m3-nearest_even-sat --json first.json");
        CAPTURE(first.out, first.err);
        CHECK(first.code == row.code);
        CHECK(files::read_json(folder.path() / "first.json")["rows"][0]["status"] == row.status);
        const Result same = run(row.way, "verify first.json " + plugin + " --all --timeout 20 --jobs 1");
        CAPTURE(same.out);
        CHECK(same.code == 0);
        CHECK_THAT(same.out, Contains("VERIFIED: the report of ") && Contains("; it is not a certificate"));
        const Result moved = run(row.other, "verify first.json " + plugin + " --all");
        CAPTURE(moved.out);
        CHECK(moved.code == 1);
        CHECK_THAT(moved.out, Contains(std::string("fp16-e4m3-nearest_even-sat, ocp-sat: ") + row.changed));
    }
}

TEST_CASE("a run that is stopped while the backend starts is not finished") {
    const Certified certified;
    const fs::path slow = certified.folder.file(
        "slow", "#!/bin/sh\nprintf x >> \"${MXCERT_TEST_REACHED:-/dev/null}\"\nexec sleep 3600\n");
    fs::permissions(slow, fs::perms::owner_all);
    const auto stopped = [&](const std::string& arguments) {
        Result result = test::shell_until(certified.folder.path(), "mxcert " + arguments, "kill -INT $pid");
        UNSCOPED_INFO(result.out << result.err);
        CHECK(result.code == 3);
        return result;
    };
    const Result run = stopped("certify ./slow --start-timeout 3600 --json stopped.json");
    CHECK_THAT(run.out, Contains("Stopped by a signal") && Contains("NOT FINISHED"));
    const files::Json of_run = files::read_json(certified.folder.path() / "stopped.json");
    CHECK(of_run["interrupted"] == true);
    CHECK(of_run["exit_code"] == 3);
    REQUIRE(of_run["rows"].size() == 1);
    CHECK(of_run["rows"][0]["status"] == "INCOMPLETE");
    CHECK_THAT(of_run["rows"][0]["reason"].get<std::string>(), Contains("stopped before the worker was ready"));
    const Result repeated = stopped("verify out/certificate.json ./slow --start-timeout 3600 --all");
    CHECK_THAT(repeated.out,
               Contains("NOT VERIFIED: './slow' does not start: ") && Contains("stopped before the worker was ready"));
    // One that does not start, and nobody stopped it.
    const Result failed = shell(certified.folder.path(), "mxcert certify ./slow --start-timeout 1 --json failed.json");
    CHECK(failed.code == 3);
    const files::Json report = files::read_json(certified.folder.path() / "failed.json");
    CHECK(report["interrupted"] == false);
    CHECK(report["rows"][0]["status"] == "ERROR");
}

TEST_CASE("a certificate altered by one digit is refused") {
    const Certified certified;
    const std::string text = content(certified.certificate());
    int altered = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] < '0' || text[at] > '9') continue;
        if (altered++ % 16 != 0) continue; // each costs a digest of the whole
        std::string another_altered = text;
        another_altered[at] = another_altered[at] == '9' ? '8' : static_cast<char>(another_altered[at] + 1);
        write(certified.folder.path() / "altered.json", another_altered);
        CAPTURE(at, text.substr(at < 40 ? 0 : at - 40, 60));
        CHECK_THROWS_AS(read_report(certified.folder.path() / "altered.json"), std::runtime_error);
    }
    CHECK(altered > 500);
    // A digit of the checksum's own name.
    std::string other = text;
    other.replace(other.find("\"sha256\": \"", text.size() - 100), 8, "\"sha356\"");
    write(certified.folder.path() / "altered.json", other);
    CHECK_THROWS_WITH(read_report(certified.folder.path() / "altered.json"), Catch::Contains("sha256"));
}

TEST_CASE("a certificate altered together with its checksum says what the run does not repeat") {
    const Certified certified;
    const files::Json report = files::read_json(certified.certificate());
    const auto changes = [&](auto edit) {
        files::Json other_json = report;
        edit(other_json);
        return compare_reports(other_json, report);
    };
    CHECK(changes([](files::Json&) {}).results.empty());
    CHECK(changes([](files::Json&) {}).rows == report["rows"].size());
    CHECK(changes([](files::Json& j) { j["started"] = "2020-01-01T00:00:00Z"; }).results.empty());
    CHECK(changes([](files::Json& j) { j["jobs"] = 99; }).results.empty());
    for (const char* surrounding : {"/tool/version", "/tool/revision", "/host/machine", "/host/cpu", "/host/system"}) {
        const auto comparison = changes([&](files::Json& j) { j[files::Json::json_pointer(surrounding)] = "else"; });
        CAPTURE(surrounding);
        CHECK(comparison.results.empty());
        CHECK(comparison.surroundings.size() == 1);
    }
    for (const char* result : {"/rows/0/status",
                               "/rows/0/compared",
                               "/rows/0/observed_sha256",
                               "/rows/0/golden_sha256",
                               "/rows/1/repeated",
                               "/rows/0/differing",
                               "/rows/0/clauses",
                               "/rows/0/culprits",
                               "/rows/0/differences",
                               "/backend/build_id",
                               "/backend/name",
                               "/vectors/manifest_sha256",
                               "/vectors/version",
                               "/counts/PASS",
                               "/exit_code",
                               "/certificate",
                               "/complete",
                               "/level",
                               "/left_out",
                               "/missing",
                               "/rows/0/open",
                               "/rows/0/total",
                               "/profiles",
                               "/seed",
                               "/samples_per_step",
                               "/outside",
                               "/clauses"}) {
        CAPTURE(result);
        CHECK(changes([&](files::Json& j) { j[files::Json::json_pointer(result)] = "else"; }).results.size() == 1);
    }
    // What ends the backend, without what is the machine's.
    const auto ends = [](const char* input, const char* how) {
        return [=](files::Json& j) {
            files::Json json{{"first", input}, {"inputs", 1}, {"how", how}};
            json["reproduce"] = "mxcert certify /" + j["started"].get<std::string>();
            j["rows"][0]["culprits"] = files::Json::array({json});
        };
    };
    const auto between = [&](auto a, auto b) {
        files::Json before = report;
        files::Json after = report;
        after["started"] = "2020-01-01T00:00:00Z"; // and so another command to reproduce it
        a(before);
        b(after);
        return compare_reports(before, after).results.size();
    };
    CHECK(between(ends("3C01", "exit 3"), ends("3C01", "exit 3")) == 0);
    CHECK(between(ends("3C01", "exit 3"), ends("3C05", "exit 3")) == 1);
    CHECK(between(ends("3C01", "exit 3"), ends("3C01", "exit 4")) == 1);
    CHECK(between(ends("3C01", "timeout: nothing came within 5 s"), ends("3C01", "timeout: nothing came within 9 s")) ==
          0);
    CHECK(between(ends("3C01", "took 900 MiB of memory"), ends("3C01", "took 901 MiB of memory")) == 0);
    CHECK(between(ends("3C01", "took 900 MiB of memory"), ends("3C01", "timeout: nothing came within 9 s")) == 1);
    CHECK(between(ends("3C01", "exit 3"), [](files::Json&) {}) == 1);
    CHECK(changes([](files::Json& j) { j["rows"].erase(0); }).results.size() == 1);
    CHECK(changes([](files::Json& j) { j["rows"][0]["id"] = "another"; }).results.size() == 2);
}

TEST_CASE("no file is too strange to be a certificate that is refused") {
    const Certified certified;
    const fs::path path = certified.folder.path() / "strange.json";
    const auto refused = [&](const std::string& text) {
        write(path, text);
        try {
            (void)read_report(path);
        } catch (const std::runtime_error& error) {
            return contains(error.what(), "strange.json") || contains(error.what(), "rows");
        }
        return false;
    };
    const std::string text = content(certified.certificate());
    for (std::size_t length = 0; length + 1 < text.size(); length += 97) CHECK(refused(text.substr(0, length)));
    CHECK(refused(std::string(100'000, '[')));
    CHECK(refused(std::string(1'000, '[') + std::string(1'000, ']')));
    CHECK(refused("{}"));
    CHECK(refused("null"));
    CHECK(refused(std::string("\xEF\xBB\xBF") + "{}"));
    const files::Json report = files::read_json(certified.certificate());
    for (const char* name : {"schema", "backend", "profiles", "seed", "samples_per_step", "interrupted", "selection",
                             "filters", "required", "reproduce", "max_failures", "rows"})
        for (const char* value :
             {"null", "[]", "{}", "-1", "1e999", "99999999999999999999999", "[[1]]", "\"\\u0000\""}) {
            files::Json other_json = report;
            const files::Json replaced = files::Json::parse(value, nullptr, false);
            if (replaced.is_discarded() || (replaced.is_array() && other_json[name].is_array() && replaced.empty()))
                continue;
            if (replaced.is_string() && other_json[name].is_string() && std::string(name) != "schema") continue;
            other_json[name] = replaced;
            other_json["sha256"] = report_checksum(other_json);
            CAPTURE(name, value);
            CHECK(refused(other_json.dump()));
        }
    files::Json another_json = report;
    another_json["rows"] = files::Json::array();
    another_json["sha256"] = report_checksum(another_json);
    CHECK(refused(another_json.dump()));
    another_json = report;
    another_json["rows"].push_back(another_json["rows"][0]);
    another_json["sha256"] = report_checksum(another_json);
    CHECK(refused(another_json.dump()));
    another_json = report;
    another_json["interrupted"] = true;
    another_json["sha256"] = report_checksum(another_json);
    CHECK(refused(another_json.dump()));
}
