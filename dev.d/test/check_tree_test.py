# SPDX-License-Identifier: Apache-2.0
"""check_tree.py finds each kind of broken rule, and says so when there is nothing to check."""

import json
import pathlib
import re
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

    def check(self, *arguments):
        done = subprocess.run([sys.executable, str(SCRIPT), str(self.root), *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def compiled(self, *names):
        """The argument that names a build which compiles these files."""
        entries = [{"directory": str(self.root / "build"), "file": str(self.root / name)} for name in names]
        self.write("build/compile_commands.json", json.dumps(entries))
        return "--compiled", str(self.root / "build/compile_commands.json")

    def own_tables(self):
        """The tables of a project, and what they name."""
        tables = (SCRIPT.parent / "rooms.toml").read_text(encoding="utf-8")
        self.write("dev.d/rooms.toml", tables)
        self.write("docs/rooms.md", "<!-- rooms -->\n<!-- end of rooms -->\n")
        table = tomllib.loads(tables)
        for folder in [row["folder"] for row in table["room"]]:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        for name in ("conformance/backend.h", "conformance/backend.hpp", "conformance/frames/frames.hpp", "conformance/frames/words.hpp", "reference/format.hpp"):
            self.write(name, HEAD + "#pragma once\n")
        for place in [place for row in table["elsewhere"] for place in row["places"]]:
            if "." in place:
                self.write(place, HEAD)
            else:
                (self.root / place).mkdir(parents=True, exist_ok=True)

    def assert_broken(self, part, *arguments):
        code, output = self.check(*arguments)
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

    def test_the_documents_of_a_project(self):
        self.own_tables()
        self.assert_broken("docs/rooms.md: its rooms are not those of dev.d/rooms.toml")
        self.check("--write")
        self.assertEqual(self.check(), (0, ""))
        self.write("docs/page.md", "`vectors/NAME.csv` and `vectors/gone.hpp`\n")
        self.assert_broken("there is no vectors/gone.hpp")

    def test_the_picture_has_no_needless_arrow(self):
        self.own_tables()
        self.write("conformance/process/a.hpp", HEAD + "#pragma once\n")
        self.write("conformance/frames/b.hpp", HEAD + '#pragma once\n#include "conformance/process/a.hpp"\n')
        self.write("conformance/inputs/c.hpp",
                   HEAD + '#pragma once\n#include "conformance/frames/b.hpp"\n#include "conformance/process/a.hpp"\n')
        self.write("conformance/process/test/t.cpp", HEAD + '#include "conformance/inputs/c.hpp"\n')
        self.check("--write")
        page = (self.root / "docs/rooms.md").read_text(encoding="utf-8")
        numbers = {folder: number for number, folder in re.findall(r'(r\d+)\["([^"]+)/"\]', page)}
        process, frames, inputs = (numbers[f"conformance/{room}"] for room in ("process", "frames", "inputs"))
        self.assertIn(f"{frames} --> {process}\n", page)
        self.assertIn(f"{inputs} --> {frames}\n", page)
        self.assertNotIn(f"{inputs} --> {process}\n", page)
        self.assertNotIn(f"{process} --> ", page)

    def test_tables_of_documents(self):
        self.own_tables()
        self.check("--write")
        good = "| a | b |\n|---|---|\n| `x\\|y` | 1 |\n\n```\n| no table\n```\n"
        self.write("docs/page.md", good)
        self.assertEqual(self.check()[0], 0, self.check()[1])
        self.write("docs/sub/page.md", good.replace("| 1 |", "| 1 | 2 |"))
        self.assert_broken("docs/sub/page.md:3: 3 cells, and the heading has 2")
        self.write("docs/sub/page.md", good + "| c | 1 |\n")
        self.assert_broken("docs/sub/page.md:8: a table without a heading")

    def test_headers_that_include_each_other(self):
        self.write("reference/a.hpp", HEAD + '#pragma once\n#include "reference/b.hpp"\n')
        self.write("reference/b.hpp", HEAD + '#pragma once\n#include "reference/a.hpp"\n')
        self.assert_broken("a cycle of includes: reference/a.hpp includes reference/b.hpp, reference/b.hpp includes reference/a.hpp "
                           "(the whole knot: reference/a reference/b)")

    def test_a_cycle_through_sources(self):
        self.write("reference/a.hpp", HEAD + "#pragma once\n")
        self.write("reference/a.cpp", HEAD + '#include "reference/a.hpp"\n#include "reference/b.hpp"\n')
        self.write("reference/b.hpp", HEAD + '#pragma once\n')
        self.write("reference/b.cpp", HEAD + '#include "reference/b.hpp"\n#include "reference/c.hpp"\n')
        self.write("reference/c.hpp", HEAD + '#pragma once\n#include "reference/a.hpp"\n')
        self.assert_broken("a cycle of includes: reference/a.cpp includes reference/b.hpp, reference/b.cpp includes reference/c.hpp, "
                           "reference/c.hpp includes reference/a.hpp")

    def test_two_cycles_with_one_pair_in_common_are_one_knot(self):
        self.write("reference/a.hpp", HEAD + "#pragma once\n")
        self.write("reference/a.cpp", HEAD + '#include "reference/b.hpp"\n#include "reference/c.hpp"\n')
        for name in "bc":
            self.write(f"reference/{name}.hpp", HEAD + '#pragma once\n#include "reference/a.hpp"\n')
        self.assert_broken("the whole knot: reference/a reference/b reference/c")

    def test_what_is_no_cycle(self):
        self.write("reference/a.hpp", HEAD + "#pragma once\n")
        self.write("reference/a.cpp", HEAD + '#include "reference/a.hpp"\n#include "reference/b.hpp"\n')
        self.write("reference/b.hpp", HEAD + '#pragma once\n#include "reference/c.hpp"\n')
        self.write("reference/c.hpp", HEAD + "#pragma once\n")
        self.write("reference/a_other.cpp", HEAD + '#include "reference/a.hpp"\n#include "reference/b.hpp"\n')
        # A test's helper may go round: nothing but tests includes it.
        self.write("reference/test/help.hpp", HEAD + '#pragma once\n#include "reference/test/more.hpp"\n')
        self.write("reference/test/more.hpp", HEAD + '#pragma once\n#include "reference/test/help.hpp"\n')
        self.assertEqual(self.check(), (0, ""))

    def test_a_source_that_is_not_compiled(self):
        for name in "ab":
            self.write(f"reference/{name}.cpp", HEAD)
        self.assertEqual(self.check(), (0, ""))  # of no build nothing is known
        self.assertEqual(self.check(*self.compiled("reference/a.cpp", "reference/b.cpp")), (0, ""))
        self.assert_broken("reference/b.cpp: no target compiles it", *self.compiled("reference/a.cpp"))

    def test_sources_that_are_compiled_as_one(self):
        for name in "ab":
            self.write(f"reference/{name}.cpp", HEAD)
        joined = "build/Unity/unity_0_cxx.cxx"
        self.write(joined, f'#include "{self.root}/reference/a.cpp"\n')
        self.assert_broken("reference/b.cpp: no target compiles it", *self.compiled(joined))
        self.write(joined, f'#include "{self.root}/reference/a.cpp"\n#include "{self.root}/reference/b.cpp"\n')
        self.assertEqual(self.check(*self.compiled(joined)), (0, ""))

    def test_what_something_else_compiles(self):
        self.write("reference/a.cpp", HEAD)
        self.write("fuzz/libfuzzer.cpp", HEAD)
        self.write("conformance/mutants/targets/a.c", HEAD)
        self.write("conformance/backends/kernels/kernels.h", HEAD)
        self.assertEqual(self.check(*self.compiled("reference/a.cpp")), (0, ""))
        self.write("fuzz/target.cpp", HEAD)
        self.assert_broken("fuzz/target.cpp: no target compiles it", *self.compiled("reference/a.cpp"))
        self.own_tables()
        (self.root / "fuzz/libfuzzer.cpp").unlink()
        self.assert_broken("dev.d/rooms.toml: there is no fuzz/libfuzzer.cpp: delete it")

    def test_a_build_of_something_else(self):
        self.write("reference/a.cpp", HEAD)
        self.assertEqual(self.check(*self.compiled())[0], 2)

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
