// SPDX-License-Identifier: Apache-2.0
// The reader of baselines and their schema agree: the reader refuses whatever the schema forbids, and takes whatever it
// permits, but for what a schema cannot say.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/gate/baseline.hpp"
#include "conformance/test/json_schema.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::gate;
using Json = nlohmann::json;

namespace {

const std::string schema_file = MXCERT_TEST_SOURCE "/conformance/schema/baseline-1.json";

/// "" if it is taken.
std::string why_refused(const Json& json) {
    static const TemporaryFolder folder;
    try {
        (void)read_baseline(folder.file("base.json", json.dump()));
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

/// What only the code can know. Each part of a message stands for a rule.
bool is_beyond_a_schema(const std::string& message) {
    static const std::vector<std::string> rules{
        "is not a date",                       // a pattern knows no months
        "is no level: there are",              // the largest budget
        ": the row '",                         // the conversions, operations and provisions there are
        "'profiles' has an unknown profile",   // the profiles there are
        "is none of 'profiles'",               // one part of the file against another
        "is there twice",                      // a row, in two places
        "which is no bug class",               // the classes there are
        "'ranges' has '",                      // codes of the row's formats, in ascending order
        "'ranges' stands at a row that is no", // the row decides
        "'differing' is",                      // as many inputs as the ranges have
        "there is no row to compare with",     // in either of two lists
    };
    return std::any_of(rules.begin(), rules.end(),
                       [&](const std::string& rule) { return message.find(rule) != std::string::npos; });
}

std::string with_other_case(std::string text) {
    for (char& c : text)
        c = static_cast<char>(std::isupper(static_cast<unsigned char>(c)) != 0 ? std::tolower(c) : std::toupper(c));
    return text;
}

/// Other values for a place.
std::vector<Json> others_than(const Json& value, const test::JsonSchema& schema) {
    std::vector<Json> others{nullptr,     true,          false,         "", "x", " ", "budget 1",
                             "budget 01", Json::array(), Json::object()};
    others.insert(others.end(), {0U, 1U, -1, 1.5, 1e30, std::numeric_limits<std::uint64_t>::max()});
    for (const Json& json : schema.named()) {
        others.push_back(json);
        if (!json.is_number_unsigned()) continue;
        others.emplace_back(json.get<std::uint64_t>() + 1);
        others.emplace_back(json.get<std::uint64_t>() - 1);
    }
    if (value.is_string()) {
        const auto text = value.get<std::string>();
        for (const std::string& this_text :
             {text + " ", " " + text, text + "\n", text + "x", "x" + text, "0x" + text, "0X" + text, text + text,
              text.substr(0, text.size() / 2), with_other_case(text)})
            others.emplace_back(this_text);
    }
    if (value.is_array()) {
        others.push_back(value);
        for (const Json& json : value) others.back().push_back(json);
        for (std::size_t i = 0; i < value.size(); ++i) {
            others.push_back(value);
            others.back().erase(i);
        }
    }
    if (value.is_object()) {
        others.push_back(value);
        others.back()["another"] = 1;
        others.push_back(value);
        others.back()["another"] = Json::array({"x"});
        for (const auto& [name, member] : value.items()) {
            others.push_back(value);
            others.back().erase(name);
        }
    }
    return others;
}

/// Calls `use` with each place of a value, from the whole down.
void for_each_place(const Json& value, const Json::json_pointer& at,
                    const std::function<void(Json::json_pointer)>& use) {
    use(at);
    if (!value.is_structured()) return;
    for (const auto& [name, member] : value.items())
        for_each_place(member, value.is_array() ? at / std::stoul(name) : at / name, use);
}

} // namespace

TEST_CASE("a baseline is refused where its schema forbids it, and else only for what a schema cannot say",
          "[gate][programs]") {
    const test::JsonSchema schema(schema_file);
    std::set<std::string> broken; // keywords of the schema that some change has broken
    std::size_t taken = 0;
    // With one after the other of what says what a deviation is.
    for (const char* only : {"answers_sha256", "ends", "says"}) {
        Json whole = Json::parse(std::ifstream(MXCERT_TEST_SOURCE "/fuzz/corpus/baseline/two"));
        Json& deviation = whole["deviations"][1];
        deviation["says"] = "no reason";
        whole["deviations"][0]["ranges"] = {"1400 01", "220A-220B 7f"}; // digits that are letters, too
        for (const std::string name : {"answers_sha256", "ends", "says"})
            if (name != only) deviation.erase(name);
        REQUIRE(schema.misfit(whole).keyword.empty());
        REQUIRE(why_refused(whole).empty());
        for_each_place(whole, Json::json_pointer(), [&](const Json::json_pointer& at) {
            for (const Json& other_json : others_than(whole.at(at), schema)) {
                Json changed = whole;
                changed.at(at) = other_json;
                const std::string forbids = schema.misfit(changed).keyword;
                const std::string refused = why_refused(changed);
                INFO(at.to_string() << " is " << other_json << "\nby the schema: " << forbids
                                    << "\nby the code: " << refused);
                if (forbids.empty())
                    CHECK((refused.empty() || is_beyond_a_schema(refused)));
                else
                    CHECK(!refused.empty());
                if (!forbids.empty()) broken.insert(forbids);
                taken += refused.empty() ? 1 : 0;
            }
        });
    }
    CHECK(broken == schema.keywords());
    CHECK(taken > 100);
}
