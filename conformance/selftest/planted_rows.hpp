// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "conformance/selftest/planted_backend.hpp"

// What wrong backends are asked for: the rows of planted_backends().
namespace mxcert::selftest {

struct PlantedOption {
    std::string_view option;
    std::string_view bug_class;
    Status verdict = Status::fail;
    bool may_be_unnamed = false;
    Level level = Level::quick;
};

/// What one row is asked for, bug after bug.
struct AskedRow {
    std::string_view plugin;
    std::string_view profile;
    std::string_view row;
    std::vector<PlantedOption> bugs;
};

/// Those of quantizers and dequantizers, and of the other backends.
[[nodiscard]] std::vector<AskedRow> planted_in_blocks();
[[nodiscard]] std::vector<AskedRow> planted_elsewhere();

} // namespace mxcert::selftest
