// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "catch.hpp"

namespace mxcert::test {

/// Whether a test has to do without what it tests. If so it says it in a line that ctest knows: the test then counts as
/// skipped, not as passed. The caller returns. `remedy`: the command that installs it.
[[nodiscard]] inline bool absent(bool is_absent, const std::string& what,
                                 const std::string& remedy = "./dev setup --peers") {
    if (!is_absent) return false;
    std::printf("[absent] %s: %s\n", what.c_str(), remedy.c_str());
    SUCCEED("skipped"); // a test case without an assertion fails
    return true;
}

} // namespace mxcert::test
