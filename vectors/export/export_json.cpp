// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reference/bug_class.hpp"
#include "reference/clause.hpp"
#include "vectors/export/write_vectors.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

using Json = nlohmann::ordered_json;

/// Codes in digits of the width of their format, with a space between two.
std::string codes_text(const std::vector<Code>& codes, const Format& format) {
    std::string text;
    for (const Code code : codes) text += (text.empty() ? "" : " ") + hex(code, format);
    return text;
}

Json arrays_json(const std::vector<VectorField>& fields, const std::vector<std::vector<Code>>& arrays) {
    Json json = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i) json[fields[i].name] = codes_text(arrays[i], *fields[i].format);
    return json;
}

/// Ascending places: "3 5..9", a space between two.
std::string places_text(const std::vector<std::uint64_t>& places) {
    std::string text;
    for (std::size_t first = 0; first < places.size();) {
        std::size_t end = first + 1;
        while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
        text += fmt::format("{}{}", text.empty() ? "" : " ", places[first]);
        if (end - first > 1) text += fmt::format("..{}", places[end - 1]);
        first = end;
    }
    return text;
}

/// The open values of an answer: those of an output for which the same is right are one entry.
Json open_json(const TestVectors& vectors, const VectorAnswer& answer) {
    struct Entry {
        std::size_t output;
        std::string permit;
        std::vector<std::uint64_t> places;
    };
    std::vector<Entry> entries;
    for (const OpenValue& value : answer.open) {
        const std::string permit = to_string(value, *vectors.outputs[value.output].format);
        auto at = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
            return entry.output == value.output && entry.permit == permit;
        });
        if (at == entries.end()) at = entries.insert(at, {value.output, permit, {}});
        at->places.push_back(value.index);
    }
    Json json = Json::array();
    for (const Entry& entry : entries)
        json.push_back({{"output", vectors.outputs[entry.output].name},
                        {"at", places_text(entry.places)},
                        {"permit", entry.permit}});
    return json;
}

Json answer_json(const TestVectors& vectors, const VectorAnswer& answer) {
    Json json{{"outputs", arrays_json(vectors.outputs, answer.outputs)}};
    if (!answer.open.empty()) json["open"] = open_json(vectors, answer);
    return json;
}

Json test_json(const TestVectors& vectors, const TestVector& test) {
    Json json{
        {"id", test.id},           {"comment", test.comment}, {"flags", names_of(test.flags)},
        {"clauses", test.clauses}, {"bugs", test.bugs},       {"inputs", arrays_json(vectors.inputs, test.inputs)}};
    json["answers"] = Json::array();
    for (const VectorAnswer& answer : test.answers) json["answers"].push_back(answer_json(vectors, answer));
    return json;
}

/// The flags, clauses and bugs that tests name, each with what it says.
void add_legends(const TestVectors& vectors, Json& json) {
    CaseFlags flags = 0;
    std::set<std::string_view> clauses;
    std::map<std::string_view, std::size_t> bugs;
    for (const VectorGroup& group : vectors.groups)
        for (const TestVector& test : group.tests) {
            flags |= test.flags;
            clauses.insert(test.clauses.begin(), test.clauses.end());
            for (const std::string_view bug : test.bugs) ++bugs[bug];
        }
    json["flags"] = Json::object();
    for (const CaseFlagInfo& info : all_case_flags())
        if ((flags & bit(info.flag)) != 0) json["flags"][std::string(info.name)] = info.says;
    json["clauses"] = Json::object();
    for (const std::string_view id : clauses) {
        const Clause* clause = find_clause(id);
        if (clause == nullptr) continue;
        json["clauses"][std::string(id)] = {
            {"text", clause->text}, {"document", clause->document}, {"section", clause->section}};
    }
    json["bugs"] = Json::object();
    for (const auto& [id, tests] : bugs) {
        const BugClass* bug = find_bug_class(id);
        json["bugs"][std::string(id)] = {{"says", bug->says}, {"cause", bug->cause}, {"tests", tests}};
    }
}

} // namespace

std::string write_json(const TestVectors& vectors, const Provenance& provenance) {
    Json json = header_json("mxcert-vectors-1", provenance);
    json["subject"] = subject_json(vectors);
    add_legends(vectors, json);
    json["tests"] = count_tests(vectors);
    // A test is a line: files can be compared, and read by those who search in them.
    std::string text = json.dump(1);
    text.resize(text.size() - std::string_view("\n}").size());
    text += ",\n \"groups\": [";
    const char* before_group = "\n";
    for (const VectorGroup& group : vectors.groups) {
        text += fmt::format("{}  {{\"sizes\": {}, \"tests\": [", before_group, Json(group.sizes).dump());
        before_group = ",\n";
        const char* before_test = "\n";
        for (const TestVector& test : group.tests) {
            text += before_test + ("   " + test_json(vectors, test).dump());
            before_test = ",\n";
        }
        text += "\n  ]}";
    }
    return text + "\n ]\n}\n";
}

} // namespace mxcert
