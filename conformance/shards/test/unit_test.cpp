// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/unit.hpp"

#include <numeric>
#include <set>

#include "catch.hpp"
#include "conformance/test/fake_subject.hpp"

namespace mxcert::shards {
namespace {

certify::Plan plan_of(const std::vector<std::string>& conversions) {
    certify::Plan plan;
    for (const std::string& name : conversions) {
        suites::PlannedConversion planned;
        planned.conversion = parse_conversion(name);
        plan.conversions.push_back(std::move(planned));
    }
    return plan;
}

verdict::CertifyOptions at(Level level) {
    verdict::CertifyOptions options;
    options.level = level;
    return options;
}

TEST_CASE("the pieces of a conversion have each request once", "[shards]") {
    std::vector<inputs::Block> blocks(1000);
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].first = i;
    for (const std::uint64_t count : {1U, 3U, 64U, 256U, 1000U, 1024U}) {
        std::uint64_t next = 0;
        for (std::uint64_t number = 0; number < count; ++number)
            for (const inputs::Block& block : observe::share_of(blocks, {0, 999, number, count}))
                REQUIRE(block.first == next++);
        CHECK(next == blocks.size());
    }
}

TEST_CASE("the units of a plan cover each input of a cut conversion once", "[shards]") {
    const certify::Plan plan = plan_of({"fp16-e4m3-nearest_even-sat", "fp32-e4m3-nearest_even-sat"});
    for (const std::uint64_t parts : {1U, 2U, 64U, 10'000U}) {
        const std::vector<Unit> units = units_of(plan, {}, at(Level::standard), parts);
        std::set<std::string> names;
        std::uint64_t pieces = 0;
        for (const Unit& unit : units) {
            CHECK(names.insert(unit.name).second);
            if (unit.kind != Unit::Kind::piece) continue;
            CHECK(unit.piece.low == 0);
            CHECK(unit.piece.high == 0xFFFFFFFF);
            CHECK(unit.piece.number == pieces++);
            CHECK(unit.cost >= (1U << 24));
        }
        REQUIRE(pieces > 0);
        CHECK(pieces == units[1].piece.count);
        CHECK(units.size() == pieces + 2); // that of FP16, and the places
        CHECK(units.back().kind == Unit::Kind::places);
        if (parts == 64) CHECK(pieces == 256);
    }
}

TEST_CASE("every pair of a scale and a value is cut at level complete alone", "[shards]") {
    certify::Plan plan = plan_of({"fp32_by_e8m0-e4m3-nearest_even-sat"});
    const std::vector<Unit> units = units_of(plan, {}, at(Level::complete), 64);
    std::uint64_t inputs = 0;
    Code low = 0;
    for (const Unit& unit : units) {
        if (unit.kind != Unit::Kind::piece) continue;
        CHECK((unit.piece.low == low || unit.piece.low == low + 0x100000000));
        low = unit.piece.low;
        inputs += 0x100000000 / unit.piece.count;
    }
    CHECK(inputs == std::uint64_t{1} << 40);
    CHECK(units.size() == 1024 + 1);
    // A backend that makes the inputs itself is asked whole ranges.
    observe::BackendInfo info;
    info.makes_ranges = true;
    CHECK(units_of(plan, info, at(Level::complete), 64).size() == 256 + 1);
    plan.conversions[0].points = {{1, 0, 0}, {2, 0, 0}};
    CHECK(units_of(plan, {}, at(Level::standard), 64).size() == 1);
}

TEST_CASE("units are dealt out evenly, and to the same parts every time", "[shards]") {
    const certify::Plan plan = plan_of({"fp32-e4m3-nearest_even-sat", "fp32-e5m2-nearest_even-sat"});
    for (const std::uint64_t parts : {1U, 7U, 64U}) {
        const std::vector<Unit> units = units_of(plan, {}, at(Level::standard), parts);
        const std::vector<std::uint64_t> part_of = deal(units, parts);
        CHECK(part_of == deal(units_of(plan, {}, at(Level::standard), parts), parts));
        std::vector<std::uint64_t> load(parts);
        std::uint64_t largest = 0;
        for (std::size_t i = 0; i < units.size(); ++i) {
            REQUIRE(part_of[i] < parts);
            load[part_of[i]] += units[i].cost;
            largest = std::max(largest, units[i].cost);
        }
        const auto [least, most] = std::minmax_element(load.begin(), load.end());
        CHECK(*most - *least <= largest);
        CHECK(*least > 0);
    }
}

} // namespace
} // namespace mxcert::shards
