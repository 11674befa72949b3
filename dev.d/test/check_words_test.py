# SPDX-License-Identifier: Apache-2.0
"""check_words.py finds the phrases of phrases.toml where readers meet them and long cells of tables, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "check_words.py"


class CheckWords(unittest.TestCase):
    def check(self, name, text):
        """The exit code, and what was printed, for a tree with this one file."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, str(SCRIPT), folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_documents(self):
        code, said = self.check("docs/page.md", "One.\n\nA row has nobody's\nword.\n")
        self.assertEqual(code, 1)
        self.assertEqual(said, "docs/page.md:3: 'nobody's word': not acknowledged yet\n")
        self.assertEqual(self.check("README.md", "The table is made anew.\n")[0], 1)
        self.assertEqual(self.check("docs/page.md", "What is tested is a question. It goes on.\n")[0], 1)
        self.assertEqual(self.check("docs/page.md", "## What is tested\n\nA row that says what is tested, amended.\n")[0], 0)

    def test_blocks_of_code_are_left_out(self):
        self.assertEqual(self.check("docs/page.md", "```console\n$ mxcert mended\n```\n")[0], 0)

    def test_strings_of_sources(self):
        self.assertEqual(self.check("conformance/one.cpp", 'const char* text = "mended in release 2";\n')[0], 1)
        self.assertEqual(self.check("conformance/one.cpp", "bool mended = true; // mended later\n")[0], 0)
        self.assertEqual(self.check("conformance/test/one.cpp", 'const char* text = "mended";\n')[0], 2)  # tests are left out

    def test_scripts_and_pages_in_folders(self):
        self.assertEqual(self.check("dev.d/one.sh", "# waits for ever\n")[0], 1)
        self.assertEqual(self.check("python/mxcert/one.py", "text = 'made anew'\n")[0], 1)
        self.assertEqual(self.check("dev.d/test/one.py", "text = 'made anew'\n")[0], 2)  # tests are left out
        self.assertEqual(self.check("docs/survey/page.md", "The table is made anew.\n")[0], 1)
        self.assertEqual(self.check("docs/results/page.md", "The table is made anew.\n")[0], 0)

    def test_comments_of_headers(self):
        code, said = self.check("reference/one.hpp", "/// A choice that has\n/// a say.\nint one;\n")
        self.assertEqual(code, 1)
        self.assertIn("reference/one.hpp:1:", said)
        self.assertEqual(self.check("reference/one.hpp", "bool anew;\n")[0], 0)

    def test_cells_of_tables(self):
        eleven = "one two three four five six seven eight nine ten eleven"
        table = "| head | more |\n|---|---|\n| short | CELL |\n"
        self.assertEqual(self.check("docs/page.md", table.replace("CELL", eleven))[0], 0)
        code, said = self.check("docs/sub/page.md", table.replace("CELL", eleven + " twelve"))
        self.assertEqual(code, 1)
        self.assertEqual(said, "docs/sub/page.md:3: a cell of 12 words: at most 11, or write a list or a sentence below the table\n")
        self.assertEqual(self.check("README.md", table.replace("CELL", eleven + " twelve"))[0], 1)
        self.assertEqual(self.check("docs/page.md", table.replace("CELL", f"[{eleven}](page.md 'a title of its own')"))[0], 0)
        # A bar that is escaped does not end a cell.
        self.assertEqual(self.check("docs/page.md", table.replace("CELL", "one two three four five six \\| one two three four five six"))[0], 1)
        self.assertEqual(self.check("docs/page.md", "```\n" + table.replace("CELL", eleven + " twelve") + "```\n")[0], 0)
        self.assertEqual(self.check("docs/page.md", f"a | {eleven} twelve | b\n")[0], 0)

    def test_nothing_to_look_at(self):
        self.assertEqual(self.check("other.txt", "anew\n")[0], 2)


if __name__ == "__main__":
    unittest.main()
