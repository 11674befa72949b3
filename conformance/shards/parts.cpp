// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/parts.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/print/version.hpp"
#include "reference/base/random.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::shards {
namespace {

namespace fs = std::filesystem;

/// The files of units in a folder, in the order of their names.
std::vector<fs::path> unit_files(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "units", error))
        files.push_back(entry.path());
    if (error) throw std::runtime_error(fmt::format("'{}': {}", (folder / "units").string(), error.message()));
    std::sort(files.begin(), files.end());
    return files;
}

void check_program(const Run& run, const fs::path& folder) {
    const auto differs = [&](const char* what, std::string_view was, std::string_view is) {
        if (was != is)
            throw std::runtime_error(fmt::format("'{}' was asked with the {} '{}', and this is '{}': merge with the "
                                                 "program that asked",
                                                 folder.string(), what, was, is));
    };
    const VectorSet vectors = this_vector_set();
    differs("version", run.tool_version, print::tool_version);
    differs("revision", run.tool_revision, print::tool_revision());
    differs("vectors", run.vectors.version, vectors.version);
    differs("manifest of vectors", run.vectors.manifest_sha256, vectors.manifest_sha256);
}

/// A file of a unit, and the digest of its answers.
struct Read {
    fs::path path;
    std::string digest;
};

} // namespace

Parts::Parts(const std::vector<fs::path>& folders) : folders_(folders) {
    for (const fs::path& folder : folders) {
        std::error_code error;
        if (!fs::is_regular_file(shard_path(folder), error))
            throw std::runtime_error(
                fmt::format("'{}' is not a part of a sharded run: it has no shard.json", folder.string()));
        shards_.push_back(read_shard(folder));
        const std::string other = difference(shards_.front().run, shards_.back().run);
        if (!other.empty())
            throw std::runtime_error(fmt::format("'{}' and '{}' are parts of different runs: {}",
                                                 folders.front().string(), folder.string(), other));
    }
    check_program(run(), folders.front());
    store_ = std::make_unique<AnswerStore>(run().info, run().level.level);
}

void Parts::add_host(const report::Host& host) {
    const auto same = [&](const report::Host& known) {
        return known.system == host.system && known.machine == host.machine && known.cpu == host.cpu;
    };
    if (std::none_of(hosts_.begin(), hosts_.end(), same)) hosts_.push_back(host);
}

std::string Parts::folder_of(std::uint64_t part) const {
    for (std::size_t i = 0; i < shards_.size(); ++i)
        if (shards_[i].part == part) return folders_[i].string();
    return fmt::format("part-{}", part + 1);
}

void Parts::read(const certify::Plan& plan, const verdict::CertifyOptions& options) {
    const std::vector<Unit> units = units_of(plan, run().info, options, run().parts);
    const std::vector<std::uint64_t> part_of = deal(units, run().parts);
    if (digest_of(units, part_of) != run().units_sha256)
        throw std::runtime_error(fmt::format("'{}' was cut into other units than this program cuts the run into",
                                             folders_.front().string()));
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < units.size(); ++i) numbers[units[i].name] = i;
    const std::string digest = run().digest();
    std::vector<Read> found(units.size());
    for (std::size_t f = 0; f < folders_.size(); ++f) {
        for (const fs::path& path : unit_files(folders_[f])) {
            const auto refuse = [&](const std::string& why) {
                throw std::runtime_error(fmt::format("{}: {}", path.string(), why));
            };
            const auto number = numbers.find(path.stem().string());
            if (path.extension() != ".json" || number == numbers.end()) refuse("is no unit of the run");
            const std::size_t unit = number->second;
            if (part_of[unit] != shards_[f].part)
                refuse(fmt::format("is a unit of part {}, in the folder of part {}", part_of[unit] + 1,
                                   shards_[f].part + 1));
            Answers answers = read_answers(path);
            if (answers.run != digest) refuse("is of another run than its shard.json");
            if (answers.unit != units[unit].name) refuse(fmt::format("has the answers of the unit {}", answers.unit));
            const std::string digest_of_answers = digest_of(answers);
            if (!found[unit].path.empty()) {
                if (found[unit].digest != digest_of_answers)
                    refuse(fmt::format("has other answers than '{}'", found[unit].path.string()));
                continue;
            }
            found[unit] = {path, digest_of_answers};
            add_host(answers.host);
            if (units_ == 0)
                sandbox_ = answers.sandbox;
            else if (sandbox_ && answers.sandbox)
                sandbox_ = common_to(*sandbox_, *answers.sandbox);
            else
                sandbox_.reset();
            if (started_.empty() || answers.started < started_) started_ = answers.started;
            seconds_ += answers.seconds;
            ++units_;
            if (!answers.observations.empty() || !answers.runs.empty())
                units_of_part_[part_of[unit]].push_back(answers.unit);
            store_->add(std::move(answers));
        }
    }
    std::string all;
    std::map<std::uint64_t, Missing> missing;
    for (std::size_t i = 0; i < units.size(); ++i) {
        all += units[i].name + ' ' + found[i].digest + '\n';
        if (!found[i].path.empty()) continue;
        Missing& part = missing[part_of[i]];
        part.part = part_of[i];
        part.units.push_back(units[i].name);
    }
    for (auto& [number, part] : missing) {
        Shard shard = shards_.front();
        shard.part = number;
        part.command = command_of(shard, folder_of(number));
        missing_.push_back(std::move(part));
    }
    seed_ = std::stoull(sha256(all).substr(0, 16), nullptr, 16);
    std::map<std::size_t, std::vector<observe::Piece>> pieces;
    for (const Unit& unit : units)
        if (unit.kind == Unit::Kind::piece) pieces[unit.planned].push_back(unit.piece);
    for (auto& [planned, of_conversion] : pieces)
        store_->cut(plan.conversions[planned].conversion, std::move(of_conversion));
}

std::map<std::string, std::uint64_t> Parts::drawn() const {
    std::map<std::string, std::uint64_t> units;
    for (const auto& [part, names] : units_of_part_) {
        const std::uint64_t random = SplitMix64::at(seed_, part);
        units[names[random % names.size()]] = SplitMix64::at(random, 1);
    }
    return units;
}

} // namespace mxcert::shards
