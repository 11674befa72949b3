// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vectors/golden_store/golden.hpp"

namespace mxcert {

/// "fp32-e4m3.csv"
[[nodiscard]] std::string golden_file_name(const Format& from, const Format& to);

/// A golden file as it must be: what `mxcert vectors generate` writes and `check` compares with.
struct GoldenText {
    std::string name; ///< golden_file_name()
    GoldenFile golden;
    std::string text; ///< write_golden()
};

/// Computes the files of these pairs, in their order, on that many threads (0: one a core). `done` is called after
/// each, one call at a time, in no particular order; it may be empty. The result does not depend on the number of
/// threads. Throws what generate_golden() throws.
[[nodiscard]] std::vector<GoldenText> generate_all_golden(unsigned threads,
                                                          const std::function<void(const GoldenText&)>& done,
                                                          const std::vector<GoldenPair>& pairs = golden_pairs());

} // namespace mxcert
