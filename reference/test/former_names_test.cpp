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
    CHECK_THROWS_WITH(
        format("fp7"),
        Catch::Equals("unknown format 'fp7'; no format has 7 bits; of up to 8 bits there are: e4m3, e5m2, "
                      "e3m2, e2m3, e2m1, int8, e4m3fnuz, e5m2fnuz"));
    CHECK_THROWS_WITH(format("fp12"), Catch::EndsWith("there are: e4m3, e5m2, fp16, bf16, e3m2, e2m3, e2m1, int8, "
                                                      "e4m3fnuz, e5m2fnuz"));
    CHECK_THROWS_WITH(format("f8"), Contains("of 8 bits there are: e4m3, e5m2, int8,"));
    CHECK_THROWS_WITH(format("fp8"), Contains("did you mean e4m3 or e5m2?"));
    CHECK_THROWS_WITH(format("fp31"), Contains("did you mean fp32"));
    CHECK_THROWS_WITH(format("scale_e4m3"), Contains("unknown format 'scale_e4m3'; did you mean e8m0_for_e4m3?"));
}
