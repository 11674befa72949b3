// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/compare_record.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mxcert::evidence {
namespace {

constexpr std::size_t longest_shown = 80;

std::string shown(const files::Json* value) {
    if (value == nullptr) return "nothing";
    std::string text = value->dump(-1, ' ', true, files::Json::error_handler_t::replace);
    if (text.size() > longest_shown) text = text.substr(0, longest_shown - 3) + "...";
    return text;
}

const files::Json* member(const files::Json& object, const std::string& name) {
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

/// "rows[3]" of a row is harder to find than its name.
std::string place_of(const std::string& where, const files::Json& element, std::size_t index) {
    if (where != "rows" || !element.is_object() || !element.contains("id") || !element["id"].is_string())
        return fmt::format("{}[{}]", where, index);
    return fmt::format("row {}", element["id"].get_ref<const std::string&>());
}

void compare(const std::string& where, const files::Json* claimed, const files::Json* derived,
             std::vector<std::string>& differences) {
    if (claimed != nullptr && derived != nullptr) {
        if (*claimed == *derived) return;
        if (claimed->is_object() && derived->is_object()) {
            const auto within = [&](const std::string& name) {
                compare(where.empty() ? name : where + ' ' + name, member(*claimed, name), member(*derived, name),
                        differences);
            };
            for (const auto& [name, value] : claimed->items()) within(name);
            for (const auto& [name, value] : derived->items())
                if (!claimed->contains(name)) within(name);
            return;
        }
        if (claimed->is_array() && derived->is_array() && claimed->size() == derived->size()) {
            for (std::size_t i = 0; i < claimed->size(); ++i)
                compare(place_of(where, (*claimed)[i], i), &(*claimed)[i], &(*derived)[i], differences);
            return;
        }
    }
    differences.push_back(fmt::format("{}: {}, and the record gives {}", where, shown(claimed), shown(derived)));
}

/// Without what the answers do not decide.
files::Json decided(files::Json report, bool is_kept) {
    for (const char* name : {"started", "seconds", "jobs", "host", "machines", "sandbox", "sha256", "turns"})
        report.erase(name);
    if (report.contains("tool") && report["tool"].is_object()) report["tool"].erase("revision");
    if (report.contains("backend") && report["backend"].is_object()) {
        files::Json& backend = report["backend"];
        backend.erase("argument");
        if (is_kept)
            for (const char* name : {"record", "record_sha256"}) backend.erase(name);
        if (backend.contains("offers") && backend["offers"].is_array())
            std::sort(backend["offers"].begin(), backend["offers"].end());
    }
    if (!report.contains("rows") || !report["rows"].is_array()) return report;
    for (files::Json& row : report["rows"]) {
        if (!row.is_object()) continue;
        // A case that is stored cannot be made smaller.
        for (const char* name : {"seconds", "kept", "reproduce", "smallest"}) row.erase(name);
        for (const char* name : {"differences", "culprits"})
            if (row.contains(name) && row[name].is_array())
                for (files::Json& entry : row[name])
                    if (entry.is_object()) entry.erase("reproduce");
    }
    return report;
}

} // namespace

std::vector<std::string> differences_from_record(const files::Json& claimed, const files::Json& derived, bool is_kept) {
    std::vector<std::string> differences;
    const files::Json claims = decided(claimed, is_kept);
    const files::Json record = decided(derived, is_kept);
    compare("", &claims, &record, differences);
    return differences;
}

} // namespace mxcert::evidence
