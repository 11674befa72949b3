# SPDX-License-Identifier: Apache-2.0
"""The manual page says all that --help says, and groff has nothing against it."""

import re
import shutil
import unittest

from common import BUILD, SOURCE, all_commands, clean_environment, options, run

PROGRAM = BUILD / "bin/mxcert"


class Man(unittest.TestCase):
    def page(self):
        return run(PROGRAM, "man")[1]

    def plain(self):
        return self.page().replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\&", "")

    def test_installed_page_is_this(self):
        self.assertEqual((BUILD / "share/mxcert.1").read_text(), self.page())

    def test_says_all_that_help_says(self):
        sections = dict(re.findall(r"^\.SS (mxcert [a-z\- ]*?) \[OPTIONS\](.*?)(?=^\.S[SH] )", self.plain(), re.MULTILINE | re.DOTALL))
        commands = all_commands(PROGRAM)
        self.assertGreater(len(commands), 12)
        self.assertEqual(sorted(sections), sorted(" ".join(("mxcert", *command)) for command in commands))
        for command in commands:
            section = sections[" ".join(("mxcert", *command))]
            for option in options(PROGRAM, *command):
                self.assertRegex(section, rf"{option}\b", command)
            for line in run(PROGRAM, *command, "--help")[1].partition("Examples:")[2].splitlines():
                self.assertIn(line.replace("\\", "\\e"), section)

    def test_says_every_variable(self):
        used = set()
        for part in "vectors", "conformance":
            for file in (SOURCE / part).rglob("*.cpp"):
                if not {"test", "mutants"} & set(file.relative_to(SOURCE).parts):
                    used |= set(re.findall(r'(?:getenv|environment|path_variable)\("(\w+)"\)', file.read_text()))
        self.assertIn("MXCERT_VECTORS", used)
        for name in used:
            self.assertIn(name, self.plain())

    def test_version(self):
        self.assertIn(f'"{run(PROGRAM, "--version")[1].strip()}"', self.plain())

    def test_groff(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff here")
        page = BUILD / "share/mxcert.1"
        _, output, errors = run("groff", "-man", "-ww", "-Tutf8", page, environment=clean_environment(GROFF_NO_SGR="1"))
        self.assertEqual(errors, "")
        text = re.sub(r".\x08", "", output)
        for line in ("NAME", "EXIT STATUS", "  mxcert certify [OPTIONS] [BACKEND]"):
            self.assertIn(line, text)
        for line in re.findall(r"^  mxcert .*", run(PROGRAM, "certify", "--help")[1], re.MULTILINE):
            self.assertIn(line, text)  # examples keep their characters and their line


if __name__ == "__main__":
    unittest.main()
