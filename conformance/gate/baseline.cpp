// SPDX-License-Identifier: Apache-2.0
#include "conformance/gate/baseline.hpp"

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::gate {
namespace {

// "1400 01", "3C01-3C0F 38".
files::Json ranges_json(const std::vector<Step>& ranges, const Conversion& table) {
    files::Json json = files::Json::array();
    for (const Step& step : ranges) {
        std::string text = hex(step.first, *table.from);
        if (step.last != step.first) text += '-' + hex(step.last, *table.from);
        json.push_back(text + ' ' + hex(step.code, *table.to));
    }
    return json;
}

files::Json deviation_json(const RowName& name, const BaselineRow& row) {
    const Deviation& deviation = *row.deviation;
    files::Json json{{"row", name.second},
                     {"profile", name.first},
                     {"reason", row.by.reason},
                     {"owner", row.by.owner},
                     {"expires", files::date_text(row.by.expires)},
                     {"status", to_string(row.status)}};
    if (!deviation.bugs.empty()) json["bugs"] = deviation.bugs;
    if (deviation.differing != 0) json["differing"] = deviation.differing;
    if (!deviation.ranges.empty()) json["ranges"] = ranges_json(deviation.ranges, *table_of_row(name.second));
    if (!deviation.answers_sha256.empty()) json["answers_sha256"] = deviation.answers_sha256;
    if (!deviation.ends.empty()) json["ends"] = deviation.ends;
    if (!deviation.says.empty()) json["says"] = deviation.says;
    return json;
}

// The rows of a status by profile, in the order of the profiles.
files::Json rows_json(const Baseline& baseline, Status status) {
    files::Json json = files::Json::object();
    for (const std::string& profile : baseline.profiles)
        for (const auto& [name, row] : baseline.rows)
            if (name.first == profile && row.status == status && !row.deviation) json[profile].push_back(name.second);
    return json;
}

} // namespace

std::string baseline_json(const Baseline& baseline) {
    files::Json deviations = files::Json::array();
    for (const auto& [name, row] : baseline.rows)
        if (row.deviation) deviations.push_back(deviation_json(name, row));
    files::Json json{
        {"schema", baseline_schema},
        {"tool", {{"name", "mxcert"}, {"version", baseline.tool_version}}},
        {"vectors", {{"version", baseline.vectors.version}, {"manifest_sha256", baseline.vectors.manifest_sha256}}},
        {"backend", {{"name", baseline.backend}, {"options", baseline.backend_options}}},
        {"seed", baseline.seed},
        {"samples_per_step", baseline.samples_per_step},
        {"level", to_string(baseline.level)},
        {"profiles", baseline.profiles},
        {"deviations", deviations},
        {"passes", rows_json(baseline, Status::pass)},
    };
    if (files::Json unsupported = rows_json(baseline, Status::unsupported); !unsupported.empty())
        json["unsupported"] = std::move(unsupported);
    return files::json_text(json);
}

} // namespace mxcert::gate
