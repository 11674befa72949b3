// SPDX-License-Identifier: Apache-2.0
// Applies the tests of a SystemVerilog package that `mxcert vectors export --format sv` wrote, in its folder:
//
//   iverilog -g2012 -Ppackage_testbench.BUG=0 -o sim mxcert_bf16_e4m3_nearest_even_sat.sv package_testbench.sv bf16_to_e4m3.v
//   vvp sim
`timescale 1ns / 1ps
module package_testbench;
    import mxcert_bf16_e4m3_nearest_even_sat::*;
    parameter BUG = 0;

    word_t      words [0:WORDS-1];
    word_t      test;
    reg  [15:0] x;
    wire [7:0]  code;
    integer     n;
    integer     wrong;

    bf16_to_e4m3 #(.BUG(BUG)) dut (.x(x), .code(code));

    initial begin
        $readmemh(FILE, words);
        wrong = 0;
        for (n = 0; n < WORDS; n = n + 1) begin
            test = words[n];
            x = test.value;
            #1 if (!permits_code(code, test.code, test.code_open)) begin
                wrong = wrong + 1;
                $display("0x%h gives 0x%h, not 0x%h", x, code, test.code);
            end
        end
        if (wrong == 0) $display("PASS: %0d tests", WORDS);
        else $display("FAIL: %0d of %0d tests", wrong, WORDS);
        $finish;
    end
endmodule
