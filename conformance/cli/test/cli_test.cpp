// SPDX-License-Identifier: Apache-2.0
// Runs the program as a user does. Every exit code that is promised has a row here.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "catch.hpp"
#include "conformance/record/record.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"
#include "conformance/verdict/canary.hpp"

using namespace mxcert;
using mxcert::test::absent;
using mxcert::test::contains;
using mxcert::test::Result;
using mxcert::test::shell;
using mxcert::test::shell_until;
namespace fs = std::filesystem;

namespace {

const std::string planted = mxcert::test::planted_plugin();
const std::string hostile = MXCERT_TEST_HOSTILE;

// The reproduction command in the text of a failure.
std::string again_line(const std::string& text) {
    const std::size_t at = text.find("again:");
    REQUIRE(at != std::string::npos);
    const std::size_t start = text.find("mxcert", at);
    return text.substr(start, text.find('\n', start) - start);
}

// The lines of a failure that say what was wrong.
std::string what_was_wrong(const std::string& text) {
    const std::size_t at = text.find("    input ");
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find("    again:", at) - at);
}

// Records of an implementation made of tables: right, and wrong at one input.
void write_records(const fs::path& folder) {
    mxcert::test::FakeSubject subject;
    // A small source: the diagnosis tries every fault.
    StepTable& table = subject.offer("fp16-e4m3-nearest_even-sat");
    for (const char* id : {"fp32-e4m3-nearest_even-sat", "fp32-e5m2-nearest_even-sat", "fp16-e5m2-nearest_even-sat"})
        subject.offer(id);
    record::write_record(record::take_record(subject, {}), folder / "right");
    table.steps = verdict::plant(table.steps, 0x3C41, 0x38);
    record::write_record(record::take_record(subject, {}), folder / "wrong");
    mxcert::test::FakeSubject other_subject;
    other_subject.offer("bf16-e4m3-nearest_even-sat");
    record::write_record(record::take_record(other_subject, {}), folder / "other");
}

} // namespace

TEST_CASE("the command that shows a wrong answer again has the sandbox of the run", "[programs]") {
    const TemporaryFolder folder;
    const std::string run = "mxcert certify " + hostile +
                            "/ways.so --backend-option wrong_and_unable:3C00 --level quick "
                            "--filter fp16-e4m3-nearest_even-sat --profile ocp-sat ";
    CHECK_FALSE(contains(again_line(shell(folder.path(), run).out), "--sandbox"));
    const std::string again = again_line(shell(folder.path(), run + "--sandbox strict --sandbox-read=/srv").out);
    CHECK(contains(again, "--sandbox=strict --sandbox-read=/srv"));
    CHECK(shell(folder.path(), again).code == 1);
    CHECK(contains(again_line(shell(folder.path(), "MXCERT_SANDBOX=off " + run).out), "--sandbox=off"));
}

TEST_CASE("every command that starts a backend keeps it in the sandbox", "[programs]") {
    const TemporaryFolder folder;
    const std::string backend = hostile + "/escapes.so";
    for (const std::string command :
         {"backends X", "certify X", "diff X X", "fuzz X", "identify X", "parity X X", "record X -o record"}) {
        const auto run = [&](const std::string& variables) {
            std::string line = command;
            for (std::size_t at = line.find('X'); at != std::string::npos; at = line.find('X', at + backend.size()))
                line.replace(at, 1, backend);
            const Result result = shell(folder.path(), "MXCERT_TEST_OUTSIDE=$PWD " + variables + " mxcert " + line);
            return result.out + result.err;
        };
        INFO(command);
        CHECK(contains(run(""), "write_outside=13"));
        CHECK(contains(run("MXCERT_SANDBOX=off"), "write_outside=0"));
    }
}

TEST_CASE("an option that may be repeated takes one value each time, wherever BACKEND stands", "[programs]") {
    const TemporaryFolder folder;
    const std::string filters = " --filter 'e4m3-fp32*' --filter 'e5m2-fp32*'";
    const Result before = shell(folder.path(), "mxcert certify portable" + filters);
    const Result after = shell(folder.path(), "mxcert certify" + filters + " portable");
    CAPTURE(after.err);
    CHECK(before.code == 0);
    CHECK(after.code == 0);
    CHECK(contains(after.out, "512 inputs of 2 conversions"));
    CHECK(shell(folder.path(), "mxcert certify --profile ocp portable --filter 'e4m3-fp32*'").code == 0);
}

TEST_CASE("exit codes of the program", "[values]") {
    const TemporaryFolder folder;
    write_records(folder.path());
    std::ofstream(folder.path() / "cut.so") << "\177ELF"; // as a library begins
    std::ofstream(folder.path() / "plain") << "no program";
    for (const char* name : {"empty", "broken_record", "broken_offline"}) fs::create_directories(folder.path() / name);
    std::ofstream(folder.path() / "broken_record" / "record.json") << "{}";
    std::ofstream(folder.path() / "broken_offline" / "offline.json") << "{}";
    const std::string fuzz = "fuzz --time 1h "; // the cases end it, on whatever machine
    const std::string ways = fuzz + "'" + hostile + "/ways.so' --filter fp16-e4m3-nearest_even-sat --backend-option ";
    const std::string plugin = "'" + planted + "'";
    struct {
        int code;
        std::string arguments;
        const char* says; ///< in standard output or error
    } const table[] = {
        {0, "--help", "certify"},
        {0, "--version", "mxcert "},
        {0, "certify --help", "Examples"},
        {0, "record --help", "Examples"},
        {0, "diff --help", "Examples"},
        {0, "backends --help", "Examples"},
        {0, "backends", "portable"},
        {2, "", "--help"},
        {2, "certfy portable", "certify"},
        {2, "--no-such-option", "--help"},
        {2, "certify", "BACKEND"},
        {2, "certify portable --filter 'amax_*-scale_e4m3-*'", "did you mean 'amax_*-e8m0_for_e4m3-*'?"},
        {2, "record portable -o there --filter '*-scale_e5m2-*'", "did you mean '*-e8m0_for_e5m2-*'?"},
        {2, "certify portable --no-such-option", "--help"},
        {2, "certify portble", "'portble' is no built-in backend, plugin, program or record; did you mean portable?"},
        {0, "certify --help", "--jobs N from 0 to 1024 (default 0)"},
        {0, "certify --help", "--color {auto,always,never} (default auto)"},
        {2, "certify portable --filter", "--filter needs a GLOB"},
        {2, "certify portable --jobs", "--jobs needs a number from 0 to 1024"},
        {2, "certify portable --level", "--level needs one of smoke, quick, standard, complete"},
        {2, "certify portable --level fast", "--level: 'fast' is not one of smoke, quick, standard, complete\n"},
        {2, "certify portable --level quik", "; did you mean quick?"},
        {2, "certify portable --seed x", "--seed: 'x' is not a whole number"},
        {2, "certify portable --seed -1", "--seed: '-1' is not a whole number"},
        {2, "verify there --seed 18446744073709551616", "--seed: 18446744073709551616 is too large"},
        {2, "offline there --seed 0x", "--seed: '0x' is not a whole number"},
        {0, "certify portable --seed 0x10 --list --filter fp16-e4m3-nearest_even-sat", "1 row"},
        {0, "certify portable --seed 08 --list --filter fp16-e4m3-nearest_even-sat", "1 row"}, // no octal numbers
        {2, "selftest --jobs 01025", "--jobs: 01025 is not between 0 and 1024"},
        {2, "clauses --trace --jobs 01025", "--jobs: 01025 is not between 0 and 1024"},
        {2, "quantize there --jobs 01025", "--jobs: 01025 is not between 0 and 1024"},
        {2, "certify portable --jobs 01025", "--jobs: 01025 is not between 0 and 1024"},
        {2, "certify portable --quiet=perhaps", "--quiet takes no value"},
        {2, "certify portable --list --junit x", "--junit and --list exclude each other"},
        {0, "certify --help", "--reproduce CONVERSION:INPUT|OPERATION/ROW:CASE "},
        {2, "certify portable --last-failed", "--last-failed needs --report too"},
        {2, "certify portable other", "nothing takes 'other'"},
        {2, "vectors", "a command is missing"},
        {2, "offline there --samples-per-step 70000", "--samples-per-step: 70000 is not between 0 and 65536"},
        {2, "certify portable --samples-per-step 70000", "--samples-per-step: 70000 is not between 0 and 65536"},
        {2, "explain 464 --to fp7", "no format has 7 bits; of up to 8 bits there are: e4m3, e5m2,"},
        {0, "certify right --list --json list.json", "Nothing was run"},
        {4, "certify right --list --filter 'no-such-*' --json -", "\"rows\": []"},
        {3, "certify ./cut.so --list --json -", "mxcert: "},
        {2, "certify empty", "record.json"},
        {2, "certify plain", "plain"},
        {2, "certify portable --profile ocp-sta", "ocp-sat"},
        {2, "certify portable --profil ocp", "unknown option '--profil'; did you mean --profile?"},
        {2, "vectors check --filtr x", "did you mean --filter?\nmxcert vectors check --help"},
        {2, "certify portable --jobs -1", "--jobs: -1 is not between 0 and 1024"},
        {2, "certify portable --jobs two", "--jobs: 'two' is not a number"},
        {2, "certify portable --jobs 1.5", "--jobs: 1.5 is not a whole number"},
        {2, "vectors check empty", "no manifest.json"},
        {2, "explain 464 --to fp8", "did you mean e4m3 or e5m2?"},
        {2, "offline there --filter 'quantize-*'", "--hello FILE"},
        {2, "certify portable --timeout 0", "timeout"},
        {2, "certify portable --seed 1.5", "seed"},
        {2, "certify portable --color sometimes", "color"},
        {2, "certify portable --max-failures 0", "max-failures"},
        {2, "certify portable --require fp16-e4m4-nearest_even-sat", "e4m3"},
        {2, "certify portable --require 'fp17*'", "fp17*"},
        {2, "certify portable --reproduce fp16-e4m3-nearest_even-sat", "CONVERSION:INPUT"},
        {2, "certify portable --reproduce fp16-e4m3-nearest_even-sat:123456", ""},
        {2, "certify portable --reproduce fp16-e4m3-nearest_even-sat:1234 --filter 'x'", "filter"},
        {2, "certify portable --json none/report.json", "none/report.json"},
        {2, "certify portable --junit empty", "empty"},
        {2, "certify portable --json - --junit -", "standard output takes one"},
        {2, "certify portable --report plain", "plain"},
        {2, "certify right --filter 'fp16-*' --json /dev/full", "/dev/full"},
        {2, "certify right --filter 'fp16-*' > /dev/full", "standard output"},
        {2, "record portable", "--output"},
        {2, "record portable -o right", "not empty"},
        {2, "diff right", "B"},
        {2, "diff right none", "none"},
        {0, "certify right", "PASS"},
        {0, "certify right --profile ocp-sat --filter 'fp16-*'", "PASS"},
        {0, "certify " + plugin + " --level smoke --filter 'fp16-*' --filter 'fp64-*' --filter 'provision*'", "PASS"},
        {0, "certify right --require fp32-e4m3-nearest_even-sat", "PASS"},
        {0, "certify right --reproduce fp32-e4m3-nearest_even-sat:3F880001", "PASS"},
        {1, "certify wrong", "3C41"},
        {1, "certify wrong --quiet", "3C41"},
        {1, "certify wrong --json -", "3C41"},
        {1, "certify wrong --reproduce fp16-e4m3-nearest_even-sat:3c41", "FAIL"},
        {1, "certify right --profile ocp", "OFP8-BOTH-MODES"},
        {1, "certify right --require bf16-e4m3-nearest_even-sat", "UNSUPPORTED"},
        {1, "certify right --profile ocp-sat --profile ocp-nosat", "ocp-nosat"},
        {1, "certify right --reproduce bf16-e4m3-nearest_even-sat:3F88", "UNSUPPORTED"},
        {1, "certify '" + hostile + "/one_constant.so' --filter 'fp16-*'", "MISTRUSTED"},
        {1, "certify '" + hostile + "/silent.so' --filter 'fp16-*'", "MISTRUSTED"},
        {3, "certify ./cut.so", "NOT FINISHED: cut, at level standard: 1 ERROR"},
        {3, "certify '" + hostile + "/crash_always.so' --filter 'fp16-*'", "ERROR"},
        {3, "record ./cut.so -o new1", "cut.so"},
        {3, "diff right ./cut.so", "cut.so"},
        {4, "certify right --filter 'no-such-*'", "NOTHING CHECKED"},
        {0, "record right -o new2", "4 conversions"},
        {0, "diff right right", "4 same"},
        {0, "diff right " + plugin + " --filter 'fp16-*'", "2 same"},
        {1, "diff right wrong", "3C41"},
        {1, "diff wrong right --json -", "\"3C41\""},
        {4, "diff right other", "nothing in common"},
        {0, "fuzz --help", "Examples"},
        {2, "fuzz", "BACKEND"},
        {2, "fuzz portable --time 0", "--time"},
        {2, "fuzz portable --time 5x", "5m"},
        {2, "fuzz portable --time 169h", "week"},
        {2, "fuzz portable --jobs 2", "--jobs"},
        {2, "fuzz portable --profile ocp-sta", "ocp-sat"},
        {2, "fuzz portable --case fp32-e4m3-nearest_even-sat", "CONVERSION:INPUT"},
        {2, "fuzz portable --case fp32-e4m3fnuz-nearest_even-sat:00000000", "not offered"},
        {2, "fuzz right --cases 1", "is a record"},
        {2, "fuzz broken_record", "is a record"},
        {2, "fuzz broken_offline", "a device that is not attached"},
        {0, fuzz + plugin + " --cases 200 --filter 'fp32-*'", "NOTHING FOUND"},
        {0, fuzz + plugin + " --cases 1 --filter 'fp32-*' --seed 010 --json -", "\"seed\": 10,"},
        {0, fuzz + plugin + " --case fp32-e4m3-nearest_even-sat:3F880001,00000000@batch=1", "NOTHING FOUND"},
        {1, fuzz + plugin + " --cases 900 --filter fp32-e4m3-nearest_even-sat --backend-option 3F800000", "3F800000"},
        {1, fuzz + plugin + " --cases 200 --filter fp32-e4m3-nearest_even-sat --backend-option tail",
         "WRONG IN COMPANY"},
        {1, fuzz + plugin + " --cases 200 --filter fp32-e4m3-nearest_even-sat --backend-option forget", "NOT WRITTEN"},
        {1, fuzz + plugin + " --cases 200 --filter fp32-e4m3-nearest_even-sat --backend-option fickle",
         "NOT DETERMINISTIC"},
        {1, fuzz + "'" + hostile + "/noisy.so' --cases 20 --json -", "\"exit_code\": 1"},
        {3, fuzz + plugin + " --cases 900 --filter fp32-e4m3-nearest_even-sat --backend-option crash=3F800000",
         "SIGABRT"},
        {3, fuzz + "'" + hostile + "/crash_always.so' --filter 'fp32-*'", "given up"},
        {3, fuzz + "'" + hostile + "/overrun.so' --cases 50", "outside its output buffer"},
        {0, "fuzz portable --cases 1 --filter 'fp32-*' --filter 'layout-*'", "operations had no case"},
        {0, ways + "'' --cases 300", "NOTHING FOUND"},
        {3, ways + "exit_crash --cases 5", "MISBEHAVED  the worker did not end well: signal 11 (SIGSEGV)"},
        {3, ways + "exit_crash --cases 5 --json -", "\"exit_code\": 3"},
        {3, ways + "eat_memory --cases 8 --memory-limit 64", ": 1 failure:"},
        {3, ways + "write_far --cases 1", "wrote far outside its output buffer"},
        {3, ways + "write_far_one:7C00 --cases 900", "-sat:0x7C00"},
        {3, ways + "write_far_at:200 --cases 900", "wrote far outside its output buffer, in which case is not known"},
        {3, "fuzz ./cut.so", "cut.so"},
        {4, "fuzz portable --filter 'no-such-*'", "NOTHING CHECKED"},
        {4, fuzz + "'" + hostile + "/unable.so' --cases 50", "it hurts"},
    };
    for (const auto& row : table) {
        const Result result = shell(folder.path(), "mxcert " + row.arguments);
        INFO("mxcert " << row.arguments << "\nstdout: " << result.out << "\nstderr: " << result.err);
        CHECK(result.code == row.code);
        CHECK((contains(result.out, row.says) || contains(result.err, row.says)));
        // An error is one of ours, and goes to standard error.
        if (row.code == 2) CHECK(contains(result.err, "mxcert: "));
    }
}

TEST_CASE("one wrong answer among all FP32 inputs is found, and its reproduction line works", "[values]") {
    const TemporaryFolder folder;
    const std::string run = "mxcert certify '" + planted + "' --filter fp32-e4m3-nearest_even-sat ";
    const Result found = shell(folder.path(), run + "--backend-option C07FFFFF");
    INFO(found.out << found.err);
    CHECK(found.code == 1);
    CHECK(contains(found.out, "1 of 4,294,967,296 inputs has a wrong answer"));
    const std::string line = again_line(found.out);
    CHECK(contains(line, "fp32-e4m3-nearest_even-sat:0xC07FFFFF"));
    const Result again = shell(folder.path(), line);
    CHECK(again.code == 1);
    CHECK(what_was_wrong(again.out) == what_was_wrong(found.out));
    CHECK(again_line(again.out) == line);
    // The input beside it is right, and so is the same input of an implementation without the fault.
    CHECK(shell(folder.path(), line.substr(0, line.size() - 8) + "C07FFFFE").code == 0);
    for (const char* one : {"fp32-e4m3-nearest_even-sat:C07FFFFF", "fp32-e4m3-stochastic_a8-sat:3F880001/0000002A"}) {
        const Result alone = shell(folder.path(), std::string("mxcert certify portable --reproduce ") + one);
        CHECK(alone.code == 0);
        CHECK(contains(alone.out, "portable agrees with ocp on"));
        CHECK(!contains(alone.out, "UNTESTED")); // of the profiles that do not judge it
    }
}

TEST_CASE("a record that holds too little passes for nothing", "[programs]") {
    const TemporaryFolder folder;
    mxcert::test::FakeSubject subject;
    subject.offer("fp64-e5m2-nearest_even-sat");
    record::Record record = record::take_record(subject, {});
    record::write_record(record, folder.path() / "whole");
    for (const char* profile : {"ocp-sat", "nvidia-cuda-host"}) {
        const Result result = shell(folder.path(), "mxcert certify whole --profile " + std::string(profile));
        INFO(result.out);
        CHECK_FALSE(contains(result.out, "never asked")); // one record serves every profile
    }
    CHECK(shell(folder.path(), "mxcert certify whole --profile ocp-sat --filter 'fp64-*'").code == 0);
    // Without the one input beside a tie, and with hardly any.
    for (const std::size_t kept : {record.conversions[0].points.size() - 1, std::size_t{2}}) {
        record.conversions[0].points.resize(kept);
        record::write_record(record, folder.path() / std::to_string(kept));
        const Result result = shell(folder.path(), "mxcert certify " + std::to_string(kept) + " --profile ocp-sat");
        INFO(result.out);
        CHECK(result.code == 3);
        CHECK(contains(result.out, "at a boundary of what is permitted"));
    }
}

TEST_CASE("the files of a report", "[programs]") {
    const TemporaryFolder folder;
    write_records(folder.path());
    const fs::path out = folder.path() / "out";
    CHECK(shell(folder.path(), "mxcert certify right --report out").code == 0);
    for (const char* name : {"report.json", "report.html", "junit.xml", "summary.txt", "certificate.json"})
        CHECK(fs::exists(out / name));
    CHECK(content(out / "report.json") == content(out / "certificate.json"));
    const nlohmann::json json = nlohmann::json::parse(content(out / "report.json"));
    CHECK(json["certificate"] == true);
    CHECK(json["backend"]["record"] == true);
    pugi::xml_document document;
    CHECK(document.load_string(content(out / "junit.xml").c_str()));
    CHECK(contains(content(out / "summary.txt"), "PASS: fake, as recorded, conforms to ocp-sat"));

    // The certificate of an earlier run goes when a later one fails, and a part is not a certificate.
    CHECK(shell(folder.path(), "mxcert certify wrong --report out").code == 1);
    CHECK_FALSE(fs::exists(out / "certificate.json"));
    CHECK(contains(content(out / "summary.txt"), "again:"));
    CHECK(shell(folder.path(), "mxcert certify right --filter 'fp16*' --report out").code == 0);
    CHECK_FALSE(fs::exists(out / "certificate.json"));
    CHECK(std::distance(fs::directory_iterator(out), fs::directory_iterator{}) == 4);

    // Standard output is the JSON alone.
    const Result result = shell(folder.path(), "mxcert certify right --json -");
    CHECK(nlohmann::json::parse(result.out)["exit_code"] == 0);
    CHECK(contains(result.err, "PASS"));
    CHECK(document.load_string(shell(folder.path(), "mxcert certify right --junit -").out.c_str()));
    CHECK_FALSE(fs::exists(folder.path() / "-"));
    CHECK(nlohmann::json::parse(shell(folder.path(), "mxcert diff right wrong --json -").out)["rows"][0]["differing"] ==
          1);
}

TEST_CASE("a real report is valid for a full JSON Schema validator", "[programs]") {
    const TemporaryFolder folder;
    if (absent(shell(folder.path(), "python3 -c 'import jsonschema'").code != 0, "python3-jsonschema",
               "./dev test installs it"))
        return;
    write_records(folder.path());
    for (const char* record : {"right", "wrong"}) {
        (void)shell(folder.path(), "mxcert certify " + std::string(record) + " --json report.json");
        const Result result =
            shell(folder.path(), "python3 -c 'import json, jsonschema; "
                                 "jsonschema.validate(json.load(open(\"report.json\")), "
                                 "json.load(open(\"" MXCERT_TEST_SOURCE "/conformance/schema/report-1.json\")))'");
        INFO(result.err);
        CHECK(result.code == 0);
    }
}

TEST_CASE("a folder that cannot be written is refused before the run") {
    const TemporaryFolder folder;
    write_records(folder.path());
    const Result result = shell(folder.path(), "mxcert certify wrong --report /proc/none");
    CHECK(result.code == 2);
    CHECK(contains(result.err, "/proc/none"));
    CHECK(result.out.empty());
}

TEST_CASE("a signal stops the run and leaves a whole report") {
    const TemporaryFolder folder;
    for (const char* signal : {"INT", "TERM"}) {
        fs::remove_all(folder.path() / "out");
        // `hang` would keep the run for as long as its timeout says.
        const Result result = shell_until(
            folder.path(), "mxcert certify '" + hostile + "/hang.so' --filter 'fp16-*' --timeout 3600 --report out",
            "kill -" + std::string(signal) + " $pid");
        INFO(result.out << result.err);
        CHECK(result.code == 3);
        const nlohmann::json json = nlohmann::json::parse(content(folder.path() / "out/report.json"));
        CHECK(json["interrupted"] == true);
        CHECK(json["certificate"] == false);
        CHECK(json["exit_code"] == 3);
        CHECK_FALSE(fs::exists(folder.path() / "out/certificate.json"));
    }
}

TEST_CASE("colour follows the terminal, the flag and the environment", "[programs]") {
    const TemporaryFolder folder;
    write_records(folder.path());
    CHECK_FALSE(contains(shell(folder.path(), "mxcert certify right").out, "\x1b"));
    CHECK(contains(shell(folder.path(), "mxcert certify right --color always").out, "\x1b[32m"));
    CHECK_FALSE(contains(shell(folder.path(), "mxcert certify right --color never").out, "\x1b"));
    if (absent(shell(folder.path(), "command -v script").code != 0, "script", "it is part of bsdutils")) return;
    const auto on_terminal = [&](const std::string& environment) {
        return shell(folder.path(), environment + " script -qec 'mxcert certify right' /dev/null").out;
    };
    CHECK(contains(on_terminal("TERM=xterm"), "\x1b[32m"));
    CHECK_FALSE(contains(on_terminal("TERM=xterm NO_COLOR=1"), "\x1b[32m"));
    CHECK_FALSE(contains(on_terminal("TERM=dumb"), "\x1b[32m"));
}

TEST_CASE("quiet prints what failed and the verdict only") {
    const TemporaryFolder folder;
    write_records(folder.path());
    const std::string out = shell(folder.path(), "mxcert certify right --quiet").out;
    CHECK_FALSE(contains(out, "first counterexample"));
    CHECK(contains(out, "PASS: fake, as recorded, conforms to ocp-sat"));
}

TEST_CASE("what fuzzing finds is found again by the line it prints", "[programs]") {
    const TemporaryFolder folder;
    for (const char* fault : {"3F800000", "tail", "crash=3F800000"}) {
        const Result found = shell(folder.path(), "mxcert fuzz --time 1h '" + planted +
                                                      "' --cases 900 --filter fp32-e4m3-nearest_even-sat " +
                                                      "--max-failures 1 --backend-option=" + fault);
        INFO(found.out << found.err);
        const std::string line = again_line(found.out);
        const Result again = shell(folder.path(), line);
        INFO(line << '\n' << again.out << again.err);
        CHECK((found.code == 1 || found.code == 3));
        CHECK(again.code == found.code);
    }
}

TEST_CASE("a seed fuzzes the same cases, another one others", "[values]") {
    const TemporaryFolder folder;
    const auto report = [&](const std::string& seed) {
        const Result result = shell(folder.path(), "mxcert fuzz --time 1h '" + planted +
                                                       "' --filter 'fp*-e4m3-*' --cases 60 --json - --backend-option " +
                                                       "3F800000 --seed " + seed);
        nlohmann::json json = nlohmann::json::parse(result.out);
        json.erase("seconds");
        json.erase("seed");
        return json.dump();
    };
    const std::string first = report("5");
    CHECK(report("5") == first);
    CHECK(report("6") != first);
}

TEST_CASE("fuzzing that is stopped reports what was done, and that it was stopped") {
    const TemporaryFolder folder;
    // close_hang: the signal comes when all cases are done and the worker is to end.
    for (const std::string& run :
         {"'" + planted + "' --filter 'fp16-e4m3-*' --time 1h",
          "'" + planted + "' --filter 'fp16-e4m3-*' --time 1h --json -",
          "'" + hostile + "/ways.so' --backend-option close_hang --filter 'fp16-e4m3-*' --cases 5 --timeout 3600"}) {
        const Result result = shell_until(folder.path(), "mxcert fuzz " + run, "kill -INT $pid");
        INFO(run << '\n' << result.out << result.err);
        CHECK(result.code == 3);
        const std::string text = result.out + result.err;
        CHECK(contains(text, "Stopped by a signal"));
        CHECK(contains(text, "STOPPED: "));
        CHECK_FALSE(contains(text, "NOTHING FOUND"));
        CHECK_FALSE(contains(text, "did not end well"));
        if (!contains(run, "json")) continue;
        const nlohmann::json json = nlohmann::json::parse(result.out);
        CHECK(json["stopped"] == true);
        CHECK(json["exit_code"] == 3);
        CHECK(json["misbehaved"] == "");
    }
}
