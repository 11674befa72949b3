// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "conformance/selftest/planted_backend.hpp"

// The rows that wrong backends are asked for, of planted_backends().
namespace mxcert::selftest {

struct PlantedOption {
    std::string_view option;
    std::string_view bug_class;
    Status verdict = Status::fail;
    bool may_be_unnamed = false;
    Level level = Level::quick;
};

/// A row, and the bugs it is asked for one after the other.
struct AskedRow {
    std::string_view plugin;
    std::string_view profile;
    std::string_view row;
    std::vector<PlantedOption> bugs;
};

/// Those of quantizers and dequantizers, of NVFP4, of products, and of the other backends.
[[nodiscard]] std::vector<AskedRow> planted_in_blocks();
[[nodiscard]] std::vector<AskedRow> planted_in_nvfp4();
[[nodiscard]] std::vector<AskedRow> planted_products();
[[nodiscard]] std::vector<AskedRow> planted_elsewhere();

} // namespace mxcert::selftest
