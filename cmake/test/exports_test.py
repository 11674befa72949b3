# SPDX-License-Identifier: Apache-2.0
"""Exports as their users read them: every format is read back without this project's code, and compared with a model of
its own in rational numbers, with the JSON, and by the compilers and simulators that are there."""

import ast
import hashlib
import importlib.util
import json
import math
import re
import shutil
import struct
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

from common import BUILD, CC, SOURCE, clean_environment, run, validate

PROGRAM = BUILD / "bin" / "mxcert"
CONVERSION = "bf16-e4m3-nearest_even-sat"
QUANTIZE = "quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32"
DEQUANTIZE = "dequantize-e5m2-e8m0-fp32-column-32"
LAYOUT = "layout-swizzle_128x4-arrange"
MATMUL = "matmul-e4m3-e5m2-e8m0-1x32-32x1-nn-none-bf16-exact-given"
SCALING = "scaling-te_delayed_4_margin_2"
NVFP4 = "dequantize_nvfp4-torchao_nvfp4-fp32-16x16"

# Bits of exponent and fraction, bias, and whether the largest exponent is for Inf and NaN.
FORMATS = {"bf16": (8, 7, 127, True), "fp32": (8, 23, 127, True), "e5m2": (5, 2, 15, True), "e4m3": (4, 3, 7, False)}
INF, NAN = "inf", "nan"


def decode(name, code):
    """The sign, and the magnitude as a number, INF or NAN."""
    exponent_bits, fraction_bits, bias, ieee = FORMATS[name]
    fraction = code & ((1 << fraction_bits) - 1)
    exponent = code >> fraction_bits & ((1 << exponent_bits) - 1)
    sign = code >> (exponent_bits + fraction_bits)
    if ieee and exponent == (1 << exponent_bits) - 1:
        return sign, NAN if fraction else INF
    if not ieee and code & 0x7F == 0x7F:
        return sign, NAN
    if exponent == 0:
        return sign, Fraction(fraction, 1 << fraction_bits) * Fraction(2) ** (1 - bias)
    return sign, (1 + Fraction(fraction, 1 << fraction_bits)) * Fraction(2) ** (exponent - bias)


def encode(name, sign, magnitude, saturate, steps_of=round):
    """To nearest even, as Python rounds, or as `steps_of` does; None where any NaN is right."""
    exponent_bits, fraction_bits, bias, ieee = FORMATS[name]
    top = sign << (exponent_bits + fraction_bits)
    largest = (1 << (exponent_bits + fraction_bits)) - (1 + (1 << fraction_bits) if ieee else 2)
    if magnitude == NAN:
        return None
    if magnitude == INF:
        return top | (largest if saturate else largest + 1) if saturate or ieee else None
    exponent = 1 - bias
    if magnitude >= Fraction(2) ** exponent:
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        exponent -= Fraction(2) ** exponent > magnitude
    quantum = Fraction(2) ** (exponent - fraction_bits)
    steps = steps_of(magnitude / quantum)
    code = steps + (exponent + bias - 1 << fraction_bits)
    if code > largest:
        return top | largest if saturate else top | largest + 1 if ieee else None
    return top | code


def is_nan(name, code):
    return decode(name, code)[1] == NAN


def codes(text):
    return [int(code, 16) for code in text.split()]


def model_quantize(values, source="bf16", element="e4m3"):
    """One block of finite values, ocp_floor: the scale, and the elements."""
    numbers = [decode(source, value) for value in values]
    amax = max(magnitude for _, magnitude in numbers)
    exponent = amax.numerator.bit_length() - amax.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > amax
    scale = 0 if amax == 0 else max(0, exponent - 8 + 127)
    factor = Fraction(2) ** (scale - 127)
    return scale, [encode(element, sign, magnitude / factor, True) for sign, magnitude in numbers]


def places(text):
    """3 5..9: 3, and 5 to 9."""
    for part in text.split():
        first, _, last = part.partition("..")
        yield from range(int(first), int(last or first) + 1)


class Export:
    """What the JSON says, as rows: id, number of the answer, inputs, outputs, and how open each value is."""

    def __init__(self, text):
        self.json = json.loads(text)
        self.subject = self.json["subject"]
        self.inputs = [field["name"] for field in self.subject["inputs"]]
        self.outputs = [field["name"] for field in self.subject["outputs"]]
        self.rows = []
        for group in self.json["groups"]:
            for test in group["tests"]:
                for number, answer in enumerate(test["answers"]):
                    outputs = {name: codes(answer["outputs"][name]) for name in self.outputs}
                    opened = {name: [0] * len(outputs[name]) for name in self.outputs}
                    for value in answer.get("open", []):
                        permit = value["permit"]
                        bits = 4 if permit == "any" else (("nan" in permit) + 2 * (permit.count("|") > ("nan" in permit))
                                                          + 2 * (".." in permit))
                        for place in places(value["at"]):
                            opened[value["output"]][place] = bits
                    self.rows.append({"id": test["id"], "answer": number, "sizes": group["sizes"],
                                      "inputs": {name: codes(test["inputs"][name]) for name in self.inputs},
                                      "outputs": outputs, "open": opened})

    def flat(self):
        """Each row as what programs print."""
        return [[row["id"], row["answer"], *row["sizes"], *(x for name in self.inputs for x in row["inputs"][name]),
                 *(x for name in self.outputs for x in row["outputs"][name]),
                 *(x for name in self.outputs for x in row["open"][name])] for row in self.rows]


def wrong_conversions(export, source, target):
    return [row["id"] for row in export.rows
            if not agrees(target, encode(target, *decode(source, row["inputs"]["value"][0]), True),
                          row["outputs"]["code"][0])]


def agrees(name, expected, code):
    return is_nan(name, code) if expected is None else code == expected


def wrong_blocks(export):
    """Ids of finite blocks of 32 without the model's answer."""
    right = {}
    for row in export.rows:
        values = row["inputs"]["values"]
        if row["sizes"] != [1, 32] or any(decode("bf16", value)[1] in (INF, NAN) for value in values):
            continue
        scale, elements = model_quantize(values)
        got = row["outputs"]
        agree = got["scales"] == [scale] and got["elements"] == elements
        right[row["id"]] = right.get(row["id"], False) or agree
    return [name for name, agrees_once in right.items() if not agrees_once]


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp())
        cls.exports = {}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def export(self, what, form, name):
        kind = "--operation" if "-" in what and what.split("-")[0] not in ("bf16", "fp32") else "--conversion"
        path = self.root / name
        run(PROGRAM, "vectors", "export", "--format", form, kind, what, "-o", path)
        return path

    def json(self, what):
        if what not in self.exports:
            self.exports[what] = Export(self.export(what, "json", what + ".json").read_text())
        return self.exports[what]

    def test_json_has_the_published_form(self):
        schema = SOURCE / "conformance/schema/vectors-1.json"
        for what in (CONVERSION, QUANTIZE, DEQUANTIZE, LAYOUT, MATMUL, SCALING, NVFP4):
            export = self.json(what)
            # Of each group the first and the last tests: a validator takes its time.
            short = {**export.json, "groups": [{**group, "tests": group["tests"][:8] + group["tests"][-8:]}
                                               for group in export.json["groups"]]}
            validate(short, schema)
            tests = [test for group in export.json["groups"] for test in group["tests"]]
            self.assertEqual(export.json["tests"], len(tests))
            self.assertEqual(len({test["id"] for test in tests}), len(tests))
            self.assertEqual({bug for test in tests for bug in test["bugs"]}, set(export.json["bugs"]))
            self.assertEqual({flag for test in tests for flag in test["flags"]}, set(export.json["flags"]))
        broken = json.loads(json.dumps(self.json(SCALING).json))
        broken["groups"][0]["tests"][0]["answers"] = []
        if importlib.util.find_spec("jsonschema") is not None:
            with self.assertRaisesRegex(Exception, "too short|non-empty"):
                validate(broken, schema)

    def test_answers_are_those_of_another_model(self):
        conversion = self.json(CONVERSION)
        self.assertGreater(len(conversion.rows), 500)
        self.assertEqual(wrong_conversions(conversion, "bf16", "e4m3"), [])
        conversion.rows[7]["outputs"]["code"][0] ^= 1
        self.assertEqual(wrong_conversions(conversion, "bf16", "e4m3"), [conversion.rows[7]["id"]])
        conversion.rows[7]["outputs"]["code"][0] ^= 1
        blocks = self.json(QUANTIZE)
        self.assertGreater(len(blocks.rows), 1000)
        self.assertEqual(wrong_blocks(blocks), [])
        blocks.rows[40]["outputs"]["elements"][31] ^= 1
        self.assertEqual(wrong_blocks(blocks), [blocks.rows[40]["id"]])
        blocks.rows[40]["outputs"]["elements"][31] ^= 1

    def test_dequantized_values_and_layouts(self):
        for row in self.json(DEQUANTIZE).rows:
            rows, columns = row["sizes"]
            for at, code in enumerate(row["inputs"]["elements"]):
                scale = row["inputs"]["scales"][at // columns // 32 * columns + at % columns]
                sign, magnitude = (0, NAN) if scale == 0xFF else decode("e5m2", code)
                if magnitude not in (INF, NAN):
                    magnitude *= Fraction(2) ** (scale - 127)
                self.assertTrue(agrees("fp32", encode("fp32", sign, magnitude, False), row["outputs"]["values"][at]),
                                row["id"])
        for row in self.json(LAYOUT).rows:
            rows, columns = row["sizes"]
            tiles = -(-columns // 4)
            arranged = [0] * (-(-rows // 128) * tiles * 512)
            for at, scale in enumerate(row["inputs"]["scales"]):
                i, j = divmod(at, columns)
                arranged[(i // 128 * tiles + j // 4) * 512 + i % 32 * 16 + i % 128 // 32 * 4 + j % 4] = scale
            self.assertEqual(arranged, row["outputs"]["arranged"], row["id"])

    def test_flags_and_bugs_of_known_inputs(self):
        tests = {test["id"]: test for group in self.json(CONVERSION).json["groups"] for test in group["tests"]}
        self.assertEqual(tests["43E8"]["flags"], ["TIE", "INEXACT"])  # 464
        self.assertIn("OVERFLOW", tests["43E9"]["flags"])
        self.assertIn("MAX480_FORMAT", tests["43E8"]["bugs"])
        self.assertEqual(tests["0000"]["flags"], ["ZERO"])
        self.assertEqual(tests["7F80"]["clauses"], ["OFP8-INF-SAT"])

    def test_tests_name_the_bugs_that_they_show(self):
        def away(number):
            return math.floor(number + Fraction(1, 2))

        tests = [test for group in self.json(CONVERSION).json["groups"] for test in group["tests"]]
        for bug, steps_of in (("TIES_AWAY", away), ("TRUNCATES", math.floor)):
            shown = [test["id"] for test in tests
                     if not agrees("e4m3", encode("e4m3", *decode("bf16", int(test["inputs"]["value"], 16)), True, steps_of),
                                   int(test["answers"][0]["outputs"]["code"], 16))]
            self.assertGreater(len(shown), 50)
            self.assertEqual([test["id"] for test in tests if bug in test["bugs"]], shown)

    def test_csv(self):
        for what in (DEQUANTIZE, MATMUL):
            export = self.json(what)
            lines = self.export(what, "csv", "t.csv").read_text().splitlines()
            names = lines[0].split(",")
            self.assertEqual(names[:3], ["id", "answer", "sizes"])
            self.assertEqual(len(lines) - 1, len(export.rows))
            for line, row in zip(lines[1:], export.rows):
                cells = dict(zip(names, line.split(","), strict=True))
                self.assertEqual((cells["id"], int(cells["answer"])), (row["id"], row["answer"]))
                for name in export.inputs:
                    self.assertEqual(codes(cells[name]), row["inputs"][name])
                for name in export.outputs:
                    self.assertEqual(codes(cells[name]), row["outputs"][name])
                self.assertEqual(len(cells["open"].split()), sum(x != 0 for name in export.outputs for x in row["open"][name]))

    def test_npy_and_hex_are_folders_with_a_manifest(self):
        for form, what, read in (("npy", MATMUL, read_npy), ("hex", QUANTIZE, read_hex)):
            export = self.json(what)
            folder = self.export(what, form, f"{form}-{what}")
            manifest = json.loads((folder / "manifest.json").read_text())
            validate(manifest, SOURCE / "conformance/schema/export-1.json")
            self.assertEqual(manifest["license"], "Apache-2.0")
            self.assertEqual(manifest["subject"], export.subject)
            read_rows = []
            for entry in manifest["files"]:
                data = (folder / entry["file"]).read_bytes()
                self.assertEqual(hashlib.sha256(data).hexdigest(), entry["sha256"])
                read_rows += read(data, export)
            self.assertEqual(len(manifest["files"]), len(export.json["groups"]))
            self.assertEqual(len(list(folder.iterdir())), len(manifest["files"]) + 1)
            for got, row in zip(read_rows, export.rows, strict=True):
                for part in ("inputs", "outputs", "open"):
                    self.assertEqual(got[part], row[part], row["id"])

    def printed(self, command):
        return [[word if i == 0 else int(word) for i, word in enumerate(line.split())]
                for line in run(*command)[1].splitlines()]

    def test_c(self):
        export = self.json(QUANTIZE)
        name = "mxcert_" + QUANTIZE.replace("-", "_")
        self.export(QUANTIZE, "c", "vectors.h")
        source = self.root / "print.c"
        source.write_text(c_printer(name, export))
        run(CC, "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-o", self.root / "print_c", source)
        self.assertEqual(self.printed([self.root / "print_c"]), export.flat())

    def test_systemverilog(self):
        if shutil.which("iverilog") is None:
            print("no iverilog here: the SystemVerilog package is not simulated")
            return
        folder = self.export(CONVERSION, "sv", "sv")
        rtl = SOURCE / "docs/examples/rtl"
        package = f"mxcert_{CONVERSION.replace('-', '_')}.sv"

        def simulate(bug):
            run("iverilog", "-g2012", f"-Ppackage_testbench.BUG={bug}", "-o", "sim", package,
                rtl / "package_testbench.sv", rtl / "bf16_to_e4m3.v", cwd=folder)
            return run("vvp", "sim", cwd=folder)[1].splitlines()[-1]

        self.assertEqual(simulate(0), f"PASS: {len(self.json(CONVERSION).rows)} tests")
        self.assertRegex(simulate(1), "^FAIL: [0-9]+ of")
        words = folder / f"{CONVERSION.replace('-', '_')}.hex"
        lines = words.read_text().splitlines()
        lines[12] = lines[12][:9] + ("7" if lines[12][9] != "7" else "6") + lines[12][10:]  # one digit of a code
        words.write_text("\n".join(lines) + "\n")
        self.assertRegex(simulate(0), "^FAIL: 1 of")
        # A package of an operation compiles, and its words have the width of its structure.
        folder = self.export(QUANTIZE, "sv", "sv-blocks")
        (folder / "top.sv").write_text(
            f"module top; import mxcert_{QUANTIZE.replace('-', '_')}::*; word_1x32_t words [0:WORDS_1x32-1]; word_1x32_t last; initial begin"
            " $readmemh(FILE_1x32, words); last = words[WORDS_1x32-1]; $display(\"%h %h\", last.scales, last.values);"
            " end endmodule\n")
        run("iverilog", "-g2012", "-o", "sim", f"mxcert_{QUANTIZE.replace('-', '_')}.sv", "top.sv", cwd=folder)
        last = [row for row in self.json(QUANTIZE).rows if row["sizes"] == [1, 32]][-1]
        self.assertEqual(run("vvp", "sim", cwd=folder)[1].split(),
                         [f"{last['outputs']['scales'][0]:02x}",
                          "".join(f"{value:04x}" for value in reversed(last["inputs"]["values"]))])

    def test_riscv_assembly(self):
        text = self.export(CONVERSION, "riscv-asm", "t.S").read_text()
        self.assertIn(f".equ COUNT, {len(self.json(CONVERSION).rows)}\n", text)
        expected = re.search(r"\nexpected:\n(.*?)\n    \.balign", text, re.DOTALL)[1]
        self.assertEqual([int(code, 16) for code in re.findall("0x[0-9A-F]+", expected)],
                         [row["outputs"]["code"][0] for row in self.json(CONVERSION).rows])
        for what in ("fp32-e2m1-nearest_even-sat", SCALING):
            kind = "--operation" if what == SCALING else "--conversion"
            code, _, errors = run(PROGRAM, "vectors", "export", "--format", "riscv-asm", kind, what, check=False)
            self.assertEqual(code, 2)
            self.assertIn("RISC-V has no instruction", errors)
        assembler = shutil.which("riscv64-unknown-elf-as")
        if assembler is None:
            print("no riscv64-unknown-elf-as here: the program is not assembled")
            return
        run(assembler, "-march=rv64gcv_zicsr", "-o", self.root / "t.o", self.root / "t.S")
        run("riscv64-unknown-elf-ld", "-N", "-Ttext=0x80000000", "-o", self.root / "t", self.root / "t.o")
        listing = run("riscv64-unknown-elf-objdump", "-d", self.root / "t")[1]
        self.assertIn("4a8f9257", listing)  # vfncvtbf16.sat.f.f.w v4, v8


def read_npy(data, export):
    """Rows of a NumPy file, without NumPy."""
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    at = 10 + length
    rows = []
    for _ in range(header["shape"][0]):
        row = {}
        for name, kind, *shape in header["descr"]:
            count = shape[0][0] if shape else 1
            size = int(kind[2:])
            part = data[at:at + size * count]
            row[name] = part.rstrip(b"\0").decode() if kind[1] == "S" else [
                int.from_bytes(part[i * size:(i + 1) * size], "little") for i in range(count)]
            at += size * count
        rows.append(row)
    assert at == len(data)
    return [{"inputs": {name: row[name] for name in export.inputs}, "outputs": {name: row[name] for name in export.outputs},
             "open": {name: row[name + "_open"] for name in export.outputs}} for row in rows]


def read_hex(data, export):
    """Rows of words, cut as their comment says."""
    rows = []
    members = []
    for line in data.decode().splitlines():
        if line.startswith("//"):
            members = re.findall(r" (\w+)\[(\d+) x (\d+) bits\]", line) or members
            continue
        row = {}
        at = 0
        for name, count, bits in members:
            digits = int(bits) // 4
            part = line[at:at + digits * int(count)]
            row[name] = [int(part[i:i + digits], 16) for i in range(0, len(part), digits)][::-1]
            at += len(part)
        assert at == len(line)
        rows.append(row)
    return [{"inputs": {name: row[name] for name in export.inputs}, "outputs": {name: row[name] for name in export.outputs},
             "open": {name: row[name + "_open"] for name in export.outputs}} for row in rows]


def c_printer(name, export):
    sizes = export.subject["sizes"]
    text = '#include <stdio.h>\n#include "vectors.h"\nint main(void) {\n'
    text += f"    for (size_t t = 0; t < sizeof {name}_tests / sizeof {name}_tests[0]; ++t) {{\n"
    text += f"        const {name}_test *test = &{name}_tests[t];\n"
    text += '        printf("%s %u", test->id, test->answer);\n'
    text += "".join(f'        printf(" %zu", test->size_{size});\n' for size in sizes)
    for field in export.inputs + export.outputs:
        text += f"        for (size_t i = 0; i < test->{field}_count; ++i) printf(\" %u\", (unsigned)test->{field}[i]);\n"
    for field in export.outputs:
        text += (f"        for (size_t i = 0; i < test->{field}_count; ++i)"
                 f' printf(" %u", test->{field}_open == NULL ? 0U : (unsigned)test->{field}_open[i]);\n')
    return text + '        printf("\\n");\n    }\n    return 0;\n}\n'


if __name__ == "__main__":
    unittest.main()
