// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/wait.h>

#include "catch.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

struct Outcome {
    int code;
    std::string output; ///< standard output
    std::string errors; ///< standard error
};

/// Runs `mxcert vectors ...` through the shell. `before` goes in front of it: VARIABLE=value.
Outcome vectors(const std::string& arguments, const std::string& before = "env -u MXCERT_VECTORS") {
    static const std::string program = (std::filesystem::path(MXCERT_TEST_WORKER).parent_path() / "mxcert").string();
    const TemporaryFolder folder;
    const std::string out = (folder.path() / "out").string();
    const std::string err = (folder.path() / "err").string();
    const int status = std::system(
        (before + " " + program + " vectors " + arguments + " > " + out + " 2> " + err + " < /dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

const std::filesystem::path committed = MXCERT_TEST_SOURCE "/vectors/golden";

} // namespace

TEST_CASE("vectors check passes for the committed files", "[vectors_command][values]") {
    const Outcome run = vectors("check");
    CHECK(run.code == 0);
    CHECK_THAT(run.output, Contains("fp32-e4m3.csv             ok\n") && Contains("manifest.json             ok\n"));
    CHECK_THAT(run.output, Contains("31 of 31 files in " + committed.string() + " are as generated"));
    CHECK_THAT(run.errors, Contains("[30/30] "));
}

TEST_CASE("vectors generate writes what vectors check accepts, and the committed bytes", "[vectors_command][values]") {
    const TemporaryFolder folder;
    const std::string made = (folder.path() / "new" / "golden").string();
    const Outcome run = vectors("generate -o " + made);
    CHECK(run.code == 0);
    CHECK_THAT(run.output, StartsWith("30 files, "));
    for (const auto& entry : std::filesystem::directory_iterator(committed))
        CHECK(content(entry.path()) == content(std::filesystem::path(made) / entry.path().filename()));

    // One digit of one row, far inside.
    const std::filesystem::path file = std::filesystem::path(made) / "fp32-e4m3.csv";
    std::string text = content(file);
    const std::size_t at = text.find("43E80001,");
    REQUIRE(at != std::string::npos);
    std::ofstream(file, std::ios::binary) << text.replace(at, 8, "43E80000");
    std::filesystem::remove(std::filesystem::path(made) / "e8m0-fp16.csv");
    const Outcome check = vectors("check", "MXCERT_VECTORS=" + made);
    CHECK(check.code == 1);
    CHECK_THAT(check.output,
               Contains("fp32-e4m3.csv             line ") && Contains("43E80000,") && Contains(", and must be '"));
    CHECK_THAT(check.output, Contains("e8m0-fp16.csv             missing"));
    CHECK_THAT(check.output, Contains("29 of 31 files"));
}

TEST_CASE("vectors check of a folder that is not there or empty is no success", "[vectors_command][values]") {
    const TemporaryFolder folder;
    const Outcome empty = vectors("check " + folder.path().string());
    CHECK(empty.code == 1);
    CHECK_THAT(empty.output, Contains("0 of 31 files"));
    const Outcome none = vectors("check /no/such/folder");
    CHECK(none.code == 2);
    CHECK_THAT(none.errors, Contains("/no/such/folder"));
}

TEST_CASE("vectors list shows every file", "[vectors_command]") {
    const Outcome run = vectors("list");
    CHECK(run.code == 0);
    CHECK_THAT(run.output, Contains("vectors 1.1.0") && Contains("fp64-e8m0.csv") && Contains("OFP8-NAN"));
    CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 2 + 30);
    CHECK(vectors("list /no/such/folder").code == 2);
}

TEST_CASE("vectors export writes to standard output or a file", "[vectors_command]") {
    const TemporaryFolder folder;
    const std::string conversion = "export --conversion fp32-e4m3-nearest_even-sat ";
    const Outcome csv = vectors(conversion);
    CHECK(csv.code == 0);
    CHECK_THAT(csv.output, StartsWith("first,last,permit,clause\n00000000,") && Contains(",FFFFFFFF,nan,"));
    const std::string file = (folder.path() / "e4m3.h").string();
    const Outcome c = vectors(conversion + "--format c -o " + file);
    CHECK(c.code == 0);
    CHECK(c.output.empty());
    CHECK_THAT(content(file), Contains("mxcert_fp32_e4m3_nearest_even_sat_find(uint32_t input)") &&
                                  Contains("profile ocp-sat, from fp32-e4m3.csv with SHA-256 "));
    const Outcome hex =
        vectors("export --conversion fp32-e4m3-nearest_even-nosat --format hex --first 43E80001 --last 43E80001");
    CHECK(hex.code == 0);
    CHECK_THAT(hex.output, Contains("\n17F43E80001\n"));
    // A pair without a golden file is tabulated, and says so.
    const Outcome tabulated = vectors("export --format c --conversion e4m3-e5m2-nearest_even-sat");
    CHECK(tabulated.code == 0);
    CHECK_THAT(tabulated.output, Contains("profile ocp-sat, tabulated"));
}

TEST_CASE("vectors export says what is wrong with its arguments", "[vectors_command]") {
    struct Case {
        std::string arguments;
        std::string error;
    };
    const Case cases[] = {
        {"export", "--conversion"},
        {"export --conversion fp32-e4m3", "fp32-e4m3"},
        {"export --conversion fp32-e4m3-nearest_even-sat --profile ocp-nosat", "profile ocp-nosat does not judge"},
        {"export --conversion fp32-e4m3-nearest_even-sat --profile ocp-sad", "ocp-sat"},
        {"export --conversion fp32-e4m3-nearest_even-sat --format npz", "npy"},
        {"export --conversion fp32-e4m3-nearest_even-sat --first 0", "8 hexadecimal digits"},
        {"export --conversion fp32-e4m3-nearest_even-sat --format bin --first 00000000", "more than 16777216 inputs"},
        {"export --conversion fp32-e4m3-nearest_even-sat --lanes 4", "lanes are for hex only"},
        {"export --conversion fp32-e4m3-nearest_even-sat -o /no/such/folder/file", "/no/such/folder"},
        {"", ""},
    };
    for (const Case& one : cases) {
        CAPTURE(one.arguments);
        const Outcome run = vectors(one.arguments);
        CHECK(run.code == 2);
        CHECK(run.output.empty());
        CHECK_THAT(run.errors, Contains(one.error));
    }
}

TEST_CASE("A golden file that was changed is not exported", "[vectors_command]") {
    const TemporaryFolder folder;
    std::filesystem::copy(committed, folder.path() / "golden");
    std::ofstream(folder.path() / "golden" / "fp32-e4m3.csv", std::ios::app) << "\n";
    const Outcome run = vectors("export --conversion fp32-e4m3-nearest_even-sat",
                                "MXCERT_VECTORS=" + (folder.path() / "golden").string());
    CHECK(run.code == 2);
    CHECK_THAT(run.errors, Contains("does not match its manifest") && Contains("mxcert vectors check"));
}
