// SPDX-License-Identifier: Apache-2.0
#include "reference/reading.hpp"

#include <catch.hpp>
#include <set>

#include "reference/base/word_list.hpp"

using namespace mxcert;

TEST_CASE("a reading says something of clauses that exist", "[clause]") {
    CHECK(all_readings().size() > 20);
    for (const Reading& reading : all_readings()) {
        CAPTURE(reading.document, reading.place);
        CHECK(!reading.author.empty());
        CHECK(!reading.document.empty());
        CHECK(reading.says.size() > 20);
        CHECK(!reading.clauses.empty());
        for (const std::string_view id : list_of(reading.clauses)) {
            CAPTURE(id);
            REQUIRE(find_clause(id) != nullptr);
            CHECK(find_clause(id)->document != reading.document);
        }
    }
}

TEST_CASE("every clause of OFP8 rests on three independent readings", "[clause]") {
    unsigned clauses = 0;
    for (const Clause& clause : all_clauses()) {
        if (!clause.id.starts_with("OFP8-")) continue;
        ++clauses;
        std::set<std::string_view> authors;
        for (const Reading* reading : readings_of(clause)) authors.insert(reading->author);
        CAPTURE(clause.id);
        CHECK(authors.size() >= 3);
    }
    CHECK(clauses == 17);
}
