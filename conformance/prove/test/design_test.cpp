// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "catch.hpp"
#include "conformance/prove/miter.hpp"
#include "conformance/prove/planted_row.hpp"
#include "reference/profile/profile.hpp"
#include "vectors/golden_store/golden.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/tables/tabulate.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::prove;
using Catch::Matchers::Contains;

namespace {

Design pipeline(const TemporaryFolder& folder) {
    std::ofstream(folder.path() / "cvt.v") << "module cvt; endmodule\n";
    Design design;
    design.files = {(folder.path() / "cvt.v").string()};
    design.top = "cvt";
    design.clock = "clk";
    design.reset = "rst_n";
    design.reset_low = true;
    design.in_valid = "iv";
    design.out_valid = "ov";
    design.latency = 2;
    design.lanes = 2;
    return design;
}

} // namespace

TEST_CASE("a design whose parts do not fit together is refused") {
    const TemporaryFolder folder;
    CHECK_NOTHROW(check(pipeline(folder)));
    struct Broken {
        void (*breaks)(Design&);
        const char* says;
    };
    const Broken table[]{
        {[](Design& d) { d.files.clear(); }, "no file"},
        {[](Design& d) { d.files = {"nowhere.v"}; }, "'nowhere.v' is no file"},
        {[](Design& d) { d.files = {"a\"; shell rm x\n"}; }, "cannot have one of"},
        {[](Design& d) { d.top = "cvt; exec"; }, "--top: 'cvt; exec' is not an identifier"},
        {[](Design& d) { d.top = ""; }, "--top"},
        {[](Design& d) { d.output = "2code"; }, "--output"},
        {[](Design& d) { d.in_valid = "a b"; }, "--in-valid"},
        {[](Design& d) {
             d.parameters = {{"N", "1); x("}};
         },
         "not a constant of Verilog"},
        {[](Design& d) { d.defines = {"A=1;"}; }, "not a constant of Verilog"},
        {[](Design& d) { d.includes = {"nowhere"}; }, "--include: 'nowhere' is no folder"},
        {[](Design& d) { d.includes = {"a\"b"}; }, "cannot have one of"},
        {[](Design& d) { d.includes = {"a b"}; }, "no path with a space"},
        {[](Design& d) { d.clock = ""; }, "need a --clock"},
        {[](Design& d) { d.latency = 0; }, "needs its --latency"},
        {[](Design& d) { d.out_valid = ""; }, "belong together"},
        {[](Design& d) { d.in_ready = "r"; }, "belong together"},
        {[](Design& d) { d.reset = ""; }, "needs its --reset"},
    };
    for (const Broken& row : table) {
        Design design = pipeline(folder);
        row.breaks(design);
        CHECK_THROWS_WITH(check(design), Contains(row.says));
    }
}

TEST_CASE("the miter of a pipeline looks at one lane, as many cycles later as an answer takes") {
    const TemporaryFolder folder;
    const Design design = pipeline(folder);
    const Conversion conversion = parse_conversion("fp32-e4m3-nearest_even-sat");
    const Miter steady = miter_of(design, conversion, "table_", Claim::steady, 1, 9, {});
    CHECK(steady.cycles == 5);
    CHECK_FALSE(steady.reset_first);
    CHECK_THAT(steady.text, Contains(".rst_n(!reset)") && Contains("wire [31:0] given = x1;") &&
                                Contains("assign asked = past1;") && Contains("all_code[8 +: 8]"));
    const Miter handshake = miter_of(design, conversion, "table_", Claim::handshake, 0, 9, InputRange{0x10, 0x20});
    CHECK(handshake.cycles == 9);
    CHECK(handshake.reset_first);
    CHECK_THAT(handshake.text, Contains("input  wire in_valid,") && Contains("wire out_ready = 1'b1;") &&
                                   Contains("asked >= 32'h10 && asked <= 32'h20"));
    CHECK(claims_of(design).size() == 2);
    CHECK(claims_of(Design{}).size() == 1);
}

TEST_CASE("a planted row makes a table wrong at one input") {
    for (const char* name : {"fp32-e4m3-nearest_even-sat", "fp32-e2m1-nearest_even-sat", "bf16-e5m2-nearest_even-sat",
                             "amax_fp32-e8m0_for_e4m3-ocp_floor-sat"}) {
        CAPTURE(name);
        const Conversion conversion = parse_conversion(name);
        const Profile& profile = find_profile("ocp-sat");
        const PermitTable table = select(generate_golden(*conversion.from, *conversion.to), profile, conversion);
        const std::optional<PlantedTable> planted = plant_row(table, 0, table.from->last_code());
        REQUIRE(planted);
        CHECK(broken(planted->table).empty());
        const Permit& right = table.steps[find_step(table, planted->input)].permit;
        const Permit& wrong = planted->table.steps[find_step(planted->table, planted->input)].permit;
        CHECK(intersect(right, wrong, *conversion.to) == Permit{});
        for (const Code input : {planted->input - 1, planted->input + 1})
            CHECK(table.steps[find_step(table, input)].permit ==
                  planted->table.steps[find_step(planted->table, input)].permit);
    }
    PermitTable one;
    one.from = &formats::bf16;
    one.to = &formats::e4m3;
    one.steps = {{0, 0xFFFF, permit_code(0), "OFP8-ZERO"}};
    CHECK_FALSE(plant_row(one, 0, 0xFFFF));
}
