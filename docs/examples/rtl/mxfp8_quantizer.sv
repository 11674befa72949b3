// SPDX-License-Identifier: Apache-2.0
// 32 values of BF16 or FP32 to a block of MXFP8: an E8M0 scale and 32 elements in E4M3, saturating. Three registers: the answer
// comes three cycles after its block. A step is taken while `enable` is high; reset empties the pipeline. It needs e8m0_scale.sv,
// scaled_to_mini.sv and float_to_mini.sv.
//
// BUG plants a mistake: 1 to 25 those of scaled_to_mini.sv in the elements, and
//   31 lane_left_out       the last lane does not count in the amax
//   32 sign_in_amax        a negative value counts as larger than any positive one
//   33 compare_width       amaxes are compared without the highest bit of the exponent
//   34 lanes_swapped       the elements of lanes 6 and 7 are exchanged
//   35 stale_scale         elements are divided by the scale of the block before
//   36 stale_value         the last lane has the value of the block before
//   37 amax_not_cleared    the amax stays until a larger one comes
//   38 valid_too_early     an answer is called valid one cycle too soon
//   39 reset_value         after a reset the last stage holds an answer
//   40 stage_not_stalled   the first register takes a block while the pipeline stands
//   41 group_mux           the amax has the second eight lanes twice and the third not at all
//   42 scale_off_by_one    elements are divided by half of the scale that is given out
//   and 51 to 62 those of e8m0_scale.sv, plus 50.
module mxfp8_quantizer #(
    parameter BITS = 16,    // of a value: 16 for BF16, 32 for FP32
    parameter ROUND_UP = 0, // the rule of the scale, as in e8m0_scale.sv
    parameter TE = 0,       // as Transformer Engine: a NaN does not count in the amax, and gives 0x7F whatever its sign
    parameter BUG = 0
) (
    input  wire               clk,
    input  wire               reset,
    input  wire               in_valid,
    output wire               in_ready,
    input  wire [32*BITS-1:0] x,
    output reg                out_valid,
    input  wire               out_ready,
    output wire [7:0]         scale,
    output wire [32*8-1:0]    code
);
    wire enable = out_ready || !out_valid;
    assign in_ready = enable;

    reg valid1, valid2;
    always @(posedge clk) begin
        if (reset) begin
            valid1    <= 1'b0;
            valid2    <= 1'b0;
            out_valid <= BUG == 39;
        end else if (enable) begin
            valid1    <= in_valid;
            valid2    <= valid1;
            out_valid <= BUG == 38 ? valid1 : valid2;
        end
    end

    function automatic is_nan(input [BITS-1:0] value);
        is_nan = value[BITS-2 -: 8] == 8'hFF && value[BITS-10:0] != 0;
    endfunction

    // The magnitude of a value, as it counts in the amax. As integers magnitudes ascend with the values, NaN above infinity.
    function automatic [BITS-1:0] counted(input [BITS-1:0] value);
        counted = TE != 0 && is_nan(value) ? 0 : {BUG == 32 && value[BITS-1], value[BITS-2:0]};
    endfunction

    reg [32*BITS-1:0] x1, x2, x3;
    reg [BITS-1:0]    amax, amax2, next;
    integer           lane;
    always @* begin
        amax = BUG == 37 ? {1'b0, amax2[BITS-2:0]} : 0;
        for (lane = 0; lane < (BUG == 31 ? 31 : 32); lane = lane + 1) begin
            next = counted(x1[(BUG == 41 && lane / 8 == 2 ? lane - 8 : lane)*BITS +: BITS]);
            if (BUG == 33 ? next[BITS-3:0] > amax[BITS-3:0] : next > amax) amax = next;
        end
    end

    wire [31:0] amax_fp32 = 32'(amax2) << (32 - BITS); // BF16 is the upper half of FP32
    wire [7:0]  scale2;
    e8m0_scale #(.ROUND_UP(ROUND_UP), .BUG(BUG > 50 ? BUG - 50 : 0)) rule (.amax(amax_fp32[30:0]), .scale(scale2));

    reg [7:0] scale3, scale4;
    always @(posedge clk) begin
        if (enable || BUG == 40) x1 <= x;
        if (enable) begin
            x2     <= x1;
            amax2  <= amax;
            x3     <= x2;
            scale3 <= scale2;
            scale4 <= scale3;
            if (BUG == 36) x3[32*BITS-1 -: BITS] <= x3[BITS-1:0];
        end
    end
    assign scale = scale3;

    wire [7:0] divisor = BUG == 35 ? scale4 : BUG == 42 && scale3 != 0 ? scale3 - 8'd1 : scale3;
    for (genvar n = 0; n < 32; n = n + 1) begin : elements
        localparam SOURCE = BUG == 34 && (n == 6 || n == 7) ? 13 - n : n;
        wire [BITS-1:0] value = x3[SOURCE*BITS +: BITS];
        wire            sign  = value[BITS-1] && !(TE != 0 && is_nan(value));
        wire [31:0]     fp32  = 32'({sign, value[BITS-2:0]}) << (32 - BITS);
        scaled_to_mini #(.BUG(BUG <= 25 ? BUG : 0)) divide (.x(fp32), .scale(divisor), .code(code[n*8 +: 8]));
    end
endmodule
