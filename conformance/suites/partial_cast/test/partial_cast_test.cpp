// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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

namespace {

/// One in so many of those that are offered.
void check_passing(std::size_t one_in, Level level) {
    for (std::size_t i = 0; i < offered.size(); i += one_in) {
        const std::string& name = offered[i];
        const std::vector<verdict::Row> rows = certified("", name + "/*", level);
        REQUIRE(rows.size() == 2);
        for (const verdict::Row& row : rows) {
            INFO(row.id << ": " << row.reason);
            CHECK(row.status == Status::pass);
            CHECK(row.compared > 10'000);
            CHECK(row.sample == (row.id.ends_with("/elements") || level == Level::smoke));
        }
        CHECK((level == Level::smoke || verdict::cases_of(rows.back())->largest_matrix > 1U << 20U));
    }
}

} // namespace

TEST_CASE("what casts large shards right passes", "[.][exhaustive]") { check_passing(1, Level::quick); }
TEST_CASE("what casts shards right passes", "[operation][partial_cast][values]") {
    check_passing(2, Level::smoke);
    const std::vector<verdict::Row> rows =
        certified("refuses empty shards and smaller blocks", offered[2] + "/shards", Level::smoke);
    REQUIRE(rows.size() == 1);
    INFO(rows[0].reason);
    CHECK(rows[0].status == Status::pass);
    CHECK_THAT(rows[0].reason, Contains("refused, as it may"));
}

namespace {

/// One in so many of the faults.
void check_shard_faults(std::size_t one_in) {
    for (std::size_t i = 0; i < shard_faults().size(); i += one_in) {
        const std::string name(shard_faults()[i].name);
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

} // namespace

TEST_CASE("what is wrong with a shard is found and named", "[operation][partial_cast][values]") {
    check_shard_faults(13);
}
TEST_CASE("each thing that is wrong with a shard is found and named", "[.][exhaustive]") { check_shard_faults(1); }

TEST_CASE("a wrong element after a shard is found", "[operation][partial_cast]") {
    const std::vector<verdict::Row> rows =
        certified("the element after the shard zero", offered[0] + "/shards", Level::smoke);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::fail);
}

TEST_CASE("a few wrong elements of a shard are found", "[operation][partial_cast][.][exhaustive]") {
    for (const char* const fault :
         {"one element in 4096 wrong", "the last element of the buffer zero", "the element after the shard zero",
          "the element before the shard zero", "places beyond 65536 begin again"})
        for (const std::string& name : {offered[0], offered[4]}) {
            CAPTURE(fault, name);
            const bool far = std::string_view(fault).starts_with("places beyond");
            // The second operation is slow: one of the faults shows that it is judged as well.
            if (name != offered[0] && std::string_view(fault) != "the element before the shard zero") continue;
            const Level level = far ? Level::quick : Level::smoke;
            const std::vector<verdict::Row> rows = certified(fault, name + "/shards", level);
            REQUIRE(rows.size() == 1);
            INFO(rows[0].reason);
            CHECK(rows[0].status == Status::fail);
            CHECK(rows[0].known_as.empty());
        }
}

TEST_CASE("what casting a shard does is identified", "[identify][partial_cast][.][exhaustive]") {
    const auto identified = [](const std::string& fault, const std::string& name) {
        return identify_partial_cast(*test::open_plugin(test::planted_plugin("partial_caster").c_str(), fault),
                                     parse_operation(name));
    };
    const auto value_of = [](const FoundCases& found, std::string_view parameter) {
        for (const diagnose::FoundParameter& known : found.parameters)
            if (known.name == parameter) return known.value;
        return std::string("not said");
    };
    const FoundCases right = identified("", offered[2]);
    CHECK(right.status == Status::pass);
    CHECK(right.asked > 100);
    CHECK(right.explained == right.asked);
    CHECK(value_of(right, "written") == "where the shard is");
    CHECK(value_of(right, "multiplier") == "as given");
    CHECK(value_of(right, "outside the shard") == "kept");
    for (const diagnose::FoundParameter& known : right.parameters)
        if (known.name == "outside the shard") CHECK(known.alike.empty());
    for (const auto& [fault, parameter, value] :
         {std::array{"the scale of the place in the shard, not in the matrix", "scale of", "the place in the shard"}}) {
        const FoundCases found = identified(fault, offered[2]);
        CAPTURE(fault);
        CHECK(found.explained == found.asked);
        CHECK(value_of(found, parameter) == value);
    }
}

TEST_CASE("shards and scales are of the kinds that the parts say", "[operation][partial_cast][values]") {
    for (const std::string& name : offered) {
        const recipe::PartialCast cast = as_partial_cast(parse_operation(name));
        CAPTURE(name);
        bool in_group[4][4] = {};
        std::uint64_t empty = 0;
        std::uint64_t undefined = 0;
        std::uint64_t changed = 0;
        std::uint64_t in_shards = 0;
        CHECK(for_each_bounds_case(cast, Level::smoke, [&](const ShardCase& shard_case) {
            const recipe::Shard& shard = shard_case.shard;
            in_group[shard.first % 4][shard.end() % 4] = true;
            empty += shard.values.empty() ? 1 : 0;
            for (const bool may : undefined_elements(cast, shard)) undefined += may ? 1 : 0;
            const std::vector<Code> after = fast::partial_cast(cast, shard);
            for (std::uint64_t at = shard.first; at < shard.end(); ++at)
                changed += after[at] != shard.before[at] ? 1 : 0;
            in_shards += shard.values.size();
            return true;
        }));
        for (const auto& firsts : in_group)
            for (const bool seen : firsts) CHECK(seen);
        CHECK(empty > 10);
        CHECK((undefined != 0) == cast.strip.has_value());
        // What a shard leaves as it was shows nearly everywhere.
        CHECK(changed * 16 > in_shards * 14);
        // No two of 61 blocks beside each other have one scale, nor those of a row of blocks the next one's.
        for (std::uint64_t block = 1; block < 61; ++block)
            for (const std::uint64_t apart : {1U, 2U, 3U, 5U, 7U}) {
                CAPTURE(block, apart);
                CHECK(telling_scale(cast, block) != telling_scale(cast, block + apart));
            }
        std::uint64_t elements = 0;
        std::vector<bool> seen(cast.element->last_code() + 1);
        CHECK(for_each_scale_case(cast, Level::quick, 1, [&](const ShardCase& shard_case) {
            for (const Code code : fast::partial_cast(cast, shard_case.shard)) seen[code] = true;
            elements += shard_case.shard.values.size();
            return true;
        }));
        CHECK(elements > 50'000);
        // Every element but the NaNs with a sign, and Inf.
        for (Code code = 0; code <= cast.element->last_code(); ++code) {
            CAPTURE(code);
            if (cast.element->is_finite(code)) CHECK(seen[code]);
        }
    }
}
