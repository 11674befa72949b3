// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/partial_cast/cases.hpp"
#include "conformance/suites/partial_cast/identify.hpp"
#include "conformance/suites/partial_cast/scales.hpp"
#include "conformance/suites/partial_cast/way.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/fast/recipe/partial_cast.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

const std::vector<std::string> offered{
    "partial_cast-fp32-e4m3-fp32-128x128-kept", "partial_cast-bf16-e4m3-fp32-128x128-16x128",
    "partial_cast-bf16-e4m3-e8m0-1x32-kept",    "partial_cast-fp32-e4m3-e8m0-32x1-kept",
    "partial_cast-fp32-e2m1-nvfp4-16x16-kept",  "partial_cast-fp16-e5m2-fp32-128x128-kept",
};

std::vector<verdict::Row> certified(const std::string& fault, const std::string& filter, Level level = Level::smoke) {
    return test::certify_plugin(test::planted_plugin("partial_caster").c_str(), fault, "nvidia-te", filter, 0, level);
}

} // namespace

TEST_CASE("what casts shards right passes", "[operation][partial_cast][values]") {
    for (const std::string& name : offered) {
        const std::vector<verdict::Row> rows = certified("", name + "/*", Level::quick);
        REQUIRE(rows.size() == 2);
        for (const verdict::Row& row : rows) {
            INFO(row.id << ": " << row.reason);
            CHECK(row.status == Status::pass);
            CHECK(row.compared > 200'000);
            CHECK(row.sample == row.id.ends_with("/elements"));
        }
        CHECK(verdict::cases_of(rows.back())->largest_matrix > 1U << 20U);
    }
    const std::vector<verdict::Row> rows =
        certified("refuses empty shards and smaller blocks", offered[2] + "/shards", Level::smoke);
    REQUIRE(rows.size() == 1);
    INFO(rows[0].reason);
    CHECK(rows[0].status == Status::pass);
    CHECK_THAT(rows[0].reason, Contains("refused, as it may"));
}

TEST_CASE("what is wrong with a shard is found and named", "[operation][partial_cast][values]") {
    for (const ShardFault& fault : shard_faults()) {
        const std::string name(fault.name);
        CAPTURE(name);
        // In the first operation that shows it.
        bool named = false;
        bool failed = false;
        for (const std::string& offer : offered) {
            if (named) break;
            for (const verdict::Row& row : certified(name, offer + "/*")) {
                INFO(row.id << ": " << row.reason);
                CHECK((row.status == Status::pass || row.status == Status::fail));
                failed = failed || row.status == Status::fail;
                named = named || row.reason.find(name) != std::string::npos;
            }
        }
        CHECK(failed);
        CHECK(named);
    }
}

TEST_CASE("a few wrong elements of a shard are found", "[operation][partial_cast][values]") {
    for (const char* const fault :
         {"one element in 4096 wrong", "the last element of the buffer zero", "the element after the shard zero",
          "the element before the shard zero", "places beyond 65536 begin again"})
        for (const std::string& name : {offered[0], offered[4]}) {
            CAPTURE(fault, name);
            const std::vector<verdict::Row> rows = certified(fault, name + "/shards", Level::quick);
            REQUIRE(rows.size() == 1);
            INFO(rows[0].reason);
            CHECK(rows[0].status == Status::fail);
            CHECK(rows[0].known_as.empty());
        }
}
