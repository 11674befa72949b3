# SPDX-License-Identifier: Apache-2.0
"""What bash offers, asked as readline asks: the words cut at = and :, the cursor behind the last."""

import pathlib
import re
import shutil
import tempfile
import unittest

from common import BUILD, SMALL, all_commands, options, run, subcommands

PROGRAM = BUILD / "bin/mxcert"


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mxcert-completion-")
        cls.root = pathlib.Path(cls.folder.name)
        cls.script = cls.root / "script"
        cls.script.write_text(run(PROGRAM, "completion", "bash")[1])
        cls.work = cls.root / "work"
        (cls.work / "my record").mkdir(parents=True)
        for name in ("kernel.so", "kernel.so.1", "notes.txt"):
            (cls.work / name).write_text("")
        program = cls.work / "program"
        program.write_text("")
        program.chmod(0o755)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def offers(self, *words):
        cut = [part for word in ("mxcert", *words) for part in (re.findall(r"[=:]+|[^=:]+", word) or [""])]
        ask = (f"source '{self.script}' && COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) && _mxcert && "
               "for reply in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$reply\"; done")
        code, output, errors = run("bash", "--norc", "-c", ask, "bash", *cut, check=False, cwd=self.work)
        self.assertEqual((code, errors), (0, ""))
        return output.splitlines()

    def names(self, command):
        """First words of the lines of a command that begins them in the first column."""
        return [line.split()[0] for line in run(PROGRAM, command)[1].splitlines() if line and not line[0].isspace()]

    def test_registered(self):
        code, output, _ = run("bash", "--norc", "-c", f"source '{self.script}' && complete -p mxcert")
        self.assertEqual((code, output.strip()), (0, "complete -F _mxcert mxcert"))

    def test_installed_script_is_this(self):
        self.assertEqual((BUILD / "share/mxcert.bash").read_text(), self.script.read_text())

    def test_commands(self):
        expected = [name for name, in subcommands(PROGRAM)]
        self.assertIn("certify", expected)
        self.assertEqual(sorted(self.offers("")), sorted(expected))
        self.assertEqual(sorted(self.offers("c")), sorted(name for name in expected if name.startswith("c")))
        self.assertEqual(sorted(self.offers("vectors", "")), sorted(name for _, name in subcommands(PROGRAM, "vectors")))

    def test_every_option_of_every_command(self):
        for command in [(), *all_commands(PROGRAM)]:
            with self.subTest(command):
                expected = options(PROGRAM, *command)
                self.assertIn("--help", expected)
                self.assertEqual(sorted(self.offers(*command, "--")), sorted(expected))

    def test_backends(self):
        for place in (["certify"], ["certify", "--quiet"], ["certify", "--jobs", "3"], ["diff"], ["diff", "portable"],
                      ["backends", "portable", "cuda_fp8"], ["record", "-o", "x"]):
            with self.subTest(place):
                offered = self.offers(*place, "")
                for name in ("portable", "cuda_fp8", "kernel.so", "kernel.so.1", "program", "my record"):
                    self.assertIn(name, offered)
                self.assertNotIn("notes.txt", offered)
        self.assertEqual(self.offers("certify", "port"), ["portable"])
        self.assertEqual(self.offers("certify", "portable", ""), [])  # there is no second one
        self.assertEqual(self.offers("certify", str(self.work / "kernel.so.")), [str(self.work / "kernel.so.1")])

    def test_values(self):
        self.assertEqual(self.offers("certify", "--color", "a"), ["auto", "always"])
        self.assertEqual(self.offers("certify", "x", "--profile", "ocp-s"), ["ocp-sat", "ocp-sat-finite"])
        self.assertIn("fp32-e4m3-nearest_even-sat", self.offers("certify", "--filter", "fp32-e4m3-"))
        self.assertEqual(self.offers("vectors", "export", "--conversion", "fp32-e4m3-nearest_even-s"),
                         ["fp32-e4m3-nearest_even-sat", "fp32-e4m3-nearest_even-sat_finite"])
        self.assertIn("bf16", self.offers("explain", "1", "--from", ""))
        self.assertIn("OFP8-ROUND", self.offers("clauses", "OFP8-"))
        self.assertEqual(self.offers("certify", "--jobs", ""), [])
        self.assertEqual(self.offers("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.offers("help", "cert"), ["certify"])
        self.assertEqual(self.offers("certify", "--report", ""), ["my record"])
        self.assertIn("notes.txt", self.offers("certify", "--json", ""))

    def test_values_are_taken(self):
        formats = [line.split()[0] for line in run(PROGRAM, "formats")[1].splitlines()[1:]]
        self.assertEqual(sorted(self.offers("formats", "")), sorted(formats))
        for name in self.offers("profiles", ""):
            self.assertEqual(run(PROGRAM, "profiles", name)[0], 0)
        offered = self.offers("vectors", "export", "--format", "")
        self.assertEqual(len(offered), 11)
        for name in offered:
            conversion = "e5m2-bf16-nearest_even-nosat" if name == "riscv-asm" else SMALL
            run(PROGRAM, "vectors", "export", "--format", name, "--conversion", conversion, "-o", self.root / f"exported-{name}")
        for name in self.offers("formats", ""):
            if "_by_" in name or "_times_" in name:
                continue  # 1 is none of their inputs: they carry a scale
            self.assertEqual(run(PROGRAM, "explain", "1", "--from", name, "--to", "e4m3", check=False)[0], 0, name)

    def test_words_that_readline_cuts(self):
        self.assertEqual(self.offers("certify", "--color=al"), ["always"])
        self.assertEqual(self.offers("certify", "--color="), ["auto", "always", "never"])
        self.assertIn("portable", self.offers("certify", "--color=always", ""))
        self.assertEqual(self.offers("explain", "1", "--choice", "overflow=nos"), ["nosat"])
        self.assertEqual(self.offers("explain", "1", "--choice=overflow=nos"), ["nosat"])
        self.assertIn("portable", self.offers("certify", "--reproduce", "fp32-e4m3-nearest_even-sat:3F880001", ""))

    def test_other_shells(self):
        code, _, errors = run(PROGRAM, "completion", "csh", check=False)
        self.assertEqual(code, 2)
        self.assertIn("bash", errors)

    def test_shellcheck(self):
        if shutil.which("shellcheck") is None:
            self.skipTest("no shellcheck here")
        run("shellcheck", "--shell=bash", self.script)


if __name__ == "__main__":
    unittest.main()
