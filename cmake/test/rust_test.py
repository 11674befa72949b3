# SPDX-License-Identifier: Apache-2.0
"""Exports in Rust, compiled. Without a compiler neither these nor the reader in Rust (readers_test.py) are tested: this test
is then skipped, and ./dev test says so."""

import shutil
import unittest

import exports_test
from common import run, rust_environment


@unittest.skipIf(shutil.which("rustc") is None, "no rustc here: apt-get install rustc")
class Rust(exports_test.Exports):
    def test_rust(self):
        export = self.json(exports_test.QUANTIZE)
        self.export(exports_test.QUANTIZE, "rust", "vectors.rs")
        self.export(exports_test.CONVERSION, "rust", "table.rs")
        source = self.root / "print.rs"
        source.write_text(rust_printer(export))
        run("rustc", "-o", self.root / "print_rust", source, environment=rust_environment())
        rows = self.printed([self.root / "print_rust"])
        self.assertEqual([row for row in rows if row[0] != "find"], export.flat())
        self.assertEqual([row[1:] for row in rows if row[0] == "find"], [[0x43E8, 0x7E], [0x7FFF, 0x7F], [0x8000, 0x80]])


def rust_printer(export):
    text = "#[allow(dead_code)]\nmod vectors;\n#[allow(dead_code)]\nmod table;\nfn main() {\n"
    text += "    for input in [0x43E8, 0x7FFF, 0x8000] { println!(\"find {} {}\", input, table::find(input).code); }\n"
    text += "    for test in vectors::TESTS {\n        print!(\"{} {}\", test.id, test.answer);\n"
    text += '        for size in test.sizes { print!(" {}", size); }\n'
    for field in export.inputs + export.outputs:
        text += f"        for code in test.{field} {{ print!(\" {{}}\", code); }}\n"
    for field in export.outputs:
        text += (f"        for i in 0..test.{field}.len() {{"
                 f" print!(\" {{}}\", test.{field}_open.get(i).unwrap_or(&0)); }}\n")
    return text + "        println!();\n    }\n}\n"


def load_tests(_loader, _tests, _pattern):
    """Not those of the other languages once more."""
    return unittest.TestSuite([Rust("test_rust")])


if __name__ == "__main__":
    unittest.main()
