// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/wait.h>

#include "catch.hpp"
#include "vectors/golden_store/manifest.hpp"
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

TEST_CASE("vectors check compares the files that are named", "[vectors_command][values]") {
    const Outcome run = vectors("check --filter 'e4m3-*' --filter e5m2_times_e8m0-fp32.csv");
    CHECK(run.code == 0);
    CHECK_THAT(run.output, StartsWith("e4m3-fp32.csv             ok\n") && !Contains("manifest") && !Contains("fp32-"));
    CHECK_THAT(run.output, Contains("10 of 10 files in " + committed.string() + " are as generated"));
    CHECK_THAT(run.errors, Contains("[10/10] "));

    // One digit of one row, far inside.
    const TemporaryFolder folder;
    const std::filesystem::path copy = folder.path() / "golden";
    std::filesystem::copy(committed, copy);
    std::string text = content(copy / "fp32-e4m3.csv");
    const std::size_t at = text.find("43E80001,");
    REQUIRE(at != std::string::npos);
    std::ofstream(copy / "fp32-e4m3.csv", std::ios::binary) << text.replace(at, 8, "43E80000");
    std::filesystem::remove(copy / "e8m0-fp16.csv");
    const Outcome check = vectors("check --filter '*32-e4m3*' --filter 'e8m0-*'", "MXCERT_VECTORS=" + copy.string());
    CHECK(check.code == 1);
    CHECK_THAT(check.output,
               Contains("fp32-e4m3.csv             line ") && Contains("43E80000,") && Contains(", and must be '"));
    CHECK_THAT(check.output, Contains("e8m0-fp16.csv             missing"));
    CHECK_THAT(check.output, Contains("4 of 6 files"));
}

TEST_CASE("vectors generate writes the committed bytes", "[vectors_command][.][exhaustive]") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "new" / "golden";
    const Outcome run = vectors("generate -o " + path.string());
    CHECK(run.code == 0);
    CHECK_THAT(run.output, StartsWith("180 files, "));
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(committed)) {
        CAPTURE(entry.path().filename().string());
        CHECK(content(entry.path()) == content(path / entry.path().filename()));
        ++files;
    }
    CHECK(files == 181); // and the manifest
    CHECK(std::distance(std::filesystem::directory_iterator(path), {}) == 181);
}

TEST_CASE("vectors check of a folder that is not there or empty is no success", "[vectors_command]") {
    const TemporaryFolder folder;
    const Outcome empty = vectors("check " + folder.path().string());
    CHECK(empty.code == 2);
    CHECK_THAT(empty.errors, Contains("there is no manifest.json"));
    const Outcome none = vectors("check /no/such/folder");
    CHECK(none.code == 2);
    CHECK_THAT(none.errors, Contains("/no/such/folder"));
    const Outcome named = vectors("check --filter 'fp8-*'");
    CHECK(named.code == 2);
    CHECK_THAT(named.errors, Contains("--filter names no golden file"));
    // Files of others are nothing to compare with.
    std::ofstream(folder.path() / "mine.csv") << "x\n";
    CHECK(vectors("check --filter e8m0-fp64.csv " + folder.path().string()).code == 2);
    std::ofstream(folder.path() / "manifest.json") << "{}\n";
    const Outcome other_outcome = vectors("check --filter e8m0-fp64.csv " + folder.path().string());
    CHECK(other_outcome.code == 1);
    CHECK_THAT(other_outcome.output, Contains("0 of 1 file in"));
}

TEST_CASE("vectors list shows every file", "[vectors_command]") {
    const Outcome run = vectors("list");
    CHECK(run.code == 0);
    CHECK_THAT(run.output, Contains("vectors " + std::string(vectors_version)) && Contains("fp64-e8m0.csv") &&
                               Contains("OFP8-NAN"));
    CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 2 + 180);
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
    // What OCP's profiles do not judge has another one.
    CHECK_THAT(vectors("export --format c --conversion bf16-e4m3fnuz-nearest_even-sat").output,
               Contains("profile amd-hip-fnuz"));
    CHECK_THAT(vectors("export --format c --conversion bf16-ue5m3-nearest_even-sat").output,
               Contains("profile unsigned-scales"));
    // A pair without a golden file is tabulated, and says so.
    const Outcome tabulated = vectors("export --format c --conversion e4m3-e5m2-nearest_even-sat");
    CHECK(tabulated.code == 0);
    CHECK_THAT(tabulated.output, Contains("profile ocp-sat, tabulated"));
}

TEST_CASE("vectors export writes test vectors of an operation to a file or a folder", "[vectors_command]") {
    const TemporaryFolder folder;
    const std::string operation = "export --operation dequantize-e2m1-e8m0-bf16-row-32 ";
    const Outcome csv = vectors(operation);
    CHECK(csv.code == 0);
    CHECK_THAT(csv.output, StartsWith("id,answer,sizes,elements,scales,values,open,flags,bugs,clauses,comment\n"));
    const std::filesystem::path npy = folder.path() / "new" / "npy";
    const Outcome written = vectors(operation + "--format npy -o " + npy.string());
    CHECK(written.code == 0);
    CHECK_THAT(written.output, Contains(" files in " + npy.string()));
    CHECK(std::filesystem::exists(npy / "1x32.npy"));
    CHECK_THAT(content(npy / "manifest.json"), Contains("\"schema\": \"mxcert-export-1\"") &&
                                                   Contains("\"file\": \"1x32.npy\"") &&
                                                   Contains("\"license\": \"Apache-2.0\""));
}

TEST_CASE("vectors export says what is wrong with its arguments", "[vectors_command][programs]") {
    struct Case {
        std::string arguments;
        std::string error;
    };
    const Case cases[] = {
        {"export", "either --conversion or --operation"},
        {"export --conversion fp32-e4m3-nearest_even-sat --operation scaling-te_delayed", "either --conversion or"},
        {"export --format json --operation scaling-te_delay", "te_delayed"},
        {"export --format json --operation scaling-te_delayed --profile ocp-sat", "profile ocp-sat does not judge"},
        {"export --format json --operation stochastic-fp32-e4m3-stochastic_a8-sat",
         "no test vectors of the operation stochastic"},
        {"export --format json --operation quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-row-32-low_first",
         "export the operation without 'low_first'"},
        {"export --format npy --operation scaling-te_delayed", "-o names a folder"},
        {"export --format json --conversion fp32-e4m3-nearest_even-sat --first 00000000", "a range is for conversions"},
        {"export --conversion fp32-e4m3", "fp32-e4m3"},
        {"export --conversion fp32-e4m3-nearest_even-sat --profile ocp-nosat", "profile ocp-nosat does not judge"},
        {"export --conversion fp32-e4m3-nearest_even-sat --profile ocp-sad", "ocp-sat"},
        {"export --conversion fp32-e4m3-nearest_even-sat --format npz", "npy"},
        {"export --conversion fp32-e4m3-nearest_even-sat --first 0", "8 hexadecimal digits"},
        {"export --conversion fp32-e4m3-nearest_even-sat --format npy --first 00000000", "more than 16777216 inputs"},
        {"export --conversion fp32-e4m3-nearest_even-sat --lanes 4", "lanes are for conversions as hex only"},
        {"export --conversion fp32-e4m3-nearest_even-sat -o /no/such/folder/file", "/no/such/folder"},
        {"", ""},
    };
    for (const Case& test_case : cases) {
        CAPTURE(test_case.arguments);
        const Outcome run = vectors(test_case.arguments);
        CHECK(run.code == 2);
        CHECK(run.output.empty());
        CHECK_THAT(run.errors, Contains(test_case.error));
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
