// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/run.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/output_file.hpp"
#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "conformance/shards/json.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::shards {
namespace {

constexpr std::string_view shard_schema = "mxcert-shard-1";
/// More were never meant: a part has a unit at least.
constexpr std::uint64_t most_parts = 1'000'000;

std::string_view command_name(const Run& run) { return run.recorded ? "record" : "certify"; }

files::Json json_of(const Run& run) {
    files::Json conversions = files::Json::array();
    for (const Conversion& conversion : run.info.conversions) conversions.push_back(to_string(conversion));
    files::Json operations = files::Json::array();
    for (const Operation& operation : run.info.operations) operations.push_back(to_string(operation));
    return {{"tool", {{"version", run.tool_version}, {"revision", run.tool_revision}}},
            {"vectors", {{"version", run.vectors.version}, {"manifest_sha256", run.vectors.manifest_sha256}}},
            {"backend",
             {{"name", run.info.name},
              {"version", run.info.version},
              {"description", run.info.description},
              {"build_id", run.info.build_id},
              {"conversions", conversions},
              {"operations", operations},
              {"unknown", run.info.unknown},
              {"profiles", run.info.profiles},
              {"max_batch", run.info.max_batch},
              {"makes_ranges", run.info.makes_ranges},
              {"one_worker", run.info.one_worker}}},
            {"command", command_name(run)},
            {"backend_options", run.backend_options},
            {"seed", run.seed},
            {"samples_per_step", run.samples_per_step},
            {"level", to_string(run.level)},
            {"profiles", run.profiles},
            {"filters", run.filters},
            {"leave_out", run.leave_out},
            {"required", run.required},
            {"max_failures", run.max_failures},
            {"parts", run.parts},
            {"units_sha256", run.units_sha256}};
}

template <class Offer>
std::vector<Offer> offers_of(const files::Members& backend, const char* name, Offer (*parse)(std::string_view)) {
    std::vector<Offer> offers;
    for (const std::string& text : backend.texts(name)) try {
            offers.push_back(parse(text));
        } catch (const std::invalid_argument& error) {
            backend.fail(name, error.what());
        }
    return offers;
}

Run run_of(const files::Members& json) {
    Run run;
    const files::Members tool = json.object("tool");
    run.tool_version = tool.text("version");
    run.tool_revision = tool.text("revision");
    const files::Members vectors = json.object("vectors");
    run.vectors = {vectors.text("version"), vectors.text("manifest_sha256")};
    const files::Members backend = json.object("backend");
    run.info.name = backend.text("name");
    run.info.version = backend.text("version");
    run.info.description = backend.text("description");
    run.info.build_id = backend.text("build_id");
    run.info.conversions = offers_of<Conversion>(backend, "conversions", parse_conversion);
    run.info.operations = offers_of<Operation>(backend, "operations", parse_operation);
    run.info.unknown = backend.texts("unknown");
    run.info.profiles = backend.texts("profiles");
    run.info.max_batch = backend.number("max_batch");
    run.info.makes_ranges = backend.flag("makes_ranges");
    run.info.one_worker = backend.flag("one_worker");
    const std::string command = json.text("command");
    run.recorded = command == "record";
    if (command != command_name(run)) json.fail("command", "is none that asks in parts");
    run.backend_options = json.text("backend_options");
    run.seed = json.number("seed");
    constexpr std::uint64_t most_samples = 65'536;
    const std::uint64_t samples = json.number("samples_per_step");
    if (samples > most_samples) json.fail("samples_per_step", "is too large");
    run.samples_per_step = static_cast<unsigned>(samples);
    try {
        run.level = parse_level(json.text("level"));
    } catch (const std::invalid_argument& error) {
        json.fail("level", error.what());
    }
    if (is_small(run.level.level)) json.fail("level", "is none that is cut into parts");
    run.profiles = json.texts("profiles");
    run.filters = json.texts("filters");
    run.leave_out = json.texts("leave_out");
    run.required = json.texts("required");
    run.max_failures = json.number("max_failures");
    run.parts = json.number("parts");
    if (run.parts == 0 || run.parts > most_parts) json.fail("parts", "is no number of parts");
    run.units_sha256 = json.text("units_sha256");
    return run;
}

} // namespace

std::string Run::digest() const { return digest_of_json(json_of(*this)); }

verdict::CertifyOptions Run::options() const {
    verdict::CertifyOptions options;
    options.profiles = profiles;
    options.filters = filters;
    options.leave_out = leave_out;
    options.required = required;
    options.samples_per_step = samples_per_step;
    options.max_failures = max_failures;
    options.seed = seed;
    options.level = level.level;
    options.recorded = recorded;
    return options;
}

std::string digest_of(const std::vector<Unit>& units, const std::vector<std::uint64_t>& part_of) {
    std::string text;
    for (std::size_t i = 0; i < units.size(); ++i) text += fmt::format("{} {}\n", units[i].name, part_of[i]);
    return sha256(text);
}

Run run_of(const observe::BackendInfo& info, const verdict::CertifyOptions& options, const std::vector<Unit>& units,
           std::uint64_t parts) {
    Run run;
    run.tool_version = print::tool_version;
    run.tool_revision = print::tool_revision();
    run.vectors = this_vector_set();
    run.info = info;
    run.seed = options.seed;
    run.samples_per_step = options.samples_per_step;
    run.level = {options.level};
    run.profiles = options.profiles;
    run.filters = options.filters;
    run.leave_out = options.leave_out;
    run.required = options.required;
    run.max_failures = options.max_failures;
    run.recorded = options.recorded;
    run.parts = parts;
    run.units_sha256 = digest_of(units, deal(units, parts));
    return run;
}

std::filesystem::path shard_path(const std::filesystem::path& folder) { return folder / "shard.json"; }

std::filesystem::path unit_path(const std::filesystem::path& folder, const std::string& unit) {
    return folder / "units" / (unit + ".json");
}

void write_shard(const Shard& shard, const std::filesystem::path& folder) {
    files::Json json{{"schema", shard_schema},
                     {"part", shard.part + 1},
                     {"argument", shard.argument},
                     {"run", json_of(shard.run)},
                     {"run_sha256", shard.run.digest()}};
    json["sha256"] = digest_of_json(json);
    files::make_folder(folder / "units");
    files::OutputFile(shard_path(folder)).write(files::json_text(json));
}

Shard read_shard(const std::filesystem::path& folder) {
    const std::filesystem::path path = shard_path(folder);
    const files::Json json = files::read_json(path);
    const files::Members file(json, path.string());
    if (file.text("schema") != shard_schema)
        file.fail("schema", fmt::format("is not \"{}\", the one this version reads", shard_schema));
    check_digest(json, file);
    Shard shard;
    shard.run = run_of(file.object("run"));
    shard.argument = file.text("argument");
    const std::uint64_t part = file.number("part");
    if (part == 0 || part > shard.run.parts) file.fail("part", "is none of the run");
    shard.part = part - 1;
    if (file.text("run_sha256") != shard.run.digest()) file.fail("run_sha256", "is not that of the run");
    return shard;
}

std::string difference(const Run& a, const Run& b) { return difference_of_json(json_of(a), json_of(b)); }

std::string command_of(const Shard& shard, const std::string& folder) {
    const Run& run = shard.run;
    std::string line = fmt::format("mxcert {} {}", command_name(run), print::shell_word(shard.argument));
    const auto add = [&](const char* option, const std::vector<std::string>& values) {
        for (const std::string& value : values) line += fmt::format(" {} {}", option, print::shell_word(value));
    };
    add("--profile", run.profiles);
    if (!run.backend_options.empty()) line += " --backend-option=" + print::shell_word(run.backend_options);
    add("--filter", run.filters);
    add("--leave-out", run.leave_out);
    add("--require", run.required);
    const verdict::CertifyOptions usual;
    if (run.seed != usual.seed) line += fmt::format(" --seed {}", run.seed);
    if (run.samples_per_step != usual.samples_per_step)
        line += fmt::format(" --samples-per-step {}", run.samples_per_step);
    if (run.max_failures != usual.max_failures) line += fmt::format(" --max-failures {}", run.max_failures);
    return line + fmt::format(" {} --shard {}/{} --keep {}", option_of(run.level), shard.part + 1, run.parts,
                              print::shell_word(folder));
}

} // namespace mxcert::shards
