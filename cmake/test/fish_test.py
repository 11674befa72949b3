# SPDX-License-Identifier: Apache-2.0
"""What fish offers, asked of a real one."""

import pathlib
import shutil
import tempfile
import unittest

import shell_offers
from common import BUILD, clean_environment, run

PROGRAM = BUILD / "bin/mxcert"


@unittest.skipIf(shutil.which("fish") is None, "no fish here: ./dev test installs it")
class Fish(shell_offers.ShellOffers, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mxcert-fish-")
        cls.root = pathlib.Path(cls.folder.name)
        cls.script = cls.root / "script"
        cls.script.write_text(run(PROGRAM, "completion", "fish")[1])
        cls.work = cls.root / "work"
        (cls.work / "my record").mkdir(parents=True)
        for name in ("kernel.so", "notes.txt"):
            (cls.work / name).write_text("")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def offers(self, line):
        code, output, errors = run("fish", "--no-config", "-c", f"source '{self.script}'; complete -C '{line}'", check=False,
                                   cwd=self.work, environment=clean_environment(HOME=str(self.root)))
        self.assertEqual((code, errors), (0, ""))
        return [offer.split("\t")[0] for offer in output.splitlines()]

    def test_values(self):
        self.assertEqual(self.offers("mxcert certify --color=al"), ["--color=always"])
        self.assertEqual(self.offers("mxcert certify --jobs "), [])

    def test_files(self):
        self.assertEqual(self.offers("mxcert certify --report my"), ["my record/"])

    def test_installed_script_is_this(self):
        self.assertEqual((BUILD / "share/mxcert.fish").read_text(), self.script.read_text())


if __name__ == "__main__":
    unittest.main()
