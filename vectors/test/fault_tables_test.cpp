// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include "catch.hpp"
#include "reference/bug_class.hpp"
#include "reference/conversion.hpp"
#include "vectors/faults/conversion_faults.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;

namespace {

// Of each kind of source and of target.
constexpr const char* conversions[] = {"fp32-e4m3-nearest_even-sat",
                                       "fp32-e4m3-nearest_even-nosat",
                                       "fp16-e5m2-nearest_even-nosat",
                                       "fp16-e4m3-nearest_even-sat",
                                       "fp16-e4m3-nearest_even-sat_finite",
                                       "fp32-e5m2-nearest_even-nosat",
                                       "bf16-e4m3-nearest_even-nosat",
                                       "fp64-e4m3-nearest_even-sat",
                                       "fp64-e5m2-nearest_even-nosat",
                                       "bf16-e5m2-nearest_even-sat",
                                       "e4m3-bf16-nearest_even-nosat",
                                       "e5m2-fp32-nearest_even-nosat",
                                       "fp32-e2m1-nearest_even-sat",
                                       "fp16-e2m1-nearest_even-sat",
                                       "fp32-int8-nearest_even-sat",
                                       "int8-fp32-nearest_even-nosat",
                                       "bf16-ue5m3-nearest_even-nosat",
                                       "fp16-ue4m3-nearest_even-sat",
                                       "ue4m3-fp16-nearest_even-nosat",
                                       "bf16-e3m2-nearest_even-sat",
                                       "fp64-e2m3-nearest_even-sat",
                                       "e3m2-fp16-nearest_even-nosat",
                                       "e2m1-fp32-nearest_even-nosat",
                                       "fp32-e8m0-up-sat",
                                       "fp16-e8m0-nearest_even-sat",
                                       "e8m0-fp32-nearest_even-nosat",
                                       "amax_fp32-e8m0_for_e4m3-ocp_floor-sat",
                                       "amax_bf16-e8m0_for_e5m2-ceil-nosat",
                                       "amax_fp16-e8m0_for_e5m2-rceil-sat",
                                       "fp16_by_e8m0-e4m3-nearest_even-sat",
                                       "bf16_by_e8m0-e2m1-nearest_even-sat",
                                       "e2m1_times_e8m0-fp32-nearest_even-nosat",
                                       "e4m3_times_e8m0-fp16-nearest_even-nosat",
                                       "fp16_times_nscale5-e4m3-nearest_even-nosat",
                                       "e5m2_by_lscale6-bf16-nearest_even-nosat",
                                       "relu_fp16-e4m3-nearest_even-sat",
                                       "bf16-flags_of_e4m3-nearest_even-nosat",
                                       "fp32-flags_of_e5m2-up-sat"};

/// Makes the tables of each fault for one conversion in so many of those that it applies to, and for all until one is
/// another than is right.
void check_tables(std::size_t one_in) {
    std::set<std::string> names;
    std::size_t number = 0;
    for (const ConversionFault& fault : conversion_faults()) {
        CAPTURE(fault.name);
        CHECK(names.insert(fault.name).second);
        CHECK(find_bug_class(fault.bug_class) != nullptr);
        std::size_t different = 0;
        for (const char* name : conversions) {
            CAPTURE(name);
            const Conversion conversion = parse_conversion(name);
            if (!fault.applies(*conversion.from, *conversion.to)) continue;
            if (++number % one_in != 0 && different > 0) continue;
            const Choices choices = choices_of(conversion);
            const StepTable table = fault.make(*conversion.from, *conversion.to, choices);
            CHECK(table.from == conversion.from);
            CHECK(table.to == conversion.to);
            CHECK(broken(table).empty());
            if (!compare(table, tabulate(*conversion.from, *conversion.to, choices)).empty()) ++different;
        }
        CHECK(different > 0);
    }
    CHECK(names.size() > 150);
}

} // namespace

TEST_CASE("every fault has a class, gives a whole table, and another one than is right", "[bugs][values]") {
    check_tables(5);
}
TEST_CASE("every fault gives a whole table of every conversion", "[.][exhaustive]") { check_tables(1); }
