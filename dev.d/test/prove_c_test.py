# SPDX-License-Identifier: Apache-2.0
"""The stored proofs of the C functions are those of the sources, golden files and tools that are in the tree."""

import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev.d" / "prove_c"))
import page
import stored

AGAIN = "./dev prove-c --write && ./dev prove-c --edits --write"


class StoredProofs(unittest.TestCase):
    def setUp(self):
        self.content = stored.read()

    def test_nothing_that_they_depend_on_has_changed(self):
        self.assertGreater(len(self.content["files"]), 100)
        self.assertEqual(stored.changed(self.content), [], f"these files have changed since they were proven: {AGAIN}")

    def test_a_change_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in self.content["files"]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, root / name)
            self.assertEqual(stored.changed(self.content, root), [])
            names = ["conformance/backends/portable/fp8_encode.h", "vectors/golden/fp64-e4m3.csv"]
            for name in names:
                (root / name).write_text((root / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")
            (root / "conformance/backends/kernels/number.h").unlink()
            self.assertEqual(sorted(stored.changed(self.content, root)), sorted([*names, "conformance/backends/kernels/number.h"]))

    def test_every_verdict_is_a_proof_that_compared_and_was_tried(self):
        """Only sources with a given scale may be open: they take hours, and the page names them."""
        proven = [row for row in self.content["functions"] if row["verdict"] == "PROVEN"]
        self.assertGreater(len(proven), 250)
        for row in self.content["functions"]:
            if row["verdict"] != "PROVEN":
                self.assertRegex(row["conversion"], "_by_e8m0-|_times_e8m0-")
                self.assertEqual(row["detail"], "not asked yet", f"{row['backend']} {row['conversion']}")
        for row in proven:
            self.assertGreater(row["compared"], 0)
            self.assertGreater(row["planted"], 0)

    def test_every_planted_mistake_was_found(self):
        self.assertGreater(len(self.content["edits"]), 20)
        for row in self.content["edits"]:
            self.assertTrue(row["as_expected"], f"{row['what']}: {row['backend']} {row['conversion']}")
            self.assertEqual(row["verdict"], "PROVEN" if row["harmless"] else "WRONG")

    def test_the_page_shows_them(self):
        self.assertEqual(page.PAGE.read_text(encoding="utf-8"), page.text(self.content), f"{page.PAGE.name} is not up to date: {AGAIN}")


if __name__ == "__main__":
    unittest.main()
