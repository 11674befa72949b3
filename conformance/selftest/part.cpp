// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/part.hpp"

#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/print/version.hpp"
#include "conformance/selftest/stored_outcomes.hpp"
#include "conformance/shards/json.hpp"
#include "reference/base/random.hpp"
#include "vectors/base/sha256.hpp"
#include "vectors/golden_store/vector_set.hpp"

namespace mxcert::selftest {
namespace {

constexpr std::string_view part_schema = "mxcert-selftest_part-1";

/// The program, as parts of a run have it in common.
files::Json program_json() {
    const VectorSet vectors = this_vector_set();
    return {{"tool", {{"version", print::tool_version}, {"revision", print::tool_revision()}}},
            {"vectors", {{"version", vectors.version}, {"manifest_sha256", vectors.manifest_sha256}}}};
}

/// All that decides which bugs there are, and what comes of them: the same in each part.
files::Json run_json(const Selection& selection, const PlantedList& all, std::uint64_t parts) {
    std::string names;
    for (const std::string& name : names_of(all)) names += name + '\n';
    files::Json json = program_json();
    json["filters"] = selection.filters;
    json["profiles"] = selection.profiles;
    json["every_profile"] = selection.every_profile;
    json["parts"] = parts;
    json["planted"] = all.size();
    json["planted_sha256"] = sha256(names);
    return json;
}

files::Json counts_json(const Outcomes& outcomes) {
    const Tally tally(outcomes);
    files::Json json{{"planted", tally.all.all}};
    for (const PlantOutcome outcome : outcome_columns) json[std::string(to_string(outcome))] = tally.all[outcome];
    return json;
}

/// The outcomes without their reasons: a bug gives the same each time it is planted, but a reason names times and
/// places.
files::Json verdicts_of(const Outcomes& outcomes) {
    files::Json json = outcomes_json(outcomes);
    for (files::Json& one : json) one.erase("reason");
    return json;
}

/// A file of a part, read and parsed.
struct Stored {
    std::filesystem::path path;
    files::Json json;
};

Stored stored_part(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        throw std::runtime_error(fmt::format(
            "'{}' is a folder, as certify --shard writes it: merge it apart from the files of selftest --shard",
            path.string()));
    Stored stored{path, shards::read_large_json(path)};
    if (!stored.json.is_object())
        throw std::runtime_error(fmt::format("{}: is no part of a selftest, but the result of a whole one, or another "
                                             "file: mxcert selftest --shard I/N --json FILE writes a part",
                                             path.string()));
    const files::Members file(stored.json, path.string());
    if (file.text("schema") != part_schema)
        file.fail("schema", fmt::format("is not \"{}\", the one this version reads", part_schema));
    shards::check_digest(stored.json, file);
    return stored;
}

Selection selection_of(const files::Members& run) {
    return {run.texts("filters"), run.texts("profiles"), run.flag("every_profile")};
}

PlantedList list_of(const Selection& selection, const files::Members& run) {
    try {
        return planted_of(selection);
    } catch (const std::invalid_argument& error) {
        run.fail("profiles", error.what());
    }
}

} // namespace

PlantedList bugs_of(const PlantedList& all, const PartOf& part) {
    if (part.parts > all.size())
        throw std::invalid_argument(fmt::format("--shard {}/{}: {} planted, and each part needs one", part.part + 1,
                                                part.parts, print::counted(all.size(), "bug")));
    return picked(all, [&](std::size_t index) { return dealt_to(index, part.parts) == part.part; });
}

files::Json part_json(const Selection& selection, const PlantedList& all, const PartOf& part,
                      const Outcomes& outcomes) {
    files::Json json{{"schema", part_schema},           {"complete", false},
                     {"part", part.part + 1},           {"run", run_json(selection, all, part.parts)},
                     {"counts", counts_json(outcomes)}, {"outcomes", outcomes_json(outcomes)}};
    json["sha256"] = shards::digest_of_json(json);
    return json;
}

std::string command_of(const Selection& selection, const PartOf& part, const std::string& file) {
    std::string line = "mxcert selftest";
    for (const std::string& filter : selection.filters) line += " --filter " + print::shell_word(filter);
    for (const std::string& profile : selection.profiles) line += " --profile " + print::shell_word(profile);
    if (selection.every_profile) line += " --every-profile";
    return line + fmt::format(" --shard {}/{} --json {}", part.part + 1, part.parts, print::shell_word(file));
}

SelftestParts::SelftestParts(const std::vector<std::filesystem::path>& files) {
    std::vector<Stored> stored;
    for (const std::filesystem::path& path : files) stored.push_back(stored_part(path));
    const std::string first = stored.front().path.string();
    const files::Members run = files::Members(stored.front().json, first).object("run");
    const files::Json& asked = stored.front().json["run"];
    for (const Stored& other : stored) {
        const std::string differs =
            shards::difference_of_json(asked, files::Members(other.json, other.path.string()).member("run"));
        if (!differs.empty())
            throw std::runtime_error(
                fmt::format("'{}' and '{}' are parts of different runs: {}", first, other.path.string(), differs));
    }
    const auto check = [&](const files::Json& as_here, const std::string& why) {
        const std::string differs = shards::difference_of_json(as_here, asked);
        if (!differs.empty())
            throw std::runtime_error(fmt::format("'{}' is of another program than this one: {}: merge with the "
                                                 "program that planted. {}",
                                                 first, differs, why));
    };
    check(program_json(), ""); // another version may not know the profiles
    selection_ = selection_of(run);
    all_ = list_of(selection_, run);
    parts_ = run.number("parts");
    check(run_json(selection_, all_, parts_), all_.not_run);
    if (parts_ == 0 || parts_ > all_.size()) run.fail("parts", "is no number of parts of these bugs");

    given_.resize(parts_);
    for (const Stored& part : stored) {
        const files::Members file(part.json, part.path.string());
        const std::uint64_t number = file.number("part");
        if (number == 0 || number > parts_) file.fail("part", "is none of the run");
        Given& given = given_[number - 1];
        if (!given.file.empty())
            throw std::runtime_error(fmt::format("'{}' and '{}' are both part {} of {}: give one of them",
                                                 given.file.string(), part.path.string(), number, parts_));
        given.file = part.path;
        given.digest = file.text("sha256");
        given.outcomes = outcomes_of(file.array("outcomes"), bugs_of(all_, {number - 1, parts_}), part.path.string());
        const std::string differs = shards::difference_of_json(counts_json(given.outcomes), file.member("counts"));
        if (!differs.empty()) file.fail("counts", "are not those of the outcomes: " + differs);
    }
}

std::vector<std::string> SelftestParts::missing() const {
    std::vector<std::string> commands;
    for (std::uint64_t part = 0; part < parts_; ++part)
        if (given_[part].file.empty())
            commands.push_back(command_of(selection_, {part, parts_}, fmt::format("part-{}.json", part + 1)));
    return commands;
}

Outcomes SelftestParts::outcomes() const {
    Outcomes all;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const Outcomes& part = given_[dealt_to(i, parts_)].outcomes;
        const std::size_t at = i / parts_;
        if (i < all_.tables.size())
            all.tables.push_back(part.tables[at]);
        else
            all.backends.push_back(part.backends[at - part.tables.size()]);
    }
    return all;
}

std::size_t SelftestParts::plant_again(unsigned jobs) const {
    std::string digests;
    for (const Given& given : given_) digests += given.digest + '\n';
    const std::uint64_t seed = std::stoull(sha256(digests).substr(0, 16), nullptr, 16);
    std::set<std::size_t> drawn;
    for (std::uint64_t part = 0; part < parts_; ++part) {
        const Outcomes& outcomes = given_[part].outcomes;
        const std::size_t bugs = outcomes.tables.size() + outcomes.backends.size();
        drawn.insert(SplitMix64::at(seed, part) % bugs * parts_ + part);
    }
    const PlantedList some = picked(all_, [&](std::size_t index) { return drawn.contains(index); });
    const files::Json again = verdicts_of(plant_all(some, jobs, {}));
    const files::Json stored = verdicts_of(outcomes());
    const std::vector<std::string> names = names_of(some);
    std::size_t number = 0;
    for (const std::size_t index : drawn) {
        const std::string differs = shards::difference_of_json(stored[index], again[number]);
        const std::uint64_t part = dealt_to(index, parts_);
        if (!differs.empty())
            throw std::runtime_error(fmt::format("'{}': outcomes[{}] of {}: the file has the first, and planted again "
                                                 "the bug had the second of {}; plant "
                                                 "the part again:\n    {}",
                                                 given_[part].file.string(), index / parts_, names[number], differs,
                                                 command_of(selection_, {part, parts_}, given_[part].file.string())));
        ++number;
    }
    return drawn.size();
}

} // namespace mxcert::selftest
