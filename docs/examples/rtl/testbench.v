// SPDX-License-Identifier: Apache-2.0
// Applies the inputs of a folder that `mxcert offline --format hex` wrote, and writes the answers beside them.
//
//   iverilog -g2005 -Ptestbench.BUG=0 -Ptestbench.WORDS=131072 -o testbench testbench.v bf16_to_e4m3.v
//   vvp testbench
`timescale 1ns / 1ps
module testbench;
    parameter BUG   = 0;
    parameter WORDS = 131072; // the first line of the file of inputs says how many there are

    reg  [15:0] inputs  [0:WORDS-1];
    reg  [7:0]  outputs [0:WORDS-1]; // x until written: an answer that is missing is found
    reg  [15:0] x;
    wire [7:0]  code;
    integer     n;

    bf16_to_e4m3 #(.BUG(BUG)) dut (.x(x), .code(code));

    initial begin
        $readmemh("bf16-e4m3-nearest_even-sat.in.hex", inputs);
        for (n = 0; n < WORDS; n = n + 1) begin
            x = inputs[n];
            #1 outputs[n] = code;
        end
        $writememh("bf16-e4m3-nearest_even-sat.out.hex", outputs);
        $finish;
    end
endmodule
