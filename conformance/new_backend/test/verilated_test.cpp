// SPDX-License-Identifier: Apache-2.0
// Hardware designs as backends: `mxcert new-backend --language verilator` on those of docs/examples/rtl.
#include "catch.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/program.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;

namespace {

const std::string handshakes =
    " --clock clk --reset reset --in-valid in_valid --in-ready in_ready --out-valid out_valid "
    "--out-ready out_ready --latency 3";

std::string design(const std::string& file) {
    return " --design '" MXCERT_TEST_SOURCE "/docs/examples/rtl/" + file + "'";
}

std::string pipeline() {
    return design("float_to_mini.sv") + design("fp32_to_e4m3_pipe.sv") + handshakes +
           " --top fp32_to_e4m3_pipe --lanes 4 --conversion fp32-e4m3-nearest_even-sat";
}
std::string quantizer(const std::string& axis = "row") {
    return design("mxfp8_quantizer.sv") + design("e8m0_scale.sv") + design("scaled_to_mini.sv") +
           design("float_to_mini.sv") + handshakes +
           " --top mxfp8_quantizer --conversion quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-" + axis + "-32";
}
std::string dot_product(const std::string& transpose = "nn", const std::string& file = design("fp8_dot4.sv")) {
    return file + " --clock clk --latency 2 --top fp8_dot4 --conversion matmul-e4m3-e4m3-none-none-none-" + transpose +
           "-fp32-fp32-arm_fdot_f32-given";
}

/// Makes and builds a backend, and runs certify as new-backend says, or on the small suite. Verilator's own sources are
/// the same in all builds, so a cache of compilers has them.
Result certified(const std::string& arguments) {
    const TemporaryFolder folder;
    const Result made = shell(folder.path(), "mxcert new-backend cvt --language verilator" + arguments);
    CAPTURE(made.out, made.err);
    REQUIRE(made.code == 0);
    const std::string next = made.out.substr(made.out.find("  mxcert certify "));
    const Result built = shell(
        folder.path(), "export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1\n"
                       "cmake -S cvt -B cvt/build -DCMAKE_CXX_FLAGS_RELEASE=-O0 $(command -v ccache > /dev/null && "
                       "echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache) > log 2>&1 && "
                       "cmake --build cvt/build -j2 >> log 2>&1 || { cat log; false; }");
    CAPTURE(built.out);
    REQUIRE(built.code == 0);
    const std::string smoke =
        next.find("--level") == std::string::npos ? " --level smoke --profile ocp-sat --filter 'fp32-*'" : "";
    return shell(folder.path() / "cvt", next.substr(0, next.find('\n')) + smoke);
}

void check_right(const std::string& arguments) {
    CAPTURE(arguments);
    const Result right = certified(arguments);
    CAPTURE(right.out, right.err);
    CHECK(right.code == 0);
    CHECK_THAT(right.out, Contains("PASS") && !Contains("FAIL"));
}

bool no_verilator() {
    const TemporaryFolder folder;
    return absent(shell(folder.path(), "verilator --version").code != 0, "verilator", "apt-get install verilator");
}

} // namespace

TEST_CASE("a hardware design becomes a backend in Verilator", "[values]") {
    // Four lanes of FP32 are a port that is no integer; its valid and ready signals pause.
    if (!no_verilator()) check_right(pipeline());
}

TEST_CASE("a block quantizer in hardware becomes a backend", "[values]") {
    if (!no_verilator()) check_right(quantizer());
}

TEST_CASE("a dot product in hardware becomes a backend, and is not rounded", "[values]") {
    if (no_verilator()) return;
    const Result cut = certified(dot_product() + " --parameter BUG=14");
    CAPTURE(cut.out, cut.err);
    CHECK(cut.code == 1);
    CHECK_THAT(cut.out, Contains("elements of D are not permitted") && !Contains("ERROR"));
}

// docs/results/rtl.md has what certify says of each.
TEST_CASE("every bug planted in a block quantizer and a dot product is found", "[.][exhaustive]") {
    if (no_verilator()) return;
    check_right(quantizer("column"));
    for (const char* transpose : {"nn", "nt", "tn", "tt"}) check_right(dot_product(transpose));
    const auto check_found = [](const std::string& arguments, int first, int last) {
        for (int bug = first; bug <= last; ++bug) {
            CAPTURE(arguments, bug);
            const Result wrong = certified(arguments + " --parameter BUG=" + std::to_string(bug));
            CAPTURE(wrong.out, wrong.err);
            // ERROR where it gives codes that nothing was asked for.
            CHECK_THAT(wrong.out, Contains("\nFAIL: ") || Contains("the design gave more codes"));
            CHECK((wrong.code == 1 || wrong.code == 3));
        }
    };
    check_found(quantizer(), 31, 42);
    check_found(dot_product(), 1, 15);
}

TEST_CASE("a netlist of a dot product becomes a backend", "[.][exhaustive]") {
    const TemporaryFolder folder;
    if (no_verilator() || absent(shell(folder.path(), "yosys -V").code != 0, "yosys", "apt-get install yosys")) return;
    const Result made =
        shell(folder.path(), "cp '" MXCERT_TEST_SOURCE "/docs/examples/rtl/fp8_dot4.sv' . && yosys -q -p "
                             "'read_verilog -sv fp8_dot4.sv; synth -flatten -top fp8_dot4; "
                             "write_verilog -noattr netlist.v'");
    CAPTURE(made.err);
    REQUIRE(made.code == 0);
    check_right(dot_product("nn", " --design '" + (folder.path() / "netlist.v").string() + "'"));
}

TEST_CASE("a hardware design that is not whole is refused") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "d.v") << "module x; endmodule\n";
    const std::string quantize =
        "--design d.v --top x --conversion quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-";
    const std::string product = "--design d.v --top x --conversion matmul-e4m3-e4m3-";
    for (const std::string& arguments :
         {std::string(""), std::string("--top x --conversion fp32-e4m3-nearest_even-sat"),
          std::string("--design d.v --conversion fp32-e4m3-nearest_even-sat"), std::string("--design d.v --top x"),
          std::string("--design no.v --top x --conversion fp32-e4m3-nearest_even-sat"),
          std::string("--design d.v --top x --conversion fp32-e4m3-stochastic_a8-sat"),
          std::string("--design d.v --top x --clock clk --conversion fp32-e4m3-nearest_even-sat"),
          // Any block, lanes that are not the block's, packed elements.
          quantize + "any", quantize + "32 --lanes 16", quantize + "32-low_first",
          // One sum of all products, scales, a second rounding, any order, ports that are named otherwise.
          product + "none-none-none-nn-fp32-fp32-exact-given",
          product + "e8m0-1x32-32x1-nn-fp32-fp32-cdna4_f8f6f4-given",
          product + "none-none-none-nn-fp32-fp16-arm_fdot_f32-given",
          product + "none-none-none-nn-fp32-fp32-arm_fdot_f32-any",
          product + "none-none-none-nn-fp32-fp32-arm_fdot_f32-given --input p",
          std::string("--design d.v --top x --conversion dequantize-e4m3-e8m0-fp32-row-32")}) {
        CAPTURE(arguments);
        const Result result = shell(folder.path(), "mxcert new-backend cvt --language verilator " + arguments);
        CAPTURE(result.err);
        CHECK(result.code == 2);
        CHECK_FALSE(fs::exists(folder.path() / "cvt"));
    }
    CHECK(shell(folder.path(), "mxcert new-backend cvt --language c --design d.v").code == 2);
}
