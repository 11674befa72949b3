// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/stored_report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "conformance/report/report.hpp"
#include "conformance/samples.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::report {
namespace {

constexpr std::array row_members{"kind",     "status",      "required",      "sample",         "open",     "total",
                                 "compared", "repeated",    "differing",     "ranges",         "culprits", "golden",
                                 "clauses",  "differences", "golden_sha256", "observed_sha256"};

/// A member that is compared, by its path.
struct Compared {
    const char* path;
    bool decides;
};
constexpr std::array members{
    Compared{"/backend/name", true},
    Compared{"/backend/version", true},
    Compared{"/backend/description", true},
    Compared{"/backend/build_id", true},
    Compared{"/backend/options", true},
    Compared{"/backend/record", true},
    Compared{"/backend/record_sha256", true},
    Compared{"/backend/offers", true},
    Compared{"/backend/not_understood", true},
    Compared{"/vectors/version", true},
    Compared{"/vectors/manifest_sha256", true},
    Compared{"/seed", true},
    Compared{"/samples_per_step", true},
    Compared{"/level", true},
    Compared{"/profiles", true},
    Compared{"/selection", true},
    Compared{"/complete", true},
    Compared{"/left_out", true},
    Compared{"/missing", true},
    Compared{"/certificate", true},
    Compared{"/exit_code", true},
    Compared{"/counts", true},
    Compared{"/clauses", true},
    Compared{"/outside", true},
    Compared{"/interrupted", true},
    Compared{"/tool/name", false},
    Compared{"/tool/version", false},
    Compared{"/tool/revision", false},
    Compared{"/host/system", false},
    Compared{"/host/machine", false},
    Compared{"/host/cpu", false},
};

constexpr std::size_t longest_shown = 80;

std::string shown(const files::Json* value) {
    if (value == nullptr) return "nothing";
    std::string text = value->is_string() ? value->get<std::string>()
                                          : value->dump(-1, ' ', true, files::Json::error_handler_t::replace);
    if (text.size() > longest_shown) text = text.substr(0, longest_shown - 3) + "...";
    return text;
}

const files::Json* find(const files::Json& json, const char* path) {
    const files::Json::json_pointer pointer(path);
    return json.contains(pointer) ? &json.at(pointer) : nullptr;
}

// How long was waited and how much memory was there: the figures after these words are not the backend's.
constexpr std::array<std::string_view, 2> words_before_figures{"timeout", "took"};

// What differences and culprits say of the run and not of the backend. The line that runs them again names the backend,
// which may have moved.
files::Json without_surroundings(files::Json value) {
    if (!value.is_array()) return value;
    for (files::Json& json : value) {
        if (!json.is_object()) continue;
        json.erase("reproduce");
        const auto how = json.find("how");
        if (how == json.end() || !how->is_string()) continue;
        for (const std::string_view words : words_before_figures)
            if (how->get_ref<const std::string&>().starts_with(words)) *how = words;
    }
    return value;
}

void compare(const std::string& where, const files::Json* before, const files::Json* after,
             std::vector<ReportChange>& changes) {
    if (before == nullptr && after == nullptr) return;
    if (before != nullptr && after != nullptr && without_surroundings(*before) == without_surroundings(*after)) return;
    changes.push_back({where, shown(before), shown(after)});
}

std::map<std::string, const files::Json*> rows_by_name(const files::Json& report) {
    std::map<std::string, const files::Json*> rows;
    for (const files::Json& row : report.at("rows"))
        rows.emplace(row.at("id").get<std::string>() + ", " + row.at("profile").get<std::string>(), &row);
    return rows;
}

void check_rows(const files::Members& report) {
    std::map<std::string, bool> seen;
    for (const files::Json& row : report.array("rows")) {
        const files::Members row_of_report(row, "rows[" + std::to_string(seen.size()) + "]");
        if (!seen.emplace(row_of_report.text("id") + ", " + row_of_report.text("profile"), true).second)
            report.fail("rows", "has the row " + row_of_report.text("id") + " of the profile " +
                                    row_of_report.text("profile") + " twice");
    }
    if (seen.empty()) report.fail("rows", "is empty: there is nothing to compare with");
}

} // namespace

std::string report_checksum(files::Json report) {
    report.erase("sha256");
    return sha256(report.dump(-1, ' ', true, files::Json::error_handler_t::replace));
}

StoredReport read_report(const std::filesystem::path& path) {
    StoredReport replayed;
    replayed.report = files::read_json(path);
    const files::Members report(replayed.report, path.string());
    if (report.text("schema") != report_schema)
        report.fail("schema", fmt::format("is not \"{}\", the one this version reads", report_schema));
    if (report.text("sha256") != report_checksum(replayed.report))
        report.fail("sha256", "is not the checksum of the rest: the file was changed after it was written");

    const files::Members backend = report.object("backend");
    replayed.invocation.backend = backend.text("argument");
    replayed.invocation.backend_options = backend.text("options");
    replayed.invocation.profiles = report.texts("profiles");
    for (const std::string& profile : replayed.invocation.profiles) {
        try {
            (void)find_profile(profile);
        } catch (const std::invalid_argument& error) {
            report.fail("profiles", error.what());
        }
    }
    replayed.seed = report.number("seed");
    const std::uint64_t samples = report.number("samples_per_step");
    if (samples > most_samples_per_step) report.fail("samples_per_step", "is too large");
    replayed.samples_per_step = static_cast<unsigned>(samples);
    try {
        replayed.level = parse_level(report.text("level"));
    } catch (const std::invalid_argument& error) {
        report.fail("level", error.what());
    }
    if (report.flag("interrupted")) report.fail("interrupted", "is true: a run that was stopped cannot be repeated");
    const std::string selection = report.text("selection");
    if (report.has("filters")) {
        replayed.filters = report.texts("filters");
        replayed.leave_out = report.texts("leave_out");
        replayed.required = report.texts("required");
        replayed.reproduce = report.text("reproduce");
        const std::uint64_t failures = report.number("max_failures");
        if (failures == 0 || failures > 1'000'000) report.fail("max_failures", "is not from 1 to 1,000,000");
        replayed.max_failures = failures;
    } else if (!selection.empty()) {
        report.fail("filters", "is missing: an older version wrote it, and does not say what was left out");
    }
    check_rows(report);
    return replayed;
}

ReportComparison compare_reports(const files::Json& before, const files::Json& after) {
    ReportComparison comparison;
    const auto were = rows_by_name(before);
    const auto are = rows_by_name(after);
    for (const auto& [name, row] : were) {
        const auto now = are.find(name);
        if (now == are.end()) {
            comparison.results.push_back({name, shown(find(*row, "/status")), "no such row"});
            continue;
        }
        ++comparison.rows;
        for (const char* member : row_members) {
            const std::string pointer = std::string("/") + member;
            compare(name + ": " + member, find(*row, pointer.c_str()), find(*now->second, pointer.c_str()),
                    comparison.results);
        }
    }
    for (const auto& [name, row] : are)
        if (!were.contains(name)) comparison.results.push_back({name, "no such row", shown(find(*row, "/status"))});
    for (const Compared& member : members) {
        std::string name = member.path + 1;
        std::replace(name.begin(), name.end(), '/', ' ');
        compare(name, find(before, member.path), find(after, member.path),
                member.decides ? comparison.results : comparison.surroundings);
    }
    return comparison;
}

} // namespace mxcert::report
