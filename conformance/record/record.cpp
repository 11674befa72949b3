// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/record.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/leave_out.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/inputs/points_csv.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/print/version.hpp"
#include "conformance/samples.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/base/json_depth.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/tables/csv.hpp"
#include "vectors/tables/table_csv.hpp"

namespace mxcert::record {
namespace {

constexpr std::string_view index_name = "record.json";

std::string text_of(const RecordedConversion& recorded) {
    if (!recorded.points.empty())
        return inputs::write_points(recorded.points, *recorded.conversion.from, *recorded.conversion.to);
    return write_step_table(recorded.table);
}

std::uint64_t rows_of(const RecordedConversion& recorded) {
    return recorded.points.empty() ? recorded.table.steps.size() : recorded.points.size();
}

// The name of an operation in a file name: there "1x*" is "1xall".
std::string file_of(const Operation& operation) {
    std::string name;
    for (const char c : to_string(operation)) {
        if (c == '*')
            name += "all";
        else
            name += c;
    }
    return name + ".json";
}

RecordedConversion read_file(const files::Members& entry, const std::filesystem::path& folder) {
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
        recorded.points = inputs::parse_points(text, path.string(), from, to);
    else if (kind == "table")
        recorded.table = parse_step_table(text, path.string(), from, to);
    else
        entry.fail("kind", R"(is neither "table" nor "points")");
    // Chosen inputs of a narrower source are what an offline device was asked; a table of one with a given scale what a
    // backend was asked at level complete.
    if (observe::needs_points(recorded.conversion) && from.scale == nullptr && kind != "points")
        entry.fail("kind", "does not fit a source of that width");
    if (entry.number("rows") != rows_of(recorded)) entry.fail("rows", "is not the number of rows of the file");
    recorded.repeated = entry.number("repeated");
    if (entry.has("places")) {
        const files::Members places = entry.object("places");
        recorded.places = {places.number("in_batches"),  places.number("neighbours"),   places.number("differing"),
                           places.number("asked_again"), places.number("largest_call"), places.flag("simplified")};
    }
    return recorded;
}

/// Writes the file of a conversion; its entry in the index.
files::Json write_file(const RecordedConversion& recorded, const std::filesystem::path& folder) {
    const std::string id = to_string(recorded.conversion);
    const std::string text = text_of(recorded);
    files::OutputFile(folder / (id + ".csv")).write(text);
    return {{"conversion", id},
            {"file", id + ".csv"},
            {"kind", recorded.points.empty() ? "table" : "points"},
            {"rows", rows_of(recorded)},
            {"repeated", recorded.repeated},
            {"places",
             {{"in_batches", recorded.places.in_batches},
              {"neighbours", recorded.places.neighbours},
              {"differing", recorded.places.differing},
              {"asked_again", recorded.places.placed},
              {"largest_call", recorded.places.largest_call},
              {"simplified", recorded.places.simplified}}},
            {"sha256", sha256(text)}};
}

RecordedOperation read_operation(const files::Members& entry, const std::filesystem::path& folder) {
    const Operation operation = parse_operation(entry.text("operation"));
    const std::string name = entry.text("file");
    if (name != file_of(operation)) entry.fail("file", "is not the operation's name with .json");
    const std::filesystem::path path = folder / name;
    if (sha256_file(path) != entry.text("sha256"))
        throw std::runtime_error(fmt::format("{}: its SHA-256 is not the one in {}", path.string(), index_name));
    RecordedOperation recorded = read_runs(path);
    if (recorded.operation != operation) entry.fail("operation", "is not the one of the file");
    if (entry.number("runs") != recorded.runs.size()) entry.fail("runs", "is not the number of runs of the file");
    return recorded;
}

files::Json write_file(const RecordedOperation& recorded, const std::filesystem::path& folder) {
    const std::string text = write_runs(recorded);
    files::OutputFile(folder / file_of(recorded.operation)).write(text);
    return {{"operation", to_string(recorded.operation)},
            {"file", file_of(recorded.operation)},
            {"runs", recorded.runs.size()},
            {"sha256", sha256(text)}};
}

void read_operations(const files::Members& index, const std::filesystem::path& folder, Record& record) {
    const std::uint64_t samples = index.number("samples_per_step");
    if (samples > most_samples_per_step) index.fail("samples_per_step", "is too large");
    record.samples_per_step = static_cast<unsigned>(samples);
    for (const files::Json& entry : index.array("operations")) {
        const files::Members members(
            entry, fmt::format("{}: operations[{}]", (folder / index_name).string(), record.operations.size()));
        try {
            record.operations.push_back(read_operation(members, folder));
        } catch (const std::invalid_argument& error) {
            members.fail("operation", error.what());
        }
        const Operation& operation = record.operations.back().operation;
        if (find_recorded(record, operation) != &record.operations.back()) members.fail("operation", "is there twice");
        record.info.operations.push_back(operation);
    }
}

} // namespace

void check_record_folder(const std::filesystem::path& folder) {
    files::make_folder(folder);
    std::error_code error;
    const bool empty = std::filesystem::is_empty(folder, error);
    if (error) throw std::runtime_error(fmt::format("cannot read '{}': {}", folder.string(), error.message()));
    if (!empty)
        throw std::runtime_error(fmt::format("'{}' is not empty: choose a new or empty folder", folder.string()));
    const files::OutputFile probe(folder / index_name);
}

void write_record(const Record& record, const std::filesystem::path& folder) {
    check_record_folder(folder);
    files::Json files = files::Json::array();
    for (const RecordedConversion& recorded : record.conversions) files.push_back(write_file(recorded, folder));
    files::Json operations = files::Json::array();
    for (const RecordedOperation& recorded : record.operations) operations.push_back(write_file(recorded, folder));
    files::Json unrecorded = files::Json::array();
    for (const Unrecorded& u : record.unrecorded)
        unrecorded.push_back({{"conversion", u.conversion}, {"status", to_string(u.status)}, {"reason", u.reason}});
    files::Json index{{"schema", record.tells_left_out ? record_schema : record_schema_2},
                      {"tool", {{"name", "mxcert"}, {"version", print::tool_version}}},
                      {"backend",
                       {{"name", record.info.name},
                        {"version", record.info.version},
                        {"description", record.info.description},
                        {"build_id", record.info.build_id},
                        {"options", record.backend_options}}},
                      {"seed", record.seed},
                      {"samples_per_step", record.samples_per_step},
                      {"level", to_string(record.level)},
                      {"filters", record.filters},
                      {"left_out", record.left_out},
                      {"files", files},
                      {"operations", operations},
                      {"not_recorded", unrecorded}};
    if (!record.machines.empty()) index["machines"] = record.machines;
    files::OutputFile(folder / index_name).write(files::json_text(index));
}

void add_to_record(const RecordedConversion& recorded, const std::filesystem::path& folder) {
    files::Json index = files::read_json(folder / index_name);
    index["files"].push_back(write_file(recorded, folder));
    files::Json& left_out = index["left_out"];
    const auto added = std::find(left_out.begin(), left_out.end(), files::Json(to_string(recorded.conversion)));
    if (added != left_out.end()) left_out.erase(added);
    files::OutputFile(folder / index_name).write(files::json_text(index));
}

const RecordedConversion* find_recorded(const Record& record, const Conversion& conversion) {
    const auto at = std::find_if(record.conversions.begin(), record.conversions.end(),
                                 [&](const RecordedConversion& c) { return c.conversion == conversion; });
    return at == record.conversions.end() ? nullptr : &*at;
}

const RecordedOperation* find_recorded(const Record& record, const Operation& operation) {
    const auto at = std::find_if(record.operations.begin(), record.operations.end(),
                                 [&](const RecordedOperation& o) { return o.operation == operation; });
    return at == record.operations.end() ? nullptr : &*at;
}

observe::Observation as_observed(const RecordedConversion& recorded) {
    observe::Observation seen;
    seen.conversion = recorded.conversion;
    seen.status = Status::pass;
    seen.table = recorded.table;
    seen.inputs = recorded.conversion.from->last_code() + 1;
    seen.repeated = recorded.repeated;
    seen.places = recorded.places;
    return seen;
}

bool is_record_folder(const std::filesystem::path& folder) {
    std::error_code error;
    return std::filesystem::is_regular_file(folder / index_name, error);
}

Record read_record(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / index_name;
    const files::Json json = files::read_json(path);
    const files::Members index(json, path.string());
    const std::string schema = index.text("schema");
    if (schema != record_schema && schema != record_schema_2 && schema != record_schema_1)
        index.fail("schema", fmt::format("is none of \"{}\", \"{}\" and \"{}\", which this version reads",
                                         record_schema, record_schema_2, record_schema_1));
    const bool has_operations = schema != record_schema_1;
    Record record;
    record.digest = sha256_file(path);
    record.tells_left_out = schema == record_schema;
    if (record.tells_left_out) {
        record.filters = index.texts("filters");
        record.left_out = index.texts("left_out");
        for (const std::string& name : record.left_out) try {
                if (certify::names_operation(name))
                    (void)parse_operation(name);
                else
                    (void)parse_conversion(name);
            } catch (const std::invalid_argument& error) {
                index.fail("left_out", error.what());
            }
    }
    const files::Members backend(index.member("backend"), path.string() + ": backend");
    record.info.name = backend.text("name");
    record.info.version = backend.text("version");
    record.info.description = backend.text("description");
    record.info.build_id = backend.text("build_id");
    record.backend_options = backend.text("options");
    record.seed = index.number("seed");
    if (index.has("machines")) record.machines = index.texts("machines");
    // Records of older versions were asked what quick asks.
    if (record.tells_left_out) try {
            record.level = parse_level(index.text("level"));
        } catch (const std::invalid_argument& error) {
            index.fail("level", error.what());
        }
    std::set<std::string> seen;
    for (const files::Json& entry : index.array("files")) {
        const files::Members members(entry, fmt::format("{}: files[{}]", path.string(), seen.size()));
        try {
            record.conversions.push_back(read_file(members, folder));
        } catch (const std::invalid_argument& error) {
            members.fail("conversion", error.what());
        }
        const Conversion& conversion = record.conversions.back().conversion;
        if (!seen.insert(to_string(conversion)).second) members.fail("conversion", "is there twice");
        record.info.conversions.push_back(conversion);
    }
    if (has_operations) read_operations(index, folder, record);
    for (const files::Json& entry : index.array("not_recorded")) {
        const files::Members members(entry, path.string() + ": not_recorded");
        record.info.unknown.push_back(members.text("conversion") + ": not recorded: " + members.text("reason"));
    }
    return record;
}

} // namespace mxcert::record
