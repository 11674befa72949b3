# SPDX-License-Identifier: Apache-2.0
"""dev.d/mutants/model: a mutant does what its edit says, what does not compile is dropped, and what survives is counted."""

import contextlib
import importlib.util
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "dev.d/mutants"), str(ROOT / "dev.d/mutants/model")]

NEEDED = [name for name in ("c++",) if shutil.which(name) is None]
if importlib.util.find_spec("clang") is None:
    NEEDED.append("python3-clang-14")
else:
    import cursors  # noqa: E402
    import judge  # noqa: E402
    import model_build  # noqa: E402
    import model_report  # noqa: E402
    import mutant  # noqa: E402
    import schemata  # noqa: E402
    from clang import cindex  # noqa: E402
from equivalent import Equivalents  # noqa: E402

VALUES = (-3, -1, 0, 1, 2, 5)
BINARY = ("+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||")
ASSIGNMENT = ("+=", "-=", "*=", "&=", "|=", "^=")
# Every operator; what nests, branches and loops; a function that is constant in one place and not in another; an enumerator.
SOURCE = "enum class Color { red, green, blue };\n" + \
    "".join(f"int op{n}(int a, int b) {{ return a {op} b; }}\n" for n, op in enumerate(BINARY)) + \
    "".join(f"int as{n}(int a, int b) {{ a {op} b; return a; }}\n" for n, op in enumerate(ASSIGNMENT)) + \
    "".join(f"int un{n}(int a, int b) {{ return b + {op}a; }}\n" for n, op in enumerate("-~!")) + """
int shifted(int a, int b) { return (a << (b & 7)) + (a >> 2); }
int nested(int a, int b) { return ((a & 0xF) + (b << 2)) - (a > b ? b : 5); }
int branch(int a, int b) { if (a < b && b != 0) { b += 4; } return a | b; }
int loop(int a, int b) { int sum = 0; for (int i = 0; i < 3; ++i) { if (i == b) continue; sum += a; } return sum; }
int down(int a, int b) { int n = 3; do { --a; ++b; } while (--n > 0); return 3 * a - b; }
int real(int a, int b) { return static_cast<int>(1000 * (a * 0.5 + b)); }
constexpr int twice(int a) { return 2 * a; }
template <int n> int constant_of(int a) { return n + a; }
int both(int a, int b) { constexpr int six = twice(3); return constant_of<twice(2)>(six) + twice(a) + b; }
int color(int a, int b) { return a > b ? static_cast<int>(Color::green) : 7; }
"""
NAMES = re.findall(r"^int (\w+)\(int a, int b\)", SOURCE, re.MULTILINE)
# Prints what a function gives.
SHOW = f"""#include <cstdio>
#include <cstdlib>
#include <initializer_list>
void show(int (*one)(int, int)) {{
    for (int a : {{{", ".join(map(str, VALUES))}}})
        for (int b : {{{", ".join(map(str, VALUES))}}}) std::printf("%d ", one(a, b));
    std::printf("\\n");
}}
"""
MAIN = f"""int main(int, char** given) {{
    int (*const all[])(int, int) = {{{", ".join(NAMES)}}};
    show(all[std::atoi(given[1])]);
}}
"""


def sites_of(path):
    text = path.read_text()
    finder = cursors.Finder({str(path): text}, lambda file: pathlib.Path(file).name)
    finder.unit(cindex.Index.create().parse(str(path), ["-std=c++20"]))
    return cursors.numbered(finder.sites.values()), text


def by_hand(site, which, text):
    """The line of the source with the edit in its place: the function that the selected mutant has to be."""
    after = site.edits[which]
    if site.kind == "statement":
        after = ""
    if site.operator:
        left, right = text[site.begin:site.operator[0]], text[site.operator[1]:site.end]
        if site.kind == "unary":
            after = f"!!{right}" if site.call == "negate" else right
        elif site.kind == "assignment":
            after = re.sub(r"[ab]", lambda m: left if m[0] == "a" else right, after)
        elif site.call in ("and", "or") and after in "ab":
            after = f"!!({left if after == 'a' else right})"
        else:
            after = re.sub(r"[ab]", lambda m: f"({left})" if m[0] == "a" else f"({right})", after)
    elif site.kind == "condition":
        after = after.replace("a", f"({text[site.begin:site.end]})") if after == "!a" else after
    begin, end = text.rindex("\n", 0, site.begin) + 1, text.index("\n", site.end)
    return f"{text[begin:site.begin]}{after and f'({after})'}{text[site.end:end]}"


@unittest.skipIf(NEEDED, f"[absent] {NEEDED}")
class Mutants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, name, text, *more):
        source = self.folder / f"{name}.cpp"
        source.write_text(text)
        done = subprocess.run(["c++", "-std=c++20", "-w", "-Wno-narrowing", "-fwrapv", f"-I{ROOT}", source, *more,
                               "-o", self.folder / name], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / name

    def test_each_mutant_is_its_edit(self):
        path = self.folder / "code.cpp"
        path.write_text(SOURCE)
        sites, text = sites_of(path)
        # A template argument is no variable: model_build drops such places.
        sites = [site for site in sites if "constant_of<twice(2" not in text[max(site.begin - 20, 0):site.end]]
        self.assertEqual({site.kind for site in sites}, {"binary", "assignment", "unary", "condition", "statement", "constant"})
        mutants = mutant.mutants_of(sites, {"code.cpp": text})
        self.assertEqual(len({one.key for one in mutants}), len(mutants))
        program = self.compile("all", '#include "conformance/mutants/model.hpp"\n' + SHOW + schemata.rewrite(text, sites) + MAIN,
                               ROOT / "conformance/mutants/model.cpp")
        # All by hand, each in its namespace. Those use the helpers that are no function of two numbers.
        mutants = [one for one in mutants if one.site.inside in NAMES]
        used = "\n".join(line for line in text.split("\n") if not re.match(r"int \w+\(int a, int b\)", line))
        hand = self.compile("hand", SHOW + used + "".join(
            f"namespace m{one.number} {{\n{by_hand(one.site, one.which, text)}\n}}\n" for one in mutants) +
            "int main() { " + " ".join(f"show(m{one.number}::{one.site.inside});" for one in mutants) + " }\n")
        expected = subprocess.run([hand], capture_output=True, text=True, check=True).stdout.split("\n")

        def answer(one, environment):
            return subprocess.run([program, str(NAMES.index(one.site.inside))], env=environment, capture_output=True, text=True,
                                  check=True, timeout=20).stdout.strip("\n")
        changed = 0
        for one, line in zip(mutants, expected):
            self.assertEqual(answer(one, {"MXCERT_MUTANT": one.environment}), line, one.edit)
            changed += line != answer(one, {})
        self.assertGreater(changed, 150)

    def test_what_was_evaluated_is_recorded_and_a_bad_number_ends_the_process(self):
        path = self.folder / "code.cpp"
        path.write_text("int op0(int a, int b) { return a + b; }\nint unused(int a, int b) { return a - b; }\n")
        sites, text = sites_of(path)
        (self.folder / "few.cpp").write_text('#include "conformance/mutants/model.hpp"\n' + schemata.rewrite(text, sites) +
                                             "int main() { return op0(1, -1); }\n")
        program = self.folder / "few"
        subprocess.run(["c++", "-std=c++20", f"-I{ROOT}", self.folder / "few.cpp", ROOT / "conformance/mutants/model.cpp", "-o", program],
                       check=True)
        subprocess.run([program], env={"MXCERT_REACHED": str(self.folder / "reached")}, check=True)
        self.assertEqual((self.folder / "reached").read_text(), "1\n")
        for given, code in [("1,1", 2), ("4,4", 0)]:
            self.assertEqual(subprocess.run([program], env={"MXCERT_MUTANT": given}, check=False).returncode, code)
        for given in ("", "1", "1,2", "0,0", "x,1", "1,1,1", "999999999,999999999"):
            self.assertLess(subprocess.run([program], env={"MXCERT_MUTANT": given}, check=False).returncode, 0, given)

    def test_the_site_of_an_error_is_the_innermost_around_it(self):
        path = self.folder / "code.cpp"
        path.write_text("int f(int a) {\n    f(\"(\"[0] + a);\n    return a + 1;\n}\n")
        sites, text = sites_of(path)
        rewritten = schemata.rewrite(text, sites)
        found = schemata.spans(rewritten)
        self.assertEqual({first for *_, first in found}, {site.first for site in sites})
        constant = next(site for site in sites if text[site.begin:site.end] == "1")
        line = rewritten.split("\n")[2]
        self.assertEqual(schemata.site_at(rewritten, found, 3, line.index(" 1,") + 2), constant.first)
        self.assertIsNone(schemata.site_at(rewritten, found, 3, line.index("return") + 1))
        statement = next(site for site in sites if site.kind == "statement")
        self.assertEqual(schemata.site_at(rewritten, found, 2, rewritten.split("\n")[1].index("f(") + 1), statement.first)


@unittest.skipIf(NEEDED, f"[absent] {NEEDED}")
class Judging(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def mutant(self, first=1):
        site = cursors.Site("reference/a.cpp", 0, 5, "binary", "add", ("a - b",), (2, 3), inside="f", first=first)
        return mutant.mutants_of([site], {"reference/a.cpp": "a + b"})[0]

    def judged(self, codes, dropped=()):
        """The verdict where the tests end with these codes; two tests reach the site."""
        build = types.SimpleNamespace(dropped=set(dropped))
        one = judge.Judge(build, 1)
        one.tests = [judge.Test("reference_test", name, seconds, frozenset({1})) for name, seconds in (("slow", 9.0), ("fast", 0.1))]
        asked = []

        def run(_program, names, _environment, _seconds):
            asked.append(names)
            return codes[names[0]], 0.0, ""
        one._run = run
        return one.score(self.mutant(), ()), asked

    def test_the_fastest_test_is_asked_first_and_the_first_failure_decides(self):
        self.assertEqual(self.judged({"fast": 1, "slow": 1}), ({"verdict": "killed", "by": "fast"}, [["fast"]]))
        self.assertEqual(self.judged({"fast": 0, "slow": -11})[0], {"verdict": "crashed", "by": "slow"})
        self.assertEqual(self.judged({"fast": 0, "slow": None})[0], {"verdict": "hung", "by": "slow"})
        self.assertEqual(self.judged({"fast": 0, "slow": 0})[0], {"verdict": "survived", "tests": 2})
        self.assertEqual(self.judged({"fast": judge.ABSENT_CODE})[0], {"verdict": "not compiled"})
        self.assertEqual(self.judged({}, dropped={1})[0], {"verdict": "not compiled"})

    def test_what_no_test_reaches_survives_unless_it_is_explained(self):
        one = judge.Judge(types.SimpleNamespace(dropped=set()), 1)
        self.assertEqual(one.score(self.mutant(first=5), ())["verdict"], judge.NOT_REACHED)
        for verdict, reasons, survivors in [("not reached", {}, 1), ("survived", {}, 1), ("survived", {"key": "why"}, 0),
                                            ("killed", {}, 0), ("same code", {}, 0)]:
            chosen = [self.mutant()]
            known = types.SimpleNamespace(of=lambda _, verdict=verdict: {"verdict": verdict})
            equivalents = types.SimpleNamespace(reason=lambda _, reasons=reasons: reasons.get("key"))
            report = model_report.ModelReport(chosen, chosen, known, equivalents)
            self.assertEqual(len(report.survivors()), survivors)
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(report.gate(), survivors)
        unknown = types.SimpleNamespace(of=lambda _: None)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(model_report.ModelReport(chosen, chosen, unknown, None).gate(), 2)

    def test_batches_have_every_test_once_in_order(self):
        tests = [judge.Test("reference_test", str(n), 0.05 * n, frozenset()) for n in range(60)]
        batches = judge.Judge.batches(tests)
        self.assertEqual([test for batch in batches for test in batch], tests)
        self.assertEqual(len(batches[0]), 1)
        self.assertGreater(len(batches), 3)

    def test_a_larger_sample_has_a_smaller_one(self):
        sites = [cursors.Site("a.cpp", n, n + 1, "constant", "constant", ("1", "2"), first=2 * n + 1) for n in range(50)]
        mutants = mutant.mutants_of(sites, {"a.cpp": "0" * 50})
        few, many = (mutant.chosen(mutants, size, 3) for size in (10, 40))
        self.assertEqual(len(few), 10)
        self.assertLess({one.number for one in few}, {one.number for one in many})
        self.assertNotEqual(few, mutant.chosen(mutants, 10, 4))

    def test_an_error_outside_all_mutants_ends_the_run(self):
        with self.assertRaises(model_build.Broken):
            build = model_build.ModelBuild.__new__(model_build.ModelBuild)
            build.tree, build.texts = pathlib.Path("/nowhere"), {}
            build.drop("/usr/include/stdio.h:1:1: error: no\n")

    def test_an_error_that_no_site_is_around_drops_those_of_its_statement(self):
        build = model_build.ModelBuild.__new__(model_build.ModelBuild)
        build.build = build.tree = self.folder
        build.texts = {"a.cpp": ""}
        (self.folder / "a.cpp").write_text("#line 1\nint f() {\n    return g(1,\n             " +
                                           schemata.PREFIX + "add(" + schemata.PREFIX + "Plain{7U}, a, b));\n}\nint h = " +
                                           schemata.PREFIX + "add(" + schemata.PREFIX + "Plain{9U}, a, b);\n")
        self.assertEqual(build.sites_of_statement("a.cpp", 2), [7])
        self.assertEqual(build.sites_of_statement("a.cpp", 1), [])
        self.assertEqual(build.sites_of_statement("b.cpp", 2), [])

    def test_a_group_is_read_without_the_source_that_only_the_tree_has(self):
        build = model_build.ModelBuild.__new__(model_build.ModelBuild)
        build.root, build.tree = pathlib.Path("/project"), pathlib.Path("/project/build/tree")
        group = f'#include "/project/build/tree/reference/a.cpp"\n\n#include "/project/build/tree/{model_build.ADDED}"\n'
        self.assertEqual(build.in_root(group), '#include "/project/reference/a.cpp"\n\n')


class Reasons(unittest.TestCase):
    def test_an_explained_mutant_needs_a_reason(self):
        def one(function, edit, kind="binary"):
            return types.SimpleNamespace(key=f"a.cpp | {function} | {edit}",
                                         site=types.SimpleNamespace(file="a.cpp", inside=function, kind=kind))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "equivalent.toml"
            row = '[[mutant]]\nfile = "a.cpp"\nfunction = "f"\nedit = "`a` -> `b`"\n'
            inputs = '[[inputs]]\nfile = "a.cpp"\nfunction = "cases"\n'
            path.write_text(row + 'because = "a is b"\n' + inputs + 'because = "any value will do"\n')
            known = Equivalents(path)
            self.assertEqual(known.reason(one("f", "`a` -> `b`")), "a is b")
            self.assertIsNone(known.reason(one("g", "`a` -> `b`")))
            self.assertEqual(known.reason(one("cases", "`1` -> `2`", "constant")), "any value will do")
            self.assertIsNone(known.reason(one("cases", "`1` -> `2`")))
            for bad in (row, row + 'because = " "\n', inputs, inputs + 'because = ""\n'):
                path.write_text(bad)
                self.assertRaises(ValueError, Equivalents, path)


if __name__ == "__main__":
    unittest.main()
