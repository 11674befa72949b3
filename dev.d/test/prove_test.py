# SPDX-License-Identifier: Apache-2.0
"""The reader of the proofs takes golden files alone, and --check finds each difference from the committed results. No Coq is needed."""

import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROOF = ROOT / "vectors" / "proof"
GOLDEN = ROOT / "vectors" / "golden"
sys.path.insert(0, str(PROOF))
sys.dont_write_bytecode = True
import golden  # noqa: E402
import planted  # noqa: E402
import prove  # noqa: E402

ENTRY = {"file": "e2m1-fp16.csv", "from": "e2m1", "to": "fp16", "bits": 4, "rows": 2, "sha256": "",
         "choices": [{"name": "zero_sign", "values": ["kept", "dropped"]}]}
HEADER = b"when,first,last,permit,clause\n"


class Reader(unittest.TestCase):
    def test_rows(self):
        term, rows = golden.table(HEADER + b",0,0,0000,C\nzero_sign=kept,8,8,8000,C\n", ENTRY)
        self.assertEqual(rows, 2)
        self.assertEqual(term, "Table (Plain e2m1) fp16 [[TZeroSign ZeroKept; TZeroSign ZeroDropped]] [\n"
                               "one [] 0 0 (PCode 0);\none [TZeroSign ZeroKept] 8 8 (PCode 32768)]")

    def test_rows_of_a_scaled_source(self):
        data = HEADER[:-1] + b",times,first_by,last_by,permit_by\n,0,F,nan,C,255,0100,-1A,0\n"
        entry = ENTRY | {"from": "e2m1_times_e8m0", "choices": []}
        self.assertEqual(golden.table(data, entry)[0], "Table (Multiplied e8m0 e2m1) fp16 [] [\nEntry [] 0 15 (PNan) 255 256 (-26) 0]")

    def test_sources(self):
        for name, term in (("e2m1", "Plain e2m1"), ("fp32_by_e8m0", "Divided e8m0 fp32"), ("fp16_times_nscale5", "Multiplied nscale5 fp16"),
                           ("e5m2_by_lscale6", "Divided lscale6 e5m2"), ("relu_bf16", "Rectified bf16")):
            self.assertEqual(golden.source(name), term)
        for name in ("", "relu_", "relu_amax_fp32", "fp32_by_fp16", "nscale", "e8m0_by_", "fp32_by_e8m0_by_e8m0"):
            with self.subTest(name), self.assertRaises(golden.Unproven):
                golden.source(name)

    def test_scales_and_flags(self):
        scale = ENTRY | {"from": "amax_fp16", "to": "e8m0_for_e4m3", "choices": [{"name": "rule", "values": ["ceil", "rceil"]}]}
        self.assertEqual(golden.table(HEADER + b"rule=ceil,0,0,7F,C\n", scale)[0],
                         "ScaleTable e4m3 amax_fp16 [[TRule Ceil; TRule Rceil]] [\none [TRule Ceil] 0 0 (PCode 127)]")
        self.assertIn("check_scales_sound", golden.theorem(HEADER + b",0,0,7F,C\n", scale, 0)[0])
        flags = ENTRY | {"from": "fp16", "to": "flags_of_e4m3", "choices": []}
        self.assertEqual(golden.table(HEADER + b",0,0,01,C\n", flags)[0], "FlagsTable fp16 e4m3 [] [\none [] 0 0 (PCode 1)]")
        self.assertIn("flags_table_is_right", golden.theorem(HEADER + b",0,0,01,C\n", flags, 0)[0])
        for change in ({"from": "fp16"}, {"from": "amax_fp64"}, {"to": "e8m0_for_fp16"}):
            with self.subTest(change), self.assertRaises(golden.Unproven):
                golden.head(scale | change)
        for change in ({"from": "amax_fp16"}, {"to": "flags_of_e8m0_for_e4m3"}):
            with self.subTest(change), self.assertRaises(golden.Unproven):
                golden.head(flags | change)

    def test_malformed(self):
        for rows in (b"", b",0,0,0000", b",0,0,0000,C\r\n", b",0,0,0000,C,D\n", b",g,0,0000,C\n", b",0,,0000,C\n", b",0,0,00|01,C\n",
                     b",-1,0,0000,C\n", b",0,0,\xff,C\n", b"zero_sign,0,0,0000,C\n", b"zero_sign=none,0,0,0000,C\n",
                     b"nan=any,0,0,0000,C\n", b"zero_sign=kept zero_sign=kept,0,0,0000,C\n", b"zero_sign=kept  ,0,0,0000,C\n"):
            with self.subTest(rows), self.assertRaises(golden.Malformed):
                golden.table(HEADER + rows, ENTRY)
        with self.assertRaises(golden.Malformed):
            golden.table(b"first,last,code\n0,F,0\n", ENTRY)
        scaled = HEADER[:-1] + b",times,first_by,last_by,permit_by\n"
        for row in (b",0,0,0,C,0,0,0,0\n", b",0,0,0,C,9999999,0,0,0\n", b",0,0,0,C,1,0,0\n", b",0,0,0,C,1,0,--1,0\n"):
            with self.subTest(row), self.assertRaises(golden.Malformed):
                golden.table(scaled + row, ENTRY)

    def test_unproven(self):
        for change in ({"from": "amax_fp32"}, {"to": "e8m0_for_e4m3"}, {"from": "e4m3fnuz"},
                       {"choices": [{"name": "inf_amax", "values": ["overflows"]}]}, {"choices": [{"name": "rounding", "values": ["stochastic_a"]}]}):
            with self.subTest(change), self.assertRaises(golden.Unproven):
                golden.table(HEADER + b",0,0,0000,C\n", ENTRY | change)

    def test_manifest(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for text in ("", "[]", "{}", '{"schema": 3}', '{"schema": 2, "files": []}', '{"schema": 2, "files": [{"file": "a.csv"}]}',
                         json.dumps({"schema": 2, "files": [ENTRY | {"file": "../a.csv"}]}),
                         json.dumps({"schema": 2, "files": [ENTRY | {"choices": ["nan"]}]}),
                         json.dumps({"schema": 2, "files": [ENTRY, ENTRY]})):
                (folder / "manifest.json").write_text(text, encoding="utf-8")
                with self.subTest(text), self.assertRaises(golden.Malformed):
                    golden.load_manifest(folder)


class Refuser:
    """Stands in for coqc: it refuses each theorem, and its finding is the one given."""

    def __init__(self, finding):
        self.finding = finding

    def run(self, name, text):
        return (0, f"     = Some {self.finding}\n     : option finding\n", "") if "findings golden" in text else (1, "", "Unable to unify")


class Refused(unittest.TestCase):
    def test_is_wrong_whatever_the_finding(self):
        """A checker that gives up before it looks at rows has proven nothing: no table is silently left out then."""
        entry = next(e for e in golden.load_manifest(GOLDEN)["files"] if e["file"] == "e5m2-e2m1.csv")
        for finding, reason in (("UnknownEmbedding", "UnknownEmbedding"), ("NoFormat", "NoFormat"),
                                ("(NoPartition 16 17 17)", "NoPartition 0x10 0x11 0x11"),
                                ("(WrongRow [TNan NanMax] 10 10 (PCode 8))", "WrongRow [TNan NanMax] 0xA 0xA (PCode 0x8)")):
            with self.subTest(finding):
                row = prove.prove(Refuser(finding), GOLDEN, [entry], "")[0]
                self.assertEqual((row["status"], row["reason"]), ("WRONG", reason))


class Batches(unittest.TestCase):
    def test_have_every_table_once_and_the_longest_first(self):
        entries = golden.load_manifest(GOLDEN)["files"]
        together = prove.batches(entries)
        self.assertEqual(sorted(entry["file"] for batch in together for entry in batch), sorted(entry["file"] for entry in entries))
        self.assertEqual(together[0][0]["file"], "fp32_by_e8m0-e5m2.csv")
        scaled = [golden.is_scaled(batch[0]) for batch in together]
        self.assertEqual(scaled, sorted(scaled, reverse=True))
        for batch, is_scaled in zip(together, scaled):
            self.assertTrue(len(batch) == 1 or not is_scaled and sum(entry["rows"] for entry in batch) <= prove.ROWS_OF_A_BATCH)

    def test_have_a_table_whose_manifest_says_that_it_has_no_row(self):
        self.assertEqual(prove.batches([ENTRY | {"rows": 0}]), [[ENTRY | {"rows": 0}]])


class Planted(unittest.TestCase):
    def test_every_kind_is_edited(self):
        tables = planted.plan(GOLDEN, golden.load_manifest(GOLDEN)["files"], random.Random(planted.SEED))
        self.assertEqual({planted.kind_of(entry) for entry, _, _ in tables},
                         {"Plain", "Divided e8m0", "Divided lscale4", "Divided lscale6", "Multiplied e8m0", "Multiplied nscale",
                          "Multiplied nscale5", "Rectified", "scale_table", "flags_table"})
        self.assertEqual(sum(len(edits) for _, _, edits in tables), planted.EDITS)
        for entry, data, edits in tables:
            for kind, _, edit in edits:
                self.assertNotEqual(edit, data, (entry["file"], kind))


class Check(unittest.TestCase):
    """On a copy of the proofs and of two golden files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(PROOF, self.root / "proof", ignore=shutil.ignore_patterns("__pycache__"))
        (self.root / "golden").mkdir()
        self.names = ["e2m1-fp16.csv", "amax_fp16-e8m0_for_e4m3.csv"]
        for name in self.names:
            shutil.copy(GOLDEN / name, self.root / "golden")
        manifest = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))
        manifest["files"] = [entry for entry in manifest["files"] if entry["file"] in self.names]
        self.write("golden/manifest.json", manifest)
        results = self.results()
        results["tables"] = {name: results["tables"][name] for name in self.names}
        self.write("proof/results.json", results)

    def write(self, name, value):
        (self.root / name).write_text(json.dumps(value), encoding="utf-8")

    def results(self):
        return json.loads((self.root / "proof/results.json").read_text(encoding="utf-8"))

    def check(self):
        done = subprocess.run([sys.executable, "-B", str(self.root / "proof/prove.py"), "--check"], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def assert_found(self, part):
        code, output = self.check()
        self.assertEqual(code, 1, output)
        self.assertIn(part, output)
        self.assertIn("FAIL", output)

    def test_good(self):
        self.assertEqual(self.check(), (0, "OK: 2 of 2 golden files are those that were proven\n"))

    def test_golden_file_changed(self):
        path = self.root / "golden" / self.names[0]
        path.write_bytes(path.read_bytes().replace(b"8000", b"8001", 1))
        self.assert_found("e2m1-fp16.csv is not the file that was proven")

    def test_golden_file_gone(self):
        (self.root / "golden" / self.names[0]).unlink()
        self.assert_found("e2m1-fp16.csv has a result but is not there")

    def test_golden_file_without_result(self):
        shutil.copy(GOLDEN / "e2m1-fp32.csv", self.root / "golden")
        self.assert_found("e2m1-fp32.csv has no result")

    def test_source_changed(self):
        for name in ("Spec.v", "golden.py"):
            with self.subTest(name):
                with (self.root / "proof" / name).open("a", encoding="utf-8") as file:
                    file.write("\n")
                self.assert_found(f"{name} is not what the proofs were run with")

    def test_assumptions_changed(self):
        with (self.root / "proof/assumptions.txt").open("a", encoding="utf-8") as file:
            file.write("another : False\n")
        self.assert_found("assumptions.txt is not what the proofs printed")

    def test_wrong_or_none_proven(self):
        results = self.results()
        for name in self.names:
            results["tables"][name]["status"] = "WRONG"
        self.write("proof/results.json", results)
        self.assert_found("no table is proven")
        self.assert_found("e2m1-fp16.csv is WRONG")

    def test_bad_arguments(self):
        for arguments in (["--jobs", "0"], ["--check", "--planted"], ["--jobs"], ["none.csv"]):
            done = subprocess.run([sys.executable, "-B", str(self.root / "proof/prove.py"), *arguments], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2, arguments)

    def test_unreadable(self):
        (self.root / "proof/results.json").write_text("{", encoding="utf-8")
        self.assertEqual(self.check()[0], 2)
        (self.root / "golden/manifest.json").unlink()
        self.assertEqual(self.check()[0], 2)


class Real(unittest.TestCase):
    def test_every_golden_file_is_read(self):
        """Every file of the manifest is a term. The long ones have no other rows than the short ones."""
        terms = 0
        for entry in golden.load_manifest(GOLDEN)["files"]:
            if entry["rows"] > 700:
                continue
            _, rows = golden.table((GOLDEN / entry["file"]).read_bytes(), entry)
            self.assertEqual(rows, entry["rows"], entry["file"])
            terms += 1
        self.assertGreater(terms, 60)


if __name__ == "__main__":
    unittest.main()
