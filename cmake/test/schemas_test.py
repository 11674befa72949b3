# SPDX-License-Identifier: Apache-2.0
"""Every command that writes JSON has a schema, which its output and the example in the schema fit, and which forbids no
further members: a reader of this version must not break on those of the next."""

import json
import tempfile
import unittest
from pathlib import Path

from common import BUILD, SOURCE, all_commands, options, run, validate

PROGRAM = BUILD / "bin/mxcert"
SCHEMAS = SOURCE / "conformance/schema"
RIGHT = ("--filter", "e5m2-fp16-nearest_even-*", "--jobs", "1")

DESIGN = SOURCE / "docs/examples/rtl/float_to_mini.sv"
# Schemas with another name than their command has.
NAMES = {"certify": "report", "merge": "report", "merge --no-backend": "record", "certify --list": "plan", "selftest --shard": "selftest_part"}

# Of each command what is fast: arguments, and the exit code, or those that programs of the machine decide about.
RUNS = {
    "accumulators": [((), 0)],
    "backends": [(("portable",), 0), (("cuda_fp8",), 0)],
    "bugs": [((), 0), (("TIES_AWAY",), 0)],
    "certify": [(("portable", *RIGHT), 0), (("nothing-conforms", "--level", "smoke"), 1)],
    "certify --list": [(("portable", *RIGHT), 0), (("portable", "--filter", "no-such-*"), 4)],
    "choices": [((), 0)],
    "clauses": [((), 0), (("OFP8-ROUND",), 0)],
    "diff": [(("portable", "portable", *RIGHT), 0)],
    "explain": [(("464.0001",), 0), (("nan",), 0), (("--block", "3", "-0.4", "500"), 0),
                (("1.03", "--rounding", "stochastic_a", "--random", "200/8"), 0)],
    "formats": [((), 0), (("e4m3",), 0), (("--scaled",), 0)],
    "fuzz": [(("portable", "--filter", RIGHT[1], "--cases", "20"), 0)],
    "gate": [(("portable", *RIGHT, "--baseline", "new.json", "--acknowledge", "--level", "smoke"), 0),
             (("portable", *RIGHT, "--baseline", "new.json"), 0)],
    "identify": [(("portable", *RIGHT), 0), (("portable", "--filter", "layout-*"), 0)],
    "measure": [(("--shape", "4,64"), 0), (("tensor.bin", "--dtype", "fp32", "--shape", "1,4"), 0)],
    "merge": [(("part",), 0)],
    "merge --no-backend": [(("recorded_part", "-o", "merged"), 0)],
    "parity": [(("portable", "portable", "--filter", "quantize-bf16-*-row-32-relu"), 0),
               (("portable", "portable", "--operation", "quantize-fp16-e2m1-*-row-any", "--against", "quantize-fp16-e2m1-*-column-any"), 1),
               (("portable", "portable", "--operation", "quantize-fp16-e2m1-*-row-any", "--against", "quantize_nvfp4-fp16-*"), 4)],
    "profiles": [((), 0), (("ocp",), 0)],
    "prove": [((DESIGN, "--top", "fp32_to_e2m1", "--conversion", "fp32-e2m1-nearest_even-sat", "--timeout", "1"), (0, 3))],
    "record": [(("portable", *RIGHT, "--level", "quick", "-o", "recorded"), 0),
               (("portable", "--filter", "no-such-*", "-o", "nothing"), 4)],
    "recipes": [((), 0), (("te_delayed",), 0)],
    "rules": [((), 0)],
    "selftest": [(("--filter", "e2m1-fp32-nearest_even-nosat"), 0)],
    "selftest --shard": [(("1/2", "--filter", "e2m1-fp32-nearest_even-nosat"), 0)],
    "vectors check": [(("--filter", "e2m1-fp16.csv"), 0)],
    "vectors list": [((), 0)],
    "verify": [(("report.json", "--record", "part"), 0), (("report.json", "portable", "--record", "part", "--seed", "7"), 0),
               (("report.json",), 3), (("broken.json",), 1)],
}


def places(schema, path=""):
    """Every object within a schema, with its place."""
    yield path, schema
    for name, value in schema.items():
        if name == "examples":
            continue
        for number, part in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(part, dict):
                yield from places(part, f"{path}/{name}" + (f"/{number}" if isinstance(value, list) else ""))


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mxcert-schemas-")
        cls.root = Path(cls.folder.name)
        (cls.root / "tensor.bin").write_bytes(bytes.fromhex("0000803f000000400000000000004040"))
        run(PROGRAM, "certify", "portable", *RIGHT, "--level", "quick", "--shard", "1/1", "--keep", cls.root / "part")
        run(PROGRAM, "record", "portable", *RIGHT, "--level", "quick", "--shard", "1/1", "--keep", cls.root / "recorded_part")
        run(PROGRAM, "merge", cls.root / "part", "--no-backend", "--json", cls.root / "report.json")
        (cls.root / "broken.json").write_text("{}")
        cls.wrong = "pipe:e5m2-fp16-nearest_even-nosat:while read -r x; do echo 0000; done"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def schema_of(self, command):
        return SCHEMAS / f"{NAMES.get(command, command.replace(' ', '_'))}-1.json"

    def test_every_command_with_json_is_here(self):
        found = {" ".join(command) for command in all_commands(PROGRAM) if "--json" in options(PROGRAM, *command)}
        self.assertEqual(found, {command for command in RUNS if "--" not in command})
        for command in found:
            help_text = run(PROGRAM, *command.split(), "--help")[1]
            self.assertIn("--json FILE", help_text, command)

    def test_outputs_fit(self):
        for command, runs in RUNS.items():
            for arguments, expected in runs:
                with self.subTest(command=command, arguments=arguments):
                    words = [self.wrong if word == "nothing-conforms" else word for word in arguments]
                    code, output, errors = run(PROGRAM, *command.split(), *words, "--json", "-", check=False, cwd=self.root)
                    self.assertIn(code, expected if isinstance(expected, tuple) else (expected,), errors)
                    validate(json.loads(output), self.schema_of(command))

    def test_a_file_has_the_same(self):
        for command in ("choices", "explain"):
            arguments = RUNS[command][0][0]
            text = run(PROGRAM, command, *arguments)[1]
            self.assertEqual(run(PROGRAM, command, *arguments, "--json", "out.json", cwd=self.root)[1], text)
            self.assertEqual((self.root / "out.json").read_text(), run(PROGRAM, command, *arguments, "--json", "-")[1])

    def test_examples_fit(self):
        for command in RUNS:
            with self.subTest(command):
                examples = json.loads(self.schema_of(command).read_text())["examples"]
                self.assertTrue(examples)
                for example in examples:
                    validate(example, self.schema_of(command))

    def test_they_are_open_and_say_what_they_promise(self):
        for command in RUNS:
            with self.subTest(command):
                schema = json.loads(self.schema_of(command).read_text())
                self.assertIn("Unstable until version 1.0", schema["description"])
                for place, part in places(schema):
                    self.assertIsNot(part.get("additionalProperties"), False, place)
                    self.assertNotIn("unevaluatedProperties", part, place)

    def test_a_schema_that_something_breaks(self):
        for command in RUNS:
            schema = self.schema_of(command)
            example = json.loads(schema.read_text())["examples"][0]
            broken = example[0] if isinstance(example, list) else example
            missing = "rows" if "rows" in broken else list(broken)[-1]
            del broken[missing]
            with self.subTest(command), self.assertRaises(Exception, msg=f"without {missing}"):
                validate(example, schema)


if __name__ == "__main__":
    unittest.main()
