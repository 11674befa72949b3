// SPDX-License-Identifier: Apache-2.0
// Backends that are commands or files on the command line: a pipe wherever a BACKEND is named, a file that is none, and
// `mxcert worker`.
#include "catch.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// E5M2 is the upper byte of FP16; and without one subnormal. sed buffers, and is told so: a line at a time it takes
// seconds.
constexpr const char* right = "--pipe \"sed 's/$/00/'\" --conversion e5m2-fp16-nearest_even-nosat";
constexpr const char* wrong = "--pipe \"sed 's/01/00/;s/$/00/'\" --conversion e5m2-fp16-nearest_even-nosat";
constexpr const char* how = " --jobs 1 --backend-option at-end";

} // namespace

TEST_CASE("a pipe is a backend of every command that takes one", "[programs]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& arguments) {
        const Result result = shell(folder.path(), "mxcert " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    const std::string few = std::string(how) + " --filter 'e5m2-*' --level smoke";
    const Result pass = run(std::string("certify ") + right + few + " --json report.json");
    CHECK(pass.code == 0);
    CHECK_THAT(pass.out, Contains("agrees with ocp"));
    const Result fail = run(std::string("certify ") + wrong + few);
    CHECK(fail.code == 1);
    CHECK_THAT(fail.out,
               Contains("again:    mxcert certify 'pipe:e5m2-fp16-nearest_even-nosat:sed '") && Contains("0x01"));
    // The line that it prints does run it again.
    const std::size_t at = fail.out.find("mxcert certify 'pipe:");
    CHECK(run(fail.out.substr(at + 7, fail.out.find('\n', at) - at - 7)).code == 1);
    // A report says which program answered. A run is repeated with the program that the user names.
    CHECK(run("verify report.json \"pipe:e5m2-fp16-nearest_even-nosat:sed 's/$/00/'\" --all --jobs 1").code == 0);

    CHECK_THAT(run(std::string("identify ") + right + how).out,
               Contains("explains 254 of 256 inputs")); // all but two NaN
    CHECK(run(std::string("record ") + right + how + " -o kept").code == 0);
    const std::string other = "\"pipe:e5m2-fp16-nearest_even-nosat:sed 's/01/00/;s/$/00/'\"";
    CHECK(run("diff kept " + other + how).code == 1);
    CHECK(run(std::string("fuzz ") + wrong + " --backend-option at-end --cases 20").code == 1);
    const std::string gate = std::string("gate ") + wrong + few + " --baseline b.json --today 2026-01-01";
    CHECK(run(gate + " --acknowledge --reason r --owner o --expires 2099-01-01").code == 0);
    CHECK(run(gate).code == 0);
    CHECK(run("backends " + other).code == 0);
}

TEST_CASE("one command may answer several conversions") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "emulator")
        << "#!/bin/sh\ncase $MXCERT_CONVERSION in\ne5m2-fp16-*) sed -u 's/$/00/';;\n"
           "*) sed -u 's/^/00/';;\nesac\n";
    fs::permissions(folder.path() / "emulator", fs::perms::owner_all);
    const Result both =
        shell(folder.path(), "mxcert certify --pipe ./emulator --conversion e5m2-fp16-nearest_even-nosat "
                             "--conversion e4m3-fp16-nearest_even-nosat --filter '*-fp16-*' --jobs 1 --level smoke");
    CAPTURE(both.out, both.err);
    CHECK(both.code == 1);
    CHECK_THAT(both.out, Contains("FAIL") && Contains("PASS"));
}

TEST_CASE("a pipe takes the place of BACKEND and needs its conversion") {
    const TemporaryFolder folder;
    for (const char* arguments :
         {"certify", "gate --baseline b.json", "certify --pipe cat",
          "certify portable --pipe cat --conversion e5m2-fp16-up-sat", "certify portable --conversion e5m2-fp16-up-sat",
          "certify --pipe cat --conversion nonsense", "worker",
          "certify --pipe ./nosuch --conversion e5m2-fp16-nearest_even-nosat", "certify pipe:cat"}) {
        CAPTURE(arguments);
        const Result result = shell(folder.path(), std::string("mxcert ") + arguments);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, StartsWith("mxcert: "));
    }
}

TEST_CASE("a file that cannot be a backend is a usage error that says what to do") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "notso.so") << "a text\n";
    std::ofstream(folder.path() / "worker.py") << "#!/usr/bin/env python3\n";
    std::ofstream(folder.path() / "broken.py") << "#!/no/such/python9\n";
    fs::permissions(folder.path() / "broken.py", fs::perms::owner_all);
    fs::create_symlink("gone.so", folder.path() / "link.so");
    const std::pair<const char*, const char*> table[] = {
        {"./notso.so", "'./notso.so' is not a shared library"},
        {"./nosuch.so", "'./nosuch.so': there is no such file"},
        {"./worker.py", "'./worker.py' may not be executed: chmod +x ./worker.py"},
        {"./broken.py", "there is no program /no/such/python9 here"},
        {"./link.so", "'./link.so' is a symbolic link to 'gone.so', which does not exist"},
    };
    for (const auto& [file, reason] : table)
        for (const char* command : {"certify", "worker"}) {
            CAPTURE(file, command);
            const Result result = shell(folder.path(), std::string("mxcert ") + command + " " + file);
            CHECK(result.code == 2);
            CHECK_THAT(result.err, StartsWith("mxcert: ") && Contains(reason));
        }
}

TEST_CASE("mxcert worker is the process of a backend") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& command) { return shell(folder.path(), command); };
    // By a script that knows the program alone: requests from files.
    REQUIRE(run("mxcert offline device --filter e5m2-fp16-nearest_even-nosat --points all").code == 0);
    const Result pipe =
        run("mxcert worker --pipe \"sed 's/$/00/'\" --conversion e5m2-fp16-nearest_even-nosat "
            "< device/requests.mxcf > device/responses.mxcf && mxcert certify device --filter 'e5m2-*'");
    CAPTURE(pipe.out, pipe.err);
    CHECK(pipe.code == 0);
    CHECK(run("mxcert worker '" + planted_plugin() + "' < device/requests.mxcf > responses").code == 0);
    CHECK(run("mxcert worker portable < device/requests.mxcf > again && cmp -s responses device/responses.mxcf").code !=
          0);
    CHECK_THAT(content(folder.path() / "responses"), StartsWith("MXCF"));
    CHECK(run("mxcert worker device").code == 2);

    const Result help = run("mxcert-worker --help");
    CHECK(help.code == 0);
    CHECK_THAT(help.out, StartsWith("usage: mxcert-worker PLUGIN"));
}
