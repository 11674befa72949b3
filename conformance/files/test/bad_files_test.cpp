// SPDX-License-Identifier: Apache-2.0
// Files and folders that are not what they should be, as a user meets them: what the program says, and how it ends.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/record/record.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/golden_store/manifest.hpp"

using namespace mxcert;
using mxcert::test::contains;
using mxcert::test::Result;
using mxcert::test::shell;
using mxcert::test::shell_until;
namespace fs = std::filesystem;

namespace {

constexpr const char* conversion = "fp16-e4m3-nearest_even-sat";

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::size_t line_start(const std::string& text, std::size_t line) {
    std::size_t at = 0;
    for (std::size_t i = 1; i < line; ++i) at = text.find('\n', at) + 1;
    return at;
}

std::string line_of(const std::string& text, std::size_t line) {
    const std::size_t at = line_start(text, line);
    return text.substr(at, text.find('\n', at) + 1 - at);
}

std::string without_line(std::string text, std::size_t line) {
    return text.erase(line_start(text, line), line_of(text, line).size());
}

std::string with_crlf(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return out;
}

/// What happens to a CSV file. Line 10 is an ordinary row in each of ours.
struct Damage {
    const char* name;
    std::function<std::string(std::string)> change;
    const char* golden_says; ///< by the parser, where the manifest fits the damaged bytes
    const char* record_says; ///< by the parser, where record.json fits them
};

const std::vector<Damage>& damages() {
    static const std::vector<Damage> all{
        {"empty", [](const std::string&) { return std::string(); }, ": empty", ": empty"},
        {"cut inside a row", [](const std::string& t) { return t.substr(0, line_start(t, 10) + 5); },
         ":10: the last line has no end", ":10: the last line has no end"},
        {"cut between rows", [](const std::string& t) { return t.substr(0, line_start(t, 10)); },
         ": input 0001 has no row for the selection", "ends at input 237F, not at FFFF"},
        {"one bit flipped",
         [](std::string t) {
             t[line_start(t, 10)] ^= 0x20;
             return t;
         },
         ":10: unknown choice", ":10: '"},
        {"a row missing", [](std::string t) { return without_line(std::move(t), 10); },
         ": input FC01 has no row for the selection", ":10: first 2441 does not follow last 237F"},
        {"a row twice", [](std::string t) { return t.insert(line_start(t, 10), line_of(t, 10)); },
         ":11: overlaps the row before it", ":11: first 2380 does not follow last 2440"},
        {"rows out of order",
         [](std::string t) {
             const std::string row = line_of(t, 10);
             t = without_line(std::move(t), 10);
             return t.insert(line_start(t, 11), row);
         },
         ":11: out of order", ":10: first 2441 does not follow last 237F"},
        {"CRLF", with_crlf, ":1: carriage return", ":1: carriage return"},
        {"byte order mark", [](const std::string& t) { return "\xEF\xBB\xBF" + t; },
         ":1: starts with a byte order mark", ":1: starts with a byte order mark"},
        {"NUL",
         [](std::string t) {
             t[line_start(t, 10)] = '\0';
             return t;
         },
         ":10: NUL byte", ":10: NUL byte"},
        {"another header", [](std::string t) { return "code,last,first\n" + without_line(std::move(t), 1); },
         ":1: the header is 'code,last,first'", ":1: the header is 'code,last,first'"},
        {"a line of 1 MB", [](std::string t) { return t.insert(line_start(t, 10), std::string(1 << 20, '0')); },
         ":10: longer than 4096 bytes", ":10: longer than 4096 bytes"},
    };
    return all;
}

std::uint64_t rows_of(const std::string& text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) - 1;
}

/// A copy of the committed golden files.
fs::path copy_golden(const TemporaryFolder& folder) {
    const fs::path copy = folder.path() / "vectors";
    fs::remove_all(copy);
    fs::copy(MXCERT_TEST_SOURCE "/vectors/golden", copy);
    return copy;
}

/// Makes the manifest say what the file is.
void acknowledge(const fs::path& golden, const std::string& text) {
    Manifest manifest = parse_manifest(content(golden / "manifest.json"), "manifest.json");
    for (ManifestEntry& entry : manifest.files) {
        if (entry.file != "fp16-e4m3.csv") continue;
        entry.bytes = text.size();
        entry.sha256 = sha256(text);
        entry.rows = rows_of(text);
    }
    write(golden / "manifest.json", write_manifest(manifest));
}

/// A record of one right conversion.
fs::path make_record(const TemporaryFolder& folder) {
    const fs::path record = folder.path() / "record";
    fs::remove_all(record);
    mxcert::test::FakeSubject subject;
    subject.offer(conversion);
    record::write_record(record::take_record(subject, {}), record);
    return record;
}

/// Runs it, and demands the error of a bad file: exit code 2, nothing judged, and these words.
void check_refused(const TemporaryFolder& folder, const std::string& command, const std::string& says) {
    const Result result = shell(folder.path(), command);
    INFO(command << "\nstdout: " << result.out << "\nstderr: " << result.err);
    CHECK(result.code == 2);
    CHECK(contains(result.err, "mxcert: "));
    CHECK(contains(result.err, says));
    CHECK_FALSE(contains(result.out, "PASS"));
}

const std::string certify_golden = std::string("MXCERT_VECTORS=vectors mxcert certify portable --filter ") + conversion;

} // namespace

TEST_CASE("a damaged golden file is refused, with the place") {
    const TemporaryFolder folder;
    REQUIRE(fs::exists(copy_golden(folder)));
    REQUIRE(shell(folder.path(), certify_golden).code == 0);
    for (const Damage& damage : damages()) {
        CAPTURE(damage.name);
        const fs::path golden = copy_golden(folder);
        const std::string bad = damage.change(content(golden / "fp16-e4m3.csv"));
        write(golden / "fp16-e4m3.csv", bad);
        check_refused(folder, certify_golden, "fp16-e4m3.csv does not match its manifest");
        // Who damages a file can write a manifest that fits: the parser does not rest on it.
        acknowledge(golden, bad);
        check_refused(folder, certify_golden, "fp16-e4m3.csv" + std::string(damage.golden_says));
    }
}

TEST_CASE("a damaged record is refused, with the place") {
    const TemporaryFolder folder;
    const std::string name = std::string(conversion) + ".csv";
    REQUIRE(fs::exists(make_record(folder)));
    REQUIRE(shell(folder.path(), "mxcert certify record").code == 5); // of one conversion: PARTIAL
    for (const Damage& damage : damages()) {
        CAPTURE(damage.name);
        const fs::path record = make_record(folder);
        const std::string bad = damage.change(content(record / name));
        write(record / name, bad);
        check_refused(folder, "mxcert certify record", name + ": its SHA-256 is not the one in record.json");
        check_refused(folder, "mxcert diff record portable", name + ": its SHA-256 is not the one in record.json");
        auto index = nlohmann::ordered_json::parse(content(record / "record.json"));
        index["files"][0]["sha256"] = sha256(bad);
        index["files"][0]["rows"] = rows_of(bad);
        write(record / "record.json", index.dump());
        check_refused(folder, "mxcert certify record", damage.record_says);
    }
}

TEST_CASE("damaged JSON is refused, with the file") {
    const TemporaryFolder folder;
    const auto cut = [](const std::string& text) { return text.substr(0, text.size() / 2); };
    const auto deep = [](const std::string&) { return std::string(1 << 20, '['); };
    const auto marked = [](const std::string& text) { return "\xEF\xBB\xBF" + text; };
    const auto list = [](const std::string&) { return std::string("[1, 2]"); };
    for (const std::function<std::string(const std::string&)>& change :
         {std::function<std::string(const std::string&)>(cut), {deep}, {marked}, {list}}) {
        const fs::path golden = copy_golden(folder);
        write(golden / "manifest.json", change(content(golden / "manifest.json")));
        check_refused(folder, certify_golden, "manifest.json");
        const fs::path record = make_record(folder);
        write(record / "record.json", change(content(record / "record.json")));
        check_refused(folder, "mxcert certify record", "record.json");
    }
}

TEST_CASE("a file that is no file of ours is not read") {
    const TemporaryFolder folder;
    const fs::path golden = copy_golden(folder);
    const fs::path file = golden / "fp16-e4m3.csv";
    SECTION("10 GB long") {
        fs::resize_file(file, std::uintmax_t{10'000'000'000});
        check_refused(folder, certify_golden, "fp16-e4m3.csv");
        const fs::path record = make_record(folder);
        fs::resize_file(record / "record.json", std::uintmax_t{10'000'000'000});
        check_refused(folder, "mxcert certify record", "longer than");
    }
    SECTION("a pipe that nobody writes to") {
        fs::remove(file);
        REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
        check_refused(folder, certify_golden, "not a regular file");
    }
    SECTION("a folder") {
        fs::remove(file);
        fs::create_directory(file);
        check_refused(folder, certify_golden, "not a regular file");
    }
    SECTION("a device without end") {
        fs::remove(file);
        fs::create_symlink("/dev/zero", file);
        check_refused(folder, certify_golden, "not a regular file");
    }
    SECTION("a link to itself") {
        fs::remove(file);
        fs::create_symlink(file.filename(), file);
        check_refused(folder, certify_golden, "fp16-e4m3.csv");
    }
    SECTION("a folder of vectors that is not there") {
        check_refused(folder, "MXCERT_VECTORS=nowhere mxcert certify portable", "nowhere/manifest.json");
    }
}

TEST_CASE("a file that cannot grow is an error before the run, and leaves nothing") {
    const TemporaryFolder folder;
    (void)make_record(folder);
    // 16 blocks of 512 bytes: less than the room that a report asks for.
    check_refused(folder, "ulimit -f 16; mxcert certify record --report out", "File too large");
    CHECK(fs::is_empty(folder.path() / "out"));
    check_refused(folder, "ulimit -f 16; mxcert record portable --output out", "File too large");
    CHECK(fs::is_empty(folder.path() / "out"));
}

TEST_CASE("a run that is ended leaves nothing half written and nothing running") {
    const TemporaryFolder folder;
    // A name of its own, by which its workers are found.
    const std::string plugin = "hang_" + std::to_string(::getpid()) + ".so";
    fs::copy(MXCERT_TEST_HOSTILE "/hang.so", folder.path() / plugin);
    fs::create_directory(folder.path() / "out");
    // By the start of its command line: the shell's own has the name too.
    const std::string find = "pgrep -f '^[^ ]*mxcert-worker .*" + plugin + "'";
    const std::string wait_for_none = "while " + find + " > /dev/null; do sleep 0.02; done";
    struct {
        const char* name;
        const char* kill;
        int code;
        bool report;
    } const table[] = {
        {"once", "kill -INT $pid", 3, true},
        {"twice at once, as timeout(1) does", "kill -INT $pid; kill -INT $pid", 3, true},
        {"a closed terminal", "kill -HUP $pid", 3, true},
        {"by force", "kill -KILL $pid", 137, false},
    };
    for (const auto& row : table) {
        CAPTURE(row.name);
        const Result result = shell_until(
            folder.path(), "mxcert certify ./" + plugin + " --filter 'fp16-*' --timeout 3600 --report out", row.kill);
        INFO(result.out << result.err);
        CHECK(result.code == row.code);
        CHECK(fs::exists(folder.path() / "out/report.json") == row.report);
        CHECK(std::distance(fs::directory_iterator(folder.path() / "out"), {}) == (row.report ? 5 : 0));
        for (const auto& entry : fs::directory_iterator(folder.path() / "out")) fs::remove(entry);
        CHECK(shell(folder.path(), wait_for_none).code == 0);
    }
}
