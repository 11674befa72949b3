// SPDX-License-Identifier: Apache-2.0
#include "vectors/base/json_depth.hpp"

#include <string>

#include "catch.hpp"

using mxcert::is_shallow_json;
using mxcert::max_json_depth;

TEST_CASE("JSON that nests too deep is told from text that only looks so") {
    constexpr std::size_t limit = max_json_depth;
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(is_shallow_json(""));
    CHECK(is_shallow_json(nested(limit)));
    CHECK(!is_shallow_json(nested(limit + 1)));
    CHECK(!is_shallow_json(std::string(limit + 1, '{')));
    CHECK(is_shallow_json('"' + nested(1000) + '"'));
    CHECK(!is_shallow_json("\"\\\"\"" + nested(1000)));    // the string ends at the third quote
    CHECK(is_shallow_json("\"\\\"" + nested(1000) + '"')); // and here at the last one
    CHECK(!is_shallow_json("\"\\\\\"" + nested(1000)));
    std::string flat = "[";
    for (int i = 0; i < 1000; ++i) flat += "{\"a\":[]},";
    CHECK(is_shallow_json(flat + "0]"));
}
