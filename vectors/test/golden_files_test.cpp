// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_files.hpp"

#include <cstdlib>

#include "catch.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

/// Some files as they must be. That all are is what a test of `mxcert vectors generate` shows: it takes a minute.
const std::vector<GoldenPair>& some_pairs() {
    static const std::vector<GoldenPair> pairs = [] {
        std::vector<GoldenPair> found;
        for (const auto& [from, to] : {std::pair{"fp32", "e4m3"},
                                       {"fp32", "e5m2"},
                                       {"fp16", "e4m3"},
                                       {"bf16", "e5m2"},
                                       {"e4m3", "fp16"},
                                       {"e5m2_times_e8m0", "fp16"}})
            found.push_back({&format(from), &format(to)});
        return found;
    }();
    return pairs;
}

const std::vector<GoldenText>& generated() {
    static const std::vector<GoldenText> all = generate_all_golden(0, {}, some_pairs());
    return all;
}

const std::filesystem::path committed = MXCERT_TEST_SOURCE "/vectors/golden";

class Environment {
  public:
    explicit Environment(const std::string& folder) { setenv("MXCERT_VECTORS", folder.c_str(), 1); }
    ~Environment() { unsetenv("MXCERT_VECTORS"); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
};

std::string reason_of(const std::vector<GoldenCheck>& checks, const std::string& file) {
    for (const GoldenCheck& check : checks)
        if (check.file == file) return check.reason;
    return "not reported";
}

/// Replaces a text in a file of a folder.
void edit(const std::filesystem::path& file, const std::string& from, const std::string& to) {
    std::string text = content(file);
    REQUIRE(text.find(from) != std::string::npos);
    std::ofstream(file, std::ios::binary) << text.replace(text.find(from), from.size(), to);
}

} // namespace

TEST_CASE("Committed golden files are what is generated, byte by byte", "[golden_files][values]") {
    REQUIRE(generated().size() == some_pairs().size());
    for (const GoldenText& text : generated()) {
        CAPTURE(text.name);
        CHECK(content(committed / text.name) == text.text);
    }
}

TEST_CASE("All golden files stay under 13 MB", "[golden_files]") {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(committed)) bytes += entry.file_size();
    CHECK(bytes > 100'000);
    CHECK(bytes < 13'000'000);
}

TEST_CASE("The number of threads does not change the files", "[golden_files][values]") {
    const auto texts = generate_all_golden(1, {}, some_pairs());
    REQUIRE(texts.size() == generated().size());
    for (std::size_t i = 0; i < texts.size(); ++i) CHECK(texts[i].text == generated()[i].text);
}

TEST_CASE("A committed golden file is loaded with its hash", "[golden_files]") {
    const auto loaded = load_golden(format("fp32"), format("e4m3"), committed);
    REQUIRE(loaded);
    CHECK(loaded->path == committed / "fp32-e4m3.csv");
    CHECK(loaded->sha256.size() == 64);
    CHECK(loaded->golden.rows == generate_golden(format("fp32"), format("e4m3")).rows);
    CHECK_FALSE(load_golden(format("e4m3"), format("e5m2"), committed));
}

TEST_CASE("Every committed golden file is loaded", "[golden_files][values]") {
    for (const GoldenPair& pair : golden_pairs()) CHECK(load_golden(*pair.from, *pair.to, committed));
}

TEST_CASE("A file that does not match its manifest is refused", "[golden_files][values]") {
    const TemporaryFolder folder;
    write_golden_files(generated(), folder.path());
    const Format& from = format("e4m3");
    const Format& to = format("fp16");
    const auto file = folder.path() / "e4m3-fp16.csv";
    REQUIRE(load_golden(from, to, folder.path()));
    edit(file, ",01,01,", ",01,02,");
    CHECK_THROWS_WITH(load_golden(from, to, folder.path()),
                      Contains("e4m3-fp16.csv does not match its manifest: its SHA-256 is") &&
                          Contains("run `mxcert vectors check`"));
    edit(file, ",01,02,", ",01,002,");
    CHECK_THROWS_WITH(load_golden(from, to, folder.path()), Contains("does not match its manifest: it has"));
    std::filesystem::remove(file);
    CHECK_THROWS_WITH(load_golden(from, to, folder.path()), Contains("there is no such file"));
    std::filesystem::remove(folder.path() / "manifest.json");
    CHECK_THROWS_WITH(load_golden(from, to, folder.path()), Contains("manifest.json: there is no such file"));
}

TEST_CASE("A manifest that a wrong file matches does not save it", "[golden_files][values]") {
    const TemporaryFolder folder;
    std::vector<GoldenText> bad{generated().back()};
    bad[0].text += "nonsense\n";
    write_golden_files(bad, folder.path());
    CHECK_THROWS_WITH(load_golden(*bad[0].golden.from, *bad[0].golden.to, folder.path()),
                      Contains("fewer than 9 columns"));
}

TEST_CASE("A manifest with a wrong number of rows is refused", "[golden_files][values]") {
    const TemporaryFolder folder;
    const std::vector<GoldenText> texts{generated().back()};
    write_golden_files(texts, folder.path());
    const std::string rows = std::to_string(texts[0].golden.rows.size());
    edit(folder.path() / "manifest.json", "\"rows\": " + rows, "\"rows\": 1");
    CHECK_THROWS_WITH(load_golden(*texts[0].golden.from, *texts[0].golden.to, folder.path()),
                      Contains("it has " + rows + " rows, not 1"));
}

TEST_CASE("The folder of the golden files", "[golden_files]") {
    CHECK(std::filesystem::equivalent(golden_folder(), committed));
    const Environment set("/no/such/folder");
    CHECK(golden_folder() == "/no/such/folder");
    CHECK_THROWS_WITH(load_golden(format("fp32"), format("e4m3")), Contains("/no/such/folder/manifest.json"));
    const Environment empty("");
    CHECK(std::filesystem::equivalent(golden_folder(), committed));
    CHECK_FALSE(load_golden(format("fp32"), format("e4m3"), "/no/such/folder"));
}

TEST_CASE("A check finds what is different, missing and too much", "[golden_files][values]") {
    const TemporaryFolder folder;
    write_golden_files(generated(), folder.path());
    for (const GoldenCheck& check : check_golden_files(generated(), folder.path())) CHECK(check.reason == "");

    edit(folder.path() / "fp32-e4m3.csv", "\n,00000000,00000000,00,", "\n,00000000,00000000,80,");
    edit(folder.path() / "manifest.json", "\"vectors\": \"", "\"vectors\": \"9");
    std::filesystem::remove(folder.path() / "bf16-e5m2.csv");
    std::filesystem::resize_file(folder.path() / "fp16-e4m3.csv", 28);
    CHECK(folder.file("fp32-e4m4.csv", "x").filename() == "fp32-e4m4.csv");
    const auto checks = check_golden_files(generated(), folder.path());
    CHECK(checks.size() == some_pairs().size() + 2);
    CHECK_THAT(reason_of(checks, "fp32-e4m3.csv"),
               Contains("line 2 is ',00000000,00000000,80,") && Contains("must be ',00000000,00000000,00,"));
    CHECK_THAT(reason_of(checks, "manifest.json"), Contains("line 3 is"));
    CHECK(reason_of(checks, "bf16-e5m2.csv") == "missing");
    CHECK_THAT(reason_of(checks, "fp16-e4m3.csv"),
               Contains("line 1 is 'when,first,last,permit,claus', and must be 'when"));
    CHECK(reason_of(checks, "fp32-e4m4.csv") == "should not be here");
    CHECK(reason_of(checks, "fp32-e5m2.csv") == "");
}

TEST_CASE("A file of other choices than its manifest lists is refused", "[golden_files][values]") {
    const TemporaryFolder folder;
    write_golden_files({generated()[4]}, folder.path());
    REQUIRE(load_golden(format("e4m3"), format("fp16"), folder.path()));
    edit(folder.path() / "manifest.json", "\"quiet\",", "");
    CHECK_THROWS_WITH(load_golden(format("e4m3"), format("fp16"), folder.path()),
                      Contains("e4m3-fp16.csv does not match its manifest: its rows name other choices or values"));
}

TEST_CASE("A check finds a table that is no partition, though the file is the same", "[golden_files][values]") {
    const TemporaryFolder folder;
    std::vector<GoldenText> bad{generated().back()};
    bad[0].golden.rows.erase(bad[0].golden.rows.begin());
    bad[0].text = write_golden(bad[0].golden);
    write_golden_files(bad, folder.path());
    CHECK_THAT(check_golden_files(bad, folder.path()).front().reason, Contains("has no row"));
}
