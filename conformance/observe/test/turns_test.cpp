// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/turns.hpp"

#include <set>
#include <utility>

#include "catch.hpp"
#include "conformance/report/report.hpp"
#include "conformance/report/report_places.hpp"
#include "conformance/test/certify_plugin.hpp"

namespace mxcert::observe {
namespace {

using Catch::Matchers::Contains;

std::set<std::pair<std::size_t, std::size_t>> pairs_of(const std::vector<std::size_t>& order) {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 1; i < order.size(); ++i)
        if (order[i - 1] != order[i]) pairs.emplace(order[i - 1], order[i]);
    return pairs;
}

} // namespace

TEST_CASE("each call comes right after each other one where there is room for that", "[turns]") {
    for (const std::size_t calls : {2U, 3U, 4U, 5U, 6U, 12U, 30U, 31U}) {
        INFO(calls << " calls");
        const std::vector<std::size_t> order = order_of_turns(calls, 20'000);
        CHECK(pairs_of(order).size() == calls * (calls - 1));
        CHECK(has_every_pair(order, calls));
        CHECK(order.size() <= calls * calls * 5 / 4 + 3);
    }
    CHECK(order_of_turns(0, 100).empty());
    CHECK(order_of_turns(1, 100).empty());
}

TEST_CASE("of many calls each comes after the ones beside it, and after as many as there is room for", "[turns]") {
    const std::vector<std::size_t> order = order_of_turns(100, 1000);
    const auto pairs = pairs_of(order);
    CHECK(order.size() <= 1000);
    CHECK(pairs.size() > 900);
    CHECK_FALSE(has_every_pair(order, 100));
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(pairs.contains({i, (i + 1) % 100}));
        CHECK(pairs.contains({(i + 1) % 100, i}));
    }
    // Whatever the room.
    CHECK(pairs_of(order_of_turns(100, 1)).size() == 200);
}

TEST_CASE("no level of few inputs asks in turn", "[turns]") {
    CHECK(most_turns(Level::smoke) == 0);
    CHECK(most_turns(Level::quick) < most_turns(Level::standard));
    CHECK(most_turns(Level::standard) == most_turns(Level::complete));
}

TEST_CASE("what a conversion leaves to another one is a row that fails, and can be asked again", "[turns]") {
    const auto [fault, count] = GENERATE(table<std::string, std::size_t>({
        {"", 2},
        {"the overflow of the first conversion stays", 3},
        {"a conversion spoils the next one", 3},
    }));
    const auto rows = test::certify_plugin(test::planted_plugin("misplaced").c_str(), fault, "ocp",
                                           "bf16-e4m3-nearest_even-*", 4, Level::quick);
    INFO(fault);
    REQUIRE(rows.size() == count);
    CHECK(rows[0].status == Status::pass);
    CHECK(rows[1].status == Status::pass);
    if (count == 2) return;
    CHECK(rows[2].id == "turns");
    CHECK(rows[2].status == Status::fail);
    CHECK_THAT(rows[2].reason, Contains("after bf16-e4m3-nearest_even-") && Contains(" elsewhere; "));
    cases::Invocation invocation;
    invocation.backend = "./misplaced.so";
    CHECK_THAT(report::again_case(rows[2], {}, invocation),
               Contains("--filter bf16-e4m3-nearest_even-sat") && Contains("--filter bf16-e4m3-nearest_even-nosat"));
}

TEST_CASE("the report says how many calls were asked in turn", "[turns]") {
    CHECK(report::turns_note({}).empty());
    TurnsSeen seen;
    seen.status = Status::fail; // its row says why
    CHECK(report::turns_note(seen).empty());
    seen.status = Status::pass;
    seen.rows = 63;
    seen.calls = 3969;
    seen.every_pair = true;
    CHECK(report::turns_note(seen) == "In turn: one process answered 3,969 calls of 63 conversions, scales and "
                                      "operations, each right after each of the others.\n");
    seen.every_pair = false;
    CHECK_THAT(report::turns_note(seen), Contains("each after some of the others."));
}

} // namespace mxcert::observe
