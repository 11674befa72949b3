// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "conformance/cli/running.hpp"
#include "conformance/shards/parts.hpp"

// Shared by the merges of certify and record.
namespace mxcert::cli {

struct MergeOptions {
    std::string backend; ///< --backend; "": the one of the parts
    bool no_backend = false;
    bool mixed = false;
    std::string color = "auto";
    bool quiet = false;
    SandboxOptions sandbox;
};

/// The options of the run whose parts these are.
[[nodiscard]] BackendOptions options_of(const shards::Run& run, const MergeOptions& options);

/// "Linux 6.1 x86_64, the name of the processor".
[[nodiscard]] std::string text_of(const report::Host& host);

/// Prints the command for each part that is not whole, and gives the exit code; nothing if all are. Throws
/// std::runtime_error for several kinds of machines, unless these may be mixed. Precondition: Parts::read().
[[nodiscard]] std::optional<int> refuse_parts(const shards::Parts& parts, const MergeOptions& options,
                                              std::FILE* people);

/// The backend that is asked a slice of each part again, if it is there.
class SecondLook {
  public:
    /// From now on the store of the parts compares its answers. Throws std::runtime_error if --backend names one that
    /// does not start, or another build than that of the parts.
    SecondLook(shards::Parts& parts, const MergeOptions& options, const BackendOptions& run);

    /// The units that were merged, and what was asked again so far or why nothing was, as lines.
    [[nodiscard]] std::string text() const;

  private:
    const shards::Parts& parts_;
    std::unique_ptr<Running> running_;
    std::string reason_; ///< why nothing is asked
    std::optional<shards::AskAgain> again_;
};

} // namespace mxcert::cli
