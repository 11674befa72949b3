# SPDX-License-Identifier: Apache-2.0
"""The testbenches of docs/examples/rtl that ask mxcert: through DPI-C, by cocotb, and by lines of text (docs/rtl.md)."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "examples" / "rtl"
PROGRAM = os.environ["MXCERT_PROGRAM"]
LIBRARY = pathlib.Path(os.environ["MXCERT_LIBRARY"]).resolve()


def needs(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    return unittest.skipIf(missing, f"{' '.join(missing)} not there: apt-get install {' '.join(missing)}")


class Testbenches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_here(self, *command, **environment):
        return subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True, check=False,
                              env=dict(os.environ, **environment))

    def verilated(self, top, *arguments):
        """Output of a testbench that Verilator compiles, quickly rather than fast."""
        # Its own sources are the same in all builds, so a cache of compilers has them.
        cached = {"OBJCACHE": "ccache"} if shutil.which("ccache") else {}
        built = self.run_here("verilator", "--binary", "-Wno-lint", "--top", top, *arguments, "-MAKEFLAGS",
                              "OPT_FAST=-O0 OPT_GLOBAL=-O0", "-LDFLAGS",
                              f"-L{LIBRARY.parent} -lmxcert -Wl,-rpath,{LIBRARY.parent}",
                              CCACHE_BASEDIR=self.folder, CCACHE_NOHASHDIR="1", **cached)
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        ran = self.run_here(f"obj_dir/V{top}")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    @needs("ghdl")
    def test_vhdl_answers_lines(self):
        analysed = self.run_here("ghdl", "-a", "--std=08", EXAMPLES / "bf16_to_e4m3.vhd", EXAMPLES / "lines.vhd")
        self.assertEqual(analysed.returncode, 0, analysed.stderr)

        def certify(bug, *arguments):
            return self.run_here(PROGRAM, "certify", "--pipe", f"ghdl --elab-run --std=08 lines -gBUG={bug}", "--conversion",
                                 "bf16-e4m3-nearest_even-sat", "--profile", "ocp-sat", "--jobs", "1", *arguments)

        right = certify(0, "--level", "smoke")
        self.assertIn("PASS", right.stdout, right.stderr)
        self.assertNotIn("FAIL", right.stdout)
        tie = "bf16-e4m3-nearest_even-sat:0x3A80"
        self.assertIn("gives 0x01, not 0x00", certify(1, "--reproduce", tie).stdout)

    @needs("iverilog")
    @unittest.skipIf(importlib.util.find_spec("cocotb") is None, "cocotb is not there: ./dev setup --peers")
    def test_cocotb_compares_blocks(self):
        for bug, verdict in ((0, "PASS: 1 test, 0 failed\n"), (34, "FAIL: 1 test, 1 failed\n")):
            ran = self.run_here(sys.executable, EXAMPLES / "cocotb_quantizer.py", bug, PYTHONDONTWRITEBYTECODE="1")
            self.assertTrue(ran.stdout.endswith(verdict), ran.stdout + ran.stderr)
            self.assertEqual(ran.returncode, int(bug != 0))

    @needs("verilator")
    def test_dpi_asks_the_library(self):
        self.assertIn("PASS: 4096 values", self.verilated("dpi_testbench", EXAMPLES / "dpi_testbench.sv",
                                                          EXAMPLES / "float_to_mini.sv"))

    @needs("verilator")
    def test_dpi_asks_for_blocks(self):
        sources = [EXAMPLES / name for name in ("dpi_blocks_testbench.sv", "mxfp8_quantizer.sv", "e8m0_scale.sv",
                                                "scaled_to_mini.sv", "float_to_mini.sv")]
        # docs/rtl.md has a design with a bug.
        self.assertIn("PASS: 300 blocks", self.verilated("dpi_blocks_testbench", *sources))


if __name__ == "__main__":
    unittest.main()
