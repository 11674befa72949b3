// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/manifest.hpp"

#include "catch.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/golden_store/golden_csv.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

const std::string pinned = R"({
  "schema": 2,
  "vectors": "1.0.0",
  "generator": "1.0.0",
  "files": [
    {
      "file": "e4m3-fp16.csv",
      "from": "e4m3",
      "to": "fp16",
      "bits": 8,
      "rows": 2,
      "bytes": 80,
      "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "clauses": [
        "A-1",
        "B-2"
      ],
      "choices": [
        {
          "name": "nan",
          "values": [
            "canonical",
            "any"
          ],
          "default": "canonical"
        }
      ]
    }
  ]
}
)";

std::string edited(const std::string& from, const std::string& to) {
    std::string text = pinned;
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
}

} // namespace

TEST_CASE("The text of a manifest is pinned, and read back", "[manifest]") {
    const Manifest manifest{"1.0.0",
                            "1.0.0",
                            {{"e4m3-fp16.csv",
                              "e4m3",
                              "fp16",
                              8,
                              2,
                              80,
                              sha256("abc"),
                              {"A-1", "B-2"},
                              {{"nan", {"canonical", "any"}, "canonical"}}}}};
    CHECK(write_manifest(manifest) == pinned);
    const Manifest back = parse_manifest(pinned, "m");
    CHECK((back.vectors == "1.0.0" && back.generator == "1.0.0"));
    CHECK(back.files == manifest.files);
}

TEST_CASE("An entry describes the bytes of its file", "[manifest]") {
    GoldenText text{"e4m3-fp16.csv", generate_golden(format("e4m3"), format("fp16")), {}};
    text.text = write_golden(text.golden);
    const ManifestEntry entry = describe(text);
    CHECK((entry.from == "e4m3" && entry.to == "fp16"));
    CHECK(entry.rows + 1 == static_cast<std::uint64_t>(std::count(text.text.begin(), text.text.end(), '\n')));
    CHECK(entry.bytes == text.text.size());
    CHECK(entry.sha256 == sha256(text.text));
    CHECK_FALSE(entry.clauses.empty());
    CHECK(std::is_sorted(entry.clauses.begin(), entry.clauses.end()));
    REQUIRE(entry.choices.size() == 2);
    CHECK(entry.choices[1] == NamedChoice{"zero_sign", {"kept", "dropped"}, "kept"});
    CHECK(entry.choices[0].name == "nan");
    CHECK(entry.choices[0].values ==
          std::vector<std::string>{"canonical", "sign", "quiet", "quiet_sign", "payload_sign", "any"});
    CHECK(entry.choices[0].default_value == "canonical");
}

// A long row of brackets ended the program by a stack overflow.
TEST_CASE("A manifest that nests too deep is refused", "[manifest]") {
    const std::string text = "{\"schema\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
    CHECK_THROWS_WITH(parse_manifest(text, "m"), Contains("m: not a manifest: it nests more than 32 deep"));
}

TEST_CASE("A broken manifest is named with the place", "[manifest]") {
    struct Case {
        std::string text;
        std::string error;
    };
    const std::string entry = pinned.substr(pinned.find("    {"), pinned.rfind("  ]") - pinned.find("    {"));
    const Case cases[] = {
        {"", "m: not JSON"},
        {pinned.substr(0, pinned.size() - 3), "m: not JSON"},
        {"[]", "m: the manifest is not an object"},
        {edited("\"schema\": 2", "\"schema\": 1"), "m: the manifest has schema 1; this program reads schema 2"},
        {edited("\"schema\": 2", "\"schema\": \"1\""), "has schema \"1\""},
        {edited("  \"schema\": 2,\n", ""), "has no member 'schema'"},
        {edited("\"vectors\"", "\"vector\""), "unknown member 'vector'"},
        {edited("\"1.0.0\"", "100"), "'vectors' that is not a string"},
        {edited("\"bits\": 8", "\"bits\": 9"), "m: file 1 has the bits 9, and an input of e4m3 has 8"},
        {edited("\"rows\": 2", "\"rows\": -2"), "m: file 1 has a 'rows' that is not a count"},
        {edited("\"rows\": 2", "\"rows\": 2.5"), "'rows' that is not a count"},
        {edited("\"e4m3-fp16.csv\"", "\"../e4m3-fp16.csv\""), "has the file '../e4m3-fp16.csv', not 'e4m3-fp16.csv'"},
        {edited("\"from\": \"e4m3\"", "\"from\": \"e4m4\""), "unknown format 'e4m4'"},
        {edited("ba7816bf", "BA7816BF"), "'sha256' that is not 64"},
        {edited("ba7816bf", "ba7816b"), "'sha256' that is not 64"},
        {edited("\"A-1\"", "\"C-1\""), "clauses out of order"},
        {edited("\"A-1\"", "1"), "a clause that is not a string"},
        {edited("\"clauses\": [", "\"clauses\": {\"a\": [")
             .replace(edited("\"clauses\": [", "\"clauses\": {\"a\": [").find("],\n      \"choices"), 1, "]}"),
         "has a 'clauses' that is not a list"},
        {edited("\"to\": \"fp16\"", "\"to\": \"fp17\""), "unknown format 'fp17'"},
        {edited("          \"default\": \"canonical\"\n        }",
                "          \"default\": \"canonical\"\n        }, {\"name\": \"nan\", "
                "\"values\": [\"canonical\"], \"default\": \"canonical\"}"),
         "m: file 1 names the choice nan twice"},
        {"\xEF\xBB\xBF" + pinned, "m: starts with a byte order mark"},
        {edited("\"name\": \"nan\"", "\"name\": \"nun\""),
         "m: file 1: choice 1 is wrong: unknown choice 'nun'; did you mean nan?"},
        {edited("\"any\"", "\"ani\""), "m: file 1: choice 1 is wrong: unknown value of nan 'ani'"},
        {edited("\"any\"", "\"canonical\""), "m: file 1: choice 1 has a value twice"},
        {edited("\"any\"", "1"), "m: file 1: choice 1 has a value that is not a string"},
        {edited("\"default\": \"canonical\"", "\"default\": \"sign\""),
         "m: file 1: choice 1 has the default 'sign', which is none of its values"},
        {edited("\"default\"", "\"defaults\""), "m: file 1: choice 1 has an unknown member 'defaults'"},
        {edited("    }\n  ]", "    },\n" + entry + "  ]"), "names e4m3-fp16.csv twice"},
    };
    for (const Case& test_case : cases) {
        CAPTURE(test_case.text);
        CHECK_THROWS_WITH(parse_manifest(test_case.text, "m"), Contains(test_case.error));
    }
}
