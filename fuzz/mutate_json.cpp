// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/mutate.hpp"

namespace mxcert::fuzz {
namespace {

using Json = nlohmann::ordered_json;

void collect(Json& json, std::vector<Json*>& values) {
    values.push_back(&json);
    if (!json.is_structured()) return;
    for (Json& value : json) collect(value, values);
}

std::vector<Json*> values_of(Json& json) {
    std::vector<Json*> values;
    collect(json, values);
    return values;
}

// Values at which numbers, texts and lists are taken in another way.
const Json& unusual_value(const Mutation& mutation) {
    static const std::array<Json, 16> values{
        Json(nullptr),
        Json(true),
        Json(0),
        Json(1),
        Json(-1),
        Json(1.5),
        Json(65'536),
        Json(std::uint64_t{1} << 32),
        Json(std::numeric_limits<std::uint64_t>::max()),
        Json(std::numeric_limits<std::int64_t>::min()),
        Json(1e300),
        Json(""),
        Json("x"),
        Json("\xC3\xA9\n"),
        Json::array(),
        Json::object(),
    };
    return values.at(mutation.below(values.size()));
}

void change_number(Json& number, const Mutation& mutation) {
    if (number.is_number_float()) {
        number = number.get<double>() * (mutation.below(2) == 0 ? -2 : 0.5);
        return;
    }
    const auto value = number.get<std::uint64_t>();
    switch (mutation.below(3)) {
    case 0: number = value + 1; break;
    case 1: number = value - 1; break;
    default: number = value ^ std::uint64_t{1} << mutation.below(64);
    }
}

void change(Json& value, const Mutation& mutation) {
    if (value.is_string())
        value = mutation.bytes(value.get<std::string>());
    else if (value.is_number())
        change_number(value, mutation);
    else if (value.is_boolean())
        value = !value.get<bool>();
    else
        value = unusual_value(mutation);
}

/// The name of a member of the object, chosen at random. Precondition: there is one.
std::string member_of(const Json& object, const Mutation& mutation) {
    return std::next(object.begin(), static_cast<std::ptrdiff_t>(mutation.below(object.size()))).key();
}

void take_away(Json& from, const Mutation& mutation) {
    if (from.is_object())
        from.erase(member_of(from, mutation));
    else
        from.erase(mutation.below(from.size()));
}

/// `others`: values with names of members that may be added too.
void add(Json& to, const Json& value, const std::vector<Json*>& others, const Mutation& mutation) {
    if (to.is_array()) {
        to.insert(std::next(to.begin(), static_cast<std::ptrdiff_t>(mutation.below(to.size() + 1))), value);
        return;
    }
    const Json& named = *others[mutation.below(others.size())];
    to[named.is_object() && !named.empty() ? member_of(named, mutation) : mutation.bytes("")] = value;
}

void rename(Json& object, const Mutation& mutation) {
    const std::string name = member_of(object, mutation);
    const Json value = object[name];
    object.erase(name);
    object[mutation.bytes(name)] = value;
}

} // namespace

std::string mutate_json(std::string_view input, std::string_view other, const Mutation& mutation) {
    Json json = Json::parse(input, nullptr, false);
    if (json.is_discarded()) return {};
    Json given = Json::parse(other, nullptr, false);
    if (given.is_discarded()) given = json;
    const std::vector<Json*> values = values_of(json);
    const std::vector<Json*> others = values_of(given);
    Json& value = *values[mutation.below(values.size())];
    const Json another = *others[mutation.below(others.size())]; // a copy: it may be a part of what is changed
    const bool has_parts = value.is_structured() && !value.empty();
    switch (mutation.below(8)) {
    case 0: value = unusual_value(mutation); break;
    case 1: value = another; break;
    case 2:
        if (has_parts)
            take_away(value, mutation);
        else
            change(value, mutation);
        break;
    case 3:
        if (value.is_structured())
            add(value, another, others, mutation);
        else
            change(value, mutation);
        break;
    case 4:
        if (value.is_object() && has_parts)
            rename(value, mutation);
        else
            change(value, mutation);
        break;
    default: {
        // Most values are texts and numbers, and what they may be is most of what there is to find.
        std::vector<Json*> leaves = values;
        leaves.erase(std::remove_if(leaves.begin(), leaves.end(), [](const Json* at) { return at->is_structured(); }),
                     leaves.end());
        change(leaves.empty() ? value : *leaves[mutation.below(leaves.size())], mutation);
    }
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace mxcert::fuzz
