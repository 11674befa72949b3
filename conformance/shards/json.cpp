// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/json.hpp"

#include <fstream>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "vectors/base/json_depth.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::shards {
namespace {

std::string shown(const files::Json* json) {
    if (json == nullptr) return "nothing";
    constexpr std::size_t most = 120;
    return print::printable(json->dump(-1, ' ', true, files::Json::error_handler_t::replace).substr(0, most));
}

std::string difference_of(const files::Json& a, const files::Json& b, const std::string& where) {
    for (const auto& [name, value] : a.items()) {
        const auto other = b.find(name);
        const files::Json* const found = other == b.end() ? nullptr : &*other;
        if (found != nullptr && *found == value) continue;
        const std::string place = where.empty() ? name : where + ' ' + name;
        if (found != nullptr && value.is_object() && found->is_object()) return difference_of(value, *found, place);
        return fmt::format("{} {} and {}", place, shown(&value), shown(found));
    }
    return {};
}

} // namespace

files::Json read_large_json(const std::filesystem::path& path) {
    const auto refuse = [&](const std::string& why) { throw std::runtime_error(path.string() + ": " + why); };
    std::error_code error;
    // Opening a pipe or a device could wait for ever.
    if (!std::filesystem::is_regular_file(path, error)) refuse("is no regular file");
    std::ifstream file(path, std::ios::binary);
    std::string text;
    std::vector<char> some(std::size_t{1} << 16U);
    while (file.read(some.data(), static_cast<std::streamsize>(some.size())) || file.gcount() != 0) {
        text.append(some.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > most_bytes) refuse(fmt::format("longer than {} bytes", most_bytes));
    }
    if (!file.eof()) refuse("cannot be read to its end");
    if (!is_shallow_json(text)) refuse(fmt::format("nested deeper than {} levels", max_json_depth));
    files::Json json = files::Json::parse(text, nullptr, false);
    if (json.is_discarded()) refuse("not valid JSON");
    return json;
}

std::string digest_of_json(files::Json json) {
    json.erase("sha256");
    return sha256(json.dump(-1, ' ', true, files::Json::error_handler_t::replace));
}

void check_digest(const files::Json& json, const files::Members& members) {
    if (members.text("sha256") != digest_of_json(json))
        members.fail("sha256", "is not the checksum of the rest: the file was changed after it was written");
}

std::string difference_of_json(const files::Json& a, const files::Json& b) { return difference_of(a, b, ""); }

files::Json host_json(const report::Host& host) {
    return {{"system", host.system}, {"machine", host.machine}, {"cpu", host.cpu}};
}

report::Host host_of(const files::Members& members) {
    return {members.text("system"), members.text("machine"), members.text("cpu")};
}

} // namespace mxcert::shards
