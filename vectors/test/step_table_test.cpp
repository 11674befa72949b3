// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/step_table.hpp"

#include "catch.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using Catch::Matchers::Contains;

namespace {
StepTable table(std::vector<Step> steps) { return {&e5m2, &e4m3, std::move(steps)}; }
} // namespace

TEST_CASE("a step table is a partition of its inputs") {
    CHECK(broken(table({{0x00, 0x7F, 1}, {0x80, 0xFF, 2}})).empty());
    CHECK_THAT(broken(table({})), Contains("no rows"));
    CHECK_THAT(broken(table({{0x01, 0xFF, 1}})), Contains("row 1"));
    CHECK_THAT(broken(table({{0x00, 0x7F, 1}, {0x81, 0xFF, 2}})), Contains("row 2: first is 81, and 80"));
    CHECK_THAT(broken(table({{0x00, 0x7F, 1}, {0x7F, 0xFF, 2}})), Contains("row 2"));
    CHECK_THAT(broken(table({{0x00, 0x7F, 1}, {0x80, 0xFE, 2}})), Contains("ends at FE"));
    CHECK_THAT(broken(table({{0x00, 0xFF, 1}, {0x100, 0x101, 2}})), Contains("more rows"));
    CHECK_THAT(broken(table({{0x00, 0x1FF, 1}})), Contains("beyond"));
    CHECK_THAT(broken(table({{0x00, 0x7F, 1}, {0x80, 0xFF, 1}})), Contains("one row"));
    CHECK_THAT(broken(table({{0x00, 0xFF, 0x100}})), Contains("not a code"));
    CHECK_THAT(broken(table({{0x00, 0x10, 1}, {0x11, 0x05, 2}})), Contains("before first"));
}

TEST_CASE("a permit table is one too, and permits something everywhere") {
    PermitTable t{&e5m2, &e4m3, {{0x00, 0x7F, permit_code(1), "A"}, {0x80, 0xFF, permit_code(1), "B"}}};
    CHECK(broken(t).empty());
    t.steps[1].clause = "A";
    CHECK_THAT(broken(t), Contains("one row"));
    t.steps[1].permit = {};
    CHECK_THAT(broken(t), Contains("not a code"));
}

TEST_CASE("finding the step of an input") {
    const StepTable t = table({{0x00, 0x0F, 1}, {0x10, 0x10, 2}, {0x11, 0xFF, 3}});
    CHECK(find_step(t, 0x00) == 0);
    CHECK(find_step(t, 0x0F) == 0);
    CHECK(find_step(t, 0x10) == 1);
    CHECK(find_step(t, 0x11) == 2);
    CHECK(find_step(t, 0xFF) == 2);
}
