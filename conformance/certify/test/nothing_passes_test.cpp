// SPDX-License-Identifier: Apache-2.0
// Nothing passes silently: the table of nothing_passes_table.hpp, run with the program as a user runs it.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/record/record.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/nothing_passes_table.hpp"
#include "conformance/test/program.hpp"
#include "conformance/verdict/canary.hpp"
#include "vectors/golden_store/golden_files.hpp"

using namespace mxcert;
using namespace std::chrono_literals;
using mxcert::test::contains;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// In the environment of everything that a test starts, so that what it leaves running can be found.
const std::string test_mark = "MXCERT_TEST_RUN=" + std::to_string(::getpid());

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

struct Result : test::Result {
    Json report; ///< null if there is none
    [[nodiscard]] std::string all() const { return out + err; }
};

/// A folder with the backends of the table, and what runs commands in it.
class Bench {
    const TemporaryFolder folder_;

  public:
    const fs::path path = folder_.path();

    Bench() {
        const fs::path hostile = MXCERT_TEST_HOSTILE;
        for (const char* name : {"ways.so", "strangers.so", "rude"}) fs::create_symlink(hostile / name, path / name);
        for (const char* name : {"planted.so", "no_symbol.so", "wrong_major.so", "null_api.so", "small_struct.so"})
            fs::create_symlink(fs::path(test::planted_plugin()).parent_path() / name, path / name);
        std::ofstream(path / "text.so") << "no library";
        std::ofstream(path / "cut.so") << "\177ELF";
        mxcert::test::FakeSubject subject;
        subject.offer("fp16-e4m3-nearest_even-sat");
        record::write_record(record::take_record(subject, {}), path / "right");
        record::write_record(record::take_record(subject, {}), path / "cut");
        // A small source: the diagnosis tries every fault.
        StepTable& table = subject.offer("e5m2-e4m3-nearest_even-sat");
        table.steps = verdict::plant(table.steps, 0x3C, 0x00);
        record::write_record(record::take_record(subject, {}), path / "wrong");
        const fs::path csv = path / "cut/fp16-e4m3-nearest_even-sat.csv";
        const std::string text = content(csv);
        fs::resize_file(csv, text.rfind('\n', text.size() - 2) + 1);
    }

    [[nodiscard]] Result run(const std::string& command) const {
        fs::remove(path / "report.json");
        Result result{test::shell(path, "export " + test_mark + " NO_COLOR=1; " + command), {}};
        if (fs::exists(path / "report.json")) result.report = Json::parse(content(path / "report.json"));
        return result;
    }
};

/// Processes that a test has left running. A dead one that nobody has waited for has no environment.
std::vector<std::string> left_running() {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const std::string environment = '\0' + content(entry.path() / "environ");
        if (contains(environment, '\0' + test_mark + '\0'))
            found.push_back(name + " " + content(entry.path() / "cmdline"));
    }
    return found;
}

std::string with_options(const std::string& command) {
    return replaced(replaced(command, "{fp16}", test::fp16_options), "{e5m2}", test::e5m2_options);
}

std::size_t run_group(const std::string& group) {
    const Bench bench;
    std::size_t count = 0;
    for (const test::Case& row : test::cases) {
        if (row.group != group) continue;
        ++count;
        const std::string whole = with_options(row.command) + (contains(row.command, "{json}") ? "" : " {json}");
        const std::string command = replaced(whole, "{json}", "--json report.json");
        const Result result = bench.run(command);
        INFO(row.group << ": " << row.what << "\n" << command << "\n" << result.all());
        CHECK(result.code == row.code);
        const std::string status = row.status;
        REQUIRE((status.empty() || !result.report.is_null()));
        if (!status.empty()) {
            REQUIRE(!result.report["rows"].empty());
            CHECK(result.report["rows"][0]["status"] == status);
            CHECK(result.report["exit_code"] == row.code);
        }
        for (const std::string& part : [&row] {
                 std::vector<std::string> parts{""};
                 for (const char* at = row.says; *at != '\0'; ++at)
                     if (*at == '|')
                         parts.emplace_back();
                     else
                         parts.back() += *at;
                 return parts;
             }()) {
            INFO("wanted: " << part);
            CHECK(contains(result.all(), part));
        }
        // One that was killed a moment ago may still be in /proc: it is not ours to wait for.
        for (int waited = 0; waited < 600 && !left_running().empty(); ++waited) std::this_thread::sleep_for(100ms);
        CHECK(left_running() == std::vector<std::string>{});
    }
    return count;
}

/// The command of a failure in the text, and the lines about it.
struct Shown {
    std::string again;
    std::string lines;
};
Shown shown(const std::string& text) {
    const std::size_t begin = text.find("    input ");
    const std::size_t at = text.find("again:", begin);
    REQUIRE(at != std::string::npos);
    const std::size_t start = text.find("mxcert", at);
    return {text.substr(start, text.find('\n', start) - start), text.substr(begin, text.find('\n', start) - begin)};
}

std::string page() { return content(MXCERT_TEST_SOURCE "/docs/immunity.md"); }

/// What docs/immunity.md says of the table: everything from the first heading of a group on.
std::string tables() {
    std::string text;
    for (const test::Group& group : test::groups) {
        text += "\n### " + std::string(group.id) + ": " + group.what + "\n\n";
        const auto of_group = [&](const auto& item) { return std::string(item.group) == group.id; };
        const auto escaped = [](const std::string& cell) { return replaced(cell, "|", "\\|"); };
        if (std::any_of(std::begin(test::cases), std::end(test::cases), of_group))
            text += "| what is done | command | status | exit code |\n|---|---|---|---|\n";
        std::string below;
        for (const test::Case& row : test::cases) {
            if (!of_group(row)) continue;
            std::string command = row.command;
            for (const char* part : {" {fp16}", " {e5m2}", " {json}"}) command = replaced(command, part, "");
            std::string cell = "`" + escaped(command) + "`";
            if (std::count(command.begin(), command.end(), ' ') > 10) { // a table cell is under twelve words
                cell = "see below";
                below += "\nThe command where " + std::string(row.what) + ":\n\n```\n" + command + "\n```\n";
            }
            text += "| " + escaped(row.what) + " | " + cell + " | " + (*row.status == '\0' ? "-" : row.status) + " | " +
                    std::to_string(row.code) + " |\n";
        }
        text += below;
        for (const test::Check& check : test::checks)
            if (of_group(check))
                text += std::string(text.ends_with("\n\n") ? "" : "\n") + "Checked by the test \"" +
                        std::string(check.what) + "\".\n";
    }
    return text;
}

} // namespace

TEST_CASE("nothing passes: streams and statuses", "[nothing][cli][values]") {
    for (const char* group : {"V1", "V5", "V6", "V7", "V8", "V9", "V10", "V13", "V15"}) CHECK(run_group(group) != 0);
}
TEST_CASE("nothing passes: faults of suites", "[nothing][cli][values]") {
    for (const char* group : {"H02", "H03", "H05", "H07"}) CHECK(run_group(group) != 0);
}
TEST_CASE("nothing passes: one input of 2^32", "[nothing][cli][values]") { CHECK(run_group("H06") != 0); }
TEST_CASE("nothing passes: plugins that cannot be loaded", "[nothing][cli]") { CHECK(run_group("load") >= 10); }
TEST_CASE("nothing passes: crashes", "[nothing][cli][programs]") { CHECK(run_group("crash") >= 10); }
TEST_CASE("nothing passes: hangs", "[nothing][cli][values]") { CHECK(run_group("hang") >= 7); }
TEST_CASE("nothing passes: processes and memory", "[nothing][cli][programs]") { CHECK(run_group("process") >= 8); }
TEST_CASE("nothing passes: buffers", "[nothing][cli]") { CHECK(run_group("buffer") >= 7); }
TEST_CASE("nothing passes: state", "[nothing][cli][values]") { CHECK(run_group("state") >= 10); }

TEST_CASE("every case belongs to a group, and every group has one", "[nothing]") {
    std::set<std::string> groups;
    for (const test::Group& group : test::groups) CHECK(groups.insert(group.id).second);
    std::set<std::string> used;
    for (const test::Case& row : test::cases) used.insert(row.group);
    for (const test::Check& check : test::checks) used.insert(check.group);
    CHECK(used == groups);
    CHECK(std::size(test::cases) >= 50);
    const std::string source = content(MXCERT_TEST_SOURCE "/conformance/certify/test/nothing_passes_test.cpp");
    for (const test::Check& check : test::checks)
        CHECK(contains(source, "TEST_CASE(\"" + std::string(check.what) + '"'));
}

TEST_CASE("docs/immunity.md is the table", "[nothing]") {
    // To write it anew: MXCERT_WRITE_IMMUNITY=1 bin/certify_test "docs/immunity.md is the table"
    const std::string marker = "<!-- from conformance/test/nothing_passes_table.hpp -->\n";
    const std::string text = page();
    const std::size_t at = text.find(marker);
    REQUIRE(at != std::string::npos);
    if (std::getenv("MXCERT_WRITE_IMMUNITY") != nullptr) // NOLINT(concurrency-mt-unsafe): the tests have one thread
        std::ofstream(MXCERT_TEST_SOURCE "/docs/immunity.md") << text.substr(0, at + marker.size()) << tables();
    CHECK(page().substr(at + marker.size()) == tables());
}

namespace {

/// One wrong and one right backend under each option, and under each of those about the output with that many of the
/// next ones.
void check_options(std::size_t next) {
    const Bench bench;
    const std::vector<std::string> options{
        "--quiet",     "--json -",          "--junit junit.xml",       "--report out",     "--color always",
        "--jobs 1",    "--html page.html",  "--max-failures 1",        "--seed 7",         "--samples-per-step 0",
        "--timeout 5", "--profile ocp-sat", "--require 'fp16-e4m3-*'", "--memory-limit 0", "--start-timeout 5"};
    constexpr std::size_t paired = 6; // those about the output, in pairs too; the others alone
    for (std::size_t a = 0; a < options.size(); ++a)
        for (std::size_t b = a; b < (a < paired ? std::min(paired, a + next + 1) : a + 1); ++b) {
            const std::string both = options[a] + (a == b ? "" : " " + options[b]);
            const Result result = bench.run("mxcert certify right " + both + "; right=$?; mxcert certify wrong " +
                                            both + "; exit $((right * 10 + $?))");
            INFO(both << "\n" << result.all());
            CHECK(result.code == 51); // the right one is PARTIAL: E5M2 is not offered
        }
}

} // namespace

TEST_CASE("V2: the exit code is the same under every option", "[nothing][cli][values]") { check_options(1); }
TEST_CASE("the exit code of V2 is the same under every pair of options about the output", "[.][exhaustive]") {
    check_options(6);
}

TEST_CASE("V3 and V4: exit code, counts, rows, JUnit and text of one run agree", "[nothing][cli][values]") {
    const Bench bench;
    // Two that are wrong, two that are right.
    const Result result =
        bench.run("mxcert certify ./ways.so --backend-option wrong:3C01 --profile ocp-sat --filter 'fp16-e4m3-*' "
                  "--filter 'bf16-e4m3-*' --jobs 1 "
                  "--json report.json --junit junit.xml");
    INFO(result.all());
    REQUIRE(!result.report.is_null());
    std::size_t failed = 0;
    std::size_t passed = 0;
    for (const Json& row : result.report["rows"]) {
        failed += row["status"] == "FAIL" ? 1 : 0;
        passed += row["status"] == "PASS" ? 1 : 0;
        CHECK((row["status"] == "FAIL") == (row["differing"] != 0));
        CHECK((row["status"] == "FAIL") == !row["differences"].empty());
    }
    CHECK(failed == 2);
    CHECK(passed == 2);
    CHECK(failed + passed == result.report["rows"].size());
    CHECK(result.code == 1);
    CHECK(result.report["exit_code"] == result.code);
    CHECK(result.report["counts"]["FAIL"] == failed);
    CHECK(result.report["counts"]["PASS"] == passed);
    CHECK(contains(content(bench.path / "junit.xml"), "failures=\"" + std::to_string(failed) + "\""));
    CHECK(contains(result.out, "FAIL: ways against ocp-sat, at level standard: " + std::to_string(failed) + " FAIL"));
}

TEST_CASE("V10: the inputs compared of each class of value are as many as there are", "[nothing][cli][values]") {
    // FP16: 2 zeros, 2046 subnormals, 61440 normals, 2 infinities, 2046 NaNs. One of each is told apart by a backend
    // that is wrong on all inputs of the class: the count of what differs is the count of what was compared.
    const Bench bench;
    const Result result = bench.run("mxcert certify ./ways.so --backend-option last_bit --profile ocp-sat --filter "
                                    "fp16-e4m3-nearest_even-sat --max-failures 1000000 --json report.json");
    REQUIRE(!result.report.is_null());
    const Json& row = result.report["rows"][0];
    CHECK(row["compared"] == 2 + 2046 + 61440 + 2 + 2046);
    std::uint64_t counts[5] = {};
    for (const Json& difference : row["differences"]) {
        const auto first = std::stoul(difference["first"].get<std::string>(), nullptr, 16);
        const auto last = std::stoul(difference["last"].get<std::string>(), nullptr, 16);
        for (unsigned long code = first; code <= last; ++code) {
            const unsigned long magnitude = code & 0x7FFF;
            ++counts[magnitude == 0 ? 0 : magnitude < 0x400 ? 1 : magnitude < 0x7C00 ? 2 : magnitude == 0x7C00 ? 3 : 4];
        }
    }
    CHECK(counts[0] == 2);
    CHECK(counts[1] == 2046);
    CHECK(counts[2] == 61440);
    CHECK(counts[3] == 2);
    CHECK(counts[4] == 2046);
}

TEST_CASE("V11: a comparison that finds nothing gives no verdict", "[nothing]") {
    const Conversion conversion = parse_conversion("fp16-e4m3-nearest_even-sat");
    const StepTable table = tabulate(*conversion.from, *conversion.to, choices_of(conversion));
    PermitTable permitted{table.from, table.to, {}};
    for (const Step& step : table.steps)
        permitted.steps.push_back({step.first, step.last, permit_code(step.code), "T"});
    const verdict::Comparison never = [](const std::vector<Step>&) { return std::vector<Difference>{}; };
    CHECK_THROWS_AS(verdict::check_comparison(table.steps, permitted, never, {}), std::logic_error);
    const verdict::Comparison real = [&](const std::vector<Step>& steps) {
        return compare(StepTable{table.from, table.to, steps}, permitted);
    };
    CHECK_NOTHROW(verdict::check_comparison(table.steps, permitted, real, {}));
}

TEST_CASE("V12 and V13: no tests found is a failure, and no test is expected to fail", "[nothing]") {
    const Json presets = Json::parse(content(MXCERT_TEST_SOURCE "/CMakePresets.json"));
    REQUIRE(presets["testPresets"].size() > 1);
    for (const Json& preset : presets["testPresets"])
        CHECK((preset.value("inherits", "") == "base" || preset["execution"]["noTestsAction"] == "error"));
    const std::string self = fs::read_symlink("/proc/self/exe");
    const Bench bench;
    CHECK(bench.run("'" + self + "' 'no test has this name' --warn NoTests").code != 0);
    CHECK(bench.run("'" + self + "' 'V11*' --warn NoTests").code == 0);
    std::size_t files = 0;
    for (const char* room : {"", "reference", "vectors", "conformance", "cmake"})
        for (const auto& entry : fs::directory_iterator(fs::path(MXCERT_TEST_SOURCE) / room)) {
            const fs::path& file = entry.path();
            if (file.filename() != "CMakeLists.txt" && file.extension() != ".cmake") continue;
            ++files;
            CHECK_FALSE(contains(content(file), "WILL_FAIL"));
        }
    CHECK(files >= 5);
    // A command that is not there is none of our exit codes.
    CHECK(bench.run("mxcert-that-is-not-there").code == 127);
}

TEST_CASE("V14: the line of a failure, run again, shows the same failure", "[nothing][cli][values]") {
    const Bench bench;
    for (const char* way : {"wrong:3C01", "make_nan", "crash_one:3C01", "abort"}) {
        const Result first =
            bench.run("mxcert certify ./ways.so --backend-option " + std::string(way) + " " + with_options("{fp16}"));
        INFO(way << "\n" << first.all());
        const Shown found = shown(first.out);
        const Result second = bench.run(found.again);
        INFO(second.all());
        CHECK(second.code == first.code);
        CHECK(shown(second.out).lines == found.lines);
    }
}

TEST_CASE("H01: the golden tables hold values typed by hand", "[nothing][cli]") {
    // From the definition of the formats: sign, exponent and fraction bits written out, not computed by any model.
    struct Known {
        const char* conversion;
        const char* input;
        const char* permitted;
    };
    const Known known[] = {
        {"fp32-e4m3-nearest_even-sat", "3F800000", "38"},   // 1: exponent field 7
        {"fp32-e4m3-nearest_even-sat", "43E00000", "7E"},   // 448, the largest
        {"fp32-e4m3-nearest_even-sat", "43E80001", "7E"},   // above the tie at 464
        {"fp32-e4m3-nearest_even-nosat", "43E80000", "7E"}, // the tie at 464 goes to even
        {"fp32-e4m3-nearest_even-sat", "3B000000", "01"},   // 2^-9, the smallest subnormal
        {"fp32-e4m3-nearest_even-sat", "3A800000", "00"},   // 2^-10, half of it: to even
        {"fp32-e4m3-nearest_even-sat", "3A800001", "01"},   // the next one
        {"fp32-e4m3-nearest_even-sat", "3F880000", "38"},   // 1.0625, a tie
        {"fp32-e4m3-nearest_even-sat", "3F980000", "3A"},   // 1.1875, a tie to the even one above
        {"fp32-e4m3-nearest_even-sat", "80000000", "80"},   // -0
        {"fp32-e5m2-nearest_even-sat", "47600000", "7B"},   // 57344, the largest
        {"fp32-e5m2-nearest_even-nosat", "7F800000", "7C"}, // infinity
        {"fp32-e5m2-nearest_even-sat", "37800000", "01"},   // 2^-16, the smallest subnormal
    };
    for (const Known& row : known) {
        const Conversion conversion = parse_conversion(row.conversion);
        const auto loaded = load_golden(*conversion.from, *conversion.to);
        REQUIRE(loaded);
        const bool sat = conversion.overflow == Overflow::sat;
        const PermitTable table = select(loaded->golden, find_profile(sat ? "ocp-sat" : "ocp-nosat"), conversion);
        INFO(row.conversion << " " << row.input);
        const PermitStep& step = table.steps[find_step(table, parse_hex(row.input, *conversion.from))];
        CHECK(to_string(step.permit, *conversion.to) == row.permitted);
    }
}

TEST_CASE("H04: a damaged golden file is found before it judges", "[nothing][cli]") {
    const Bench bench;
    const fs::path folder = bench.path / "golden";
    fs::copy(golden_folder(), folder);
    const std::string command = "MXCERT_VECTORS=golden mxcert certify right --profile ocp-sat";
    CHECK(bench.run(command).code == 5); // PARTIAL: E5M2 is not offered
    const std::string text = content(folder / "fp16-e4m3.csv");
    std::ofstream(folder / "fp16-e4m3.csv", std::ios::binary) << replaced(text, "00,OFP8-ZERO", "01,OFP8-ZERO");
    const Result result = bench.run(command);
    INFO(result.all());
    CHECK(result.code == 2);
    CHECK(contains(result.err, "does not match its manifest"));
}
