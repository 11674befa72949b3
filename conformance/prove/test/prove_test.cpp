// SPDX-License-Identifier: Apache-2.0
// `mxcert prove` on the designs of docs/examples/rtl and on what is written here around them.
#include <fstream>

#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

// FP32 to E2M1 with a register, and with mistakes that a combinational design cannot have.
constexpr const char* around = R"(
module register_e2m1 #(parameter BUG = 0) (
    input wire clk, input wire rst_n, input wire iv, input wire [63:0] x, output reg ov, output reg [7:0] code
);
    wire [7:0] now;
    fp32_to_e2m1 low (.x(x[31:0]), .code(now[3:0]));
    fp32_to_e2m1 high (.x(x[63:32]), .code(now[7:4]));
    reg [7:0] last;
    always @(posedge clk or negedge rst_n)
        if (!rst_n) ov <= BUG == 3;
        else ov <= iv || BUG == 4;
    always @(posedge clk) begin
        last <= now;
        code   <= BUG == 1 ? {now[3:0], now[7:4]} : BUG == 2 ? {last[7], now[6:0]} : now;
    end
endmodule

// A NaN may give zero as well; of undefined bits nobody knows.
module zero_e2m1 (input wire [31:0] x, output wire [3:0] code);
    wire [3:0] c;
    fp32_to_e2m1 convert (.x(x), .code(c));
    assign code = x[30:0] > 31'h7F800000 ? 4'd0 : c;
endmodule
module undefined_e2m1 (input wire [31:0] x, output reg [3:0] code);
    wire [3:0] c;
    fp32_to_e2m1 convert (.x(x), .code(c));
    always @* if (x[30:0] == 31'h3F800000) code = 4'bxxxx; else code = c;
endmodule
)";

constexpr const char* designs = "'" MXCERT_TEST_SOURCE "/docs/examples/rtl/float_to_mini.sv'";

class Bench {
  public:
    Bench() { std::ofstream(folder_.path() / "around.sv") << around; }

    [[nodiscard]] Result prove(const std::string& arguments) const {
        return shell(folder_.path(), std::string("mxcert prove ") + designs + " " + arguments +
                                         " --conversion fp32-e2m1-nearest_even-sat");
    }
    [[nodiscard]] Result run(const std::string& command) const { return shell(folder_.path(), command); }

    /// Whether what the tests need is not here.
    [[nodiscard]] bool has_nothing() const {
        return absent(run("command -v yosys && command -v iverilog").code != 0, "yosys",
                      "apt-get install yosys iverilog");
    }

  private:
    TemporaryFolder folder_;
};

void check(const Result& result, int code, const Catch::Matchers::StdString::ContainsMatcher& says) {
    CAPTURE(result.out, result.err);
    CHECK(result.code == code);
    CHECK_THAT(result.out, says);
}

} // namespace

TEST_CASE("a right design is proven, and a counterexample to a wrong one is simulated and named", "[programs]") {
    const Bench bench;
    if (bench.has_nothing()) return;
    const Result proven = bench.prove("--top fp32_to_e2m1");
    check(proven, 0, Contains("wrong row planted at 0x40600000 found"));
    check(proven, 0, Contains("PROVEN: fp32_to_e2m1 gives what ocp-sat permits on all 2^32 inputs, by Yosys"));
    const Result wrong = bench.prove("--top fp32_to_e2m1 --parameter BUG=3 --folder proof");
    check(wrong, 1, Contains("TIES_AWAY explains 8 of 8"));
    check(wrong, 1, Contains("the simulation confirms it"));
    // The line that runs a failure again is a command.
    const std::size_t at = wrong.out.find("mxcert certify 'pipe:");
    REQUIRE(at != std::string::npos);
    check(bench.run(wrong.out.substr(at, wrong.out.find('\n', at) - at)), 1, Contains("has a wrong answer"));
    check(bench.prove("around.sv --top zero_e2m1"), 0, Contains("PROVEN"));
    check(bench.prove("around.sv --top undefined_e2m1"), 1, Contains("gives undefined bits"));
}

TEST_CASE("the files of a design may include others", "[programs]") {
    const Bench bench;
    if (bench.has_nothing()) return;
    REQUIRE(bench
                .run("mkdir others && echo '`define WRONG 3' > others/settings.svh && printf '%s\\n' "
                     "'`include \"settings.svh\"' 'module top (input wire [31:0] x, output wire [3:0] code);' "
                     "'fp32_to_e2m1 #(.BUG(`WRONG)) convert (.x(x), .code(code));' 'endmodule' > top.sv")
                .code == 0);
    // Both the solver and the simulation read it.
    check(bench.prove("top.sv --top top --include others"), 1, Contains("the simulation confirms it"));
}

TEST_CASE("a pipeline is proven lane by lane, from any state and from a reset", "[.][exhaustive]") {
    const Bench bench;
    if (bench.has_nothing()) return;
    const std::string ports = "around.sv --top register_e2m1 --clock clk --reset '!rst_n' --in-valid iv --out-valid ov "
                              "--latency 1 --lanes 2 --cycles 4 --parameter BUG=";
    check(bench.prove(ports + "0"), 0, Contains("4 cycles from reset       1     PROVEN"));
    // Exchanged lanes and a stale sign are no mistake of values.
    for (const auto& [bug, lane] : {std::pair("1", 0), std::pair("2", 1)}) {
        const Result result = bench.prove(ports + bug);
        check(result, 1, Contains(fmt::format("every input, any state    {}     FAIL", lane)));
        CHECK_THAT(result.out, Contains("inputs have another answer in another order") && !Contains("explains"));
    }
    for (const char* bug : {"3", "4"})
        check(bench.prove(ports + bug), 1, Contains("4 cycles from reset       0     FAIL"));
}

TEST_CASE("a proof that is not finished is UNPROVEN") {
    const Bench bench;
    if (bench.has_nothing()) return;
    check(bench.prove("--top fp32_to_e2m1 --timeout 0.001"), 3, Contains("not decided within 0.001 s"));
    const std::string mxcert = "'" + (program_folder() / "mxcert").string() + "'";
    const std::string prove =
        mxcert + " prove " + designs + " --conversion fp32-e2m1-nearest_even-sat --top fp32_to_e2m1 --parameter BUG=3";
    check(bench.run("PATH=/nowhere; " + prove), 3, Contains("yosys is not here: apt-get install yosys"));
    // A counterexample that nothing confirms is none.
    check(bench.run("mkdir only; ln -s \"$(command -v yosys)\" only/yosys; PATH=$PWD/only; " + prove), 3,
          Contains("a counterexample was found, and not confirmed: Icarus Verilog is not here"));
    for (const auto& [arguments, says] :
         {std::pair("--top nothing", "yosys: "), std::pair("--top fp32_to_e2m1 --output y", "yosys: "),
          std::pair("--top fp32_to_e2m1 --parameter BUG", "expected NAME=VALUE"),
          std::pair("--top fp32_to_e2m1 --profile no_such", "no_such")}) {
        const Result result = bench.prove(arguments);
        CAPTURE(result.out, result.err);
        CHECK(result.code == 2);
        CHECK_THAT(result.err, Contains(says));
    }
}

// The designs of docs/examples/rtl, all of them, with each of their bugs: docs/rtl.md has what comes out.
TEST_CASE("a pipeline of four lanes is proven", "[.][exhaustive]") {
    const Bench bench;
    if (bench.has_nothing()) return;
    const Result result = bench.run(
        std::string("mxcert prove ") + designs +
        " '" MXCERT_TEST_SOURCE "/docs/examples/rtl/fp32_to_e4m3_pipe.sv' --top fp32_to_e4m3_pipe --clock clk "
        "--reset reset --in-valid in_valid --in-ready in_ready --out-valid out_valid --out-ready out_ready --latency 3 "
        "--lanes 4 --conversion fp32-e4m3-nearest_even-sat");
    check(result, 0, Contains("PROVEN: fp32_to_e4m3_pipe"));
}
