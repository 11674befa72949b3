// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/json_members.hpp"

#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "vectors/base/json_depth.hpp"
#include "vectors/tables/csv.hpp"

namespace mxcert::files {
namespace {

/// JSON in which no object has a name twice: readers that take the first and readers that take the last would differ.
Json parse_unique(const std::string& text, const std::filesystem::path& path) {
    std::vector<std::set<std::string>> names; // of each object that is open
    const auto check = [&](int, Json::parse_event_t event, const Json& parsed) {
        using Event = Json::parse_event_t;
        if (event == Event::object_start) names.emplace_back();
        if (event == Event::object_end) names.pop_back();
        if (event == Event::key && !names.back().insert(parsed.get<std::string>()).second)
            throw std::runtime_error(fmt::format("{}: an object has '{}' twice", path.string(),
                                                 print::printable(parsed.get<std::string>())));
        return true;
    };
    Json json = Json::parse(text, check, false);
    if (json.is_discarded()) throw std::runtime_error(path.string() + ": not valid JSON");
    return json;
}

} // namespace

Json read_json(const std::filesystem::path& path) {
    const std::string text = csv::read_text(path);
    // The parser forgives a byte order mark; no file of ours has one.
    if (text.starts_with("\xEF\xBB\xBF")) throw std::runtime_error(path.string() + ": starts with a byte order mark");
    if (!is_shallow_json(text))
        throw std::runtime_error(fmt::format("{}: nested deeper than {} levels", path.string(), max_json_depth));
    return parse_unique(text, path);
}

std::string json_text(const Json& json) {
    constexpr int indent = 2;
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

Members::Members(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json_.is_object()) throw std::runtime_error(where_ + ": not an object");
}

std::string Members::text(const char* name) const {
    const Json& value = member(name);
    if (!value.is_string()) fail(name, "is not a text");
    return value.get<std::string>();
}

std::uint64_t Members::number(const char* name) const {
    const Json& value = member(name);
    if (!value.is_number_unsigned()) fail(name, "is not a whole number");
    return value.get<std::uint64_t>();
}

bool Members::flag(const char* name) const {
    const Json& value = member(name);
    if (!value.is_boolean()) fail(name, "is neither true nor false");
    return value.get<bool>();
}

const Json& Members::array(const char* name) const {
    const Json& value = member(name);
    if (!value.is_array()) fail(name, "is not a list");
    return value;
}

std::vector<std::string> Members::texts(const char* name) const {
    std::vector<std::string> all;
    for (const Json& value : array(name)) {
        if (!value.is_string()) fail(name, "has an element that is not a text");
        all.push_back(value.get<std::string>());
    }
    return all;
}

Members Members::object(const char* name) const { return {member(name), where_ + ": " + name}; }

const Json& Members::member(const char* name) const {
    const auto at = json_.find(name);
    if (at == json_.end()) fail(name, "is missing");
    return *at;
}

void Members::fail(const char* name, const std::string& what) const {
    throw std::runtime_error(fmt::format("{}: '{}' {}", where_, name, what));
}

} // namespace mxcert::files
