// SPDX-License-Identifier: Apache-2.0
#include "conformance/files/edited_json.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "reference/base/near_names.hpp"
#include "vectors/base/json_depth.hpp"
#include "vectors/tables/csv.hpp"

namespace mxcert::files {
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

} // namespace

Json read_edited_json(const std::filesystem::path& path) {
    const std::string text = csv::read_text(path);
    if (text.starts_with("\xEF\xBB\xBF")) throw std::runtime_error(path.string() + ": starts with a byte order mark");
    if (!is_shallow_json(text))
        throw std::runtime_error(fmt::format("{}: nested deeper than {} levels", path.string(), max_json_depth));
    std::istringstream in(text);
    std::size_t seen = 0;                    // bytes read up to the last event: what comes next stands behind them
    std::vector<std::set<std::string>> open; // the names of the objects around the place
    const auto look = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) open.emplace_back();
        if (event == Json::parse_event_t::object_end) open.pop_back();
        if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
            throw std::runtime_error(fmt::format("{}: {}: '{}' is there twice", path.string(),
                                                 place_of(text, text.find('"', seen)),
                                                 print::printable(parsed.get<std::string>())));
        seen = static_cast<std::size_t>(in.tellg());
        return true;
    };
    try {
        return Json::parse(in, look);
    } catch (const Json::parse_error& error) {
        // The byte is the one after what was read, counted from 1.
        throw std::runtime_error(
            fmt::format("{}: {}: not valid JSON", path.string(), place_of(text, error.byte == 0 ? 0 : error.byte - 1)));
    } catch (const Json::out_of_range& error) {
        const std::string number = quoted(error.what());
        throw std::runtime_error(fmt::format("{}: {}: the number {} is too large", path.string(),
                                             place_of(text, text.find(number, seen)), number));
    }
}

void allow_members(const Json& object, const std::string& where, const std::vector<std::string_view>& names) {
    for (const auto& [name, value] : object.items())
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw std::runtime_error(
                fmt::format("{}: {}", where, unknown_name("member", print::printable(name), names)));
}

} // namespace mxcert::files
