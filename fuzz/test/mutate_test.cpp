// SPDX-License-Identifier: Apache-2.0
// Inputs that have a structure, mutated: most keep it, and every place changes.
#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "fuzz/little_endian.hpp"
#include "fuzz/mutate.hpp"

namespace mxcert::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most = 4096;

// In the place of libFuzzer's.
std::size_t add_a_letter(std::uint8_t* bytes, std::size_t size, std::size_t room) {
    if (size == room) return size - 1;
    bytes[size] = 'z';
    return size + 1;
}

std::set<std::string> thousand(Form form, std::string_view input, std::string_view other) {
    std::set<std::string> made;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        std::mt19937 random(seed);
        made.insert(mutate(form, input, other, {random, add_a_letter, most}));
    }
    return made;
}

template <class Is> double share(const std::set<std::string>& made, Is is) {
    return static_cast<double>(std::count_if(made.begin(), made.end(), is)) / static_cast<double>(made.size());
}

TEST_CASE("JSON stays JSON, and every member is changed, taken away, renamed and added", "[fuzz]") {
    const std::string input = R"({"name":"a","list":[1,2.5,true],"deep":{"k":7}})";
    const std::set<std::string> made = thousand(Form::json, input, R"({"other":null})");
    CHECK(share(made, [](const std::string& text) { return Json::accept(text); }) > 0.9);
    std::map<std::string, std::set<std::string>> values; // of the places of what was made
    std::set<std::string> missing;
    const Json before = Json::parse(input).flatten();
    for (const std::string& text : made) {
        if (!Json::accept(text)) continue;
        const Json parsed = Json::parse(text);
        if (!parsed.is_structured()) continue;
        const Json flat = parsed.flatten();
        for (const auto& [place, value] : flat.items()) values[place].insert(value.dump());
        for (const auto& [place, value] : before.items())
            if (!flat.contains(place)) missing.insert(place);
    }
    for (const auto& [place, value] : before.items()) {
        INFO(place);
        CHECK(values[place].size() >= 4);
        CHECK(missing.count(place) == 1);
    }
    CHECK(values.count("/other") == 1);
    CHECK(values.count("/namez") == 1);
    CHECK(values["/deep/k"].count("6") == 1);
    CHECK(values["/deep/k"].count("8") == 1);
    CHECK(values["/deep/k"].count("18446744073709551615") == 1);
    CHECK(values["/list/2"].count("false") == 1);
}

TEST_CASE("a length is that of the JSON that follows it", "[fuzz]") {
    const std::string json = R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    const std::string input = little_endian_bytes(json.size(), 8) + json + "DATA";
    const std::set<std::string> made = thousand(Form::length_and_json, input, input);
    CHECK(share(made, [](const std::string& file) {
              if (file.size() < 12) return false;
              const std::uint64_t length = little_endian(file, 0, 8);
              return length == file.size() - 12 && Json::accept(file.substr(8, length)) &&
                     file.substr(8 + length) == "DATA";
          }) > 0.9);
    CHECK(made.size() > 100);
}

TEST_CASE("lines and their cells are doubled, exchanged, taken away and taken from elsewhere", "[fuzz]") {
    const std::set<std::string> made = thousand(Form::lines, "a,b\nc,d\n", "e,f\n");
    for (const char* text : {"a,b\na,b\nc,d\n", "c,d\na,b\n", "c,d\n", "a,b\n", "e,f\na,b\nc,d\n", "a,b\nc,c,d\n",
                             "a,b\nd\n", "a,b\nc,d\nz", "b\na,c,d\n"}) {
        INFO(text);
        CHECK(made.count(text) == 1);
    }
}

std::string frame(std::uint16_t type, const std::string& payload) {
    return "MXCF" + little_endian_bytes(1, 2) + little_endian_bytes(type, 2) + little_endian_bytes(3, 8) +
           little_endian_bytes(payload.size(), 8) + payload;
}

TEST_CASE("frames stay whole", "[fuzz]") {
    const std::string first = frame(1, R"({"protocol":1})");
    const std::string second = frame(6, "1234 678");
    const std::set<std::string> made = thousand(Form::frames, first + second, frame(3, "x"));
    const auto whole = [](std::string_view stream) {
        while (!stream.empty()) {
            if (stream.size() < 24 || little_endian(stream, 16, 8) > stream.size() - 24) return false;
            stream.remove_prefix(24 + little_endian(stream, 16, 8));
        }
        return true;
    };
    CHECK(share(made, whole) > 0.8);
    CHECK(made.count(second + first) == 1);
    CHECK(made.count(first + first + second) == 1);
    CHECK(made.count(frame(3, "x") + first + second) == 1);
    CHECK(made.count(frame(1, R"({"protocol":2})") + second) == 1);
    CHECK(made.count(first + frame(6, "1234 678z")) == 1);
}

TEST_CASE("a line is JSON before frames", "[fuzz]") {
    const std::string end = frame(6, "1");
    const std::set<std::string> made = thousand(Form::line_and_frames, "{\"a\":1}\n" + end, "");
    CHECK(made.count("{\"a\":2}\n" + end) == 1);
    CHECK(made.count("{\"a\":1}\n" + end + end) == 1);
}

TEST_CASE("what is made fits, whatever the input is", "[fuzz]") {
    for (const Form form :
         {Form::bytes, Form::json, Form::length_and_json, Form::lines, Form::frames, Form::line_and_frames}) {
        for (const std::string& input :
             {std::string(), std::string("{"), std::string(3, '\xFF'), std::string(40, '\xFF'), std::string("[[[]]]"),
              little_endian_bytes(~std::uint64_t{0}, 8) + "{}", std::string(most, ',')}) {
            for (unsigned seed = 0; seed < 100; ++seed) {
                std::mt19937 random(seed);
                CHECK(mutate(form, input, input, {random, add_a_letter, most}).size() <= most);
            }
        }
    }
}

TEST_CASE("a seed makes the same again", "[fuzz]") {
    const auto made = [](unsigned seed) {
        std::mt19937 random(seed);
        return mutate(Form::json, R"({"a":[1,"b"]})", "", {random, add_a_letter, most});
    };
    for (unsigned seed = 0; seed < 100; ++seed) CHECK(made(seed) == made(seed));
}

} // namespace
} // namespace mxcert::fuzz
