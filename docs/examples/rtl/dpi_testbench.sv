// SPDX-License-Identifier: Apache-2.0
// Asks the reference, libmxcert, for each answer: its C functions are called through DPI-C, without any C code between. `void*` of
// conformance/library/mxcert.h is an array of the right width here, NULL a chandle.
//
//   $ verilator --binary --top dpi_testbench -GBUG=0 dpi_testbench.sv float_to_mini.sv -LDFLAGS "-L LIB -lmxcert -Wl,-rpath,LIB"
//   $ obj_dir/Vdpi_testbench
`timescale 1ns / 1ps
module dpi_testbench #(parameter BUG = 0);
    localparam COUNT = 4096;

    import "DPI-C" function string mxcert_message();
    import "DPI-C" function int mxcert_convert(
        input string from, input string to, input string options, input int unsigned in[COUNT], input chandle random,
        input int unsigned random_bits, output byte unsigned out[COUNT], input longint unsigned count,
        input int unsigned threads);

    int unsigned  values[COUNT];
    byte unsigned expected[COUNT];
    reg  [31:0]   x;
    wire [7:0]    code;
    int           wrong;

    fp32_to_e4m3 #(.BUG(BUG)) dut (.x(x), .code(code));

    initial begin
        // Every other value has few bits: it is a tie, or exact.
        for (int n = 0; n < COUNT; n++) values[n] = $urandom & (n % 2 == 0 ? 32'hFFF8_0000 : 32'hFFFF_FFFF);
        if (mxcert_convert("fp32", "e4m3", "rounding=nearest_even overflow=sat", values, null, 0, expected, COUNT, 1) != 0)
            $fatal(1, "%s", mxcert_message());
        for (int n = 0; n < COUNT; n++) begin
            x = values[n];
            #1 if (code != expected[n] && !(&code[6:0] && &expected[n][6:0])) begin // a NaN is any NaN
                wrong++;
                if (wrong == 1) $display("0x%h gives 0x%h, not 0x%h", x, code, expected[n]);
            end
        end
        if (wrong == 0) $display("PASS: %0d values", COUNT);
        else $display("FAIL: %0d of %0d values", wrong, COUNT);
        $finish;
    end
endmodule
