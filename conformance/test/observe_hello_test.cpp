// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe_hello.hpp"

#include <stdexcept>
#include <string>

#include "catch.hpp"

using namespace mxcert;
using Catch::Contains;

// A megabyte of brackets in a HELLO ended the harness by a stack overflow.
TEST_CASE("a HELLO that nests too deep is refused") {
    const auto nested = [](std::size_t depth) {
        return R"({"backend":{},"conversions":[)" + std::string(depth, '[') + std::string(depth, ']') + "]}";
    };
    CHECK(parse_hello(nested(20), "x").info.unknown.size() == 1);
    CHECK_THROWS_WITH(parse_hello(nested(400'000), "x"), Contains("nests more than 32 deep"));
}
