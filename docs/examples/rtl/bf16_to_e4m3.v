// SPDX-License-Identifier: Apache-2.0
// BF16 to OFP8 E4M3, to nearest even, saturating; one value, combinational.
//
// BUG = 1 plants a mistake: a tie is rounded up whether the code below it is odd or even.
module bf16_to_e4m3 #(parameter BUG = 0) (
    input  wire [15:0] x,
    output reg  [7:0]  code
);
    wire        sign     = x[15];
    wire [7:0]  exponent = x[14:7];
    wire [6:0]  fraction = x[6:0];

    reg [7:0] significand; // with the leading one; BF16 subnormals are far below what E4M3 can hold
    reg [3:0] shift;       // bits that are cut off
    reg [7:0] kept, rest, half;
    reg       round_up;
    reg [8:0] magnitude;   // the code without its sign; one bit more, for what overflows

    always @* begin
        significand = {1'b1, fraction};
        // Four bits of the significand are kept from 2^-6 upward, one less for each binade below.
        shift       = exponent >= 121 ? 4 : exponent >= 116 ? 4 + (121 - exponent) : 9;
        kept        = significand >> shift;
        rest        = shift >= 9 ? 8'h01 : significand & ((8'd1 << shift) - 8'd1);
        half        = shift >= 9 ? 8'hFF : 8'd1 << (shift - 1);
        if (shift == 8) begin // all bits are cut off, and the leading one is the half
            rest = significand;
            half = 8'h80;
        end
        round_up    = rest > half || (rest == half && (kept[0] || BUG));
        // A carry out of the fraction runs into the exponent and gives the next binade.
        magnitude   = exponent >= 121 ? {exponent - 8'd120, 3'b000} + (kept - 8) + round_up : kept + round_up;

        if (exponent == 8'hFF && fraction != 0)
            code = 8'h7F;
        else if (exponent >= 136 || magnitude > 9'h07E)
            code = {sign, 7'h7E};
        else
            code = {sign, magnitude[6:0]};
    end
endmodule
