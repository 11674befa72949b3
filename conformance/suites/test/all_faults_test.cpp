// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/all_faults.hpp"

#include <catch.hpp>
#include <map>
#include <set>
#include <string>

#include "conformance/selftest/planted_backend.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "reference/choices.hpp"

using namespace mxcert;
using namespace mxcert::suites;

TEST_CASE("every named fault has a class and a name of its own", "[bugs]") {
    std::map<std::string_view, std::set<std::string>> names;
    for (const NamedFault& fault : all_faults()) {
        CAPTURE(fault.of, fault.fault.how);
        CHECK(fault.fault.bug_class != nullptr);
        CHECK_FALSE(fault.fault.how.empty());
        CHECK(names[fault.of].insert(fault.fault.how).second);
    }
    for (const char* operation : {"conversion", "quantize", "layout", "matmul", "linear", "scaling", "stochastic"}) {
        CAPTURE(operation);
        CHECK(names[operation].size() >= 9);
    }
}

// A class that no fault and no choice has is one that no verdict can ever name.
TEST_CASE("every class can be named by a verdict", "[bugs]") {
    std::set<std::string_view> named;
    for (const NamedFault& fault : all_faults()) named.insert(fault.fault.bug_class->id);
    for (const Format& from : all_formats())
        for (const Format& to : all_formats())
            for (const ChoiceInfo& choice : all_choices())
                for (unsigned value = 0; value < choice.values.size(); ++value)
                    named.insert(bug_class_of(choice.choice, value, from, to).id);
    for (const Accumulator& wanted : accumulators())
        for (const Accumulator& other_accumulator : accumulators())
            if (&wanted != &other_accumulator) named.insert(bug_class_of(wanted, other_accumulator).id);
    named.insert(
        "SCALE_BYTES_CHANGED"); // of any layout, right or wrong: conformance/suites/layout/test/layout_test.cpp
    // Those of places in a call are planted in backends alone.
    for (const selftest::PlantedBackend& backend : selftest::planted_backends()) named.insert(backend.bug_class);
    for (const BugClass& bug : all_bug_classes()) {
        CAPTURE(bug.id);
        CHECK(named.contains(bug.id));
    }
}

TEST_CASE("another accumulator is known by what it does less", "[bugs]") {
    const auto class_of = [](const char* wanted, const char* other) {
        return bug_class_of(accumulator(wanted), accumulator(other)).id;
    };
    CHECK(class_of("blackwell_fp8_f32", "hopper_fp8_f32") == "REDUCED_ACCUMULATOR");
    CHECK(class_of("fp32_fma", "fp16_fma") == "REDUCED_ACCUMULATOR");
    CHECK(class_of("fp32_fma", "fp32_multiply_add") == "PER_PRODUCT_ROUNDING");
    CHECK(class_of("fp32_multiply_add", "fp32_pairwise") == "ORDER_OF_SUM");
    CHECK(class_of("hopper_fp8_f32", "ada_fp8_f32") == "ORDER_OF_SUM");
    CHECK(class_of("cdna1_f16", "cdna2_f16") == "SUBNORMAL_FLUSH");
    CHECK(class_of("volta_f16_f32", "fp32_fma") == "TRUNCATE_VS_RNE");
}
