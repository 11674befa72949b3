# SPDX-License-Identifier: Apache-2.0
"""The page of ./dev bench --write, from what the benchmark programs print."""

import pathlib
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev.d" / "bench"))
import performance_page
import ratios
import runs

MODELS = """\
name                                                  ns/value    ratio  required
not measured for AVX2: cuda_fp8.h was not found
read 4 bytes, write 1, 256 MiB, AVX-512                 0.5000
convert FP32 to E4M3, 256 MiB, AVX-512                  0.6250     0.80      0.80  MET
convert FP32 to E4M3, 64 Ki in cache, bell              0.2000
quantize to MXFP8 rowwise, against that                 0.2500     0.80      0.65  MET
quantize columnwise, against rowwise                    0.6250     0.40      0.50  NOT MET
fp32-e4m3-nearest_even-sat/baseline/min_time:0.050
"""
OBSERVED = """\
2 cores, bare loops over 2^32 inputs, observe() over 2^32
cuda_fp8: bare 2.000 ns/value (processor 2.000), observe 1.200 (2.500), ratio 1.100, required <= 1.15: MET
top_byte: bare 0.300 ns/value (processor 0.300), observe 0.350 (0.400), added 0.050, required <= 0.1: MET
portable, fp32-e4m3-nearest_even-sat: bare 1.000 ns/value (processor 0.900)
portable, fp32_by_e8m0-e4m3-nearest_even-sat: bare 0.300 ns/value (processor 0.250)
portable: observed in 4.00 s, identified in 5.00 s, ratio 1.250, required <= 1.2: NOT MET
opencl: 2^32 inputs observed in 5.00 s, 1.25 of portable's, required <= 1.5: MET
cuda: not measured: it was not built
mxfp4, low_first: 256 MiB read and written in 0.090 s, quantized in 0.100 s, ratio 0.900, required >= 0.8: MET
"""
PYTHON = """\
ratio                                                                                  required
mxcert.convert of 256 MiB, against mxcert_convert from C                     0.995      >= 0.95  MET
import mxcert, milliseconds                                                    7.3        < 100  MET
2^32 inputs through a function of Python, against its calls (8.6 s)           1.25      <= 1.15  NOT MET
the same, against a loop that makes the batches and calls it (8.9 s)          1.00      <= 1.10  MET
"""
REASONS = [{"row": "quantize columnwise", "because": "a second pass"}]


def measured(**changes):
    observed, bare = ratios.of_runs(OBSERVED)
    done = {name: runs.dataclasses.replace(run, clock=2.0, processor=4.0, peak=90.0) for name, run in runs.RUNS.items()}
    return {"machine": "a machine", "cores": 2, "ratios": ratios.of_models(MODELS) + observed + ratios.of_python(PYTHON),
            "bare": bare, "runs": done, "peaks": {"reference_bench": 1400.0}, "floor": 15.0, **changes}


class Printed(unittest.TestCase):
    def test_a_ratio_is_against_the_line_before(self):
        rows = ratios.of_models(MODELS)
        self.assertEqual([(row.what, row.limit, row.reached) for row in rows], [
            ("convert FP32 to E4M3, 256 MiB, AVX-512", "read 4 bytes, write 1, 256 MiB, AVX-512: 0.5000 ns", 0.8),
            ("quantize to MXFP8 rowwise", "convert FP32 to E4M3, 64 Ki in cache, bell: 0.2000 ns", 0.8),
            ("quantize columnwise", "quantize to MXFP8 rowwise: 0.2500 ns", 0.4)])

    def test_runs(self):
        rows, bare = ratios.of_runs(OBSERVED)
        self.assertEqual([round(row.reached, 6) for row in rows], [0.8, 0.75, 0.8, 0.9])
        self.assertEqual(bare, {("cuda_fp8", runs.FP32): 2.0, ("top_byte", runs.FP32): 0.3, ("portable", runs.FP32): 0.9,
                                ("portable", runs.SCALED): 0.25})

    def test_of_a_cost_the_inverse_is_reached(self):
        rows = ratios.of_python(PYTHON)
        self.assertEqual([row.reached for row in rows], [0.995, 0.8, 1.0])
        self.assertEqual(rows[2].what, rows[1].what)

    def test_a_program_that_prints_nothing_known_is_an_error(self):
        for read in (ratios.of_models, ratios.of_runs, ratios.of_python):
            with self.assertRaises(ratios.Missing):
                read("convert: fast\n")


class Reasons(unittest.TestCase):
    def test_what_is_far_from_its_limit_needs_one(self):
        self.assertEqual(performance_page.in_the_way([("convert", 0.8), ("quantize columnwise", 0.4)], REASONS),
                         "* quantize columnwise (0.40): a second pass.\n")
        self.assertIn("Every row", performance_page.in_the_way([("convert", 0.8), ("no limit", 0)], REASONS))
        with self.assertRaisesRegex(performance_page.Unexplained, r"convert \(0.79\); other \(0.10\)"):
            performance_page.in_the_way([("convert", 0.79), ("quantize columnwise", 0.4), ("other", 0.1)], REASONS)

    def test_every_stored_one_is_of_a_row(self):
        """Of those that this test knows: of programs and of what is printed above."""
        stored = tomllib.loads(performance_page.REASONS.read_text(encoding="utf-8"))["reason"]
        self.assertGreater(len(stored), 10)
        for run in runs.RUNS.values():
            if run.target or run.bare:
                self.assertTrue(performance_page.reason_for(run.command, stored), run.command)
        for row in measured()["ratios"]:
            if "mxcert.convert" not in row.what:
                self.assertTrue(performance_page.reason_for(row.what, stored), row.what)


class Page(unittest.TestCase):
    def test_tables(self):
        text = performance_page.text(measured())
        self.assertIn("| `mxcert --version` |  | 2.00 | 4.00 | 90 | 0.0200 s, the goal | 0.01 |\n", text)
        self.assertIn(f"| `mxcert certify portable --filter {runs.FP32}` | 2^32 | 2.00 | 4.00 | 90 | 3.87 s, a bare loop, processor "
                      "| 0.97 |\n", text)
        self.assertIn("547,004,350,464", text)
        self.assertIn("takes 275 s of processor, 137 s on 2 cores.", text)
        self.assertIn("| 2^32 | `mxcert certify portable --filter", text)
        self.assertIn("| a job a core | 2.00 | 4.00 | 1.00 |\n", text)

    def test_without_what_takes_long(self):
        some = {name: run for name, run in measured()["runs"].items() if not run.long}
        self.assertNotIn("2^40", performance_page.text(measured(runs=some)))

    def test_only_the_generated_part_changes(self):
        text = performance_page.PAGE.read_text(encoding="utf-8")
        new = performance_page.written(text, "new")
        self.assertEqual(performance_page.written(new, "new"), new)
        self.assertEqual(new.partition(performance_page.BEGIN)[0], text.partition(performance_page.BEGIN)[0])
        self.assertEqual(new.partition(performance_page.END)[2], text.partition(performance_page.END)[2])
        with self.assertRaises(ValueError):
            performance_page.written("no place", "new")

    def test_small_peaks_are_those_of_the_script(self):
        self.assertEqual(performance_page.mebibytes(runs.Run("", peak=15.2), 15.0), "< 16")
        self.assertEqual(performance_page.mebibytes(runs.Run("", peak=1500.0), 15.0), "1,500")


class Runs(unittest.TestCase):
    def test_a_command_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            code, clock, processor, peak = runs.measure([sys.executable, "-c", "b = b'x' * (200 << 20); print(len(b)); exit(3)"], folder, log)
            self.assertEqual((code, log.read_text()), (3, f"{200 << 20}\n"))
            self.assertGreater(clock, 0)
            self.assertGreater(processor, 0)
            self.assertGreater(peak, 200)

    def test_values_are_a_file_of_numpy(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.npy"
            runs.write_values(path, 512, 512)
            data = path.read_bytes()
        self.assertEqual(len(data), 128 + 4 * 512 * 512)
        self.assertEqual(data[127:128], b"\n")
        exponents = {int.from_bytes(data[at:at + 4], "little") >> 23 & 255 for at in range(128, len(data), 4)}
        self.assertEqual(exponents, set(range(120, 128)))


if __name__ == "__main__":
    unittest.main()
