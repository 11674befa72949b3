// SPDX-License-Identifier: Apache-2.0
// FP32 or FP64 to a small float format, to nearest even: three steps, between which a pipeline has its registers.
//
// FROM_EXP and FROM_FRAC are the bits of the source's exponent and fraction, EXP and FRAC those of the format. LARGEST is the code of its largest value, OVERFLOW the
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
module mini_align #(
    parameter FROM_EXP = 8, parameter FROM_FRAC = 23, parameter EXP = 4, parameter FRAC = 3, parameter BUG = 0
) (
    input  wire [FROM_EXP+FROM_FRAC:0] x,
    output wire                        sign,
    output wire                        is_nan,
    output wire                        is_inf,
    output wire [FROM_EXP-1:0]         binade,   // above that of the smallest normal value; 0 for subnormals too
    output wire [FROM_FRAC:0]          aligned,  // the highest FRAC + 1 bits are kept, the next one is the guard bit
    output wire                        lost      // a bit fell off at the low end
);
    // The source's exponent of the smallest normal value; as far below it as FAR all is less than half a unit.
    localparam [FROM_EXP-1:0] FIRST = (1 << (FROM_EXP - 1)) - (1 << (EXP - 1)) + 1;
    localparam [FROM_EXP-1:0] FAR   = FRAC + 2;

    wire [FROM_EXP-1:0]  exponent = x[FROM_EXP+FROM_FRAC-1:FROM_FRAC];
    wire [FROM_FRAC-1:0] fraction = x[FROM_FRAC-1:0];
    wire                 tiny     = exponent < FIRST;
    wire [FROM_EXP-1:0]  below    = FIRST - exponent - (BUG == 5 ? 1 : 0);
    wire [FROM_EXP-1:0]  shift    = !tiny ? 0 : below > FAR ? FAR : below;
    wire [FROM_FRAC:0]   whole    = {1'b1, fraction};
    wire [FROM_FRAC:0]   ones     = ~0;

    assign sign    = x[FROM_EXP+FROM_FRAC];
    assign is_nan  = &exponent && (BUG == 12 ? fraction[FROM_FRAC-1] : fraction != 0);
    assign is_inf  = &exponent && !is_nan;
    assign binade  = tiny ? 0 : exponent - FIRST;
    assign aligned = (BUG == 10 && tiny) ? 0 : whole >> shift;
    assign lost    = BUG != 2 && BUG != 10 && (whole & ~(ones << shift)) != 0;
endmodule

// The code without its sign, before overflow is looked at: a carry out of the fraction gives the next binade by itself.
module mini_round #(
    parameter FROM_EXP = 8, parameter FROM_FRAC = 23, parameter FRAC = 3, parameter LARGEST = 126, parameter BUG = 0
) (
    input  wire [FROM_EXP-1:0]    binade,
    input  wire [FROM_FRAC:0]     aligned,
    input  wire                   lost,
    output wire [FROM_EXP+FRAC:0] magnitude,
    output wire                   overflow
);
    localparam LAST = FROM_FRAC - FRAC; // the place of the last bit that is kept

    wire [FRAC:0] kept     = aligned[FROM_FRAC:LAST];
    wire          guard    = BUG == 9 ? aligned[LAST-2] : aligned[LAST-1];
    wire          sticky   = (BUG == 1 ? |aligned[LAST-3:0] : |aligned[LAST-2:0]) || lost;
    wire          round_up = guard && (sticky || kept[0] || BUG == 3);

    wire [FROM_EXP+FRAC:0] cut      = ({{(FRAC+1){1'b0}}, binade} << FRAC) + {{FROM_EXP{1'b0}}, kept};
    wire [FROM_EXP+FRAC:0] sum      = cut + {{(FROM_EXP+FRAC){1'b0}}, round_up};
    wire [FRAC:0]          fraction = {1'b0, kept[FRAC-1:0]} + {{FRAC{1'b0}}, round_up};

    assign magnitude = BUG == 7  ? {{(FROM_EXP+FRAC-7){1'b0}}, sum[7:0]}
                     : BUG == 11 ? {cut[FROM_EXP+FRAC:FRAC], fraction[FRAC-1:0]}
                     : sum;
    assign overflow  = (BUG == 6 ? cut : magnitude) > LARGEST;
endmodule

// The code.
module mini_pack #(
    parameter SUM = 12, parameter WIDTH = 8, parameter OVERFLOW = 126, parameter NAN = 127, parameter BUG = 0
) (
    input  wire             sign,
    input  wire             is_nan,
    input  wire             is_inf,
    input  wire [SUM-1:0]   magnitude,
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
module float_to_mini #(
    parameter FROM_EXP = 8, parameter FROM_FRAC = 23, parameter EXP = 4, parameter FRAC = 3,
    parameter LARGEST = 126, parameter OVERFLOW = 126, parameter NAN = 127, parameter BUG = 0
) (
    input  wire [FROM_EXP+FROM_FRAC:0] x,
    output wire [EXP+FRAC:0]           code
);
    wire                   sign, is_nan, is_inf, lost, overflow;
    wire [FROM_EXP-1:0]    binade;
    wire [FROM_FRAC:0]     aligned;
    wire [FROM_EXP+FRAC:0] magnitude;

    mini_align #(.FROM_EXP(FROM_EXP), .FROM_FRAC(FROM_FRAC), .EXP(EXP), .FRAC(FRAC), .BUG(BUG)) align (.*);
    mini_round #(.FROM_EXP(FROM_EXP), .FROM_FRAC(FROM_FRAC), .FRAC(FRAC), .LARGEST(LARGEST), .BUG(BUG)) round (.*);
    mini_pack #(.SUM(FROM_EXP + FRAC + 1), .WIDTH(1 + EXP + FRAC), .OVERFLOW(OVERFLOW), .NAN(NAN), .BUG(BUG)) pack (.*);
endmodule

// FP32 to OFP8 E4M3; with SAT = 0 what is too large gives NaN.
module fp32_to_e4m3 #(parameter SAT = 1, parameter BUG = 0) (input wire [31:0] x, output wire [7:0] code);
    float_to_mini #(.EXP(4), .FRAC(3), .LARGEST('h7E), .OVERFLOW(SAT ? 'h7E : 'h7F), .NAN('h7F), .BUG(BUG)) convert (.*);
endmodule

// FP32 to OFP8 E5M2; with SAT = 0 what is too large gives infinity.
module fp32_to_e5m2 #(parameter SAT = 1, parameter BUG = 0) (input wire [31:0] x, output wire [7:0] code);
    float_to_mini #(.EXP(5), .FRAC(2), .LARGEST('h7B), .OVERFLOW(SAT ? 'h7B : 'h7C), .NAN('h7F), .BUG(BUG)) convert (.*);
endmodule

// FP32 to E2M1, which has neither NaN nor infinity: a NaN gives the largest value.
module fp32_to_e2m1 #(parameter BUG = 0) (input wire [31:0] x, output wire [3:0] code);
    float_to_mini #(.EXP(2), .FRAC(1), .LARGEST(7), .OVERFLOW(7), .NAN(7), .BUG(BUG)) convert (.*);
endmodule

// FP64 to OFP8 E4M3.
module fp64_to_e4m3 #(parameter SAT = 1, parameter BUG = 0) (input wire [63:0] x, output wire [7:0] code);
    float_to_mini #(.FROM_EXP(11), .FROM_FRAC(52), .OVERFLOW(SAT ? 'h7E : 'h7F), .BUG(BUG)) convert (.*);
endmodule
