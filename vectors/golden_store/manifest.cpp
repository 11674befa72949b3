// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/manifest.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "reference/format.hpp"
#include "vectors/base/json_depth.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Reads the members of one object and knows where it is.
class Object {
  public:
    Object(const json& value, std::string place, const std::set<std::string>& members)
        : value_(value), place_(std::move(place)) {
        if (!value.is_object()) fail("is not an object");
        for (const auto& item : value.items())
            if (!members.contains(item.key())) fail("has an unknown member '" + item.key() + "'");
        for (const std::string& member : members)
            if (!value.contains(member)) fail("has no member '" + member + "'");
    }

    [[nodiscard]] std::string text(const char* member) const {
        if (!value_[member].is_string()) fail(std::string("has a '") + member + "' that is not a string");
        return value_[member].get<std::string>();
    }
    [[nodiscard]] std::uint64_t number(const char* member) const {
        if (!value_[member].is_number_unsigned()) fail(std::string("has a '") + member + "' that is not a count");
        return value_[member].get<std::uint64_t>();
    }
    [[nodiscard]] const json& list(const char* member) const {
        if (!value_[member].is_array()) fail(std::string("has a '") + member + "' that is not a list");
        return value_[member];
    }
    [[noreturn]] void fail(const std::string& reason) const { throw std::runtime_error(place_ + " " + reason); }

  private:
    const json& value_;
    std::string place_;
};

bool is_sha256(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

NamedChoice choice_of(const json& value, const std::string& place) {
    const Object object(value, place, {"name", "values", "default"});
    NamedChoice choice{object.text("name"), {}, object.text("default")};
    for (const json& this_json : object.list("values")) {
        if (!this_json.is_string()) object.fail("has a value that is not a string");
        choice.values.push_back(this_json.get<std::string>());
        try {
            static_cast<void>(parse_when(choice.name + "=" + choice.values.back()));
        } catch (const std::exception& error) {
            object.fail(std::string("is wrong: ") + error.what());
        }
    }
    if (std::set<std::string>(choice.values.begin(), choice.values.end()).size() != choice.values.size())
        object.fail("has a value twice");
    if (std::find(choice.values.begin(), choice.values.end(), choice.default_value) == choice.values.end())
        object.fail("has the default '" + choice.default_value + "', which is none of its values");
    return choice;
}

ManifestEntry entry_of(const json& value, const std::string& place) {
    const Object object(value, place, {"file", "from", "to", "bits", "rows", "bytes", "sha256", "clauses", "choices"});
    ManifestEntry entry{object.text("file"),
                        object.text("from"),
                        object.text("to"),
                        object.number("bits"),
                        object.number("rows"),
                        object.number("bytes"),
                        object.text("sha256"),
                        {},
                        {}};
    if (find_format(entry.from) == nullptr) object.fail("has an unknown format '" + entry.from + "'");
    if (find_format(entry.to) == nullptr) object.fail("has an unknown format '" + entry.to + "'");
    // No other name, so a manifest can lead nowhere outside its folder.
    const std::string name = golden_file_name(*find_format(entry.from), *find_format(entry.to));
    if (entry.file != name) object.fail("has the file '" + entry.file + "', not '" + name + "'");
    const auto bits = static_cast<std::uint64_t>(find_format(entry.from)->width());
    if (entry.bits != bits)
        object.fail("has the bits " + std::to_string(entry.bits) + ", and an input of " + entry.from + " has " +
                    std::to_string(bits));
    if (!is_sha256(entry.sha256)) object.fail("has a 'sha256' that is not 64 lower-case hexadecimal digits");
    for (const json& clause : object.list("clauses")) {
        if (!clause.is_string()) object.fail("has a clause that is not a string");
        if (!entry.clauses.empty() && entry.clauses.back() >= clause.get<std::string>())
            object.fail("has clauses out of order");
        entry.clauses.push_back(clause.get<std::string>());
    }
    std::set<std::string> seen;
    for (const json& choice : object.list("choices")) {
        entry.choices.push_back(choice_of(choice, place + ": choice " + std::to_string(entry.choices.size() + 1)));
        if (!seen.insert(entry.choices.back().name).second)
            object.fail("names the choice " + entry.choices.back().name + " twice");
    }
    return entry;
}

} // namespace

ManifestEntry describe(const GoldenText& golden) {
    std::set<std::string> clauses;
    for (const GoldenRow& row : golden.golden.rows) clauses.emplace(row.clause);
    return {golden.name,
            std::string(golden.golden.from->name),
            std::string(golden.golden.to->name),
            static_cast<std::uint64_t>(golden.golden.from->width()),
            golden.golden.rows.size(),
            golden.text.size(),
            sha256(golden.text),
            {clauses.begin(), clauses.end()},
            named_choices(golden.golden)};
}

Manifest describe(const std::vector<GoldenText>& all) {
    Manifest manifest{std::string(vectors_version), std::string(generator_version), {}};
    for (const GoldenText& golden : all) manifest.files.push_back(describe(golden));
    return manifest;
}

std::string write_manifest(const Manifest& manifest) {
    ordered_json root;
    root["schema"] = manifest_schema;
    root["vectors"] = manifest.vectors;
    root["generator"] = manifest.generator;
    root["files"] = ordered_json::array();
    for (const ManifestEntry& entry : manifest.files) {
        ordered_json file;
        file["file"] = entry.file;
        file["from"] = entry.from;
        file["to"] = entry.to;
        file["bits"] = entry.bits;
        file["rows"] = entry.rows;
        file["bytes"] = entry.bytes;
        file["sha256"] = entry.sha256;
        file["clauses"] = entry.clauses;
        file["choices"] = ordered_json::array();
        for (const NamedChoice& choice : entry.choices)
            file["choices"].push_back(
                {{"name", choice.name}, {"values", choice.values}, {"default", choice.default_value}});
        root["files"].push_back(std::move(file));
    }
    return root.dump(2) + "\n";
}

Manifest parse_manifest(std::string_view text, std::string_view name) {
    if (!is_shallow_json(text))
        throw std::runtime_error(std::string(name) + ": not a manifest: it nests more than " +
                                 std::to_string(max_json_depth) + " deep");
    json root;
    // The parser forgives a byte order mark; no file of ours has one.
    if (text.starts_with("\xEF\xBB\xBF"))
        throw std::runtime_error(std::string(name) + ": starts with a byte order mark");
    try {
        root = json::parse(text);
    } catch (const json::exception& error) {
        throw std::runtime_error(std::string(name) + ": not JSON: " + error.what());
    }
    const std::string place = std::string(name) + ": the manifest";
    // First of all: a later layout may have other members.
    if (root.is_object() && root.contains("schema") && root["schema"] != manifest_schema)
        throw std::runtime_error(place + " has schema " + root["schema"].dump() + "; this program reads schema " +
                                 std::to_string(manifest_schema));
    const Object object(root, place, {"schema", "vectors", "generator", "files"});
    Manifest manifest{object.text("vectors"), object.text("generator"), {}};
    std::set<std::string> seen;
    for (const json& value : object.list("files")) {
        manifest.files.push_back(
            entry_of(value, std::string(name) + ": file " + std::to_string(manifest.files.size() + 1)));
        if (!seen.insert(manifest.files.back().file).second)
            object.fail("names " + manifest.files.back().file + " twice");
    }
    return manifest;
}

} // namespace mxcert
