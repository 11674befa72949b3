# SPDX-License-Identifier: Apache-2.0
"""--shard of ./dev mutants: each mutant is scored by one part, and parts whose files are put together are one run."""

import argparse
import contextlib
import importlib.util
import io
import pathlib
import shutil
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "dev.d"), str(ROOT / "dev.d/mutants"), str(ROOT / "dev.d/mutants/model")]

import shard  # noqa: E402
from results import Results  # noqa: E402


def program(path):
    """A __main__.py as a module, which finds its own folder first."""
    spec = importlib.util.spec_from_file_location("main_of_" + path.parent.name, path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sys, "path", [str(path.parent), *sys.path]):
        spec.loader.exec_module(module)
    return module


MUTANTS = program(ROOT / "dev.d/mutants/__main__.py")


class Dealt(unittest.TestCase):
    def test_each_is_in_one_part(self):
        for count in (1, 2, 3, 10):
            parts = [shard.dealt(range(10), (number + 1, count)) for number in range(count)]
            self.assertEqual(sorted(sum(parts, [])), list(range(10)))
            self.assertLessEqual(max(map(len, parts)) - min(map(len, parts)), 1)
        self.assertEqual(shard.dealt("abc", None), ["a", "b", "c"])
        with self.assertRaisesRegex(ValueError, "--shard 1/4: there are 3"):
            shard.dealt("abc", (1, 4))

    def test_a_part_that_cannot_be_is_refused(self):
        self.assertEqual(shard.part("3/64"), (3, 64))
        for text in ("0/3", "4/3", "3", "3/", "/3", "a/b", "1/2/3", "-1/3", "1/0", "\N{SUPERSCRIPT TWO}/3"):
            with self.subTest(text), self.assertRaises(argparse.ArgumentTypeError):
                shard.part(text)
        for other in (["--write"], ["--gate"], ["--target", "portable", "--mutant", "1"]):
            with self.subTest(other), contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit):
                MUTANTS.arguments_of(["--root", ".", "--shard", "1/2", *other])
            self.assertIn("--shard and --", errors.getvalue())


class Implementations(unittest.TestCase):
    """Of a target with 12 mutants, without a compiler: Build and Scorer are stand-ins."""

    def run_part(self, root, *arguments):
        """The numbers that were scored, the exit code and the text."""
        scored = []
        mutants = [types.SimpleNamespace(number=number) for number in range(1, 13)]

        class Build:
            def __init__(self, _root, target, folder):
                self.target, self.folder, self.sites, self.left_out = target, folder, [], {}
                folder.mkdir(parents=True, exist_ok=True)
                self.find_sites = self.build_all = lambda: None
                self.digest = lambda *_: "0123"

        class Scorer:
            def __init__(self, _root, build, _tools, _given):
                self.build, self.prepare, self.survives_one = build, lambda *_: None, lambda _: False

            def score(self, mutant, _is_probe):
                scored.append(mutant.number)
                return {"mutant": mutant.number, "outcomes": {}, "differ": {}, "verdict": "wrong", "seconds": 0}

        report = types.SimpleNamespace(lines=lambda: [], goals=lambda _: [], table=None)

        def report_of(_root, runs):
            done = sum(len(records) for *_, records in runs)
            report.table = lambda: ("the score\n", {"done": done, "chosen": runs[0][2], "there": 12, "wrong": done})
            return report
        output = io.StringIO()
        with mock.patch.object(MUTANTS.builder, "Build", Build), mock.patch.object(MUTANTS.score, "Scorer", Scorer), \
                mock.patch.object(MUTANTS.score, "mutants_of", lambda _: mutants), \
                mock.patch.object(MUTANTS, "tools_of", lambda _: {"digest": ""}), \
                mock.patch.object(MUTANTS.reports, "Report", report_of), contextlib.redirect_stdout(output), \
                contextlib.redirect_stderr(io.StringIO()):
            code = MUTANTS.main(["--root", str(root), "--target", "portable", "--jobs", "1", *arguments])
        return sorted(scored), code, output.getvalue()

    def test_parts_put_together_are_one_run(self):
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary)
            parts = []
            for number in (1, 2, 3):
                scored, code, text = self.run_part(root / str(number), "--shard", f"{number}/3")
                self.assertEqual(code, 0)
                self.assertEqual(text, f"PART {number} of 3: 4 of its 4 mutants are scored. The same command without --shard, where "
                                 "the result files of all parts are, gives the score.\n")
                parts += scored
                self.assertEqual(self.run_part(root / str(number), "--shard", f"{number}/3")[0], [])
            self.assertEqual(sorted(parts), list(range(1, 13)))
            for number in (2, 3):
                shutil.copytree(root / str(number), root / "1", dirs_exist_ok=True)
            self.assertEqual(self.run_part(root / "1"), ([], 0, "the score\n"))
            # Of a part that is missing everything is scored, and nothing else.
            for path in root.glob("1/build/mutants/portable/results-*.2-of-3.jsonl"):
                path.unlink()
            self.assertEqual(self.run_part(root / "1")[0], [2, 5, 8, 11])

    def test_a_part_that_was_stopped_is_not_done(self):
        with tempfile.TemporaryDirectory() as root:
            scored, code, text = self.run_part(root, "--shard", "1/3", "--time", "0.000001")
            self.assertEqual((scored, code), ([], 2))
            self.assertIn("PART 1 of 3: 0 of its 4 mutants", text)


class Models(unittest.TestCase):
    def test_results_of_parts_are_those_of_one_run(self):
        mutants = [types.SimpleNamespace(key=key) for key in "abcd"]
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary)
            for number in (1, 2):
                (root / str(number)).mkdir()
                part = Results(root / str(number), "now", shard.suffix((number, 2)))
                for one in shard.dealt(mutants, (number, 2)):
                    part.add(one, {"verdict": "killed", "by": f"part {number}"})
            # One has an older verdict of all, which does not count.
            old = Results(root / "1", "before", shard.suffix((1, 9)))
            for one in mutants:
                old.add(one, {"verdict": "survived"})
            shutil.copytree(root / "2", root / "1", dirs_exist_ok=True)
            together = Results(root / "1", "now")
            self.assertEqual([together.of(one)["by"] for one in mutants], ["part 1", "part 2"] * 2)
            (root / "1/results.2-of-2.json").unlink()
            self.assertEqual([Results(root / "1", "now").of(one) is None for one in mutants], [False, True] * 2)


if __name__ == "__main__":
    unittest.main()
