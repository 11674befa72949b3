// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/table_csv.hpp"

#include "catch.hpp"
#include "vectors/tables/csv.hpp"
#include "vectors/tables/tabulate.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using Catch::Matchers::Contains;

TEST_CASE("A step table is written and read back", "[table_csv]") {
    const TemporaryFolder folder;
    for (const char* from : {"fp64", "fp32", "e5m2", "e3m2", "e2m1"})
        for (const char* to : {"e4m3", "e8m0", "e2m3"}) {
            const StepTable table = tabulate(format(from), format(to), Choices{});
            const std::string text = write_step_table(table);
            const StepTable back = read_step_table(folder.file("t.csv", text), *table.from, *table.to);
            CHECK(back.steps == table.steps);
            CHECK((back.from == table.from && back.to == table.to));
            CHECK(write_step_table(back) == text);
        }
}

TEST_CASE("The text of a step table is pinned", "[table_csv]") {
    const StepTable table{&e2m1, &e4m3, {{0, 7, 0x0A}, {8, 15, 0xFE}}};
    CHECK(write_step_table(table) == "first,last,code\n0,7,0A\n8,F,FE\n");
}

TEST_CASE("A step table of 2^20 rows is read", "[table_csv]") {
    StepTable table{&format("fp32"), &e4m3, {}};
    for (Code i = 0; i < (Code{1} << 20); ++i) table.steps.push_back({i << 12, (i << 12) + 0xFFF, i & 1});
    CHECK(parse_step_table(write_step_table(table), "t", *table.from, e4m3).steps == table.steps);
}

TEST_CASE("A broken step table is named with file and line", "[table_csv]") {
    const std::string header = "first,last,code\n";
    struct Case {
        std::string text;
        std::string error;
    };
    const Case cases[] = {
        {"first,last\n0,F,00\n", "t:1: the header is 'first,last', not 'first,last,code'"},
        {"last,first,code\n0,F,00\n", "t:1: the header is"},
        {"first,last,code,note\n0,F,00\n", "t:1: the header is"},
        {"0,F,00\n", "t:1: the header is"},
        {header, "t: no rows"},
        {header + "0,F\n", "t:2: fewer than 3 columns"},
        {header + "0,7,00\n8,F,01,\n", "t:3: more than 3 columns"},
        {header + "0,7,00\n\n8,F,01\n", "t:3: fewer than 3 columns"},
        {header + "00,F,00\n", "t:2: '00' is not a code of e2m1"},
        {header + ",F,00\n", "t:2: '' is not a code of e2m1"},
        {header + "0,F,0\n", "t:2: '0' is not a code of e4m3"},
        {header + "0,F,0G\n", "t:2: '0G' is not a code of e4m3"},
        {header + "0,F,7f\n", "t:2: lower-case digits in '7f'"},
        {header + "0, F,7F\n", "t:2: ' F' is not a code"},
        {header + "0,F,-1\n", "t:2: '-1' is not a code"},
        {header + "1,F,00\n", "t:2: the first row does not start at 0"},
        {header + "0,7,00\n9,F,01\n", "t:3: first 9 does not follow last 7"},
        {header + "0,7,00\n7,F,01\n", "t:3: first 7 does not follow last 7"},
        {header + "0,7,00\n8,6,01\n", "t:3: last is below first"},
        {header + "8,F,00\n0,7,01\n", "t:2: the first row does not start at 0"},
        {header + "0,7,00\n8,F,00\n", "t:3: the same code as the row before it"},
        {header + "0,7,00\n8,F,01\n0,7,00\n", "t:4: a row after the last input F"},
        {header + "0,7,00\n8,E,01\n", "t: ends at input E, not at F"},
        {header + "0,F,00", "t:2: the last line has no end"},
        {header + "0,F,00\r\n", "t:2: carriage return"},
        {"\xEF\xBB\xBF" + header + "0,F,00\n", "t:1: starts with a byte order mark"},
        {header + "0,F,\"00\"\n", "t:2: quote"},
    };
    for (const Case& test_case : cases) {
        CAPTURE(test_case.text);
        CHECK_THROWS_WITH(parse_step_table(test_case.text, "t", e2m1, e4m3), Contains(test_case.error));
    }
    CHECK_NOTHROW(parse_step_table(header + "0,7,00\n8,F,01\n", "t", e2m1, e4m3));
}

TEST_CASE("A code wider than its format is not taken", "[table_csv]") {
    CHECK_THROWS_WITH(parse_step_table("first,last,code\n00,FF,00\n", "t", format("e3m2"), e4m3),
                      Contains("t:2: 'FF' is not a code of e3m2"));
}

TEST_CASE("The last input of a 64-bit source ends the table", "[table_csv]") {
    const Format& source = format("fp64");
    const std::string whole = "first,last,code\n0000000000000000,FFFFFFFFFFFFFFFF,00\n";
    CHECK(parse_step_table(whole, "t", source, e4m3).steps.size() == 1);
    CHECK_THROWS_WITH(parse_step_table(whole + "0000000000000000,FFFFFFFFFFFFFFFF,01\n", "t", source, e4m3),
                      Contains("t:3: a row after the last input"));
}
