// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/compare.hpp"

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::formats;

TEST_CASE("compare finds exactly the inputs that differ") {
    const PermitTable wanted{
        &fp32, &e4m3, {{0, 0x7FFFFFFF, permit_code(0x38), "A"}, {0x80000000, 0xFFFFFFFF, permit_any_nan(), "B"}}};
    SECTION("none") {
        const StepTable observed{
            &fp32, &e4m3, {{0, 0x7FFFFFFF, 0x38}, {0x80000000, 0x8FFFFFFF, 0x7F}, {0x90000000, 0xFFFFFFFF, 0xFF}}};
        CHECK(compare(observed, wanted).empty());
    }
    SECTION("one input of 2^32") {
        const StepTable observed{&fp32,
                                 &e4m3,
                                 {{0, 0x3F87FFFF, 0x38},
                                  {0x3F880000, 0x3F880000, 0x39},
                                  {0x3F880001, 0x7FFFFFFF, 0x38},
                                  {0x80000000, 0xFFFFFFFF, 0x7F}}};
        const auto differences = compare(observed, wanted);
        REQUIRE(differences.size() == 1);
        CHECK(differences[0].first == 0x3F880000);
        CHECK(differences[0].last == 0x3F880000);
        CHECK(differences[0].got == 0x39);
        CHECK(differences[0].expected == permit_code(0x38));
        CHECK(differences[0].clause == "A");
        CHECK(count_inputs(differences) == 1);
    }
    SECTION("a range over a boundary is cut there") {
        const StepTable observed{&fp32, &e4m3, {{0, 0xFFFFFFFF, 0x00}}};
        const auto differences = compare(observed, wanted);
        REQUIRE(differences.size() == 2);
        CHECK(differences[1].first == 0x80000000);
        CHECK(count_inputs(differences) == 0x100000000);
    }
    SECTION("half a table is refused") {
        const StepTable observed{&fp32, &e4m3, {{0, 0x7FFFFFFF, 0x38}}};
        CHECK_THROWS_AS(compare(observed, wanted), std::invalid_argument);
    }
    SECTION("other formats are refused") {
        const StepTable observed{&fp32, &e5m2, {{0, 0xFFFFFFFF, 0x38}}};
        CHECK_THROWS_AS(compare(observed, wanted), std::invalid_argument);
    }
}

TEST_CASE("two observed tables") {
    const StepTable a{&e5m2, &e4m3, {{0, 0x7F, 1}, {0x80, 0xFF, 2}}};
    const StepTable b{&e5m2, &e4m3, {{0, 0x8F, 1}, {0x90, 0xFF, 2}}};
    CHECK(compare(a, a).empty());
    const auto differences = compare(a, b);
    REQUIRE(differences.size() == 1);
    CHECK(differences[0].first == 0x80);
    CHECK(differences[0].last == 0x8F);
    CHECK(differences[0].got == 2);
    CHECK(differences[0].expected == permit_code(1));
}

TEST_CASE("counts do not overflow") {
    CHECK(count_inputs({{0, ~Code{0}, 0, {}, {}}}) == ~std::uint64_t{0});
    CHECK(count_inputs({{0, ~Code{0} - 1, 0, {}, {}}, {~Code{0}, ~Code{0}, 1, {}, {}}}) == ~std::uint64_t{0});
}

TEST_CASE("tables that cannot be compared are refused") {
    const StepTable whole{&formats::e4m3, &formats::e5m2, {{0, 0xFF, 1}}};
    const StepTable other{&formats::e4m3, &formats::fp16, {{0, 0xFF, 1}}};
    const StepTable other_source{&formats::e5m2, &formats::e5m2, {{0, 0xFF, 1}}};
    const StepTable cut{&formats::e4m3, &formats::e5m2, {{0, 0xFE, 1}}};
    CHECK(compare(whole, whole).empty());
    CHECK_THROWS_WITH(compare(whole, other), "compare: tables of different formats");
    CHECK_THROWS_WITH(compare(whole, other_source), "compare: tables of different formats");
    CHECK_THROWS_WITH(compare(whole, cut), Catch::Matchers::StartsWith("compare: right table: "));
    CHECK_THROWS_WITH(compare(cut, whole), Catch::Matchers::StartsWith("compare: left table: "));
    // A permit with a code wider than its format.
    const PermitTable wide{&formats::e4m3, &formats::e2m1, {{0, 0xFF, Permit{{0x10}, false}, "A"}}};
    CHECK_FALSE(broken(wide).empty());
    CHECK(broken(PermitTable{&formats::e4m3, &formats::e2m1, {{0, 0xFF, Permit{{0x0F}, false}, "A"}}}).empty());
}
