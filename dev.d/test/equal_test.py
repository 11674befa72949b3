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
// BUG: 1 a value is lost where an empty cycle follows, 2 its valid bit is, 3 something is valid after a reset, 4 a register moves while it
// stalls, 5 ready while it stalls, 6 a value is lost where no answer is there or taken, 7 an empty cycle is not taken.
module stage #(parameter BUG = 0) (input wire clk, input wire reset, input wire in_valid, output wire in_ready, input wire [7:0] x,
                                   output reg out_valid, input wire out_ready, output reg [7:0] y);
    wire enable = BUG == 7 ? out_ready && in_valid : out_ready || !out_valid;
    assign in_ready = BUG == 5 || enable;
    reg       valid;
    reg [7:0] x1;
    wire [7:0] same = x1; // another name of a register is no other register
    always @(posedge clk) begin
        if (reset) begin
            valid     <= BUG == 3;
            out_valid <= 1'b0;
        end else if (enable) begin
            valid     <= in_valid;
            out_valid <= BUG == 2 ? valid && in_valid : valid;
        end
        if (enable || BUG == 4) x1 <= x;
        if (enable) y <= BUG == 1 && !in_valid ? 8'd0 : BUG == 6 && !out_ready ? 8'd0 : same + 8'd1;
    end
endmodule
module reference (input wire [7:0] x, output wire [7:0] y);
    assign y = x - 8'hFF;
endmodule
module other (input wire [7:0] z, output wire [7:0] y);
    assign y = z;
endmodule
"""

HANDSHAKE = "--in-valid in_valid --in-ready in_ready --out-valid out_valid --out-ready out_ready --reset reset".split()


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

    def test_handshakes(self):
        answers = "stage gives what reference gives"
        valid, reset, stall = "out_valid follows in_valid", "nothing is valid after a reset", "a stalled cycle changes nothing"
        for bug, wrong in ((0, []), (1, [answers]), (2, [valid]), (3, [reset]), (4, [stall]), (5, [stall]), (6, [stall]),
                           (7, [stall, valid, answers])):
            with self.subTest(bug):
                code, output = self.run_script("--top", "stage", "--reference", "reference", "--latency", "2", *HANDSHAKE,
                                               "--parameter", f"BUG={bug}")
                verdicts = dict(reversed(line.rsplit(": ", 1)[0].split("  ")) for line in output.splitlines())
                self.assertEqual(verdicts, {claim: "FAIL" if claim in wrong else "PROVEN" for claim in (answers, valid, reset, stall)})
                self.assertEqual(code, 1 if bug else 0)

    def test_refused(self):
        code, output = self.run_script("--top", "stage", "--reference", "reference", "--latency", "2", *HANDSHAKE[:-2])
        self.assertEqual(code, 2)
        self.assertIn("are given together", output)
        code, output = self.run_script("--top", "stage", "--reference", "reference", "--latency", "2", *HANDSHAKE[:-1], "restart")
        self.assertEqual(code, 2)
        self.assertIn("stage has no port restart of 1 bit", output)
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
