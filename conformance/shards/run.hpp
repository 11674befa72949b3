// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/observe/observation.hpp"
#include "conformance/shards/unit.hpp"
#include "conformance/verdict/options.hpp"
#include "vectors/golden_store/vector_set.hpp"

namespace mxcert::shards {

/// All that decides what the units of a run are asked: the same in each of its parts.
struct Run {
    std::string tool_version;
    std::string tool_revision;
    VectorSet vectors;
    observe::BackendInfo info;
    std::string backend_options;
    std::uint64_t seed = 1;
    unsigned samples_per_step = 0;
    bool recorded = false; ///< it is one of `mxcert record`, and judges nothing
    LevelOf level{};
    std::vector<std::string> profiles; ///< --profile
    std::vector<std::string> filters;
    std::vector<std::string> leave_out;
    std::vector<std::string> required;
    std::size_t max_failures = 0;
    std::uint64_t parts = 1;
    std::string units_sha256; ///< of the names of all units and the parts that ask them

    /// SHA-256 of all of it.
    [[nodiscard]] std::string digest() const;
    /// How a run of certify, or a record, is asked for that.
    [[nodiscard]] verdict::CertifyOptions options() const;
};

/// Run::units_sha256 of these.
[[nodiscard]] std::string digest_of(const std::vector<Unit>& units, const std::vector<std::uint64_t>& part_of);

/// The run by this program that is asked by these options, and is cut into these units: the reverse of Run::options().
[[nodiscard]] Run run_of(const observe::BackendInfo& info, const verdict::CertifyOptions& options,
                         const std::vector<Unit>& units, std::uint64_t parts);

/// shard.json of a folder: the run, and which of its parts the folder has.
struct Shard {
    Run run;
    std::uint64_t part = 0; ///< from 0
    std::string argument;   ///< BACKEND, as it was given
};

/// The file names of a part.
[[nodiscard]] std::filesystem::path shard_path(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path unit_path(const std::filesystem::path& folder, const std::string& unit);

/// Throws std::runtime_error that names the file.
void write_shard(const Shard& shard, const std::filesystem::path& folder);
/// The reverse. Throws std::runtime_error that names the file and the place.
[[nodiscard]] Shard read_shard(const std::filesystem::path& folder);

/// How two runs differ, in words: "seed 1 and 2"; "" if they do not.
[[nodiscard]] std::string difference(const Run& a, const Run& b);

/// The command that asks a part.
[[nodiscard]] std::string command_of(const Shard& shard, const std::string& folder);

} // namespace mxcert::shards
