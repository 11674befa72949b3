// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/resume_part.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/files/output_file.hpp"
#include "vectors/base/json_depth.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::record {
namespace {

constexpr const char* part_schema = "mxcert-part-1";

std::filesystem::path path_of(const std::filesystem::path& folder, const observe::SweepPart& part) {
    return folder / "parts" / (part.name + ".json");
}

// A file that was changed is not to be believed.
std::string digest_of(files::Json json) {
    json.erase("sha256");
    return sha256(files::json_text(json));
}

// Whether each range is a row of steps, and there is nothing else. Ranges do not touch each other.
bool cover(const std::vector<Step>& steps, const std::vector<inputs::CodeRange>& ranges) {
    std::size_t at = 0;
    for (const inputs::CodeRange& range : ranges) {
        for (Code next = range.first; next <= range.last; ++at) {
            if (at == steps.size() || steps[at].first != next || steps[at].last < next || steps[at].last > range.last)
                return false;
            next = steps[at].last + 1;
        }
    }
    return at == steps.size();
}

} // namespace

std::optional<observe::Observation> kept_part(const std::filesystem::path& folder, const observe::SweepPart& part) {
    const std::filesystem::path path = path_of(folder, part);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::nullopt;
    const files::Json json = files::read_json(path);
    const files::Members members(json, path.string());
    if (members.text("schema") != part_schema) members.fail("schema", "is not the one this version reads");
    if (members.text("sha256") != digest_of(json)) members.fail("sha256", "is not that of the file");
    if (members.text("key") != part.key) return std::nullopt;
    observe::Observation seen;
    seen.conversion = part.conversion;
    seen.status = Status::pass;
    seen.chosen = true;
    seen.kept = true;
    seen.inputs = part.inputs();
    seen.repeated = members.number("repeated");
    const files::Json& steps = members.array("steps");
    for (const files::Json& step : steps) {
        if (!step.is_array() || step.size() != 3 || !step[0].is_number_unsigned() || !step[1].is_number_unsigned() ||
            !step[2].is_number_unsigned())
            members.fail("steps", "has something that is no step");
        seen.partial.push_back({step[0].get<Code>(), step[1].get<Code>(), step[2].get<Code>()});
    }
    if (!cover(seen.partial, part.ranges)) members.fail("steps", "are not those of its ranges");
    return seen;
}

void keep_part(const std::filesystem::path& folder, const observe::SweepPart& part, const observe::Observation& seen) {
    files::Json steps = files::Json::array();
    for (const Step& step : seen.partial) steps.push_back({step.first, step.last, step.code});
    files::Json json{
        {"schema", part_schema}, {"key", part.key}, {"repeated", seen.repeated}, {"steps", std::move(steps)}};
    json["sha256"] = digest_of(json);
    const std::filesystem::path path = path_of(folder, part);
    files::make_folder(path.parent_path());
    files::OutputFile(path).write(files::json_text(json));
}

} // namespace mxcert::record
