// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/edited_json.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "reference/base/near_names.hpp"
#include "vectors/golden_store/json_depth.hpp"
#include "vectors/tables/csv.hpp"

namespace mxcert {
namespace {

// "line 3, column 5" of a byte.
std::string place_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.find_last_of('\n');
    return fmt::format("line {}, column {}", line, start == std::string_view::npos ? byte + 1 : byte - start);
}

// What stands between the apostrophes of a message.
std::string quoted(std::string_view message) {
    const std::size_t first = std::min(message.find('\''), message.size() - 1) + 1;
    return std::string(message.substr(first, message.rfind('\'') - first));
}

// Where the n-th name of a member starts, from 0. The text is valid JSON up to there.
std::size_t find_name(std::string_view text, std::size_t n) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '"') continue;
        std::size_t end = at + 1;
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        const std::size_t next = text.find_first_not_of(" \t\r\n", end + 1);
        if (next != std::string_view::npos && text[next] == ':' && n-- == 0) return at;
        at = end;
    }
    return text.size();
}

} // namespace

Json read_edited_json(const std::filesystem::path& path) {
    const std::string text = csv::read_text(path);
    if (text.starts_with("\xEF\xBB\xBF")) throw std::runtime_error(path.string() + ": starts with a byte order mark");
    if (!is_shallow_json(text))
        throw std::runtime_error(fmt::format("{}: nested deeper than {} levels", path.string(), max_json_depth));
    std::vector<std::set<std::string>> open; // the names of the objects around the place
    std::size_t names = 0;
    const auto look = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) open.emplace_back();
        if (event == Json::parse_event_t::object_end) open.pop_back();
        if (event == Json::parse_event_t::key) {
            if (!open.back().insert(parsed.get<std::string>()).second)
                throw std::runtime_error(fmt::format("{}: {}: '{}' is there twice", path.string(),
                                                     place_of(text, find_name(text, names)),
                                                     printable(parsed.get<std::string>())));
            ++names;
        }
        return true;
    };
    try {
        return Json::parse(text, look);
    } catch (const Json::parse_error& error) {
        // The byte is the one after what was read, counted from 1.
        throw std::runtime_error(
            fmt::format("{}: {}: not valid JSON", path.string(), place_of(text, error.byte == 0 ? 0 : error.byte - 1)));
    } catch (const Json::out_of_range& error) {
        const std::string number = quoted(error.what());
        throw std::runtime_error(fmt::format("{}: {}: the number {} is too large", path.string(),
                                             place_of(text, text.find(number)), number));
    }
}

void allow_members(const Json& object, const std::string& where, const std::vector<std::string_view>& names) {
    for (const auto& [name, value] : object.items())
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw std::runtime_error(fmt::format("{}: {}", where, unknown_name("member", printable(name), names)));
}

} // namespace mxcert
