# SPDX-License-Identifier: Apache-2.0
"""check_tree.py finds each kind of broken rule, and says so when there is nothing to check."""

import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "check_tree.py"
HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


class CheckTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self):
        done = subprocess.run([sys.executable, str(SCRIPT), str(self.root)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def assert_broken(self, part):
        code, output = self.check()
        self.assertEqual(code, 1, output)
        self.assertIn(part, output)

    def test_good_tree(self):
        self.write("reference/format.hpp", HEAD + "#pragma once\n")
        self.write("vectors/table.cpp", HEAD + '#include "reference/format.hpp"\n#include <vector>\n')
        self.write("conformance/run.cpp", HEAD + '#include "vectors/table.hpp"\n')
        self.assertEqual(self.check(), (0, ""))

    def test_nothing_to_check(self):
        self.assertEqual(self.check()[0], 2)

    def test_include_against_the_direction(self):
        self.write("reference/a.cpp", HEAD + '\n#include "vectors/table.hpp"\n')
        self.assert_broken("reference/a.cpp:3: must not include vectors/table.hpp")

    def test_vectors_do_not_see_conformance(self):
        self.write("vectors/test/a.cpp", HEAD + '#include "conformance/status.hpp"\n')
        self.assert_broken("vectors/test/a.cpp:2: must not include conformance/status.hpp")

    def test_relative_include(self):
        self.write("vectors/table.hpp", HEAD + "#pragma once\n")
        self.write("reference/a.cpp", HEAD + '#  include "../vectors/table.hpp"\n')
        self.assert_broken("reference/a.cpp:2: must not include vectors/table.hpp")

    def test_the_models_are_apart(self):
        self.write("reference/fast/a.hpp", HEAD + '#pragma once\n#include "reference/exact/exact.hpp"\n')
        self.assert_broken("the two models share no code")

    def test_a_backend_shares_nothing(self):
        self.write("conformance/backends/mine/a.cpp", HEAD + '#include "reference/format.hpp"\n')
        self.assert_broken("conformance/backends/mine/a.cpp:2")

    def test_a_backend_includes_nothing_that_is_in_no_room(self):
        self.write("conformance/backends/mine/a.cpp", HEAD + '#include "conformance/elsewhere/a.inc.in"\n')
        self.assert_broken("conformance/backends/mine/a.cpp:2: must not include conformance/elsewhere/a.inc.in")

    def test_numbers_do_not_depend_on_the_mathematics_of_the_machine(self):
        for name in ("log2", "log10", "log", "exp", "expm1", "exp2", "pow", "tanh", "asin"):
            self.write("conformance/measure/a.cpp", HEAD + f"\ndouble f(double x) {{ return std::{name}(x); }}\n")
            self.assert_broken(f"conformance/measure/a.cpp:3: std::{name} is not the same on every machine")

    def test_exact_functions_tests_and_backends_may_be_of_the_machine(self):
        self.write("conformance/measure/a.cpp", HEAD + "double a = std::sqrt(2.0) + std::floor(2.5) + std::ldexp(1.0, 3);\n")
        self.write("conformance/measure/test/a.cpp", HEAD + "double a = std::log2(3.0);\n")
        self.write("conformance/backends/mine/a.cpp", HEAD + "double a = std::log2(3.0);\n")
        self.assertEqual(self.check(), (0, ""))

    def test_the_worker_sees_no_answers(self):
        self.write("conformance/worker/a.cpp", HEAD + '#include "vectors/golden.hpp"\n')
        self.assert_broken("conformance/worker/a.cpp:2")

    def test_a_room_does_not_see_the_next(self):
        self.write("conformance/process/a.cpp", HEAD + '#include "conformance/print/text.hpp"\n')
        self.assert_broken("conformance/process/a.cpp:2: must not include conformance/print/text.hpp: "
                           "conformance/print comes after conformance/process")

    def test_a_test_sees_its_part(self):
        self.write("conformance/process/test/a.cpp", HEAD + '#include "conformance/print/text.hpp"\n')
        self.assertEqual(self.check(), (0, ""))

    def test_a_known_include_may_stay_and_is_told_when_it_went(self):
        (self.root / "docs").mkdir()
        page = self.root / "docs/architecture.md"
        page.write_text("<!-- rooms -->\n<!-- end of rooms -->\n", encoding="utf-8")
        self.write("dev.d/rooms.toml", (SCRIPT.parent / "rooms.toml").read_text(encoding="utf-8"))
        self.write("dev.d/upward.txt", "# known\nconformance/process/a.cpp -> conformance/print/text.hpp\n")
        self.write("conformance/process/a.cpp", HEAD + '#include "conformance/print/text.hpp"\n')
        self.assert_broken("docs/architecture.md: its rooms are not those of dev.d/rooms.toml")
        for name in ("conformance/backend.h", "conformance/frames/frames.hpp", "conformance/frames/words.hpp", "reference/format.hpp"):
            self.write(name, HEAD + "#pragma once\n")  # which the table names
        for row in tomllib.loads((SCRIPT.parent / "rooms.toml").read_text(encoding="utf-8"))["room"]:
            (self.root / row["folder"]).mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, str(SCRIPT), str(self.root), "--write"], capture_output=True, check=True)
        self.assertEqual(self.check(), (0, ""))
        page.write_text(page.read_text(encoding="utf-8") + "`vectors/NAME.csv` and `vectors/gone.hpp`\n", encoding="utf-8")
        self.assert_broken("there is no vectors/gone.hpp")
        self.write("conformance/process/a.cpp", HEAD)
        self.assert_broken("conformance/process/a.cpp does not include conformance/print/text.hpp any more")

    def test_a_file_in_no_room(self):
        self.write("conformance/elsewhere/a.cpp", HEAD)
        self.assert_broken("conformance/elsewhere/a.cpp: in no room (dev.d/rooms.toml)")

    def test_a_large_folder(self):
        for i in range(41):
            self.write(f"conformance/gate/a{i}.cpp", HEAD)
        self.assert_broken("conformance/gate/: 41 source files: more than 40")

    def test_licence(self):
        self.write("reference/a.cpp", "int a;\n")
        self.assert_broken("reference/a.cpp:1: the first line must name the licence")

    def test_pragma_once(self):
        self.write("reference/a.hpp", HEAD)
        self.assert_broken("reference/a.hpp:1: no #pragma once")

    def test_length(self):
        self.write("reference/a.cpp", HEAD + "\n" * 500)
        self.assert_broken("reference/a.cpp: 501 lines")


if __name__ == "__main__":
    unittest.main()
