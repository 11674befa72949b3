// SPDX-License-Identifier: Apache-2.0
// The E8M0 scale of a block from its amax, FP32 without its sign. EMAX and MOST are the exponent of the elements' largest
// value and its fraction, as FP32 writes it. ROUND_UP = 0: the power of two of the amax, divided by 2^EMAX. ROUND_UP = 1: the
// smallest scale under which the product of the amax and the reciprocal of the largest element, rounded to FP32, is at most 1. At
// the lowest scale that product is subnormal, and its last bit is rounded away.
//
// BUG plants a mistake:
//    1 emax                 the divisor is one power of two too small
//    2 compare_equal        an amax that just fits is given the next scale (ROUND_UP = 1)
//    3 clamp                below the lowest scale the subtraction wraps around
//    4 special_mux          infinity gives NaN and NaN the largest scale
//    5 part_select          the lowest bit of the fraction is not compared (ROUND_UP = 1)
//    6 nan_part_select      a NaN is known by the highest bit of its fraction alone
//    7 exponent_width       the exponent has seven bits
//    8 ceil                 any fraction rounds up
//    9 rule_mux             the multiplexer takes the other rule
//   10 bit_order            two bits of the exponent are exchanged
//   11 bias                 the exponent is taken without its bias of 127 and given one of 128
//   12 stuck_low            the lowest bit of the scale is always 0
module e8m0_scale #(parameter EMAX = 8, parameter MOST = 'h600000, parameter ROUND_UP = 0, parameter BUG = 0) (
    input  wire [30:0] amax,
    output wire [7:0]  scale
);
    wire [7:0]  field    = BUG == 7 ? {1'b0, amax[29:23]} : BUG == 10 ? {amax[30:26], amax[24], amax[25], amax[23]} : amax[30:23];
    wire [22:0] fraction = BUG == 5 ? {amax[22:1], 1'b0} : amax[22:0];
    wire        is_nan   = amax[30:23] == 8'hFF && (BUG == 6 ? amax[22] : amax[22:0] != 0);
    wire        is_inf   = amax[30:23] == 8'hFF && !is_nan;

    wire       above  = BUG == 8 ? fraction != 0 : BUG == 2 ? fraction >= MOST : fraction > (field == EMAX ? MOST + 1 : MOST);
    wire       up     = ((ROUND_UP != 0) ^ (BUG == 9)) && above || BUG == 8 && above;
    wire [8:0] power  = {1'b0, field} + {8'd0, up} + (BUG == 11 ? 9'd1 : 9'd0);
    wire [7:0] lowest = EMAX - (BUG == 1 ? 1 : 0);
    wire [8:0] moved  = power - {1'b0, lowest};
    wire [7:0] value  = power < {1'b0, lowest} && BUG != 3 ? 8'd0 : moved[7:0];

    assign scale = (BUG == 4 ? is_inf : is_nan) ? 8'hFF
                 : (BUG == 4 ? is_nan : is_inf) ? 8'hFE
                 : BUG == 12 ? {value[7:1], 1'b0}
                 : value;
endmodule
