// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

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

Json answer_json(const TestVectors& vectors, const VectorAnswer& answer) {
    Json json{{"outputs", arrays_json(vectors.outputs, answer.outputs)}};
    for (const OpenValue& value : answer.open) {
        const VectorField& field = vectors.outputs[value.output];
        json["open"].push_back(
            {{"output", field.name}, {"at", value.index}, {"permit", to_string(value, *field.format)}});
    }
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
