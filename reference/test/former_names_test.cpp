// SPDX-License-Identifier: Apache-2.0
#include "reference/base/former_names.hpp"

#include <catch.hpp>
#include <stdexcept>

#include "reference/format.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

TEST_CASE("a former name gives the present one, wherever it stands", "[former_names]") {
    CHECK(in_present_names("scale_e4m3") == "e8m0_for_e4m3");
    CHECK(in_present_names("amax_*-scale_e5m2-rceil-sat") == "amax_*-e8m0_for_e5m2-rceil-sat");
    CHECK(in_present_names("scale_e4m3,scale_e5m2,scale_e4m3") == "e8m0_for_e4m3,e8m0_for_e5m2,e8m0_for_e4m3");
    for (const Format& present : all_formats()) CHECK(in_present_names(present.name).empty());
}

TEST_CASE("a format that is asked for by its former name is told", "[former_names]") {
    CHECK_THROWS_WITH(format("scale_e4m3"), Contains("unknown format 'scale_e4m3'; did you mean e8m0_for_e4m3?"));
}
