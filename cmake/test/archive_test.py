# SPDX-License-Identifier: Apache-2.0
"""The archive of all vectors: two runs give the same bytes, and its checksums, manifest and readers hold."""

import hashlib
import json
import shutil
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from common import BUILD, SOURCE, run, validate

ONLY = ("bf16-e4m3-*", "scaling-te_delayed_4", "dequantize-e2m1-e8m0-bf16-row-32")


class Archive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp())
        for number in "12":
            run(sys.executable, "-B", SOURCE / "dev.d/package_vectors.py", "--program", BUILD / "bin/mxcert", cls.root / number,
                *(word for pattern in ONLY for word in ("--only", pattern)))
        cls.packed, = (cls.root / "1").glob("*.tar.gz")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def test_two_runs_give_the_same_bytes(self):
        self.assertEqual(self.packed.read_bytes(), (self.root / "2" / self.packed.name).read_bytes())
        digest, name = (self.root / "1" / "SHA256SUMS").read_text().split()
        self.assertEqual((digest, name), (hashlib.sha256(self.packed.read_bytes()).hexdigest(), self.packed.name))
        with tarfile.open(self.packed) as tar:
            members = tar.getmembers()
        self.assertEqual([member.name for member in members], sorted(member.name for member in members))
        self.assertEqual({(member.uid, member.gid, member.uname, member.mode) for member in members}, {(0, 0, "", 0o644)})
        self.assertEqual(len({member.mtime for member in members}), 1)

    def test_what_it_holds(self):
        with tarfile.open(self.packed) as tar:
            tar.extractall(self.root / "all")
        folder, = (self.root / "all").iterdir()
        run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        present = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        self.assertEqual({entry["file"] for entry in manifest["files"]} | {"manifest.json", "SHA256SUMS"}, present)
        self.assertEqual(sorted(name for name in present if name.startswith("json/")),
                         ["json/bf16-e4m3-nearest_even-sat.json", "json/dequantize-e2m1-e8m0-bf16-row-32.json",
                          "json/scaling-te_delayed_4.json"])
        self.assertEqual(len(list((folder / "golden").glob("*.csv"))), 180)
        self.assertEqual(manifest["license"], "Apache-2.0")
        self.assertEqual(manifest["vectors"], json.loads((folder / "golden/manifest.json").read_text())["vectors"])
        golden = next(entry for entry in json.loads((folder / "golden/manifest.json").read_text())["files"]
                      if entry["file"] == "bf16-e4m3.csv")
        rows = run(sys.executable, "-B", folder / "readers/golden.py", folder / "golden/bf16-e4m3.csv", golden["bits"],
                   *(f"{choice['name']}={choice['default']}" for choice in golden["choices"]))[1]
        self.assertIn("\n43D8,43E8,7E\n", rows)
        validate(manifest, folder / "schema/archive-1.json")
        # A byte that changed is seen.
        file = folder / "json/scaling-te_delayed_4.json"
        file.write_text(file.read_text().replace("te_delayed_4", "te_delayed_5", 1))
        self.assertNotEqual(run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=folder, check=False)[0], 0)


if __name__ == "__main__":
    unittest.main()
