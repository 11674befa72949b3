// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace mxcert::test {

/// The part of JSON Schema that the schemas of this project use, for values of a few short texts. A keyword that is not
/// known is an error: what nobody looks at must not be in a schema.
class JsonSchema {
  public:
    using Json = nlohmann::json;

    /// What of a value does not fit.
    struct Misfit {
        std::string place;   ///< in the value, "/rows/0/status"; "" is the whole
        std::string keyword; ///< in the schema, "/properties/rows/type"; "" if all fits
    };

    explicit JsonSchema(const std::string& file) : root_(Json::parse(std::ifstream(file))) { list(root_, ""); }

    /// The first thing that does not fit.
    [[nodiscard]] Misfit misfit(const Json& value) const { return misfit(value, root_, "", ""); }

    /// Every constraint that a value may break, as Misfit has them: of a list of names each one.
    [[nodiscard]] const std::set<std::string>& keywords() const { return keywords_; }
    /// Texts and numbers that the schema itself names: of enumerations and limits.
    [[nodiscard]] const std::set<Json>& named() const { return named_; }

  private:
    static std::string inside(const std::string& place, const std::string& name) { return place + "/" + name; }

    /// Whether a value itself is against one keyword.
    static bool breaks(const Json& value, const std::string& keyword, const Json& how);

    [[nodiscard]] Misfit misfit(const Json& value, const Json& schema, const std::string& place,
                                const std::string& at) const {
        for (const auto& [keyword, how] : schema.items()) {
            const std::string here = inside(at, keyword);
            if (is_silent(keyword) || keyword == "properties" || keyword == "additionalProperties") continue;
            Misfit found;
            if (keyword == "$ref") {
                const std::string target = how.get<std::string>().substr(1);
                found = misfit(value, root_.at(Json::json_pointer(target)), place, target);
            } else if (keyword == "required") {
                for (const Json& name : how)
                    if (value.is_object() && !value.contains(name)) return {inside(place, name), inside(here, name)};
            } else if (keyword == "items") {
                for (std::size_t i = 0; value.is_array() && i < value.size() && found.keyword.empty(); ++i)
                    found = misfit(value[i], how, inside(place, std::to_string(i)), here);
            } else if (keyword == "anyOf") {
                if (std::none_of(how.begin(), how.end(),
                                 [&](const Json& json) { return misfit(value, json, place, here).keyword.empty(); }))
                    return {place, here};
            } else if (breaks(value, keyword, how)) {
                return {place, here};
            }
            if (!found.keyword.empty()) return found;
        }
        return value.is_object() ? misfit_member(value, schema, place, at) : Misfit{};
    }

    [[nodiscard]] Misfit misfit_member(const Json& value, const Json& schema, const std::string& place,
                                       const std::string& at) const {
        for (const auto& [name, member] : value.items()) {
            const std::string there = inside(place, name);
            const std::string others = inside(at, "additionalProperties");
            Misfit found;
            if (schema.contains("properties") && schema["properties"].contains(name))
                found = misfit(member, schema["properties"][name], there, inside(inside(at, "properties"), name));
            else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
                found = misfit(member, schema["additionalProperties"], there, others);
            else if (schema.contains("additionalProperties"))
                return {there, others};
            if (!found.keyword.empty()) return found;
        }
        return {};
    }

    static bool is_silent(const std::string& keyword) {
        return std::set<std::string>{"$schema", "$id", "$defs", "title", "description", "examples"}.contains(keyword);
    }

    void list(const Json& schema, const std::string& at) {
        for (const auto& [keyword, how] : schema.items()) {
            const std::string here = inside(at, keyword);
            if (keyword == "properties" || keyword == "$defs") {
                for (const auto& [name, member] : how.items()) list(member, inside(here, name));
            } else if (keyword == "required") {
                for (const Json& name : how) keywords_.insert(inside(here, name));
            } else if (keyword == "items" || (keyword == "additionalProperties" && how.is_object())) {
                list(how, here);
            } else if (!is_silent(keyword) && keyword != "$ref") {
                keywords_.insert(here);
                if (keyword == "enum") named_.insert(how.begin(), how.end());
                if (keyword == "const" || keyword == "minimum" || keyword == "maximum") named_.insert(how);
            }
        }
    }

    Json root_;
    std::set<std::string> keywords_;
    std::set<Json> named_;
};

} // namespace mxcert::test
