# SPDX-License-Identifier: Apache-2.0
"""stage.py copies pages and the files that they link to, and rewrites what the renderer of the site does not know."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "docs" / "stage.py"


class Stage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "tree"
        self.pages = pathlib.Path(folder.name) / "pages"
        (self.root / "docs").mkdir(parents=True)

    def stage(self, page, *options):
        (self.root / "docs" / "page.md").write_text(page, encoding="utf-8")
        subprocess.run([sys.executable, str(SCRIPT), str(self.root), str(self.pages), *options], check=True)
        return (self.pages / "docs" / "page.md").read_text(encoding="utf-8")

    def test_linked_files_come_along(self):
        for name in ("linked.h", "other.h", "in_code.h"):
            (self.root / name).touch()
        self.stage("[header](../linked.h#part) and `other.h`\n\n```\n[code](../in_code.h)\n```\n")
        self.assertEqual(sorted(path.name for path in self.pages.rglob("*.h")), ["linked.h"])

    def test_words_after_the_language_of_a_block_go(self):
        self.assertEqual(self.stage("```console needs=cc\n$ cc\n```\n"), "```console\n$ cc\n```\n")

    def test_mermaid_goes(self):
        self.assertEqual(self.stage("A\n\n```mermaid\nflowchart\n```\n\nB\n"), "A\n\n\n\nB\n")

    def test_a_list_stands_apart(self):
        self.assertEqual(self.stage("text:\n* one\n* two\n  more\n"), "text:\n\n* one\n* two\n    more\n")
        self.assertEqual(self.stage("```\ntext:\n* one\n```\n"), "```\ntext:\n* one\n```\n")

    def test_a_link_to_a_folder_is_its_text(self):
        (self.root / "folder").mkdir()
        self.assertEqual(self.stage("see [that](../folder)\n"), "see that\n")

    def test_the_api(self):
        api = self.root / "html"
        api.mkdir()
        (api / "index.html").touch()
        self.assertEqual(self.stage("<!-- api -->\n", "--api", str(api)), "[The generated API](../api/index.html)\n")
        self.assertTrue((self.pages / "api" / "index.html").is_file())
        self.assertEqual(self.stage("<!-- api -->\n"), "<!-- api -->\n")


if __name__ == "__main__":
    unittest.main()
