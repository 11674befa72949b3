// SPDX-License-Identifier: Apache-2.0
#include "conformance/report/last_failed.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/report/report.hpp"

namespace mxcert::report {

LastFailed read_last_failed(const std::filesystem::path& path) {
    const files::Json json = files::read_json(path);
    const files::Members report(json, path.string());
    if (report.text("schema") != report_schema)
        report.fail("schema", fmt::format("is not \"{}\", the one this version reads", report_schema));
    LastFailed failed;
    std::size_t number = 0;
    for (const files::Json& item : report.array("rows")) {
        const files::Members row(item, fmt::format("{}: rows[{}]", path.string(), number++));
        const std::string status = row.text("status");
        if (status == to_string(Status::pass)) continue;
        if (status == to_string(Status::unsupported) && !row.flag("required")) continue;
        std::string id = row.text("id");
        if (row.text("kind") == "other" && failed.whole.empty()) failed.whole = id;
        if (std::find(failed.rows.begin(), failed.rows.end(), id) == failed.rows.end())
            failed.rows.push_back(std::move(id));
    }
    return failed;
}

} // namespace mxcert::report
