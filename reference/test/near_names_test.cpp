// SPDX-License-Identifier: Apache-2.0
#include "reference/base/near_names.hpp"

#include <array>
#include <catch.hpp>

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
