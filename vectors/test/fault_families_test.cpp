// SPDX-License-Identifier: Apache-2.0
// Families of faults, whose members differ in a number: which there are. And inputs that a fault leaves right.
#include <catch.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/choices.hpp"
#include "reference/conversion.hpp"
#include "reference/exact/exact.hpp"
#include "vectors/faults/conversion_faults.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/test/fault_codes.hpp"

using namespace mxcert;
using test::code_of;
using test::fault;

namespace {

using Names = std::set<std::string>;

/// The rest of the names of faults of a conversion that begin so.
Names members(std::string_view begin, const Format& from, const Format& to) {
    Names names;
    for (const ConversionFault& fault : conversion_faults())
        if (fault.name.starts_with(begin) && fault.applies(from, to)) names.insert(fault.name.substr(begin.size()));
    return names;
}

} // namespace

TEST_CASE("NaN is cut to the bits of a target, of FP16, of BF16, of a word, or to one", "[bugs]") {
    using namespace formats;
    const std::string_view told = "NaN is told by its bits without the lowest ";
    CHECK(members(told, fp64, e4m3) == Names{"16", "32", "42", "45", "49", "51"});
    CHECK(members(told, fp64, e5m2) == Names{"16", "32", "42", "45", "50", "51"});
    CHECK(members(told, fp32, e4m3) == Names{"13", "16", "20", "22"});
    CHECK(members(told, fp16, e5m2) == Names{"3", "8", "9"});
    CHECK(members(told, bf16, e4m3) == Names{"4", "6"});
    CHECK(members(told, fp32, e2m1).empty()); // it has no NaN
    const std::string_view rounded = "NaN is rounded by ";
    CHECK(members(rounded, fp16, e5m2) == Names{"3 bits as a number is", "8 bits as a number is",
                                                "3 bits, half a unit added", "8 bits, half a unit added"});
}

TEST_CASE("every fault of shifts and of guard bits has one name", "[bugs]") {
    using namespace formats;
    CHECK(members("no sticky bit behind ", fp32, e4m3) == Names{"0 guard bits", "1 guard bits", "2 guard bits"});
    CHECK(members("tiny numbers are shifted by more than a word", fp32, e4m3) == Names{""});
    const Names modulo = members("tiny numbers are shifted modulo ", fp32, e4m3);
    CHECK(modulo.contains("32"));
    CHECK_FALSE(modulo.contains("64")); // that is to be shifted by more than a word
    CHECK(modulo.contains("64, ties up"));
    CHECK(modulo.contains("64, the hidden bit lost"));
    CHECK(modulo.size() == 23);
}

TEST_CASE("a fault leaves other inputs right, or as wrong as it says", "[bugs][values]") {
    struct Known {
        const char* fault;
        const char* conversion;
        Code input, right, wrong;
    };
    for (const Known& known : std::vector<Known>{
             {"240 is the largest", "fp32-e4m3-nearest_even-sat", 0x43E00000, 0x7E, 0x77},
             {"240 is the largest", "fp32-e4m3-nearest_even-sat", 0x7FC00000, 0x7F, 0x7F},
             {"from 256 on everything is the largest", "fp32-e4m3-nearest_even-sat", 0x7FC00000, 0x7F, 0x7F},
             // Rounded to 2^128 and 2^16, which are no Inf of BF16 and E5M2 here: only the lowest bit of the exponent
             // is left.
             {"a negative number fills the bits of the scale", "bf16-e8m0-nearest_even-sat", 0xFF7F, 0xFE, 0xFF},
             {"a negative number fills the bits of the scale", "e5m2-e8m0-nearest_even-sat", 0xFB, 0x8F, 0xFF},
             {"NaN becomes zero in the rectifier", "relu_fp16-e4m3-nearest_even-nosat", 0x7C00, 0x7F, 0x7F},
             {"NaN becomes zero in the rectifier", "relu_fp16-e4m3-nearest_even-nosat", 0x7C01, 0x7F, 0x00},
             {"inexact is not raised with overflow", "fp32-flags_of_e4m3-nearest_even-nosat", 0x3F800001, 0x01, 0x01},
             {"inexact is not raised with underflow", "fp32-flags_of_e4m3-nearest_even-nosat", 0x3F800001, 0x01, 0x01},
             {"inexact is raised for every number but zero", "fp32-flags_of_e4m3-nearest_even-nosat", 0x00000000, 0x00,
              0x00},
         }) {
        CAPTURE(known.fault, known.input);
        const Conversion conversion = parse_conversion(known.conversion);
        CHECK(exact::convert(*conversion.from, *conversion.to, choices_of(conversion), known.input).code ==
              known.right);
        const ConversionFault& known_fault = fault(known.fault);
        REQUIRE(known_fault.applies(*conversion.from, *conversion.to));
        CHECK(code_of(known_fault.make(*conversion.from, *conversion.to, choices_of(conversion)), known.input) ==
              known.wrong);
    }
}

TEST_CASE("a fault gives a whole table in whatever way the conversion rounds", "[bugs][values]") {
    // The steps of these lie closer than the bits that a fault looks at.
    for (const char* name :
         {"bf16-e5m2-nearest_even-nosat", "bf16-e4m3-nearest_even-sat", "fp16-e2m1-nearest_even-sat"})
        for (const unsigned via : {0U, 1U, 2U})
            for (unsigned rounding = 0; rounding < info(Choice::rounding).values.size(); ++rounding) {
                const Conversion conversion = parse_conversion(name);
                Choices choices = choices_of(conversion);
                set(choices, Choice::rounding, rounding);
                set(choices, Choice::via, via);
                if (is_stochastic(choices.rounding)) continue;
                for (const ConversionFault& fault : conversion_faults()) {
                    if (!fault.applies(*conversion.from, *conversion.to)) continue;
                    CAPTURE(name, fault.name, describe(choices));
                    CHECK(broken(fault.make(*conversion.from, *conversion.to, choices)).empty());
                }
            }
}
