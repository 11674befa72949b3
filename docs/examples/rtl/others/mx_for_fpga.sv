// SPDX-License-Identifier: Apache-2.0
// The block quantizers of MX-for-FPGA with flat ports (docs/rtl-of-others.md).
module mx_for_fpga #(
    parameter EXP = 4, // exponent bits of an element
    parameter MAN = 3, // fraction bits
    parameter SAT = 1, // of FP8: saturating
    parameter FP8 = 1, // conv_bf16tomxfp_spec, which has NaN and Inf; else conv_bf16tomxfp
    parameter ADD = 0  // added to the scale
) (
    input logic clk,
    input logic [32*16-1:0] x,
    output logic [32*(1+EXP+MAN)-1:0] code,
    output logic [7:0] scale
);
    localparam WIDTH = 1 + EXP + MAN;
    logic [15:0] values [32];
    logic [WIDTH-1:0] elements [32];
    logic [7:0] given;
    for (genvar lane = 0; lane < 32; lane++) begin
        assign values[lane] = x[16*lane +: 16];
        assign code[WIDTH*lane +: WIDTH] = elements[lane];
    end
    assign scale = given == 8'hFF ? given : given + ADD;
    if (FP8) begin
        conv_bf16tomxfp_spec #(.exp_width(EXP), .man_width(MAN), .k(32), .sat(SAT), .freq_mhz(100)) quantizer (
            .i_clk(clk), .i_bf16_vec(values), .o_mx_vec(elements), .o_mx_exp(given));
    end else begin
        conv_bf16tomxfp #(.exp_width(EXP), .man_width(MAN), .k(32), .freq_mhz(100)) quantizer (
            .i_clk(clk), .i_bf16_vec(values), .o_mx_vec(elements), .o_mx_exp(given));
    end
endmodule
