// SPDX-License-Identifier: Apache-2.0
#include "conformance/test/json_schema.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

namespace mxcert::test {
namespace {

bool fits_type(const nlohmann::json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    throw std::runtime_error("a schema has the type " + type);
}

} // namespace

bool JsonSchema::breaks(const Json& value, const std::string& keyword, const Json& how) {
    if (keyword == "type") return !fits_type(value, how);
    if (keyword == "const") return value != how;
    if (keyword == "enum") return std::find(how.begin(), how.end(), value) == how.end();
    if (keyword == "minimum") return value.is_number() && value < how;
    if (keyword == "maximum") return value.is_number() && value > how;
    if (keyword == "minItems") return value.is_array() && value.size() < how;
    if (keyword == "minLength") return value.is_string() && value.get<std::string>().size() < how;
    if (keyword == "uniqueItems")
        return value.is_array() && std::set<Json>(value.begin(), value.end()).size() != value.size();
    if (keyword == "pattern") {
        static std::map<std::string, std::regex> patterns; // which takes longer than a search
        const std::regex& pattern = patterns.try_emplace(how, how.get<std::string>()).first->second;
        return value.is_string() && !std::regex_search(value.get<std::string>(), pattern);
    }
    throw std::runtime_error("a schema has the keyword " + keyword);
}

} // namespace mxcert::test
