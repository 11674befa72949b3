// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/part_surroundings.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/print/text.hpp"
#include "conformance/shards/json.hpp"

namespace mxcert::evidence {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema = "mxcert-surroundings-1";

fs::path file_in(const fs::path& folder) { return folder / "surroundings.json"; }

std::optional<Surroundings> read(const fs::path& folder) {
    std::error_code error;
    if (!fs::exists(file_in(folder), error)) return std::nullopt;
    const files::Json json = files::read_json(file_in(folder));
    const files::Members file(json, file_in(folder).string());
    if (file.text("schema") != schema)
        file.fail("schema", fmt::format("is not \"{}\", the one this version reads", schema));
    shards::check_digest(json, file);
    return surroundings_of_json(file);
}

void add_unproven(Surroundings& joined, const std::string& what) {
    if (std::find(joined.unproven.begin(), joined.unproven.end(), what) == joined.unproven.end())
        joined.unproven.push_back(what);
}

/// Adds what is not there; what is there and differs is taken out, and stays unproven.
void join(std::map<std::string, std::string>& all, const std::map<std::string, std::string>& more, const char* what,
          Surroundings& joined) {
    for (const auto& [name, value] : more) {
        const auto unproven = fmt::format("{} '{}', which was not the same all the time", what, name);
        if (std::find(joined.unproven.begin(), joined.unproven.end(), unproven) != joined.unproven.end()) continue;
        const auto [at, is_new] = all.emplace(name, value);
        if (is_new || at->second == value) continue;
        all.erase(at);
        joined.unproven.push_back(unproven);
    }
}

void join(Surroundings& joined, const Surroundings& more) {
    for (const std::string& what : more.unproven) add_unproven(joined, what);
    join(joined.files, more.files, "the file", joined);
    join(joined.packages, more.packages, "the package", joined);
    join(joined.environment, more.environment, "the variable", joined);
}

} // namespace

void write_surroundings(const Surroundings& surroundings, const fs::path& folder) {
    Surroundings all = read(folder).value_or(Surroundings{});
    join(all, surroundings);
    files::Json json{{"schema", schema}};
    json.update(surroundings_json(all));
    json["sha256"] = shards::digest_of_json(json);
    files::OutputFile(file_in(folder)).write(files::json_text(json));
}

Surroundings surroundings_of_parts(const std::vector<fs::path>& folders) {
    Surroundings joined;
    for (const fs::path& folder : folders) {
        if (const std::optional<Surroundings> part = read(folder))
            join(joined, *part);
        else
            add_unproven(joined,
                         fmt::format("which files the backend had loaded for '{}'", print::printable(folder.string())));
    }
    return joined;
}

} // namespace mxcert::evidence
