// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_csv.hpp"

#include "catch.hpp"
#include "vectors/golden_store/golden_partition.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::formats;
using Catch::Matchers::Contains;

namespace {

const std::string header = "when,first,last,permit,clause\n";

GoldenFile parse(const std::string& text) { return parse_golden(text, "t", e2m1, e4m3); }

} // namespace

TEST_CASE("A golden file is written and read back", "[golden_csv][values]") {
    const TemporaryFolder folder;
    for (const auto& [from, to] : {std::pair{"fp32", "e5m2"},
                                   {"bf16", "e8m0"},
                                   {"e4m3", "fp64"},
                                   {"e8m0", "fp16"},
                                   {"e4m3_times_e8m0", "fp16"}}) {
        const GoldenFile golden = generate_golden(format(from), format(to));
        const std::string text = write_golden(golden);
        const GoldenFile back = read_golden(folder.file("g.csv", text), *golden.from, *golden.to);
        CHECK(back.rows == golden.rows);
        CHECK(write_golden(back) == text);
    }
}

TEST_CASE("The text of a golden file is pinned", "[golden_csv]") {
    const std::string text = header + ",0,7,00,OFP8-ZERO\n"
                                      "nan=any overflow_nan=any,8,9,nan,OFP8-NAN\n"
                                      "nan=sign overflow_nan=any,8,9,7E|FF,OFP8-NAN\n"
                                      "overflow_nan=sign,8,9,7E|nan,OFP8-NAN\n"
                                      ",A,F,80,OFP8-ZERO\n";
    GoldenFile golden{&e2m1, &e4m3, {}};
    golden.rows.push_back({"", 0, 7, permit_code(0), "OFP8-ZERO"});
    golden.rows.push_back({"nan=any overflow_nan=any", 8, 9, permit_any_nan(), "OFP8-NAN"});
    golden.rows.push_back({"nan=sign overflow_nan=any", 8, 9, Permit{{0x7E, 0xFF}, false}, "OFP8-NAN"});
    golden.rows.push_back({"overflow_nan=sign", 8, 9, Permit{{0x7E}, true}, "OFP8-NAN"});
    golden.rows.push_back({"", 10, 15, permit_code(0x80), "OFP8-ZERO"});
    CHECK(write_golden(golden) == text);
    // The reader wants them sorted.
    std::rotate(golden.rows.begin() + 1, golden.rows.end() - 1, golden.rows.end());
    CHECK(parse(write_golden(golden)).rows == golden.rows);
}

TEST_CASE("A broken golden file is named with file and line", "[golden_csv]") {
    const std::string zero = ",0,7,00,OFP8-ZERO\n";
    struct Case {
        std::string text;
        std::string error;
    };
    const Case cases[] = {
        {"first,last,permit,clause\n" + zero, "t:1: the header is"},
        {header, "t: no rows"},
        {header + zero + ",8,F,00\n", "t:3: fewer than 5 columns"},
        {header + zero + ",8,F,00,OFP8-ZERO,\n", "t:3: more than 5 columns"},
        {header + zero + ",8,F,00,OFP8-NOUGHT\n", "t:3: unknown clause 'OFP8-NOUGHT'"},
        {header + zero + ",8,F,0,OFP8-ZERO\n", "t:3: '0' is not a code of e4m3"},
        {header + zero + ",8,F,,OFP8-ZERO\n", "t:3: '' is not a code of e4m3"},
        {header + zero + ",8,F,7e,OFP8-ZERO\n", "t:3: '7e' is not a permit of e4m3"},
        {header + zero + ",8,F,01|00,OFP8-ZERO\n", "t:3: '01|00' is not a permit"},
        {header + zero + ",8,F,NaN,OFP8-ZERO\n", "t:3: 'NaN' is not a code"},
        {header + zero + ",8,6,00,OFP8-ZERO\n", "t:3: last is below first"},
        {header + zero + ",7,F,00,OFP8-ZERO\n", "t:3: overlaps the row before it"},
        {header + ",8,F,00,OFP8-ZERO\n" + zero, "t:3: out of order"},
        {header + "rounding=up,0,7,00,OFP8-ZERO\n" + zero, "t:3: out of order"},
        {header + "rounding=upp,0,F,00,OFP8-ZERO\n", "t:2: unknown value of rounding 'upp'"},
        {header + "rounding=any,0,F,00,OFP8-ZERO\n", "t:2: unknown value of rounding 'any'"},
        {header + "roundin=up,0,F,00,OFP8-ZERO\n", "t:2: unknown choice 'roundin'"},
        {header + "rounding,0,F,00,OFP8-ZERO\n", "t:2: 'rounding' is not a list"},
        {header + "rounding=up ,0,F,00,OFP8-ZERO\n", "t:2: 'rounding=up ' is not a list"},
        {header + " rounding=up,0,F,00,OFP8-ZERO\n", "is not a list"},
        {header + "rounding=up  nan=sign,0,F,00,OFP8-ZERO\n", "is not a list"},
        {header + "overflow=sat rounding=up,0,F,00,OFP8-ZERO\n",
         "t:2: 'overflow=sat rounding=up': the choices are not"},
        {header + "nan=sign nan=any,0,F,00,OFP8-ZERO\n", "the choices are not in their order"},
        {header + zero, "t: input 8 has no row for the selection ''"},
        {header + zero + ",9,F,00,OFP8-ZERO\n", "t: input 8 has no row"},
        {header + ",1,F,00,OFP8-ZERO\n", "t: input 0 has no row"},
        {header + ",0,F,00,OFP8-ZERO", "t:2: the last line has no end"},
        {header + ",0,F,00,OFP8-ZERO\r\n", "t:2: carriage return"},
    };
    for (const Case& test_case : cases) {
        CAPTURE(test_case.text);
        CHECK_THROWS_WITH(parse(test_case.text), Contains(test_case.error));
    }
    CHECK_NOTHROW(parse(header + zero + ",8,F,80,OFP8-ZERO\n"));
}

TEST_CASE("Rows of a source with a given scale may stand for several", "[golden_csv]") {
    const Format& from = format("e4m3_times_e8m0");
    const Format& to = format("fp32");
    const std::string first = "when,first,last,permit,clause,times,first_by,last_by,permit_by\n";
    const auto read = [&](const std::string& text) { return parse_golden(first + text, "t", from, to); };
    const std::string rest = ",FF00,FFFF,nan,MX-SCALE-IS-NAN,1,0000,0000,00000000\n";
    const GoldenFile golden = read(",0000,00FF,00000000,MX-VALUE,255,0100,0100,00800000\n" + rest);
    REQUIRE(golden.rows.size() == 2);
    CHECK(golden.rows[0].times == 255);
    CHECK(golden.rows[0].permit_by == 0x00800000);
    CHECK(write_golden(golden) == first + ",0000,00FF,00000000,MX-VALUE,255,0100,0100,00800000\n" + rest);
    CHECK(read(",0000,00FF,7F000000,MX-VALUE,255,0100,0100,-00000002\n" + rest).rows[0].permit_by == -2);
    struct Case {
        std::string text;
        std::string error;
    };
    const Case cases[] = {
        {",0000,00FF,00000000,MX-VALUE\n" + rest, "t:2: fewer than 9 columns"},
        {",0000,00FF,00000000,MX-VALUE,0,0000,0000,00000000\n" + rest, "t:2: '0' is not a count from 1 to 4194304"},
        {",0000,00FF,00000000,MX-VALUE,-1,0000,0000,00000000\n" + rest, "t:2: '-1' is not a count"},
        {",0000,00FF,00000000,MX-VALUE,01,0000,0000,00000000\n" + rest, "t:2: '01' is not a count"},
        {",0000,00FF,00000000,MX-VALUE,,0000,0000,00000000\n" + rest, "t:2: '' is not a count"},
        {",0000,00FF,00000000,MX-VALUE,4194305,0100,0100,00000000\n" + rest, "is not a count from 1 to 4194304"},
        {",0000,00FF,00000000,MX-VALUE,99999999999999999999,0100,0100,00000000\n" + rest, "is not a count"},
        {",0000,00FF,00000000,MX-VALUE,1,0100,0000,00000000\n" + rest, "t:2: it stands for itself alone"},
        {",0000,00FF,00000000,MX-VALUE,1,0000,0100,00000000\n" + rest, "t:2: it stands for itself alone"},
        {",0000,00FF,00000000,MX-VALUE,1,0000,0000,00000001\n" + rest, "t:2: it stands for itself alone"},
        {",0000,00FF,00000000,MX-VALUE,2x,0000,0000,00000000\n" + rest, "t:2: '2x' is not a count"},
        {",0000,00FF,nan,MX-VALUE,255,0100,0100,00000001\n" + rest, "t:2: its permit is no single code"},
        {",0000,00FF,00000000|00000001,MX-VALUE,255,0100,0100,00000001\n" + rest, "t:2: its permit is no single code"},
        {",0000,00FF,00000000,MX-VALUE,255,0100,01,00000000\n" + rest, "t:2: '01' is not a code of e4m3_times_e8m0"},
        {",0000,00FF,00000000,MX-VALUE,255,-0000,0100,00000000\n" + rest, "t:2: '-0000' is zero with a sign"},
        {",0000,00FF,00000000,MX-VALUE,255,00FF,0100,00000000\n" + rest,
         "t:2: number 2 of the rows it stands for is none"},
        {",0000,00FF,00000000,MX-VALUE,255,0100,-0001,00000000\n" + rest,
         "t:2: number 2 of the rows it stands for is none"},
        {",0000,00FF,00000000,MX-VALUE,257,0100,0100,00000000\n", "t:2: number 257 of the rows it stands for is none"},
        {",0000,00FF,00000001,MX-VALUE,255,0100,0100,-00000001\n" + rest,
         "t:2: number 3 of the rows it stands for is none"},
        {",0000,00FF,00000000,MX-VALUE,254,0100,0100,00000000\n" + rest, "t: input FE00 has no row"},
        {",0000,00FF,00000000,MX-VALUE,256,0100,0100,00000000\n" + rest, "t: input FF00 has two rows"},
    };
    for (const Case& test_case : cases) {
        CAPTURE(test_case.text);
        CHECK_THROWS_WITH(read(test_case.text), Contains(test_case.error));
    }
    // Sums of whole numbers: none wraps, and no difference takes the 64th bit.
    const Format& wide = format("fp64");
    const auto read_wide = [&](const std::string& permit, const std::string& parameter) {
        return parse_golden(first + ",0000,00FF," + permit + ",MX-VALUE,4,0100,0100," + parameter + "\n", "t", from,
                            wide);
    };
    CHECK_THROWS_WITH(read_wide("7FF8000000000000", "-8000000000000000"),
                      Contains("t:2: '-8000000000000000' is no difference of less than 2^63"));
    CHECK_THROWS_WITH(read_wide("7FF8000000000000", "8000000000000000"), Contains("is no difference of less than"));
    CHECK_THROWS_WITH(read_wide("8000000000000000", "4000000000000000"),
                      Contains("t:2: number 3 of the rows it stands for is none"));
    CHECK_THROWS_WITH(read_wide("8000000000000000", "-4000000000000000"),
                      Contains("t:2: number 4 of the rows it stands for is none"));
    // No more than 2^22 rows in all.
    const std::string many = ",0000,0000,00000000,MX-VALUE,60000,0001,0001,00000000\n";
    std::string text;
    for (int i = 0; i < 70; ++i) text += "rounding=nearest_even" + many;
    CHECK_THROWS(read(text));
    // Other sources have rows for themselves.
    CHECK_THROWS_WITH(parse(first + ",0,F,00,OFP8-ZERO,1,0,0,00\n"), Contains("t:1: the header is"));
}

TEST_CASE("A selection without a row, or with two, is found", "[golden_csv]") {
    const std::string rows = "overflow=nosat nan=any,0,F,01,OFP8-ZERO\n"
                             "overflow=nosat nan=sign,0,F,02,OFP8-ZERO\n"
                             "overflow=sat,0,F,03,OFP8-ZERO\n";
    CHECK_NOTHROW(parse(header + rows));
    CHECK_THROWS_WITH(parse(header + ",4,4,04,OFP8-ZERO\n" + rows),
                      Contains("t: input 4 has two rows for one selection: '' and 'overflow=nosat nan=any'") ||
                          Contains("t: input 4 has two rows for one selection: 'overflow"));
    CHECK_THROWS_WITH(parse(header + "nan=sign,3,5,04,OFP8-ZERO\n" + rows), Contains("input 3 has two rows"));
    std::string hole = rows;
    hole.replace(hole.find("sign,0,F"), 8, "sign,0,E");
    CHECK_THROWS_WITH(parse(header + hole),
                      Contains("t: input F has no row for the selection 'overflow=nosat nan=sign'"));
    // A value that some rows name must be there for all inputs.
    CHECK_THROWS_WITH(parse(header + ",0,7,01,OFP8-ZERO\nnan=sign,8,F,01,OFP8-ZERO\nrounding=up,8,F,01,OFP8-ZERO\n"),
                      Contains("two rows"));
}

TEST_CASE("A file with very many conditions is not swept", "[golden_csv]") {
    // All combinations of five choices: 8,000 and more.
    std::string text = header;
    std::vector<std::string> conditions{""};
    for (const Choice choice : {Choice::rounding, Choice::overflow, Choice::nan, Choice::flush, Choice::via}) {
        std::vector<std::string> more;
        for (const std::string& before : conditions)
            for (const std::string_view value : info(choice).values)
                more.push_back(before + (before.empty() ? "" : " ") + std::string(info(choice).name) + "=" +
                               std::string(value));
        conditions = more;
    }
    std::sort(conditions.begin(), conditions.end());
    for (const std::string& when : conditions) text += when + ",0,F,00,OFP8-ZERO\n";
    CHECK_THROWS_WITH(parse(text), Contains("more than 1024 different conditions"));
}

TEST_CASE("A condition is read and written", "[golden_csv]") {
    for (const char* text :
         {"", "rounding=up", "rounding=nearest_even overflow=sat nan=any overflow_nan=any", "via=none"})
        CHECK(to_string(parse_when(text)) == text);
}
