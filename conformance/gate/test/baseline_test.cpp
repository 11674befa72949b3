// SPDX-License-Identifier: Apache-2.0
// A baseline is read as it was written, and what a person breaks in it is said with its place.
#include "conformance/gate/baseline.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "conformance/files/edited_json.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::gate;
using Catch::Matchers::Contains;

namespace {

/// The committed one, which the fuzzing target starts from, has a bit of everything.
std::string whole() {
    std::ifstream file(MXCERT_TEST_SOURCE "/fuzz/corpus/baseline/two");
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string with_damage(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

Baseline parse(const std::string& text) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "base.json", std::ios::binary) << text;
    return read_baseline(folder.path() / "base.json");
}

std::string reading_error(const std::string& text) {
    try {
        (void)parse(text);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "no error";
}

/// What somebody does to the file, and what is said.
struct Damage {
    const char* what;
    const char* with;
    const char* says;
};

constexpr Damage damages[] = {
    {"\"seed\": 1,", "\"seed\": 1", "base.json: line 7, column 20: not valid JSON"},
    {"\"seed\": 1,", "\"seed\": 1, \"seed\": 2,", "base.json: line 6, column 14: 'seed' is there twice"},
    {"\"seed\": 1,", "\"seed\": 1e999,", "base.json: line 6, column 11: the number 1e999 is too large"},
    {"\"options\": \"\"},\n  \"seed\": 1,", "\"options\": \"1e999\"},\n  \"seed\": 1e999,",
     "base.json: line 6, column 11: the number 1e999 is too large"},
    {"\"owner\": \"kernels@example.com\",", "\"owner\": \"a\",\n      \"owner\": \"b\",",
     "base.json: line 16, column 7: 'owner' is there twice"},
    {"mxcert-baseline-1", "mxcert-baseline-2", "'schema' is not \"mxcert-baseline-1\""},
    {"\"seed\": 1,", "", "'seed' is missing"},
    {"\"seed\": 1,", "\"seed\": -1,", "'seed' is not a whole number"},
    {"\"seed\": 1,", "\"sed\": 1,", "unknown member 'sed'; did you mean seed?"},
    {"\"samples_per_step\": 64", "\"samples_per_step\": 65537", "'samples_per_step' is too large"},
    {"\"level\": \"standard\"", "\"level\": \"whole\"", "'level' 'whole' is no level: there are smoke, quick"},
    {"\"options\": \"\"", "\"option\": \"\"", "base.json: backend: unknown member 'option'; did you mean options?"},
    {"{\"name\": \"mxcert\"", "{\"name\": \"other\"", "base.json: tool: 'name' is not \"mxcert\""},
    {"[\"ocp-sat\"],", "[\"ocp-set\"],", "'profiles' has an unknown profile 'ocp-set'; did you mean ocp-sat, ocp?"},
    {"[\"ocp-sat\"],", "[\"ocp-sat\", \"ocp-sat\"],", "'profiles' has ocp-sat twice"},
    {"[\"ocp-sat\"],", "[\"ocp\"],", "'ocp-sat' is none of 'profiles'"},
    {"\"row\": \"fp16-e4m3-nearest_even-sat\"", "\"row\": \"fp16-e4m4-nearest_even-sat\"",
     "deviations[0] (fp16-e4m4-nearest_even-sat): the row 'fp16-e4m4-nearest_even-sat': unknown"},
    {"\"row\": \"fp16-e4m3-nearest_even-sat\"", "\"row\": \"fp16-e5m2-nearest_even-sat\"",
     "the row fp16-e5m2-nearest_even-sat of ocp-sat is there twice"},
    {"row-any/blocks", "row-any/block", "has no row 'block'"},
    {"row-any/blocks", "row-every/blocks", "deviations[1] (dequantize-e4m3-e8m0-fp32-row-every/blocks): the row"},
    {"[\"bf16-e5m2-nearest_even-sat\"]", "[\"provision OFP8-NAN\"]", "'OFP8-NAN' is no provision clause"},
    {"\"reason\": \"ties away\"", "\"reason\": \" \"", "deviations[0] (fp16-e4m3-nearest_even-sat): 'reason' is empty"},
    {"\"reason\": \"ties away\",", "", "'reason' is missing"},
    {"\"owner\": \"b\"", "\"owner\": \"\"", "'owner' is empty"},
    {"2026-12-31", "2026-12-3", "'expires' '2026-12-3' is no date as YYYY-MM-DD"},
    {"2026-12-31", "31.12.2026", "'expires' '31.12.2026' is no date as YYYY-MM-DD"},
    {"2028-02-29", "2027-02-29", "'expires' '2027-02-29' is not a date"},
    {"\"status\": \"FAIL\"", "\"status\": \"PASS\"", "'status' is none that can be acknowledged"},
    {"\"status\": \"FAIL\"", "\"status\": \"UNTESTED\"", "'status' is none that can be acknowledged"},
    {"TIES_AWAY", "TIES_AWRY", "'bugs' has 'TIES_AWRY', which is no bug class"},
    {"\"differing\": 3", "\"differing\": 4", "'differing' is 4, and 'ranges' has 3 inputs"},
    {"1400 01", "1400 1", "'ranges' has '1400 1': '1' is not a code of e4m3"},
    {"1400 01", "1400", "'ranges' has '1400': there is no code behind a space"},
    {"1400 01", "14000 01", "is not a code of fp16"},
    {"1400 01", "2200 01", "'ranges' has '2200-2201 03', which does not lie behind the one before"},
    {"2200-2201", "2201-2200", "the last input does not lie behind the first"},
    {"\"ends\": [\"case 3: timeout\"],", "\"ranges\": [],", "'ranges' stands at a row that is no table"},
    {"0011223344", "001122334", "'answers_sha256' is no SHA-256"},
    {"\"ranges\": [\"1400 01\", \"2200-2201 03\"]", "\"ranges\": []", "'differing' is 3, and 'ranges' has 0 inputs"},
};

} // namespace

TEST_CASE("a baseline is read as it was written", "[gate]") {
    const Baseline baseline = parse(whole());
    CHECK(baseline.backend == "fake");
    CHECK(baseline.rows.size() == 4);
    const BaselineRow& row = baseline.rows.at({"ocp-sat", "fp16-e4m3-nearest_even-sat"});
    REQUIRE(row.deviation);
    CHECK(row.deviation->ranges == std::vector<Step>{{0x1400, 0x1400, 1}, {0x2200, 0x2201, 3}});
    CHECK(files::date_text(row.by.expires) == "2026-12-31");
    CHECK(row.by.owner == "kernels@example.com");
    const std::string text = baseline_json(baseline);
    CHECK(baseline_json(parse(text)) == text);
}

TEST_CASE("what somebody breaks in a baseline is said with its place", "[gate]") {
    for (const Damage& damage : damages) {
        const std::string text = with_damage(whole(), damage.what, damage.with);
        const std::string error = reading_error(text);
        CAPTURE(damage.what, damage.with);
        CHECK_THAT(error, Contains("base.json: "));
        CHECK_THAT(error, Contains(damage.says));
    }
    // Cut off anywhere it is no baseline, or none with rows.
    const std::string text = whole();
    for (std::size_t size = 0; size + 3 < text.size(); size += 7)
        CHECK(reading_error(text.substr(0, size)) != "no error");
    CHECK_THAT(reading_error("\xEF\xBB\xBF" + text), Contains("byte order mark"));
    CHECK_THAT(reading_error(std::string(100'000, '[')), Contains("nested deeper"));
    CHECK_THROWS_AS(read_baseline("/nowhere/base.json"), std::runtime_error);
}

TEST_CASE("a day is read as it is written", "[gate]") {
    for (const char* text : {"2026-12-31", "2028-02-29", "0001-01-01"})
        CHECK(files::date_text(files::parse_date(text)) == text);
    for (const char* text : {"", "2026-1-1", "2026-13-01", "2026-00-10", "2026-04-31", "2027-02-29", "2026/12/31",
                             "2026-12-31 ", "+026-12-31"})
        CHECK_THROWS_AS(files::parse_date(text), std::invalid_argument);
    CHECK(files::parse_date("2026-12-31") < files::parse_date("2027-01-01"));
    CHECK(files::date_of_today() > files::parse_date("2024-01-01"));
}
