// SPDX-License-Identifier: Apache-2.0
#include "conformance/record.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/output_file.hpp"
#include "conformance/points_csv.hpp"
#include "conformance/subject.hpp"
#include "conformance/version.hpp"
#include "vectors/csv.hpp"
#include "vectors/json_depth.hpp"
#include "vectors/sha256.hpp"
#include "vectors/table_csv.hpp"

namespace mxcert {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view index_name = "record.json";

std::string text_of(const RecordedConversion& recorded) {
    if (!recorded.points.empty())
        return write_points(recorded.points, *recorded.conversion.from, *recorded.conversion.to);
    return write_step_table(recorded.table);
}

std::uint64_t rows_of(const RecordedConversion& recorded) {
    return recorded.points.empty() ? recorded.table.steps.size() : recorded.points.size();
}

std::string dump(const Json& json) {
    constexpr int indent = 2;
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Members of a JSON object from a file that may be anything. Every error names the file and the member.
class Members {
  public:
    Members(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
        if (!json_.is_object()) throw std::runtime_error(where_ + ": not an object");
    }
    [[nodiscard]] std::string text(const char* name) const {
        const Json& value = member(name);
        if (!value.is_string()) fail(name, "is not a text");
        return value.get<std::string>();
    }
    [[nodiscard]] std::uint64_t number(const char* name) const {
        const Json& value = member(name);
        if (!value.is_number_unsigned()) fail(name, "is not a whole number");
        return value.get<std::uint64_t>();
    }
    [[nodiscard]] const Json& array(const char* name) const {
        const Json& value = member(name);
        if (!value.is_array()) fail(name, "is not a list");
        return value;
    }
    [[nodiscard]] const Json& member(const char* name) const {
        const auto at = json_.find(name);
        if (at == json_.end()) fail(name, "is missing");
        return *at;
    }
    [[noreturn]] void fail(const char* name, const std::string& what) const {
        throw std::runtime_error(fmt::format("{}: '{}' {}", where_, name, what));
    }

  private:
    const Json& json_;
    std::string where_;
};

RecordedConversion read_file(const Members& entry, const std::filesystem::path& folder) {
    RecordedConversion recorded;
    recorded.conversion = parse_conversion(entry.text("conversion"));
    const std::string name = entry.text("file");
    // The index may come from anywhere: no other file is ever opened.
    if (name != to_string(recorded.conversion) + ".csv") entry.fail("file", "is not the conversion's name with .csv");
    const std::filesystem::path path = folder / name;
    const std::string text = csv::read_text(path);
    if (sha256(text) != entry.text("sha256"))
        throw std::runtime_error(fmt::format("{}: its SHA-256 is not the one in {}", path.string(), index_name));
    const Format& from = *recorded.conversion.from;
    const Format& to = *recorded.conversion.to;
    const std::string kind = entry.text("kind");
    if (kind == "points")
        recorded.points = parse_points(text, path.string(), from, to);
    else if (kind == "table")
        recorded.table = parse_step_table(text, path.string(), from, to);
    else
        entry.fail("kind", R"(is neither "table" nor "points")");
    if (needs_points(recorded.conversion) != (kind == "points"))
        entry.fail("kind", "does not fit a source of that width");
    if (entry.number("rows") != rows_of(recorded)) entry.fail("rows", "is not the number of rows of the file");
    recorded.repeated = entry.number("repeated");
    return recorded;
}

Json read_index(const std::filesystem::path& path) {
    const std::string text = csv::read_text(path);
    if (!is_shallow_json(text))
        throw std::runtime_error(fmt::format("{}: nests more than {} deep", path.string(), max_json_depth));
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw std::runtime_error(path.string() + ": not valid JSON");
    return json;
}

} // namespace

void check_record_folder(const std::filesystem::path& folder) {
    make_folder(folder);
    std::error_code error;
    const bool empty = std::filesystem::is_empty(folder, error);
    if (error) throw std::runtime_error(fmt::format("cannot read '{}': {}", folder.string(), error.message()));
    if (!empty)
        throw std::runtime_error(fmt::format("'{}' is not empty: a record needs a folder of its own", folder.string()));
    const OutputFile probe(folder / index_name);
}

void write_record(const Record& record, const std::filesystem::path& folder) {
    check_record_folder(folder);
    Json files = Json::array();
    for (const RecordedConversion& recorded : record.conversions) {
        const std::string id = to_string(recorded.conversion);
        const std::string text = text_of(recorded);
        OutputFile(folder / (id + ".csv")).write(text);
        files.push_back({{"conversion", id},
                         {"file", id + ".csv"},
                         {"kind", recorded.points.empty() ? "table" : "points"},
                         {"rows", rows_of(recorded)},
                         {"repeated", recorded.repeated},
                         {"sha256", sha256(text)}});
    }
    Json unrecorded = Json::array();
    for (const Unrecorded& u : record.unrecorded)
        unrecorded.push_back({{"conversion", u.conversion}, {"status", to_string(u.status)}, {"reason", u.reason}});
    const Json index{{"schema", record_schema},
                     {"tool", {{"name", "mxcert"}, {"version", tool_version}}},
                     {"backend",
                      {{"name", record.info.name},
                       {"version", record.info.version},
                       {"description", record.info.description},
                       {"build_id", record.info.build_id},
                       {"options", record.backend_options}}},
                     {"seed", record.seed},
                     {"files", files},
                     {"not_recorded", unrecorded}};
    OutputFile(folder / index_name).write(dump(index));
}

Record read_record(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / index_name;
    const Json json = read_index(path);
    const Members index(json, path.string());
    if (index.text("schema") != record_schema)
        index.fail("schema", fmt::format("is not \"{}\", the one this version reads", record_schema));
    Record record;
    const Members backend(index.member("backend"), path.string() + ": backend");
    record.info.name = backend.text("name");
    record.info.version = backend.text("version");
    record.info.description = backend.text("description");
    record.info.build_id = backend.text("build_id");
    record.backend_options = backend.text("options");
    record.seed = index.number("seed");
    std::set<std::string> seen;
    for (const Json& entry : index.array("files")) {
        const Members members(entry, fmt::format("{}: files[{}]", path.string(), seen.size()));
        try {
            record.conversions.push_back(read_file(members, folder));
        } catch (const std::invalid_argument& error) {
            members.fail("conversion", error.what());
        }
        const Conversion& conversion = record.conversions.back().conversion;
        if (!seen.insert(to_string(conversion)).second) members.fail("conversion", "is there twice");
        record.info.conversions.push_back(conversion);
    }
    for (const Json& entry : index.array("not_recorded")) {
        const Members members(entry, path.string() + ": not_recorded");
        record.info.unknown.push_back(members.text("conversion") + ": not recorded: " + members.text("reason"));
    }
    return record;
}

} // namespace mxcert
