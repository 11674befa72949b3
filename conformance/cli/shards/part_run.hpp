// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cli/running.hpp"
#include "conformance/shards/ask_part.hpp"

// Shared by the commands with --shard I/N: certify and record.
namespace mxcert::cli {

/// "3/64", from 1 to the number of parts.
struct PartNumber {
    std::uint64_t part = 0; ///< from 0
    std::uint64_t parts = 1;
};
/// Throws std::invalid_argument that says what is expected.
[[nodiscard]] PartNumber parse_part(std::string_view text);

struct PartOptions {
    PartNumber number;
    std::string folder; ///< of the answers
    bool list = false;  ///< print the units and ask nothing
};

/// Throws std::invalid_argument for a record: it has no units to ask.
void check_runs(const observe::Subject& subject);

/// A run cut into units, and the part to ask.
struct CutRun {
    std::vector<shards::Unit> units;
    shards::Shard shard;

    [[nodiscard]] std::vector<shards::Unit> own() const; ///< the units of the part
};
/// `argument`: BACKEND, as it was given. Throws std::invalid_argument if there are fewer units than parts, but for a
/// plan without any.
[[nodiscard]] CutRun cut_run(const certify::Plan& plan, const observe::BackendInfo& info,
                             const verdict::CertifyOptions& options, const PartNumber& number,
                             const std::string& argument, const std::string& backend_options);

/// Prints the units of the part. Gives the exit code.
int list_units(const CutRun& run);

/// Asks the part and shows the progress. `began` is called before the first unit, and may be empty; `text_of` says what
/// is printed of a row, "" for nothing.
[[nodiscard]] shards::PartResult ask_part(Running& running, const certify::Plan& plan, const CutRun& run,
                                          const verdict::CertifyOptions& options, const std::string& folder,
                                          const std::function<void()>& began,
                                          const std::function<std::string(const verdict::Row&)>& text_of);

/// "3 of 4 units (1 kept from an earlier run)".
[[nodiscard]] std::string asked_units(const shards::PartResult& result);

} // namespace mxcert::cli
