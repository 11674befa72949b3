// SPDX-License-Identifier: Apache-2.0
// The cast unit of CVFPU between two of its formats, without registers (docs/rtl-of-others.md).
module cvfpu_cast #(
    parameter SOURCE = 0,   // fpnew_pkg::fp_format_e: 0 FP32, 1 FP64, 2 FP16, 3 FP8 (E5M2), 4 BF16
    parameter TARGET = 3,
    parameter ROUNDING = 0, // fpnew_pkg::roundmode_e: 0 RNE, 1 RTZ, 2 RDN, 3 RUP, 4 RMM
    parameter FLAGS = 0,    // the exception flags are the code
    parameter WIDTH = 32,   // of the source
    parameter CODE = 8      // of the code
) (
    input logic [WIDTH-1:0] x,
    output logic [CODE-1:0] code
);
    logic [63:0] result;
    fpnew_pkg::status_t status;
    fpnew_cast_multi #(.FpFmtConfig(5'b11111), .IntFmtConfig(4'b0001), .NumPipeRegs(0)) cast_unit (
        .clk_i(1'b0), .rst_ni(1'b1), .operands_i({{(64 - WIDTH) {1'b1}}, x}), .is_boxed_i('1),
        .rnd_mode_i(fpnew_pkg::roundmode_e'(ROUNDING)), .op_i(fpnew_pkg::F2F), .op_mod_i(1'b0),
        .src_fmt_i(fpnew_pkg::fp_format_e'(SOURCE)), .dst_fmt_i(fpnew_pkg::fp_format_e'(TARGET)),
        .int_fmt_i(fpnew_pkg::INT32), .tag_i(1'b0), .mask_i(1'b1), .aux_i(1'b0), .in_valid_i(1'b1), .in_ready_o(),
        .flush_i(1'b0), .result_o(result), .status_o(status), .extension_bit_o(), .tag_o(), .mask_o(), .aux_o(),
        .out_valid_o(), .out_ready_i(1'b1), .busy_o(), .reg_ena_i('0));
    assign code = FLAGS ? CODE'(status) : result[CODE-1:0];
endmodule
