// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_files.hpp"

#include <cstdlib>

#include "catch.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/tables/csv.hpp"
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

TEST_CASE("the check of golden files says where they differ", "[golden]") {
    GoldenText text{"e4m3-fp16.csv", generate_golden(formats::e4m3, formats::fp16), {}};
    text.text = write_golden(text.golden);
    const TemporaryFolder folder;
    const auto reason = [&](const std::string& is, const GoldenText& must) {
        write_golden_files({text}, folder.path());
        static_cast<void>(folder.file(text.name, is));
        for (const GoldenCheck& check : check_golden_files({must}, folder.path()))
            if (check.file == must.name) return check.reason;
        return std::string("not checked");
    };
    CHECK(reason(text.text, text).empty());
    const std::size_t last_line = text.text.rfind('\n', text.text.size() - 2) + 1;
    CHECK_THAT(reason(text.text.substr(0, last_line), text),
               Catch::Matchers::Contains(" is the end of the file, and must be '"));
    CHECK_THAT(reason("X" + text.text.substr(1), text), Catch::Matchers::StartsWith("line 1 is 'X"));
    CHECK_THAT(reason(text.text.substr(0, text.text.size() - 1), text), Catch::Matchers::EndsWith(" ends differently"));
    GoldenText other = text;
    other.golden.rows.front().clause = "MX-VALUE";
    CHECK(reason(text.text, other) == "is not read back as it was written");
}

TEST_CASE("rows of golden files name choices, and a default among their values", "[golden]") {
    GoldenFile golden = generate_golden(formats::e4m3, formats::fp16);
    const Conversion conversion = parse_conversion("e4m3-fp16-nearest_even-sat");
    const Profile& profile = find_profile("ocp-sat");
    CHECK_NOTHROW(select(golden, profile, conversion));
    for (const char* const when : {"nonsense", "nun=1"}) {
        GoldenFile wrong = golden;
        wrong.rows.front().when = when;
        CHECK_THROWS_WITH(select(wrong, profile, conversion),
                          "golden row: '" + std::string(when) + "' is not choice=value");
    }
    std::erase_if(golden.rows,
                  [](const GoldenRow& row) { return row.when.find("zero_sign=kept") != std::string::npos; });
    CHECK_THROWS_WITH(named_choices(golden), "the golden file has no rows for zero_sign=kept, the default");
}

TEST_CASE("golden files of instructions are generated as they are committed", "[golden]") {
    for (const auto& [from, to] :
         {std::pair{&formats::relu_fp16, &formats::e4m3}, {&formats::fp16_times_nscale5, &formats::e5m2}}) {
        const GoldenFile golden = generate_golden(*from, *to);
        CHECK(write_golden(golden) == csv::read_text(golden_folder() / golden_file_name(*from, *to)));
    }
}

TEST_CASE("a row that stands for many has codes of its formats", "[golden]") {
    using formats::e4m3;
    CHECK(stepped(0x10, 2, 3, e4m3) == 0x16);
    CHECK(stepped(0x10, -2, 3, e4m3) == 0x0A);
    CHECK(stepped(0x10, 0, 1000, e4m3) == 0x10);
    CHECK(stepped(0xF0, 8, 1, e4m3) == 0xF8);
    CHECK(stepped(0xF0, 8, 2, e4m3) == std::nullopt);
    CHECK(stepped(0x10, -8, 3, e4m3) == std::nullopt);
    CHECK(stepped(0x100, 0, 1, e4m3) == std::nullopt);
    GoldenRow row;
    row.first = 0x10;
    row.last = 0xFF;
    row.permit = permit_code(0x10);
    CHECK(stands_for(row, 1, e4m3, e4m3));
    row.last_by = 1;
    CHECK_FALSE(stands_for(row, 1, e4m3, e4m3));
    row.last_by = 0;
    row.permit_by = 0x80;
    CHECK(stands_for(row, 1, e4m3, e4m3));
    CHECK_FALSE(stands_for(row, 2, e4m3, e4m3));
}

TEST_CASE("who generates golden files is told of each that is done", "[golden]") {
    std::vector<std::string> done;
    const std::vector<GoldenPair> pairs{{&formats::e2m1, &formats::fp16}, {&formats::e4m3, &formats::fp16}};
    const std::vector<GoldenText> all = generate_all_golden(
        1, [&](const GoldenText& text) { done.push_back(text.name); }, pairs);
    CHECK(done == std::vector<std::string>{"e2m1-fp16.csv", "e4m3-fp16.csv"});
    CHECK(all.size() == 2);
}
