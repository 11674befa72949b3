# SPDX-License-Identifier: Apache-2.0
"""dev.d/mutants: a mutant does what its edit says, and the score counts what escapes."""

import contextlib
import ctypes
import io
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "dev.d/mutants"))

import build as builder  # noqa: E402
import gate  # noqa: E402
import replay  # noqa: E402
import report  # noqa: E402
import score  # noqa: E402
import sites  # noqa: E402
import targets  # noqa: E402

NEEDED = [name for name in ("clang", "cc") if shutil.which(name) is None]
VALUES = (-3, -1, 0, 1, 2, 5, 31)

# Every operator, and what nests, branches, loops and assigns. `SPAN` is used in one function, so it is a place, too.
SOURCE = """#define SPAN 4
enum { LIMIT = 5 };
""" + "".join(f"int op{n}(int a, int b) {{ return a {op} b; }}\n" for n, op in enumerate(sites.BINARY)) + \
    "".join(f"int as{n}(int a, int b) {{ a {op} b; return a; }}\n" for n, op in enumerate(sites.ASSIGNMENT)) + \
    "".join(f"int un{n}(int a, int b) {{ return b + {op}a; }}\n" for n, op in enumerate(sites.UNARY)) + """
int nested(int a, int b) { return ((a & 0xF) + (b << 2)) - (a > b ? b : LIMIT); }
int branch(int a, int b) { if (a < b && b != 0) { b += SPAN; } return a | b; }
int loop(int a, int b) { int sum = 0; for (int i = 0; i < 3; ++i) { if (i == b) continue; sum += a; } return sum; }
double real(int a, int b) { return a * 0.5 + b; }
"""


class Fixture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.root = self.folder / "root"
        (self.root / "code").mkdir(parents=True)
        (self.root / "conformance").mkdir()
        (self.root / "conformance/mutants").symlink_to(ROOT / "conformance/mutants")
        (self.root / "conformance/backend.h").symlink_to(ROOT / "conformance/backend.h")

    def build(self, source):
        (self.root / "code/code.c").write_text(source)
        group = targets.Group("code/code.c", (), ())
        target = targets.Target("code", "code", ("code/code.c",), ("code",), (group,), ("-O1", "-fvisibility=default"))
        build = builder.Build(self.root, target, self.folder / "build")
        build.find_sites()
        build.build_all()
        return build


def answers(library, name, given=""):
    """What the function `name` gives, as text, of a process of its own: which mutant it is a library reads when it is loaded."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.environ["MXCERT_MUTANT"] = given
        if given == "":
            del os.environ["MXCERT_MUTANT"]
        function = getattr(ctypes.CDLL(str(library)), name)
        function.restype = ctypes.c_double if name.endswith("real") else ctypes.c_int
        os.write(writing, repr([function(a, b) for a in VALUES for b in VALUES]).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="ascii") as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    return text if status == 0 else f"signal {os.WTERMSIG(status)}"


def edited(text, mutant):
    """The function of a mutant as C, with the edit made by hand, under the name m<number>_<function>."""
    site = mutant.site
    before, after = text[site.begin:site.end], site.edits[mutant.which]
    if site.operator:
        left, right = text[site.begin:site.operator[0]].strip(), text[site.operator[1]:site.end].strip()
        after = after.format(a=right if site.kind == "unary" else left, b=right)
    elif site.kind == "condition":
        after = after.format(a=before)
    elif site.kind == "statement":
        after = "(void)0"
    changed = text[:site.begin] + (f"({after})" if site.kind in ("binary", "unary", "condition") else after) + text[site.end:]
    line = next(line for line in changed.splitlines() if f" {site.inside}(" in line)
    macro = "#undef SPAN\n" + changed.splitlines()[0] + "\n"
    return macro + line.replace(f" {site.inside}(", f" m{mutant.number}_{site.inside}(") + "\n"


@unittest.skipIf(NEEDED, f"not here: {NEEDED}")
class Mutants(Fixture):
    def plain(self, source):
        """The source as it is."""
        (self.folder / "plain.c").write_text(source)
        subprocess.run(["cc", "-w", "-O0", "-fwrapv", "-shared", "-fPIC", self.folder / "plain.c", "-o",
                        self.folder / "plain.so"], check=True)
        return self.folder / "plain.so"

    def test_a_mutant_does_what_its_edit_says(self):
        build = self.build(SOURCE)
        mutants = score.mutants_of(build.sites)
        self.assertEqual({mutant.site.kind for mutant in mutants},
                         {"binary", "assignment", "unary", "condition", "statement", "int", "float"})
        self.assertGreater(len(mutants), 130)
        plain = self.plain(SOURCE + "".join(edited(SOURCE, mutant) for mutant in mutants))
        different = 0
        for mutant in mutants:
            name = mutant.site.inside
            got = answers(build.folder / "all.so", name, mutant.environment)
            self.assertEqual(got, answers(plain, f"m{mutant.number}_{name}"), edited(SOURCE, mutant))
            self.assertEqual(answers(build.folder / "all.so", name), answers(plain, name), name)
            different += got != answers(plain, name)
        self.assertGreater(different, len(mutants) * 3 // 4)

    def test_at_compile_time_a_mutant_is_the_same(self):
        build = self.build(SOURCE)
        different = 0
        for mutant in score.mutants_of(build.sites)[::9]:
            one = build.build_one(mutant)
            name = mutant.site.inside
            by_environment = answers(build.folder / "all.so", name, mutant.environment)
            different += one is not None
            self.assertEqual(answers(one or build.folder / "all.so", name), by_environment, edited(SOURCE, mutant))
        self.assertGreater(different, 10)

    def test_the_same_machine_code_is_equivalent(self):
        build = self.build("unsigned char f(unsigned x) { return (unsigned char)(x | 0x7Fu); }\n")
        same = [mutant.value for mutant in score.mutants_of(build.sites) if build.build_one(mutant) is None]
        self.assertIn(0x207F, same)  # the cast drops the bit
        self.assertNotIn(0x7E, same)

    def test_a_mutant_that_cannot_be_read_ends_the_process(self):
        build = self.build(SOURCE)
        for given in ("x", ":", "1:", "1:2x", "7 "):
            self.assertEqual(answers(build.folder / "all.so", "op0", given), "signal 6", given)


PLUGIN = """#include "conformance/backend.h"
static int32_t convert(const mxcert_convert_args* a) {
    const uint16_t* in = a->input;
    uint8_t* out = a->output;
    for (uint64_t i = 0; i < a->count; ++i) out[i] = (uint8_t)(in[i] >> 8) CHANGE;
    return MXCERT_OK;
}
static const mxcert_conversion offers[] = {{sizeof(mxcert_conversion), 0, "bf16", "e4m3", "toward_zero", "sat"}};
static const mxcert_api api = {.struct_size = sizeof(mxcert_api), .abi_major = MXCERT_ABI_MAJOR,
    .conversion_count = 1, .conversions = offers, .name = "x", .version = "1", .description = "x", .convert = convert};
const mxcert_api* mxcert_get_api(uint32_t major) { return major == MXCERT_ABI_MAJOR ? &api : NULL; }
"""


@unittest.skipIf(NEEDED, f"not here: {NEEDED}")
class Compare(Fixture):
    def plugin(self, name, change):
        (self.folder / f"{name}.c").write_text(PLUGIN.replace("CHANGE", change))
        subprocess.run(["cc", "-shared", "-fPIC", f"-I{ROOT}", self.folder / f"{name}.c", "-o", self.folder / f"{name}.so"],
                       check=True)
        return self.folder / f"{name}.so"

    def test_every_input_is_compared(self):
        compare = self.folder / "compare"
        subprocess.run(["cc", "-O2", f"-I{ROOT}", ROOT / "conformance/mutants/compare.c", "-o", compare, "-ldl"], check=True)
        row = "bf16-e4m3-toward_zero-sat"
        original = self.plugin("original", "")
        steps = self.folder / "original.steps"
        steps.write_text(subprocess.run([compare, "--steps", original, row], check=True, capture_output=True, text=True).stdout)
        self.assertEqual(len(steps.read_text().splitlines()), 256)
        for change, says in [("", "inputs 65536\ndiffer 0\n"),
                             (" ^ (in[i] == 0x1234)", "0x12 0x13 00001234-00001234\ninputs 65536\ndiffer 1\n"),
                             (" ^ (in[i] >= 0xFFFE)", "0xFF 0xFE 0000FFFE-0000FFFF\ninputs 65536\ndiffer 2\n")]:
            mutant = self.plugin("mutant", change)
            for more in ([], [steps]):
                done = subprocess.run([compare, original, mutant, row, *more], check=True, capture_output=True, text=True)
                self.assertEqual(done.stdout, says, more)
        cut = self.folder / "cut.steps"
        cut.write_text("100 0\n")
        for wrong in ([original, original, row, cut], [original, original, row, self.folder / "none.steps"],
                      [self.folder / "none.so", original, row], [original, original, "fp64-e4m3-toward_zero-sat"], []):
            self.assertEqual(subprocess.run([compare, *wrong], check=False, capture_output=True).returncode, 2, wrong)


@unittest.skipIf(NEEDED, f"not here: {NEEDED}")
class Replay(Fixture):
    """A mutant that answers the recorded calls as the original does is told from one that does not, and from one that ends."""

    def test_answers_that_differ_are_seen(self):
        # Wrong is what the calls ask: the answer to 0x1234 depends on the first constant, to none on the second.
        build = self.build(PLUGIN.replace("CHANGE", "+ (in[i] == 0x1234) + (in[i] == 0x4321) + (in[i] > 1 ? 0 : (abort(), 0))")
                           .replace("#include", "#include <stdlib.h>\n#include", 1))
        folder = self.folder / "build"
        replay.build_programs(ROOT, "cc", folder)
        calls = self.folder / "calls"
        values = [0x1234, 0x1111]
        calls.write_bytes(struct.pack("=QQQQQ", ord("C"), 0, len(values), 0, 2) + struct.pack("=2H", *values))
        text = build.texts[os.path.realpath(self.root / "code/code.c")].text
        mutants = score.mutants_of(build.sites)
        same = replay.same_as_original(folder, folder / "all.so", calls, mutants)

        def some(constant):
            return {m.number for m in mutants if m.site.kind == "int" and text[m.site.begin:m.site.end] == constant}

        self.assertFalse(same & some("0x1234"))
        self.assertTrue(some("0x4321") - {m.number for m in mutants if m.value in values} <= same)
        self.assertEqual([m.number in same for m in mutants if m.site.macro == "MX_GT"], [True, False, True])  # abort()
        # i <= count writes behind the output, and i != count does not.
        self.assertEqual([m.number in same for m in mutants if m.site.macro == "MX_LT"], [False, False, True])
        calls.write_bytes(calls.read_bytes()[:-1])
        with self.assertRaises(subprocess.CalledProcessError):
            replay.same_as_original(folder, folder / "all.so", calls, mutants)


class Score(unittest.TestCase):
    def test_values_of_a_constant(self):
        self.assertEqual(sites.integer_values(5, 32, False, False), (4, 7, 1, 6))
        self.assertEqual(len(sites.integer_values(0x7F, 32, False, True)), 33)  # 32 bits; one less is bit 0
        self.assertEqual(sites.integer_values(0, 32, False, False), (1, 0xFFFFFFFF))
        self.assertNotIn(64, sites.integer_values(63, 32, True, False))

    def test_escapes_are_counted_and_the_rest_is_not(self):
        site = sites.Site("/r/a.c", 0, 3, "binary", "MX_ADD", ("{a} - {b}", "{a}", "{b}"), operator=(1, 2), first=1)
        text = types.SimpleNamespace(text="a+b\n", line=lambda _: 1, column=lambda _: 1)
        build = types.SimpleNamespace(target=types.SimpleNamespace(name="t", about="t"), texts={"/r/a.c": text})

        def record(verdict, **outcomes):
            return {"verdict": verdict, "outcomes": outcomes, "differ": {}, "shown": "smoke: 00 gives 01"}

        def totals(*records, chosen=None):
            numbered = {n + 1: r for n, r in enumerate(records)}
            run = report.Report(pathlib.Path("/r"), [(build, score.mutants_of([site]), chosen or len(records), numbered)])
            return run, run.table()[1]

        run, counted = totals(record("wrong", smoke="survived", offline="killed"),
                              record("equivalent"), record("crashed", smoke="crashed"))
        self.assertEqual((counted["wrong"], counted["smoke"], counted["quick"], counted["standard"]), (1, 1, 0, 0))
        self.assertEqual([met for _, met in run.goals(counted)], [False, True, True, True])
        self.assertEqual(len(list(run.lines())), 1)
        run, counted = totals(record("wrong", smoke="killed", offline="killed"))
        self.assertTrue(all(met for _, met in run.goals(counted)))
        run, counted = totals(record("wrong", smoke="killed", quick="killed", offline="killed", standard="survived"))
        self.assertEqual([met for _, met in run.goals(counted)], [True, True, True, False])
        run, counted = totals(record("wrong", smoke="killed", offline="killed"), chosen=2)
        self.assertEqual([met for _, met in run.goals(counted)], [False, False, False, False])  # one is not scored

    def test_what_passes_quick_is_certified_at_the_level_that_sweeps(self):
        group = targets.Group("a.c", (), ("quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32",))
        asked = []
        with tempfile.TemporaryDirectory() as folder:
            build = types.SimpleNamespace(folder=pathlib.Path(folder), target=types.SimpleNamespace(name="t", groups=(group,)))
            build.build_one = lambda _: pathlib.Path(tempfile.mkdtemp(dir=folder)) / "one.so"

            def swept(verdict, outcomes, says, is_gate=False):
                given = types.SimpleNamespace(survey=True, gate=is_gate, jobs=1)
                scorer = score.Scorer(pathlib.Path(folder), build, {}, given)
                scorer.certify = lambda level, _group, plugin, _mutant: (
                    asked.append((level.name, plugin.name)) or (says if plugin.name == "one.so" else score.SURVIVED, ""))
                record = {"verdict": verdict, "outcomes": dict(outcomes)}
                scorer._sweep(None, group, record)
                return record["verdict"], record["outcomes"].get("standard")

            passes = {"smoke": score.SURVIVED, "quick": score.SURVIVED}
            self.assertEqual(swept("wrong", passes, score.KILLED), ("wrong", score.KILLED))
            self.assertEqual(asked, [("standard", "original.so"), ("standard", "one.so")])  # the original first
            self.assertEqual(swept("wrong", passes, score.SURVIVED), ("wrong", score.SURVIVED))
            self.assertEqual(swept("permitted", passes, score.KILLED), ("wrong", score.KILLED))
            asked.clear()
            self.assertEqual(swept("wrong", {"smoke": score.KILLED, "quick": score.KILLED}, score.SURVIVED),
                             ("wrong", score.KILLED))
            self.assertEqual(swept("wrong", passes, score.KILLED, is_gate=True), ("wrong", None))
            self.assertEqual(asked, [])

    def test_a_constant_that_stays_the_same_value_has_no_inverted_bit(self):
        text = types.SimpleNamespace(text="x = LIMIT;\ny = 0x10;\n")
        for begin, end, value, says in [(4, 9, 0, "LIMIT -> 0"), (15, 19, 0x11, "0x10 -> 0x11 (bit 0 inverted)"),
                                        (15, 19, 0xF, "0x10 -> 0xF")]:
            site = sites.Site("a.c", begin, end, "int", "MX_INT", (hex(value).upper().replace("X", "x") if value else "0",), (value,))
            self.assertTrue(report.edit_text(score.Mutant(1, site, 0), text).endswith(says))

    def test_a_gate_fails_if_a_mutant_escapes(self):
        for lines, wrong, code in [([], 3, 0), (["a.c:1"], 3, 1), ([], 0, 2)]:
            run = types.SimpleNamespace(lines=lambda lines=lines: lines)
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(gate.gate(run, {"wrong": wrong, "chosen": 5, "done": 4}), code)
            self.assertEqual(out.getvalue().count("escaped: "), len(lines))


if __name__ == "__main__":
    unittest.main()
