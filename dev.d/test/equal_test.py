# SPDX-License-Identifier: Apache-2.0
"""The proof of docs/examples/rtl/equal.py on a small pipeline, right and wrong."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "rtl" / "equal.py"
# Two registers, of which the upper half of one is constant, an enable and a reset.
DESIGN = """
module pipe #(parameter BUG = 0) (input wire clk, input wire reset, input wire enable, input wire [7:0] x, output wire [7:0] y);
    reg [15:0] x1;
    reg [7:0]  x2, before;
    always @(posedge clk) begin
        if (reset) x1 <= 16'd0;
        else if (enable) x1 <= {8'd0, BUG == 1 && x == 8'h80 ? 8'h81 : x};
        before <= x1[7:0];
        x2     <= (BUG == 2 ? before : x1[7:0]) + 8'd1;
    end
    assign y = x2;
endmodule
// Wrong in ways that no input shows where a clock is taken for another, or undefined bits for zeros.
module gated (input wire clk, input wire [7:0] x, output reg [7:0] y);
    wire gate = clk & x[0];
    always @(posedge gate) y <= x + 8'd1;
endmodule
module falling (input wire clk, input wire [7:0] x, output reg [7:0] y);
    always @(negedge clk) y <= x + 8'd1;
endmodule
module undefined (input wire clk, input wire [7:0] x, output reg [7:0] y);
    always @(posedge clk) y <= x == 8'h12 ? 8'hxx : x + 8'd1;
endmodule
module undriven (input wire clk, input wire [7:0] x, output reg [7:0] y);
    wire a, b;
    always @(posedge clk) y <= (x + 8'd1) ^ {7'd0, a ^ b};
endmodule
module latch (input wire clk, input wire [7:0] x, output reg [7:0] y);
    reg [7:0] held;
    always @* if (clk) held = x;
    always @(posedge clk) y <= held + 8'd1;
endmodule
module plain (input wire clk, input wire [7:0] x, output reg [7:0] y);
    function [7:0] next(input [7:0] q); // as the port of a register is named
        next = q + 8'd1;
    endfunction
    always @(posedge clk) y <= next(x);
endmodule
module reference (input wire [7:0] x, output wire [7:0] y);
    assign y = x - 8'hFF;
endmodule
module other (input wire [7:0] z, output wire [7:0] y);
    assign y = z;
endmodule
"""


@unittest.skipUnless(shutil.which("yosys-abc"), "yosys is not here")
class Equal(unittest.TestCase):
    def prove(self, *arguments, reference="reference"):
        return self.run_script("--top", "pipe", "--reference", reference, "--latency", "2", "--hold", "reset=0", *arguments)

    def run_script(self, *arguments):
        with tempfile.TemporaryDirectory() as name:
            design = pathlib.Path(name) / "design.sv"
            design.write_text(DESIGN, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", str(SCRIPT), str(design), "--clock", "clk", *arguments],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_verdicts(self):
        for arguments, code, says in ((["--hold", "enable=1"], 0, "PROVEN  pipe gives what reference gives"),
                                      (["--hold", "enable=1", "--parameter", "BUG=1"], 1, "FAIL"),
                                      (["--hold", "enable=1", "--parameter", "BUG=2"], 1, "FAIL"),
                                      # It keeps what it held before.
                                      (["--hold", "enable=0"], 1, "FAIL")):
            with self.subTest(arguments):
                seen, output = self.prove(*arguments)
                self.assertEqual(seen, code, output)
                self.assertIn(says, output)

    def test_clocks_and_undefined_bits(self):
        for top, code, says in (("plain", 0, "PROVEN"), ("undefined", 1, "FAIL"), ("undriven", 1, "FAIL"),
                                ("gated", 2, "the register y is not clocked by the rising edge of clk"),
                                ("falling", 2, "the register y is not clocked by the rising edge of clk"), ("latch", 2, "yosys: ")):
            with self.subTest(top):
                seen, output = self.run_script("--top", top, "--reference", "reference", "--latency", "1")
                self.assertEqual(seen, code, output)
                self.assertIn(says, output)

    def test_refused(self):
        code, output = self.prove()
        self.assertEqual(code, 2)
        self.assertIn("the reference has no input enable: --hold enable=VALUE", output)
        self.assertEqual(self.prove("--latency", "-1")[0], 2)
        code, output = self.prove("--hold", "enable=1", reference="other")
        self.assertEqual(code, 2)
        self.assertIn("the reference has a port z of 8 bits, and pipe has none", output)
        code, output = self.prove("--hold", "enable=1", reference="nothing")
        self.assertEqual(code, 2)
        self.assertIn("nothing", output)


if __name__ == "__main__":
    unittest.main()
