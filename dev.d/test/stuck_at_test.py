# SPDX-License-Identifier: Apache-2.0
"""The stored coverage of stuck-at faults is that of the designs, golden files and tools that are in the tree."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev.d" / "stuck_at"))
import stuck_page

AGAIN = "./dev stuck-at --write"


class StoredCoverage(unittest.TestCase):
    def setUp(self):
        self.content = stuck_page.read()

    def test_nothing_that_it_depends_on_has_changed(self):
        self.assertGreater(len(self.content["files"]), 8)
        self.assertEqual(stuck_page.changed(self.content), [], f"these files have changed since it was measured: {AGAIN}")

    def test_suites_detect_what_the_documents_say(self):
        """Export entries every testable fault, smoke and offline nearly all, one input few."""
        self.assertEqual(len(self.content["designs"]), 7)
        for row in self.content["designs"]:
            for net in row["netlists"]:
                where = f"{row['conversion']}, {net['library']}"
                self.assertGreater(net["testable"], 100, where)
                self.assertEqual(net["detected"]["export entries"], net["testable"], where)
                for suite in ("smoke", "offline boundaries"):
                    self.assertGreaterEqual(net["detected"][suite], net["testable"] - 2, where)
                self.assertLess(net["detected"]["one input"], net["testable"] / 2, where)
                for suite, missed in net["missed"].items():
                    self.assertEqual(len(missed), net["testable"] - net["detected"][suite], where)

    def test_the_page_and_the_lists_show_it(self):
        self.assertEqual(stuck_page.FILE.with_suffix(".md").read_text(encoding="utf-8"), stuck_page.text(self.content), AGAIN)
        self.assertEqual(sorted(path.stem for path in stuck_page.FOLDER.iterdir()), sorted(row["conversion"] for row in self.content["designs"]))
        for row in self.content["designs"]:
            self.assertEqual((stuck_page.FOLDER / f"{row['conversion']}.txt").read_text(encoding="utf-8"), stuck_page.few_text(row), AGAIN)


if __name__ == "__main__":
    unittest.main()
