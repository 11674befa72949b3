// SPDX-License-Identifier: Apache-2.0
// FP32 divided by an E8M0 scale, to a small float format: an element of a block.
//
// The quotient has the value's significand and an exponent of ten bits, in which it is always normal: it is a float again, and
// float_to_mini.sv rounds it.
//
// BUG plants a mistake: 1 to 12 those of float_to_mini.sv, and
//   21 not_normalised      an FP32 subnormal keeps its leading zeros
//   22 scale_bias          the bias of the scale is one too small
//   23 scale_nan           a scale that is NaN is taken for 2^128
//   24 exponent_width      the exponent of the quotient has nine bits
//   25 zero_count          of the leading zeros four bits are counted
module scaled_to_mini #(
    parameter EXP = 4, parameter FRAC = 3, parameter LARGEST = 126, parameter OVERFLOW = 126, parameter NAN = 127,
    parameter BUG = 0
) (
    input  wire [31:0]       x,
    input  wire [7:0]        scale,
    output wire [EXP+FRAC:0] code
);
    wire [7:0]  field    = x[30:23];
    wire [22:0] fraction = x[22:0];
    wire        is_zero  = x[30:0] == 0;
    wire        special  = field == 8'hFF || (scale == 8'hFF && BUG != 23);
    wire        is_nan   = special && !(field == 8'hFF && fraction == 0 && (scale != 8'hFF || BUG == 23));

    // Places from the top to the highest one of a subnormal's fraction.
    reg [4:0] zeros;
    integer   place;
    always @* begin
        zeros = 5'd0;
        for (place = 0; place < 23; place = place + 1)
            if (fraction[place]) zeros = 5'd22 - place[4:0];
    end
    wire [4:0]  counted  = BUG == 25 ? {1'b0, zeros[3:0]} : zeros;
    wire        subnormal = field == 0 && BUG != 21;
    wire [22:0] normal    = subnormal ? fraction << counted << 1 : fraction;
    wire [9:0]  power     = subnormal ? 10'd0 - {5'd0, counted} : {2'd0, field};

    // The bias of ten bits is 511: a value of 2^0 under a scale of 2^0 has 127 - 127 + 511.
    wire [9:0]  quotient  = power - {2'd0, scale} + (BUG == 22 ? 10'd510 : 10'd511);
    wire [9:0]  exponent  = special ? 10'h3FF : is_zero ? 10'd0 : BUG == 24 ? {1'b0, quotient[8:0]} : quotient;
    wire [22:0] mantissa  = special ? {is_nan, 22'd0} : is_zero ? 23'd0 : normal;

    float_to_mini #(.FROM_EXP(10), .FROM_FRAC(23), .EXP(EXP), .FRAC(FRAC), .LARGEST(LARGEST), .OVERFLOW(OVERFLOW),
                    .NAN(NAN), .BUG(BUG)) convert (.x({x[31], exponent, mantissa}), .code(code));
endmodule
