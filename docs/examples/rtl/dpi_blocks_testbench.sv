// SPDX-License-Identifier: Apache-2.0
// Asks the reference, libmxcert, for the elements and scales of whole blocks through DPI-C, and compares mxfp8_quantizer.sv with
// them, with pauses at both ends of the pipeline. In conformance/library/mxcert.h NULL is allowed for `result`: a chandle.
//
//   $ verilator --binary -Wno-lint --top dpi_blocks_testbench -GBUG=0 dpi_blocks_testbench.sv mxfp8_quantizer.sv e8m0_scale.sv \
//       scaled_to_mini.sv float_to_mini.sv -LDFLAGS "-L LIB -lmxcert -Wl,-rpath,LIB"
//   $ obj_dir/Vdpi_blocks_testbench
`timescale 1ns / 1ps
module dpi_blocks_testbench #(parameter BUG = 0);
    localparam BLOCKS = 300, LANES = 32, CYCLES = 3 * BLOCKS;

    import "DPI-C" function string mxcert_message();
    import "DPI-C" function int mxcert_quantize(
        input string format, input string source, input string options, input int unsigned rank,
        input longint unsigned shape[2], input shortint unsigned values[BLOCKS * LANES],
        output byte unsigned elements[BLOCKS * LANES], output byte unsigned scales[BLOCKS], input chandle result,
        input int unsigned threads);

    longint unsigned  shape[2];
    shortint unsigned values[BLOCKS * LANES];
    byte unsigned     elements[BLOCKS * LANES], scales[BLOCKS];
    int               given, taken, wrong, lowest;

    reg                 clk = 0, reset = 1, in_valid = 0, out_ready = 0, accepted;
    reg  [LANES*16-1:0] x;
    wire                in_ready, out_valid;
    wire [7:0]          scale;
    wire [LANES*8-1:0]  code, expected;

    mxfp8_quantizer #(.BUG(BUG)) dut (.clk(clk), .reset(reset), .in_valid(in_valid), .in_ready(in_ready), .x(x),
                                      .out_valid(out_valid), .out_ready(out_ready), .scale(scale), .code(code));

    // Lane 0 in the lowest bits.
    always @(*) for (int lane = 0; lane < LANES; lane++)
        x[16*lane +: 16] = values[(given < BLOCKS ? given : 0) * LANES + lane];
    for (genvar lane = 0; lane < LANES; lane++)
        assign expected[8*lane +: 8] = elements[(taken < BLOCKS ? taken : 0) * LANES + lane];

    initial begin
        // The values of a block have one of 15 exponents; those of all blocks span the format. None is infinite or NaN.
        for (int block = 0; block < BLOCKS; block++) begin
            lowest = $urandom_range(239);
            for (int lane = 0; lane < LANES; lane++)
                values[block * LANES + lane] = ($urandom & 16'h807F) | ((lowest + $urandom_range(14)) << 7);
        end
        shape = '{BLOCKS, LANES};
        if (mxcert_quantize("mxfp8_e4m3", "bf16", "rule=ocp_floor", 2, shape, values, elements, scales, null, 1) != 0)
            $fatal(1, "%s", mxcert_message());

        for (int cycle = 0; cycle < CYCLES && taken < BLOCKS; cycle++) begin
            #5 if (cycle == 2) reset = 0;
            in_valid  = !reset && given < BLOCKS && $urandom_range(7) != 0;
            out_ready = !reset && $urandom_range(7) != 0;
            #1 if (out_valid && out_ready) begin
                if (scale != scales[taken] || code != expected) begin
                    wrong++;
                    if (wrong == 1) $display("block %0d: scale 0x%h, not 0x%h; elements %h, not %h", taken, scale, scales[taken],
                                             code, expected);
                end
                taken++;
            end
            accepted = in_valid && in_ready;
            clk = 1;
            #5 if (accepted) given++;
            clk = 0;
        end
        if (taken < BLOCKS) $display("FAIL: %0d of %0d blocks came", taken, BLOCKS);
        else if (wrong == 0) $display("PASS: %0d blocks", BLOCKS);
        else $display("FAIL: %0d of %0d blocks", wrong, BLOCKS);
        $finish;
    end
endmodule
