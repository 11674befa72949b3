// SPDX-License-Identifier: Apache-2.0
// FP32 to a small float format, to nearest even: three steps, between which a pipeline has its registers.
//
// EXP and FRAC are the bits of the format's exponent and fraction. LARGEST is the code of its largest value, OVERFLOW the
// code that a larger value and an infinity give, NAN that of a NaN, all without the sign.
//
// BUG plants a mistake:
//    1 sticky_part_select   the sticky bit misses the highest of its bits
//    2 sticky_of_shift      the sticky bit misses what a subnormal's shift pushed out
//    3 tie_away             a tie is rounded up whether the code below it is odd or even
//    4 special_mux          the multiplexer takes NaN for infinity and infinity for NaN
//    5 subnormal_distance   subnormals are shifted by one too few
//    6 overflow_too_early   overflow is tested before rounding
//    7 sum_width            the sum of exponent, fraction and rounding has too few bits
//    8 sign_of_zero         a negative value that is rounded to zero loses its sign
//    9 guard_part_select    the guard bit is taken one place too low
//   10 subnormals_flushed   results below the smallest normal one are zero
//   11 carry_cut            a carry out of the fraction does not reach the exponent
//   12 nan_part_select      a NaN is known by the highest bit of its fraction alone

// The significand, moved to where the format's last place is, with what the rest of the way needs.
module mini_align #(parameter EXP = 4, parameter FRAC = 3, parameter BUG = 0) (
    input  wire [31:0] x,
    output wire        sign,
    output wire        is_nan,
    output wire        is_inf,
    output wire [7:0]  binade,   // above that of the smallest normal value; 0 for subnormals too
    output wire [23:0] aligned,  // the highest FRAC + 1 bits are kept, the next one is the guard bit
    output wire        lost      // a bit fell off at the low end
);
    localparam [7:0] FIRST = 127 - (1 << (EXP - 1)) + 2; // FP32's exponent of the smallest normal value
    localparam [7:0] FAR   = FRAC + 2;                   // as far below it all is less than half a unit

    wire [7:0]  exponent = x[30:23];
    wire        tiny     = exponent < FIRST;
    wire [7:0]  below    = FIRST - exponent - (BUG == 5 ? 8'd1 : 8'd0);
    wire [7:0]  shift    = !tiny ? 8'd0 : below > FAR ? FAR : below;
    wire [23:0] whole    = {1'b1, x[22:0]};

    assign sign    = x[31];
    assign is_nan  = exponent == 8'hFF && (BUG == 12 ? x[22] : x[22:0] != 0);
    assign is_inf  = exponent == 8'hFF && !is_nan;
    assign binade  = tiny ? 8'd0 : exponent - FIRST;
    assign aligned = (BUG == 10 && tiny) ? 24'd0 : whole >> shift;
    assign lost    = BUG != 2 && BUG != 10 && (whole & ~(24'hFFFFFF << shift)) != 0;
endmodule

// The code without its sign, before overflow is looked at: a carry out of the fraction gives the next binade by itself.
module mini_round #(parameter FRAC = 3, parameter LARGEST = 126, parameter BUG = 0) (
    input  wire [7:0]  binade,
    input  wire [23:0] aligned,
    input  wire        lost,
    output wire [11:0] magnitude,
    output wire        overflow
);
    wire [FRAC:0] kept     = aligned[23:23-FRAC];
    wire          guard    = BUG == 9 ? aligned[21-FRAC] : aligned[22-FRAC];
    wire          sticky   = (BUG == 1 ? |aligned[20-FRAC:0] : |aligned[21-FRAC:0]) || lost;
    wire          round_up = guard && (sticky || kept[0] || BUG == 3);

    wire [11:0]   cut      = ({4'd0, binade} << FRAC) + {{(11-FRAC){1'b0}}, kept};
    wire [11:0]   sum      = cut + {11'd0, round_up};
    wire [FRAC-1:0] fraction = kept[FRAC-1:0] + {{(FRAC-1){1'b0}}, round_up};

    assign magnitude = BUG == 7  ? {4'd0, sum[7:0]}
                     : BUG == 11 ? {cut[11:FRAC], fraction}
                     : sum;
    assign overflow  = (BUG == 6 ? cut : magnitude) > LARGEST;
endmodule

// The code.
module mini_pack #(parameter WIDTH = 8, parameter OVERFLOW = 126, parameter NAN = 127, parameter BUG = 0) (
    input  wire             sign,
    input  wire             is_nan,
    input  wire             is_inf,
    input  wire [11:0]      magnitude,
    input  wire             overflow,
    output wire [WIDTH-1:0] code
);
    wire             nan     = BUG == 4 ? is_inf : is_nan;
    wire             inf     = BUG == 4 ? is_nan : is_inf;
    wire [WIDTH-2:0] value   = nan ? NAN : (inf || overflow) ? OVERFLOW : magnitude[WIDTH-2:0];
    wire             signed_ = sign && !(BUG == 8 && value == 0);
    assign code = {signed_, value};
endmodule

// All three, combinational.
module fp32_to_mini #(
    parameter EXP = 4, parameter FRAC = 3, parameter LARGEST = 126, parameter OVERFLOW = 126, parameter NAN = 127,
    parameter BUG = 0
) (
    input  wire [31:0]         x,
    output wire [EXP+FRAC:0]   code
);
    wire        sign, is_nan, is_inf, lost, overflow;
    wire [7:0]  binade;
    wire [23:0] aligned;
    wire [11:0] magnitude;

    mini_align #(.EXP(EXP), .FRAC(FRAC), .BUG(BUG)) align (.*);
    mini_round #(.FRAC(FRAC), .LARGEST(LARGEST), .BUG(BUG)) round (.*);
    mini_pack #(.WIDTH(1 + EXP + FRAC), .OVERFLOW(OVERFLOW), .NAN(NAN), .BUG(BUG)) pack (.*);
endmodule

// FP32 to OFP8 E4M3; with SAT = 0 what is too large gives NaN.
module fp32_to_e4m3 #(parameter SAT = 1, parameter BUG = 0) (input wire [31:0] x, output wire [7:0] code);
    fp32_to_mini #(.EXP(4), .FRAC(3), .LARGEST('h7E), .OVERFLOW(SAT ? 'h7E : 'h7F), .NAN('h7F), .BUG(BUG)) convert (.*);
endmodule

// FP32 to OFP8 E5M2; with SAT = 0 what is too large gives infinity.
module fp32_to_e5m2 #(parameter SAT = 1, parameter BUG = 0) (input wire [31:0] x, output wire [7:0] code);
    fp32_to_mini #(.EXP(5), .FRAC(2), .LARGEST('h7B), .OVERFLOW(SAT ? 'h7B : 'h7C), .NAN('h7F), .BUG(BUG)) convert (.*);
endmodule

// FP32 to E2M1, which has neither NaN nor infinity: a NaN gives the largest value.
module fp32_to_e2m1 #(parameter BUG = 0) (input wire [31:0] x, output wire [3:0] code);
    fp32_to_mini #(.EXP(2), .FRAC(1), .LARGEST(7), .OVERFLOW(7), .NAN(7), .BUG(BUG)) convert (.*);
endmodule
