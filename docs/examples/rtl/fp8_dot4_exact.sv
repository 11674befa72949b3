// SPDX-License-Identifier: Apache-2.0
// The same sum as fp8_dot4.sv, written as its definition and not as hardware: every product and c as whole numbers in units of
// 2^-149, added without loss, and rounded once to nearest even. No registers.
module fp8_dot4_exact (
    input  wire [31:0] a, // four codes of OFP8 E4M3, the first in the lowest bits
    input  wire [31:0] b,
    input  wire [31:0] c, // FP32
    output wire [31:0] d
);
    localparam WIDTH = 290; // the largest c is 2^277 units

    // In units of 2^-18: a subnormal code has the exponent of field 1.
    function automatic signed [38:0] product(input [7:0] p, input [7:0] q);
        reg [3:0]  p_field, q_field;
        reg [7:0]  significand;
        reg [35:0] magnitude;
        p_field     = p[6:3] == 0 ? 4'd1 : p[6:3];
        q_field     = q[6:3] == 0 ? 4'd1 : q[6:3];
        significand = {4'd0, p[6:3] != 0, p[2:0]} * {4'd0, q[6:3] != 0, q[2:0]};
        magnitude   = {28'd0, significand} << (p_field - 4'd1) << (q_field - 4'd1);
        product     = p[7] ^ q[7] ? -$signed({3'd0, magnitude}) : $signed({3'd0, magnitude});
    endfunction

    wire signed [38:0] products = product(a[7:0], b[7:0]) + product(a[15:8], b[15:8]) + product(a[23:16], b[23:16]) +
                                  product(a[31:24], b[31:24]);
    wire [7:0]       field    = c[30:23] == 0 ? 8'd1 : c[30:23];
    wire [WIDTH-1:0] addend   = {{(WIDTH-24){1'b0}}, c[30:23] != 0, c[22:0]} << (field - 8'd1);
    wire [WIDTH-1:0] sum      = ({{(WIDTH-39){products[38]}}, products} << 131) + (c[31] ? -addend : addend);
    wire             negative = sum[WIDTH-1];
    wire [WIDTH-1:0] magnitude = negative ? -sum : sum;

    // The last place that stays: 24 bits, or that of subnormal numbers.
    reg [8:0] top;
    integer   place;
    always @* begin
        top = 9'd0;
        for (place = 0; place < WIDTH; place = place + 1)
            if (magnitude[place]) top = place[8:0];
    end
    wire [8:0]       last     = top < 9'd23 ? 9'd0 : top - 9'd23;
    wire [WIDTH-1:0] kept     = magnitude >> last;
    wire [WIDTH-1:0] rest     = magnitude & ~({WIDTH{1'b1}} << last);
    wire [WIDTH-1:0] half     = last == 0 ? 0 : {{(WIDTH-1){1'b0}}, 1'b1} << (last - 9'd1);
    wire             round_up = last != 0 && (rest > half || (rest == half && kept[0]));
    // A carry out of the fraction goes on into the exponent.
    wire [32:0]      code     = (top < 9'd23 ? {10'd0, kept[22:0]} : ({24'd0, last + 9'd1} << 23) + {10'd0, kept[22:0]}) +
                                {32'd0, round_up};

    wire any_nan = c[30:23] == 8'hFF && c[22:0] != 0 || a[6:0] == 7'h7F || a[14:8] == 7'h7F || a[22:16] == 7'h7F || a[30:24] == 7'h7F ||
                   b[6:0] == 7'h7F || b[14:8] == 7'h7F || b[22:16] == 7'h7F || b[30:24] == 7'h7F;
    // An exact sum of zero is negative if all its terms are.
    wire all_negative = c[31] && (a[7] ^ b[7]) && (a[15] ^ b[15]) && (a[23] ^ b[23]) && (a[31] ^ b[31]);

    assign d = any_nan ? 32'h7FC00000
             : c[30:23] == 8'hFF ? c
             : magnitude == 0 ? {all_negative, 31'd0}
             : code >= 33'h7F800000 ? {negative, 31'h7F800000}
             : {negative, code[30:0]};
endmodule
