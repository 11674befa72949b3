// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/diff/diff.hpp"

namespace mxcert::html {

/// One side of a comparison.
struct DiffSide {
    std::string argument; ///< BACKEND as it was given
    observe::BackendInfo info;
};

/// The facts of a page that compares two: their names and builds, the level and the seed.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> facts_of(const DiffSide& a, const DiffSide& b,
                                                                        const LevelOf& level, std::uint64_t seed);

/// The result of `diff` as a page. `verdict`: the sentence that the command ends with; `most`: ranges and runs that are
/// listed of a row.
[[nodiscard]] std::string diff_page(const diff::Diff& result, const DiffSide& a, const DiffSide& b,
                                    const diff::DiffOptions& options, const std::string& verdict, std::size_t most);

} // namespace mxcert::html
