# SPDX-License-Identifier: Apache-2.0
"""remove_guards.py says which guard no test misses, and which one is not where the list says."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "remove_guards.py"

# "Builds" a test program that is a shell script.
CMAKE = """#!/bin/sh
if [ "$1" = --build ]; then
    mkdir -p "$2/bin"
    cp program.sh "$2/bin/conformance_test" && chmod +x "$2/bin/conformance_test" && ! grep -q broken program.sh
fi
"""
PROGRAM = """#!/bin/sh
checked=yes
ignored=yes
[ $checked = yes ]
"""


def guard(code, without, tests="a test"):
    return (f"[[guard]]\ngroups = ['V1']\nwhat = 'it is checked'\nfile = 'program.sh'\ncode = '{code}'\n"
            f"without = '{without}'\nprogram = 'conformance_test'\ntests = '{tests}'\n")


class RemoveGuards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "root"
        self.copy = pathlib.Path(folder.name) / "copy"
        tools = pathlib.Path(folder.name) / "tools"
        tools.mkdir()
        (tools / "cmake").write_text(CMAKE)
        (tools / "cmake").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        (self.root / "conformance/test").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", self.root], check=True)
        (self.root / "program.sh").write_text(PROGRAM)

    def run_script(self, guards, *arguments):
        (self.root / "conformance/test/guards.toml").write_text(guards)
        done = subprocess.run([sys.executable, SCRIPT, self.root, *arguments], cwd=self.root, capture_output=True, text=True,
                              check=False, env=self.environment)
        return done.returncode, done.stdout + done.stderr

    def removed(self, guards, *options):
        # The fake cmake works in the folder it is started in.
        self.copy.mkdir(exist_ok=True)
        (self.root / "conformance/test/guards.toml").write_text(guards)
        done = subprocess.run([sys.executable, SCRIPT, self.root, "--build", self.copy, *options], cwd=self.copy,
                              capture_output=True, text=True, check=False, env=self.environment)
        return done.returncode, done.stdout + done.stderr

    def test_list(self):
        self.assertEqual(self.run_script(guard("checked=yes", "checked=no"), "--check"), (0, "guards: 1, 0 wrong\n"))
        for guards, says in [(guard("checked=maybe", ""), "there 0 times"), (guard("yes", "no"), "there 3 times"),
                             (guard("checked=yes", "checked=yes"), "nothing is removed"),
                             (guard("checked=yes", "", tests=""), "no test"), ("guard = []\n", "no guards")]:
            code, output = self.run_script(guards, "--check")
            self.assertEqual(code, 1, output)
            self.assertIn(says, output)

    def test_missed(self):
        code, output = self.removed(guard("checked=yes", "checked=no"))
        self.assertEqual(code, 0, output)
        self.assertIn("1 removed, 1 missed by a test, 0 not", output)
        self.assertEqual((self.copy / "program.sh").read_text(), PROGRAM)

    def test_not_missed(self):
        code, output = self.removed(guard("checked=yes", "checked=no") + guard("ignored=yes", "ignored=no"))
        self.assertEqual(code, 1, output)
        self.assertIn("NOT MISSED (passed", output)
        self.assertIn("2 removed, 1 missed by a test, 1 not", output)

    def test_a_failure_to_build_is_no_failed_test(self):
        code, output = self.removed(guard("checked=yes", "checked=no broken"))
        self.assertEqual(code, 1, output)
        self.assertIn("does not build", output)

    def test_tests_that_fail_anyway_show_nothing(self):
        (self.root / "program.sh").write_text(PROGRAM.replace("checked=yes", "checked=no # checked=yes"))
        code, output = self.removed(guard("# checked=yes", ""))
        self.assertEqual(code, 1, output)
        self.assertIn("with the guard the tests say: failed", output)

    def test_words(self):
        guards = guard("checked=yes", "checked=no")
        self.assertEqual(self.removed(guards, "--only", "V1")[0], 0)
        code, output = self.removed(guards, "--only", "V2")
        self.assertEqual(code, 1, output)
        self.assertIn("no guard has 'V2'", output)


if __name__ == "__main__":
    unittest.main()
