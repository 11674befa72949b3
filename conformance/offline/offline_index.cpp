// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/json_members.hpp"
#include "conformance/offline/offline.hpp"
#include "conformance/print/version.hpp"
#include "conformance/samples.hpp"
#include "reference/operation/operation_name.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/golden_store/vector_set.hpp"

namespace mxcert::offline {
namespace {

constexpr std::array<std::string_view, 2> format_names{"frames", "hex"};
constexpr std::array<std::string_view, 2> inputs_names{"boundaries", "all"};

template <class Value, std::size_t Size>
Value named(const files::Members& members, const char* name, const std::array<std::string_view, Size>& names) {
    const auto at = std::find(names.begin(), names.end(), members.text(name));
    if (at == names.end()) members.fail(name, fmt::format("is not one of {}", fmt::join(names, ", ")));
    return static_cast<Value>(at - names.begin());
}

std::string file_name(const OfflineIndex& index, std::size_t number) {
    return index.format == OfflineFormat::hex ? hex_inputs_name(index.conversions[number]) : "requests.mxcf";
}

std::size_t file_count(const OfflineIndex& index) {
    return index.format == OfflineFormat::hex ? index.conversions.size() : 1;
}

void read_conversions(const files::Members& members, OfflineIndex& index) {
    for (const std::string& text : members.texts("conversions")) {
        try {
            index.conversions.push_back(parse_conversion(text));
        } catch (const std::invalid_argument& error) {
            members.fail("conversions", error.what());
        }
        const Conversion& conversion = index.conversions.back();
        if (is_stochastic(conversion.rounding))
            members.fail("conversions", "has " + text + ": a stochastic rounding is not asked offline");
        if (std::count(index.conversions.begin(), index.conversions.end(), conversion) != 1)
            members.fail("conversions", "has " + text + " twice");
    }
}

void read_operations(const files::Members& members, OfflineIndex& index) {
    if (!members.has("operations")) return; // of an older version
    for (const files::Json& entry : members.array("operations")) {
        const files::Members this_members(entry, fmt::format("operations[{}]", index.operations.size()));
        const std::uint64_t number = this_members.number("index");
        try {
            index.operations.push_back(
                {parse_operation(this_members.text("operation")), static_cast<std::uint32_t>(number & 0xFFFFFFFFU)});
        } catch (const std::invalid_argument& error) {
            members.fail("operations", error.what());
        }
        if (number > std::numeric_limits<std::uint32_t>::max()) members.fail("operations", "has a number too large");
    }
}

} // namespace

std::string_view to_string(OfflineFormat format) { return format_names.at(static_cast<std::size_t>(format)); }
std::string_view to_string(OfflineInputs inputs) { return inputs_names.at(static_cast<std::size_t>(inputs)); }

bool asks_all(OfflineInputs inputs, const Conversion& conversion) {
    constexpr int small = 8;
    return conversion.from->width() <= small || (inputs == OfflineInputs::all && !observe::needs_points(conversion));
}

std::string hex_inputs_name(const Conversion& conversion) { return to_string(conversion) + ".in.hex"; }
std::string hex_answers_name(const Conversion& conversion) { return to_string(conversion) + ".out.hex"; }

std::string offline_index_text(const OfflineIndex& index) {
    files::Json conversions = files::Json::array();
    for (const Conversion& conversion : index.conversions) conversions.push_back(to_string(conversion));
    files::Json operations = files::Json::array();
    for (const OfflineOperation& operation : index.operations)
        operations.push_back({{"operation", to_string(operation.operation)}, {"index", operation.index}});
    files::Json files = files::Json::array();
    for (std::size_t i = 0; i < file_count(index); ++i)
        files.push_back({{"file", file_name(index, i)}, {"sha256", index.sha256.at(i)}});
    const VectorSet vectors = this_vector_set();
    return files::json_text({{"schema", offline_schema},
                             {"tool", {{"name", "mxcert"}, {"version", print::tool_version}}},
                             {"vectors", {{"version", vectors.version}, {"manifest_sha256", vectors.manifest_sha256}}},
                             {"format", to_string(index.format)},
                             {"points", to_string(index.inputs)},
                             {"seed", index.seed},
                             {"samples_per_step", index.samples_per_step},
                             {"options", index.backend_options},
                             {"profiles", index.profiles},
                             {"filters", index.filters},
                             {"conversions", conversions},
                             {"operations", operations},
                             {"files", files}});
}

OfflineIndex read_offline_index(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "offline.json";
    const files::Json json = files::read_json(path);
    const files::Members members(json, path.string());
    if (members.text("schema") != offline_schema)
        members.fail("schema", fmt::format("is not \"{}\", the one this version reads", offline_schema));
    OfflineIndex index;
    index.format = named<OfflineFormat>(members, "format", format_names);
    index.inputs = named<OfflineInputs>(members, "points", inputs_names);
    index.seed = members.number("seed");
    const std::uint64_t samples = members.number("samples_per_step");
    if (samples > most_samples_per_step) members.fail("samples_per_step", "is too large");
    index.samples_per_step = static_cast<unsigned>(samples);
    index.backend_options = members.text("options");
    index.profiles = members.texts("profiles");
    for (const std::string& profile : index.profiles) {
        try {
            (void)find_profile(profile);
        } catch (const std::invalid_argument& error) {
            members.fail("profiles", error.what());
        }
    }
    index.filters = members.texts("filters");
    read_conversions(members, index);
    read_operations(members, index);
    if (index.conversions.empty() && index.operations.empty()) members.fail("conversions", "is empty");
    if (index.format == OfflineFormat::hex && !index.operations.empty())
        members.fail("operations", "is not empty: hex files have none");
    const files::Json& files = members.array("files");
    if (files.size() != file_count(index))
        members.fail("files", fmt::format("has {} elements, not {}", files.size(), file_count(index)));
    for (std::size_t i = 0; i < files.size(); ++i) {
        const files::Members file(files[i], fmt::format("{}: files[{}]", path.string(), i));
        // The index may come from anywhere: no other file is ever opened.
        if (file.text("file") != file_name(index, i)) file.fail("file", "is not " + file_name(index, i));
        index.sha256.push_back(file.text("sha256"));
        if (sha256_file(folder / file_name(index, i)) != index.sha256.back())
            throw std::runtime_error(fmt::format("{}: its SHA-256 is not the one in offline.json: the requests are not "
                                                 "those that were written",
                                                 (folder / file_name(index, i)).string()));
    }
    return index;
}

} // namespace mxcert::offline
