// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/cli/results/json_output.hpp"
#include "conformance/selftest/selftest_outcomes.hpp"

namespace mxcert::cli {

/// Prints the outcomes of planted bugs, writes the JSON, and gives the exit code. `more`: lines
/// below the outcomes, or "".
[[nodiscard]] int tell_outcomes(const selftest::Outcomes& outcomes, const std::string& more,
                                const std::function<nlohmann::ordered_json()>& json, JsonOutput& output);

/// Joins the files of selftest --shard to the result of one run, and gives its exit code. `json`, `html`: the files to
/// write; "": none.
[[nodiscard]] int merge_selftest(const std::vector<std::filesystem::path>& files, const std::string& json,
                                 const std::string& html);

} // namespace mxcert::cli
