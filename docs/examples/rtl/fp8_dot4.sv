// SPDX-License-Identifier: Apache-2.0
// d = c + a0 b0 + a1 b1 + a2 b2 + a3 b3 in FP32, the operands in OFP8 E4M3: the exact sum, rounded once to nearest even. Two
// registers: the answer comes two cycles after its operands. A longer dot product takes the result as the next c.
//
// The sum of the products is a fixed-point number in units of 2^-18. c is moved to it in units of 2^-48; what lies below is
// summed up in the lowest bit. From 2^46 on c is so large that the products are less than a quarter of its last place.
//
// BUG plants a mistake:
//    1 sticky_part_select   the sticky bit misses the highest of its bits
//    2 sticky_of_c          the sticky bit misses what the shift of c pushed out
//    3 tie_away             a tie is rounded up whether the place above it is odd or even
//    4 product_width        the product of two significands has seven bits
//    5 sum_width            the sum of the products has one bit too few
//    6 hidden_bit           a subnormal operand has a leading one
//    7 subnormal_exponent   a subnormal operand has an exponent that is one too large
//    8 lanes_swapped        the first two lanes of b are exchanged
//    9 nan_part_select      of the two codes of NaN only the positive one is known
//   10 stale_c              c is that of the operands before
//   11 sign_mux             the last product has the sign of a
//   12 sign_of_zero         a sum of zero has the sign of c
//   13 c_too_early          c is taken for large from 2^30 on
//   14 not_rounded          the sum is cut
//   15 special_mux          infinity is taken for NaN
module fp8_dot4 #(parameter BUG = 0) (
    input  wire        clk,
    input  wire [31:0] a, // four codes, the first in the lowest bits
    input  wire [31:0] b,
    input  wire [31:0] c,
    output wire [31:0] d
);
    // A product in units of 2^-18: the significands have units of 2^(exponent - 10).
    function automatic signed [38:0] product(input [7:0] p, input [7:0] q, input negative);
        reg [3:0]  p_exponent, q_exponent;
        reg [7:0]  significand;
        reg [35:0] magnitude;
        p_exponent  = p[6:3] != 0 ? p[6:3] : BUG == 7 ? 4'd2 : 4'd1;
        q_exponent  = q[6:3] != 0 ? q[6:3] : BUG == 7 ? 4'd2 : 4'd1;
        significand = {4'd0, p[6:3] != 0 || BUG == 6, p[2:0]} * {4'd0, q[6:3] != 0 || BUG == 6, q[2:0]};
        if (BUG == 4) significand[7] = 1'b0;
        magnitude   = {28'd0, significand} << ({1'b0, p_exponent} + {1'b0, q_exponent} - 5'd2);
        product     = negative ? -$signed({3'd0, magnitude}) : $signed({3'd0, magnitude});
    endfunction

    // First stage: the products and their sum.
    wire [31:0]        b_lanes = BUG == 8 ? {b[31:16], b[7:0], b[15:8]} : b;
    reg  signed [38:0] sum;
    reg                any_nan, all_negative;
    integer            lane;
    always @* begin
        sum          = 0;
        any_nan      = c[30:23] == 8'hFF && (c[22:0] != 0 || BUG == 15);
        all_negative = c[31];
        for (lane = 0; lane < 4; lane = lane + 1) begin : lanes
            reg [7:0] p, q;
            reg       negative;
            p = a[lane*8 +: 8];
            q = b_lanes[lane*8 +: 8];
            negative = BUG == 11 && lane == 3 ? p[7] : p[7] ^ q[7];
            sum = sum + product(p, q, negative);
            if (BUG == 5) sum[38] = sum[37];
            if (BUG == 9 ? p == 8'h7F || q == 8'h7F : p[6:0] == 7'h7F || q[6:0] == 7'h7F) any_nan = 1'b1;
            if (!negative) all_negative = 1'b0;
        end
    end

    reg signed [38:0] sum1;
    reg        [31:0] c1, c_before;
    reg               nan1, negative1;
    always @(posedge clk) begin
        sum1      <= sum;
        c1        <= BUG == 10 ? c_before : c;
        c_before  <= c;
        nan1      <= any_nan;
        negative1 <= all_negative;
    end

    // Second stage: c is moved to the sum and added.
    wire [7:0]  field       = c1[30:23] == 0 ? 8'd1 : c1[30:23];
    wire [23:0] significand = {c1[30:23] != 0, c1[22:0]};
    wire        far         = field >= (BUG == 13 ? 8'd157 : 8'd173);
    wire [7:0]  below       = 8'd102 - field; // places to the right, if field < 102
    wire [23:0] pushed_out  = significand & ~(24'hFFFFFF << (below > 8'd24 ? 8'd24 : below));
    wire [96:0] moved       = field >= 8'd102 ? {73'd0, significand} << (field - 8'd102)
                                              : {73'd0, significand} >> below | {96'd0, pushed_out != 0 && BUG != 2};
    wire [96:0] total       = {{28{sum1[38]}}, sum1, 30'd0} + (c1[31] ? -moved : moved);
    wire        alone       = sum1 == 0 || far;   // c is the result; a zero is negative if every term is
    wire [31:0] only_c      = c1[30:0] == 0 ? {BUG == 12 ? c1[31] : negative1, 31'd0} : c1;

    reg [96:0] total2;
    reg [31:0] c2;
    reg        alone2, nan2;
    always @(posedge clk) begin
        total2 <= total;
        c2     <= only_c;
        alone2 <= alone;
        nan2   <= nan1;
    end

    // The result: the highest place becomes bit 95, of which 24 bits are kept.
    wire [95:0] magnitude = total2[96] ? -total2[95:0] : total2[95:0];
    reg  [6:0]  top;
    integer     place;
    always @* begin
        top = 7'd0;
        for (place = 0; place < 96; place = place + 1)
            if (magnitude[place]) top = place[6:0];
    end
    wire [95:0] normal   = magnitude << (7'd95 - top);
    wire        sticky   = BUG == 1 ? |normal[69:0] : |normal[70:0];
    wire        round_up = normal[71] && (sticky || normal[72] || BUG == 3) && BUG != 14;
    wire [7:0]  exponent = {1'b0, top} + 8'd79; // bit 48 is 2^0
    wire [30:0] rounded  = {exponent, normal[94:72]} + {30'd0, round_up};

    assign d = nan2 ? 32'h7FC00000 : alone2 ? c2 : magnitude == 0 ? 32'd0 : {total2[96], rounded};
endmodule
