// SPDX-License-Identifier: Apache-2.0
// FP32 to OFP8 E4M3, saturating, LANES values a cycle, with three registers: the answer comes three cycles after its input.
// A step is taken while `enable` is high; reset empties the pipeline.
//
// BUG plants a mistake: 1 to 12 those of float_to_mini.sv, and
//   13 lane_swapped        the first two lanes are exchanged
//   14 stale_sign          the sign is that of the value behind it
//   15 stale_nan           the mark of a NaN stays from the value before
//   16 valid_too_early     an answer is called valid one cycle too soon
//   17 reset_value         after a reset the last stage holds an answer
//   18 stage_not_stalled   the first register takes a value while the pipeline stands
//   19 lane_overflow       the last lane has the overflow of the first
//   20 ready_while_full    it takes a value although it stands
module fp32_to_e4m3_pipe #(parameter LANES = 4, parameter BUG = 0) (
    input  wire                clk,
    input  wire                reset,
    input  wire                in_valid,
    output wire                in_ready,
    input  wire [LANES*32-1:0] x,
    output reg                 out_valid,
    input  wire                out_ready,
    output wire [LANES*8-1:0]  code
);
    wire enable = out_ready || !out_valid;
    assign in_ready = enable || BUG == 20;

    reg valid1, valid2;
    always @(posedge clk) begin
        if (reset) begin
            valid1    <= 1'b0;
            valid2    <= 1'b0;
            out_valid <= BUG == 17;
        end else if (enable) begin
            valid1    <= in_valid;
            valid2    <= valid1;
            out_valid <= BUG == 16 ? valid1 : valid2;
        end
    end

    wire overflows [LANES];
    for (genvar lane = 0; lane < LANES; lane = lane + 1) begin : lanes
        localparam SOURCE = BUG == 13 && lane < 2 && LANES > 1 ? 1 - lane : lane;

        reg  [31:0] x1;
        wire        sign, is_nan, is_inf, lost, overflow;
        wire [7:0]  binade;
        wire [23:0] aligned;
        mini_align #(.EXP(4), .FRAC(3), .BUG(BUG)) align (
            .x(x1), .sign(sign), .is_nan(is_nan), .is_inf(is_inf), .binade(binade), .aligned(aligned), .lost(lost));

        reg        sign2, is_nan2, is_inf2, lost2;
        reg [7:0]  binade2;
        reg [23:0] aligned2;
        wire [11:0] magnitude;
        mini_round #(.FRAC(3), .LARGEST('h7E), .BUG(BUG)) round (
            .binade(binade2), .aligned(aligned2), .lost(lost2), .magnitude(magnitude), .overflow(overflow));
        assign overflows[lane] = overflow;

        reg        sign3, is_nan3, is_inf3, overflow3;
        reg [11:0] magnitude3;
        mini_pack #(.WIDTH(8), .OVERFLOW('h7E), .NAN('h7F), .BUG(BUG)) pack (
            .sign(sign3), .is_nan(is_nan3), .is_inf(is_inf3), .magnitude(magnitude3), .overflow(overflow3),
            .code(code[lane*8 +: 8]));

        always @(posedge clk) begin
            if (enable || BUG == 18) x1 <= x[SOURCE*32 +: 32];
            if (enable) begin
                {sign2, is_nan2, is_inf2} <= {sign, is_nan, is_inf};
                {binade2, aligned2, lost2} <= {binade, aligned, lost};
                sign3      <= BUG == 14 ? sign : sign2;
                is_nan3    <= is_nan2 || (BUG == 15 && is_nan3 && valid2);
                is_inf3    <= is_inf2;
                magnitude3 <= magnitude;
                overflow3  <= BUG == 19 && lane == LANES - 1 ? overflows[0] : overflow;
            end
        end
    end
endmodule
