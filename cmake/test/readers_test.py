# SPDX-License-Identifier: Apache-2.0
"""The readers of docs/examples/readers on every golden file: the same rows in each language, and a partition."""

import importlib.util
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from common import CC, SOURCE, run, rust_environment

GOLDEN = SOURCE / "vectors" / "golden"
READERS = SOURCE / "docs" / "examples" / "readers"


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp())
        cls.files = json.loads((GOLDEN / "manifest.json").read_text())["files"]
        spec = importlib.util.spec_from_file_location("golden", READERS / "golden.py")
        cls.python = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cls.python)
        run(CC, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", cls.root / "golden_c", READERS / "golden.c")
        cls.programs = [cls.root / "golden_c"]
        if shutil.which("rustc") is not None:  # rust_test.py says where it is not
            run("rustc", "-O", "-o", cls.root / "golden_rust", READERS / "golden.rs", environment=rust_environment())
            cls.programs.append(cls.root / "golden_rust")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def test_every_golden_file(self):
        for entry in self.files:
            choices = [f"{choice['name']}={choice['default']}" for choice in entry["choices"]]
            rows = self.python.select(GOLDEN / entry["file"], entry["bits"], choices)
            expected = "".join(f"{first:X},{last:X},{permit}\n" for first, last, permit in rows)
            for program in self.programs:
                self.assertEqual(run(program, GOLDEN / entry["file"], entry["bits"], *choices)[1], expected, entry["file"])
        self.assertEqual(len(self.files), 180)

    def test_a_selection_that_is_no_partition(self):
        entry = next(entry for entry in self.files if entry["file"] == "fp32-e4m3.csv")
        choices = [f"{choice['name']}={choice['default']}" for choice in entry["choices"]]
        short = self.root / "short.csv"
        lines = (GOLDEN / entry["file"]).read_text().splitlines()
        short.write_text("\n".join(line for line in lines if ",43E80001," not in line or "nearest_even" not in line) + "\n")
        for path, bits, chosen in ((GOLDEN / entry["file"], 32, choices[1:]),   # a choice is forgotten
                                   (GOLDEN / entry["file"], 33, choices),       # inputs are missing
                                   (short, 32, choices)):                       # a row is missing
            with self.assertRaises(AssertionError):
                self.python.select(path, bits, chosen)
            for program in self.programs:
                code, _, errors = run(program, path, bits, *chosen, check=False)
                self.assertNotEqual(code, 0)
                self.assertIn("no partition", errors)


if __name__ == "__main__":
    unittest.main()
