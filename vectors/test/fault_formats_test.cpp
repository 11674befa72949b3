// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "reference/format.hpp"
#include "vectors/faults/conversion_faults.hpp"

using namespace mxcert;

TEST_CASE("a fault applies to conversions that have its part", "[bugs]") {
    std::map<std::string_view, std::set<std::string>> sources;
    std::map<std::string_view, std::set<std::string>> targets;
    for (const ConversionFault& fault : conversion_faults())
        for (const Format& from : all_formats())
            for (const Format& to : all_formats()) {
                if (!fault.applies(from, to)) continue;
                sources[fault.bug_class].emplace(from.name);
                targets[fault.bug_class].emplace(to.name);
            }
    using Names = std::set<std::string>;
    CHECK(sources["DOUBLE_ROUND_F32"] == Names{"fp64"});
    CHECK(sources["E8M0_FF_AS_INF"] == Names{"e8m0", "e2m1_times_e8m0", "e2m3_times_e8m0", "e3m2_times_e8m0",
                                             "e4m3_times_e8m0", "e5m2_times_e8m0", "int8_times_e8m0"});
    CHECK(sources["E8M0_ZERO_CODE_AS_ZERO"] == Names{"e8m0"});
    CHECK(targets["E8M0_SIGN_ZERO_INF"] == Names{"e8m0"});
    CHECK(targets["AMAX_INF"] ==
          Names{"e8m0_for_e2m1", "e8m0_for_e2m3", "e8m0_for_e3m2", "e8m0_for_e4m3", "e8m0_for_e5m2", "e8m0_for_int8"});
    for (const char* const flags : {"FLAG_EXTRA", "FLAG_MISSING", "FLAG_LEFT", "TININESS"})
        CHECK(targets[flags] == Names{"flags_of_bf16", "flags_of_e4m3", "flags_of_e5m2", "flags_of_fp16"});
    CHECK(targets["INTEGER_WRAPS"].contains("int8"));
    CHECK_FALSE(targets["INTEGER_WRAPS"].contains("e4m3"));
}
