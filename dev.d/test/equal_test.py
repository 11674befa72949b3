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
        with tempfile.TemporaryDirectory() as name:
            design = pathlib.Path(name) / "design.sv"
            design.write_text(DESIGN, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", str(SCRIPT), str(design), "--top", "pipe", "--reference", reference, "--clock", "clk",
                                   "--latency", "2", "--hold", "reset=0", *arguments], capture_output=True, text=True, check=False)
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

    def test_refused(self):
        self.assertEqual(self.prove("--latency", "-1")[0], 2)
        code, output = self.prove("--hold", "enable=1", reference="other")
        self.assertEqual(code, 2)
        self.assertIn("the reference has a port z of 8 bits, and pipe has none", output)
        code, output = self.prove("--hold", "enable=1", reference="nothing")
        self.assertEqual(code, 2)
        self.assertIn("nothing", output)


if __name__ == "__main__":
    unittest.main()
