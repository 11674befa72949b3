// SPDX-License-Identifier: Apache-2.0
#include "reference/base/near_names.hpp"

#include <array>
#include <catch.hpp>
#include <string>
#include <vector>

using namespace mxcert;

namespace {

constexpr std::array<std::string_view, 6> known{"e4m3", "e5m2", "e8m0", "fp32", "fp64", "nearest_even"};

} // namespace

TEST_CASE("near names are found, nearest first", "[near_names]") {
    CHECK(near_names("e4m4", known).front() == "e4m3");
    CHECK(near_names("fp23", known).front() == "fp32");
    CHECK(near_names("even", known).front() == "nearest_even"); // contained
    CHECK(near_names("e4m3", known).front() == "e4m3");
    CHECK(near_names("e1m1", known).size() <= 3);
    CHECK(near_names("something_else", known).empty());
    CHECK(near_names("x", std::span<const std::string_view>{}).empty());
}

TEST_CASE("an unknown name is told with what is near, else with all there are", "[near_names]") {
    CHECK(unknown_name("format", "e4m4", known).rfind("unknown format 'e4m4'; did you mean e4m3", 0) == 0);
    CHECK(unknown_name("format", "something_else", known) ==
          "unknown format 'something_else'; there are: e4m3, e5m2, e8m0, fp32, fp64, nearest_even");
    CHECK(unknown_name("format", "", known).find("unknown format ''") == 0);
}

TEST_CASE("the nearest pattern keeps its wildcards and has the fewest edits", "[near_names]") {
    const std::vector<std::string> names{"fp32-e4m3-nearest_even-sat", "fp32-e5m2-toward_zero-sat",
                                         "quantize-bf16-e4m3/scale"};
    const auto near = [&](std::string_view pattern) { return near_pattern(pattern, names); };
    CHECK(near("fp32-*-nearest-even-sat").pattern == "fp32-*-nearest_even-sat");
    CHECK(near("fp32-*-nearest-even-sat").edits == 1);
    CHECK(near("fp32-e5m0-*").pattern == "fp32-e5m2-*");
    CHECK(near("quantise-*").pattern == "quantize-*");
    CHECK(near("fp3?-e4m3-nearest_even-sat").edits == 0);
    CHECK(near("fp3?-e4m4-nearest_even-sat").pattern == "fp3?-e4m3-nearest_even-sat");
    CHECK(near("?p32-e4m4-nearest_even-sat").pattern == "?p32-e4m3-nearest_even-sat");
    CHECK(near("*").pattern == "*");
    CHECK(near("fp32-e4m3-nearest_even").pattern == names[0]);
    CHECK(near("").edits == names[2].size());
    CHECK(near("xfp32-e4m3-nearest_even-sat").pattern == names[0]); // a character too many at the start
    CHECK(near("xfp32-e4m3-nearest_even-sat").edits == 1);
    CHECK(near_pattern("x", {}).pattern.empty());
}
