# SPDX-License-Identifier: Apache-2.0
"""./dev coverage counts each side of a condition once, and takes an exception only where a branch is not taken."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "coverage"))
import branches

SOURCE = """int sign(int x) {
    if (x < 0 || x > 100) return -1;
    return x == 0 ? 0 : 1;
}
"""
LEFT, RIGHT, ZERO = [2, 9, 2, 14], [2, 18, 2, 25], [3, 12, 3, 18]
FILE = "reference/sign.cpp"
LINE = "if (x < 0 || x > 100) return -1;"


def exception(**changed):
    return {"file": FILE, "line": LINE, "condition": "x > 100", "side": "true", "because": "no caller passes more"} | changed


class Coverage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "reference/test").mkdir(parents=True)
        (self.root / "vectors").mkdir()
        (self.root / FILE).write_text(SOURCE)

    def exported(self, *functions):
        """Functions of one file each: its name and its conditions, with how often they were true and false."""
        return {"data": [{"functions": [
            {"filenames": ["/usr/include/c++/12/vector", str(self.root / name)],
             "branches": [[*place, taken, not_taken, 1, 0, 4] for place, taken, not_taken in conditions]}
            for name, conditions in functions]}]}

    def report(self, exported, exceptions=(), shown=""):
        return branches.report(self.root, exported, shown, list(exceptions))

    def sign(self, right=0):
        return self.exported((FILE, [(LEFT, 1, 5), (RIGHT, right, 5), (ZERO, 2, 3)]))

    def test_counts_both_sides(self):
        lines, well = self.report(self.sign(right=1))
        self.assertEqual((lines, well), (["6 branches, 6 covered, 0 exceptions"], True))

    def test_a_branch_that_is_not_taken(self):
        lines, well = self.report(self.sign())
        self.assertFalse(well)
        self.assertEqual(lines, [f"{FILE}:2:18 true is never taken: {LINE}\n    condition: x > 100",
                                 "6 branches, 5 covered, 0 exceptions"])

    def test_a_file_that_is_named_from_the_build_folder(self):
        # As ccache makes the compiler name it where it has a base directory.
        compiled = self.exported((f"build/coverage/../../{FILE}", [(ZERO, 4, 1), (LEFT, 0, 0)]))
        view = f"{self.root}/build/coverage/../../{FILE}:\n  |  Branch (2:9): [Folded - Ignored]\n"
        self.assertEqual(self.report(compiled, shown=view), (["2 branches, 2 covered, 0 exceptions"], True))

    def test_instances_of_a_template_count_together(self):
        instances = self.exported((FILE, [(ZERO, 4, 0)]), (FILE, [(ZERO, 0, 1)]))
        self.assertEqual(self.report(instances), (["2 branches, 2 covered, 0 exceptions"], True))

    def test_only_the_libraries_count(self):
        (self.root / "reference/test/sign_test.cpp").write_text(SOURCE)
        other = self.exported((FILE, [(ZERO, 4, 1)]), ("reference/test/sign_test.cpp", [(ZERO, 4, 0)]), ("fuzz/a.cpp", [(ZERO, 0, 0)]))
        self.assertEqual(self.report(other), (["2 branches, 2 covered, 0 exceptions"], True))

    def test_what_the_author_does_not_write(self):
        other = "vectors/kind.cpp"
        (self.root / other).write_text("bool operator==(const Kind&, const Kind&) = default;\n    switch (kind) {\n    case Kind::one: break;\n")
        compiled = self.exported((FILE, [(LEFT, 1, 1)]), (other, [([1, 46, 1, 47], 0, 2), ([2, 13, 2, 17], 0, 4), ([3, 5, 3, 20], 1, 0)]))
        lines, well = self.report(compiled)
        self.assertEqual((lines[-1], well), ("4 branches, 3 covered, 0 exceptions", False))
        self.assertIn(f"{other}:3:5 false is never taken: case Kind::one: break;", lines[0])

    def test_a_condition_that_the_compiler_knows(self):
        known = self.exported((FILE, [(LEFT, 0, 0), (ZERO, 1, 1)]))
        view = f"{self.root / FILE}:\n  |  Branch (2:9): [Folded - Ignored]\n"
        self.assertEqual(self.report(known, shown=view), (["2 branches, 2 covered, 0 exceptions"], True))
        # Another instance has a condition there, which nothing evaluated.
        lines, well = self.report(known, shown=view + "  |  Branch (2:9): [True: 0, False: 0]\n")
        self.assertEqual((lines[-1], well), ("4 branches, 2 covered, 0 exceptions", False))
        # It is that of another file.
        self.assertFalse(self.report(known, shown=view.replace("sign", "other"))[1])

    def test_an_exception(self):
        for listed in (exception(), exception(line=" ".join(LINE.split()))):
            self.assertEqual(self.report(self.sign(), [listed]), (["6 branches, 5 covered, 1 exceptions"], True))

    def test_exceptions_that_are_out_of_date(self):
        for right, listed, wrong in ((1, [exception()], "a test takes now"), (0, [exception(), exception()], "listed twice"),
                                     (0, [exception(), exception(line="if (x < 0) return -1;")], "without a branch"),
                                     (0, [exception(), exception(file="reference/other.cpp")], "without a branch"),
                                     (0, [exception(), exception(side="false")], "a test takes now")):
            with self.subTest(wrong):
                lines, well = self.report(self.sign(right), listed)
                self.assertFalse(well)
                self.assertEqual([line for line in lines if wrong in line], lines[:-1])

    def test_an_exception_that_means_two_branches(self):
        whole = exception()
        del whole["condition"]
        lines, well = self.report(self.sign(), [whole])
        self.assertFalse(well)
        self.assertIn("exception of 2 branches, name its condition", lines[0])

    def test_fields_of_an_exception(self):
        good = f"[[exception]]\nfile = '{FILE}'\nline = '{LINE}'\nside = 'true'\nbecause = 'no caller passes more'\n"
        self.assertEqual(len(branches.read_exceptions(good)), 1)
        self.assertEqual(branches.read_exceptions("# none\n"), [])
        for bad in (good.replace("'true'", "'yes'"), good.replace("no caller passes more", " "), good.replace("side", "sides"),
                    good.replace("because", "why"), good + "column = 4\n"):
            with self.subTest(bad), self.assertRaises(branches.BadInput):
                branches.read_exceptions(bad)

    def test_a_source_of_which_nothing_was_measured(self):
        (self.root / "vectors/lost.cpp").write_text(SOURCE)
        lines, well = self.report(self.sign(right=1))
        self.assertEqual((lines[0], well), ("vectors/lost.cpp: none of its functions was measured", False))
        (self.root / "vectors/lost.cpp").write_text("template int sign<float>(float);\nconstexpr int signs[] = {1, -1};\n")
        self.assertTrue(self.report(self.sign(right=1))[1])

    def test_nothing_was_measured(self):
        with self.assertRaises(branches.BadInput):
            self.report(self.exported())


if __name__ == "__main__":
    unittest.main()
