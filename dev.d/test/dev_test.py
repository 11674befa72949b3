# SPDX-License-Identifier: Apache-2.0
"""What ./dev says about itself, and that it refuses what it does not know."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def dev(*arguments):
    done = subprocess.run([str(ROOT / "dev"), *arguments], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class Dev(unittest.TestCase):
    def commands(self):
        found = re.findall(r"^  (\S+) +\S.*$", dev()[1], re.MULTILINE)
        self.assertGreater(len(found), 10)
        return found

    def test_list(self):
        self.assertEqual(dev()[0], 0)
        self.assertEqual(dev()[1], dev("--help")[1])

    def test_each_command_has_help(self):
        for command in self.commands():
            if command == "mxcert":
                continue  # its --help is the program's
            with self.subTest(command):
                code, output, errors = dev(command, "--help")
                self.assertEqual((code, errors), (0, ""))
                self.assertIn(f"Usage: ./dev {command}", output)

    def test_unknown_command(self):
        code, output, errors = dev("certfy")
        self.assertEqual((code, output), (2, ""))
        self.assertIn("did you mean certify?", errors)
        code, _, errors = dev("zzzzzzzz")
        self.assertEqual(code, 2)
        self.assertNotIn("did you mean", errors)

    def test_bad_arguments(self):
        for arguments in (["build", "relaese"], ["build", "release", "more"], ["test", "--presets"], ["test", "--preset"],
                          ["fuzz", "--cases", "-1"], ["fuzz", "--cases", "0"],
                          ["fuzz", "--time", "0"], ["fuzz", "--time", "1m"], ["fuzz", "--target"], ["vectors", "--wirte"], ["vectors", "--builds", "gcc-O4"], ["bench", "--write", "x"],
                          ["clean", "all"],
                          ["setup", "now"], ["setup", "--peers", "now"], ["format", "x"]):
            with self.subTest(arguments):
                code, _, errors = dev(*arguments)
                self.assertEqual(code, 2)
                self.assertTrue(errors.startswith("dev: "), errors)


if __name__ == "__main__":
    unittest.main()
