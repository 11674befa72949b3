# SPDX-License-Identifier: Apache-2.0
"""./dev vectors --builds sees a golden file that a build writes otherwise, or not at all; options that change results are refused."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "vectors" / "golden"


def compared(folder):
    """Exit code, files that are equal, files compared, and what was said."""
    script = (f"root={ROOT}; source $root/dev.d/common.sh; source $root/dev.d/vectors.sh; "
              f"compare_golden {folder} && code=0 || code=$?; echo $code $same $compared")
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, check=True)
    return (*map(int, done.stdout.split()), done.stderr)


class CompareGolden(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for file in GOLDEN.glob("*.csv"):
            shutil.copy(file, self.folder)
        self.count = len(list(GOLDEN.glob("*.csv")))
        self.assertGreater(self.count, 100)
        self.first = sorted(self.folder.iterdir())[0]

    def test_equal_files(self):
        self.assertEqual(compared(self.folder), (0, self.count, self.count, ""))

    def test_one_altered_byte(self):
        text = bytearray(self.first.read_bytes())
        text[len(text) // 2] ^= 1
        self.first.write_bytes(text)
        code, same, count, said = compared(self.folder)
        self.assertEqual((code, same, count), (1, self.count - 1, self.count))
        self.assertIn(self.first.name, said)

    def test_a_missing_file(self):
        self.first.unlink()
        code, same, count, said = compared(self.folder)
        self.assertEqual((code, same, count), (1, self.count - 1, self.count))
        self.assertIn(self.first.name, said)

    def test_one_file_more(self):
        (self.folder / "more.csv").write_text("x\n")
        code, same, count, said = compared(self.folder)
        self.assertEqual((code, same, count), (1, self.count, self.count + 1))
        self.assertIn("more.csv", said)


class Options(unittest.TestCase):
    def configured(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(["cmake", "-S", str(ROOT), "-B", folder, "-DMXCERT_GENERATOR_ONLY=ON", *options], capture_output=True,
                                  text=True, check=False)

    def test_arithmetic_other_than_ieee_is_refused(self):
        for option in ("-DCMAKE_CXX_FLAGS=-O2 -ffast-math", "-DCMAKE_CXX_FLAGS_RELEASE=-Ofast"):
            with self.subTest(option):
                done = self.configured(option)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("mxcert cannot be built with " + option.split("=")[1].split()[-1], done.stderr)

    def test_other_options_are_not(self):
        done = self.configured("-DCMAKE_CXX_FLAGS=-O0 -ffp-contract=fast")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
