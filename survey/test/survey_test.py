# SPDX-License-Identifier: Apache-2.0
"""The entries of the survey, its stored results, and docs/survey, which must be what the results say."""
import ast
import contextlib
import copy
import importlib.util
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

import controls  # noqa: E402
import environments  # noqa: E402
import findings  # noqa: E402
import measure  # noqa: E402
import pages  # noqa: E402
import survey  # noqa: E402


class Entries(unittest.TestCase):
    def setUp(self):
        self.entries, self.places, self.pairs = survey.table()

    def test_names_are_unique_and_sources_are_there(self):
        names = [entry["name"] for entry in self.entries]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 30)
        for entry in self.entries:
            with self.subTest(entry["name"]):
                self.assertTrue(entry["profiles"])
                self.assertNotEqual("source" in entry, "builtin" in entry)
                if "source" in entry:
                    source = HERE / "entries" / entry["source"]
                    self.assertTrue(source.exists())
                    if source.suffix == ".py":
                        ast.parse(source.read_text(encoding="utf-8"))

    def test_environments_are_locked_and_pinned(self):
        for name, row in self.places.items():
            with self.subTest(name):
                lock = (environments.LOCKS / f"{name}.txt").read_text(encoding="utf-8")
                lines = [line for line in lock.split("\n") if line and not line.startswith("#")]
                self.assertTrue(all(" --hash=sha256:" in line for line in lines))
                for package in row["packages"]:
                    self.assertIn(environments.normal(package), [environments.normal(line.partition(" ")[0]) for line in lines])

    def test_entries_use_known_environments(self):
        for entry in self.entries:
            self.assertIn(entry["environment"], [*self.places, "project"])


class Results(unittest.TestCase):
    def setUp(self):
        self.entries, self.places, self.pairs = survey.table()

    def test_results_are_consistent_and_controls_hold(self):
        self.assertEqual(controls.check(self.entries, survey.RESULTS), [])

    def test_pages_are_those_of_the_results(self):
        self.assertEqual(pages.write(self.entries, self.places, self.pairs, survey.RESULTS, check=True), [])

    def test_a_control_that_is_not_found_is_told(self):
        control = next(control for control in controls.controls() if "differing" in control)
        result = json.loads((survey.RESULTS / f"{control['entry']}.json").read_text(encoding="utf-8"))
        self.assertIsNone(controls.found(control, result))
        spoilt = copy.deepcopy(result)
        next(row for row in spoilt["rows"] if row["id"] == control["row"] and
             control.get("profile", row["profile"]) == row["profile"])["differing"] -= 1
        self.assertIn("differing", controls.found(control, spoilt))

    def test_a_result_of_other_golden_files_or_without_answers_is_told(self):
        result = {"entry": "a", "runs": [{"vectors": controls.vectors_version()}], "probes": {}}
        self.assertEqual(controls.other_vectors(result), [])
        result["runs"][0]["vectors"] = controls.vectors_version().split(".")[0] + ".0.99"
        self.assertEqual(controls.other_vectors(result), [])
        result["runs"][0]["vectors"] = "0.0.1"
        self.assertEqual(controls.other_vectors(result), ["0.0.1"])
        row = {"id": "fp16-e4m3-nearest_even-sat", "profile": "ocp", "status": "FAIL", "asked": "all", "compared": 60_000, "differing": 1, "first": ["0"]}
        result["rows"] = [row, row | {"compared": 1 << 16}, row | {"id": "fp32-e4m3-nearest_even-sat", "asked": "boundaries"}]
        told = list(controls.consistent(result["entry"], result))
        self.assertEqual(len(told), 1, told)
        self.assertIn("5,536 of 65,536 inputs have no answer", told[0])
        entry = {"name": "a", "title": "A", "packages": []}
        page = " ".join(pages.implementations([(entry, result | {"packages": {"a": "1"}}, [])]))
        self.assertIn("Judged by the golden files 0.0.1, not ", page)

    def test_what_cannot_be_is_told(self):
        row = {"id": "fp16-e4m3-nearest_even-sat", "profile": "ocp-sat", "status": "PASS", "compared": 65536}
        result = {"entry": "a", "rows": [row], "probes": {}}
        self.assertEqual(list(controls.consistent("a", result)), [])
        for spoilt in ({"differing": 1}, {"compared": 0}, {"status": "GOOD"}, {"status": "FAIL"}):
            with self.subTest(spoilt):
                self.assertTrue(list(controls.consistent("a", result | {"rows": [row | spoilt]})))
        self.assertTrue(list(controls.consistent("b", result)))
        self.assertTrue(list(controls.consistent("a", result | {"identified": {"x": {"explained": "9 of 8"}}})))
        self.assertTrue(list(controls.consistent("a", result | {"rows": []})))


@unittest.skipIf(importlib.util.find_spec("numpy") is None, "[absent] numpy")
class Grids(unittest.TestCase):
    """Values of emulators as codes."""

    def codes(self, name, values, top=None):
        import entry_support
        import numpy
        return entry_support.on_grid(name, numpy.array(values), top).tolist()

    def test_values_of_a_format_are_its_codes(self):
        self.assertEqual(self.codes("e5m2", [1, -1, 57344, float("inf"), -float("inf"), 0.0, -0.0]), [0x3C, 0xBC, 0x7B, 0x7C, 0xFC, 0, 0x80])
        self.assertEqual(self.codes("e4m3", [448, float("nan"), float("inf"), -float("inf")]), [0x7E, 0x7F, 0x7F, 0xFF])
        self.assertEqual(self.codes("e4m3", [240, float("nan"), float("inf")], "ieee"), [0x77, 0x7F, 0x78])
        self.assertEqual(self.codes("e4m3fnuz", [float("nan"), -0.0]), [0x80, 0])

    def test_a_value_that_the_format_lacks_is_never_right(self):
        self.assertEqual(self.codes("e5m2", [65536, -65536, 1.1]), [0xFB, 0x7B, 0xFB])
        self.assertEqual(self.codes("e4m3", [480, -480]), [0xFE, 0x7E])
        self.assertEqual(self.codes("e2m1", [7, float("nan")]), [0xFF, 0xFF])


class Parts(unittest.TestCase):
    def run_survey(self, folder, *arguments):
        """The exit code, the entries that were measured, and what was printed."""
        measured, printed = [], io.StringIO()

        def measure_one(entry, _subject, _environment, _smoke):
            measured.append(entry["name"])
            return {"entry": entry["name"], "rows": []}
        with mock.patch.object(survey, "RESULTS", folder), mock.patch.object(sys, "argv", ["survey", *arguments]), \
                mock.patch.object(survey, "subject_of", return_value=("", {})), mock.patch.object(measure, "measure", measure_one), \
                mock.patch.multiple(environments, prepare=mock.DEFAULT, versions=mock.Mock(return_value={}),
                                    megabytes=mock.Mock(return_value=0)), \
                contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                code = survey.main()
            except SystemExit as error:
                code = error.code
        return code, measured, printed.getvalue()

    def test_parts_put_together_are_one_run(self):
        names = {entry["name"] for entry in survey.table()[0]}
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary)
            parts = []
            for number in (1, 2, 3):
                code, measured, text = self.run_survey(root / str(number), "--shard", f"{number}/3")
                self.assertEqual(code, 0, text)
                self.assertIn(f"PART {number} of 3: {len(measured)} of its {len(measured)} entries ran, of {len(names)} in all", text)
                self.assertTrue(all(f" {name}.json" in text for name in measured))
                parts.append(set(measured))
                self.assertEqual(self.run_survey(root / str(number), "--shard", f"{number}/3")[1], [])
            self.assertEqual(sum(map(len, parts)), len(names))
            self.assertEqual(set.union(*parts), names)
            of_environment = {}
            for entry in survey.table()[0]:
                if entry["environment"] != "project":
                    of_environment.setdefault(entry["environment"], set()).update(
                        number for number, part in enumerate(parts) if entry["name"] in part)
            self.assertTrue(all(len(numbers) == 1 for numbers in of_environment.values()), of_environment)
            # In one folder there is nothing left to run; a file that is missing is.
            for number in (2, 3):
                shutil.copytree(root / str(number), root / "1", dirs_exist_ok=True)
            missing = sorted(parts[2])[0]
            (root / "1" / f"{missing}.json").unlink()
            self.assertEqual(self.run_survey(root / "1")[:2], (0, [missing]))
            self.assertEqual(self.run_survey(root / "1")[:2], (0, []))

    def test_a_part_that_cannot_be_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in (["--shard", "0/3"], ["--shard", "4/3"], ["--shard", "3"], ["--shard", "1/x"], ["--shard", "1/1000"],
                              ["--shard", "1/2", "--table"], ["--shard", "1/2", "--parity"]):
                code, measured, text = self.run_survey(pathlib.Path(folder), *arguments)
                self.assertEqual((code, measured), (2, []), arguments)
                self.assertIn("--shard", text)


class Measuring(unittest.TestCase):
    def test_what_is_asked_how(self):
        plan = measure.passes({"live": ["fp32-e4m3-*"], "leave_out": ["bf16-*"]},
                              ["fp32-e4m3-nearest_even-sat", "fp32-e5m2-nearest_even-sat", "bf16-e4m3-nearest_even-sat",
                               "e5m2-fp16-nearest_even-nosat", "fp64-e4m3-nearest_even-sat"], False)
        self.assertEqual(plan, {"all": ["e5m2-fp16-nearest_even-nosat"], "boundaries": ["fp32-e5m2-nearest_even-sat"],
                                "live": ["fp32-e4m3-nearest_even-sat"], "smoke": []})

    def test_ranges_that_no_bug_explains(self):
        text = ("FAIL  a-b-c-d  ocp-sat: 3 of 9 inputs have wrong answers\n"
                "  no known bug explains 2 of 3, from 0x01 to 0x0F\n")
        self.assertEqual(measure.ranges_of(text), {("a-b-c-d", "ocp-sat"): ["0x01", "0x0F"]})

    def test_a_result_is_text_that_reads_back(self):
        result = {"entry": "a", "rows": [{"id": "x", "status": "PASS"}], "identified": {"x": {"choices": {}}}, "empty": []}
        self.assertEqual(json.loads(findings.dump(result)), result)


if __name__ == "__main__":
    unittest.main()
