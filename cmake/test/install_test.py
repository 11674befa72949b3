# SPDX-License-Identifier: Apache-2.0
"""An installation is whole, works where it was put and where it is moved to, and does without the build and source trees."""

import os
import pathlib
import re
import shlex
import shutil
import tempfile
import unittest

from common import BUILD, CC, CXX, HERE, SMALL, SOURCE, clean_environment, install, run

RESULT = "7E 7E"  # 464.0001 saturates to 448


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mxcert-install-")
        cls.root = pathlib.Path(cls.folder.name)
        cls.prefix = cls.root / "first place"
        install(cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def moved(self):
        """The installation, moved away for one test."""
        place = self.root / "second" / "place"
        place.parent.mkdir(exist_ok=True)
        self.prefix.rename(place)
        self.addCleanup(place.rename, self.prefix)
        return place

    def libraries(self, prefix, pattern):
        found = list(prefix.rglob(pattern))
        self.assertEqual(len(found), 1, pattern)
        return found[0]

    def test_files(self):
        for name in ["bin/mxcert", "libexec/mxcert/mxcert-worker", "lib/mxcert/portable.so", "share/mxcert/vectors/manifest.json",
                     "share/mxcert/vectors/fp32-e4m3.csv", "include/mxcert/conformance/backend.h",
                     "include/mxcert/conformance/backend.hpp", "share/mxcert/schema/report-1.json", "lib/mxcert/mxcert_worker.py",
                     "include/mxcert/reference/exact/exact.hpp", "include/mxcert/vectors/export/export.hpp",
                     "share/man/man1/mxcert.1", "share/bash-completion/completions/mxcert",
                     "share/zsh/vendor-completions/_mxcert", "share/fish/vendor_completions.d/mxcert.fish", "share/mxcert/schema/gate-1.json",
                     "share/doc/mxcert/LICENSE",
                     "share/doc/mxcert/docs/install.md"]:
            self.assertTrue((self.prefix / name).is_file(), name)
        for folder, built in [("share/mxcert/vectors", SOURCE / "vectors/golden"), ("lib/mxcert", BUILD / "lib/mxcert")]:
            self.assertEqual(sorted(path.name for path in (self.prefix / folder).iterdir()),
                             sorted(path.name for path in built.iterdir() if path.name != "__pycache__"))
        for script in [self.prefix / "lib/mxcert" / name for name in ("ml_dtypes", "gfloat", "gfloat_blocks", "gguf", "jax", "torchao")]:
            if script.exists():
                self.assertEqual(script.read_text().splitlines()[0], "#!/usr/bin/env python3")  # of no one machine
        self.assertFalse((self.prefix / "lib/mxcert-planted").exists())  # wrong backends
        for path in self.prefix.rglob("*"):
            self.assertNotIn("test", path.relative_to(self.prefix).parts)
            self.assertTrue(path.is_dir() or path.stat().st_size > 0, path)
            self.assertFalse(path.is_symlink() and os.path.isabs(os.readlink(path)), path)

    def certify(self, program, *arguments, environment=None):
        return run(program, "certify", *arguments, "--filter", SMALL, "--jobs", "1", check=False,
                   environment=environment or clean_environment(PATH=os.environ["PATH"]), cwd=self.root)

    def check_program(self, prefix, program):
        code, output, errors = self.certify(program, "portable")
        self.assertEqual(code, 0, output + errors)
        self.assertIn("AGREES: portable agrees", output)
        self.assertIn(f"{prefix}/share/mxcert/vectors: vectors ", run(program, "vectors", "list")[1])

    def test_program_in_place(self):
        self.check_program(self.prefix, self.prefix / "bin/mxcert")

    def test_program_moved(self):
        place = self.moved()
        self.check_program(place, place / "bin/mxcert")

    def test_program_by_link(self):
        link = self.root / "mxcert"
        link.symlink_to(self.prefix / "bin/mxcert")
        self.addCleanup(link.unlink)
        self.check_program(self.prefix, link)

    def test_golden_files_are_those_of_the_installation(self):
        broken = self.root / "broken"
        shutil.copytree(self.prefix, broken)
        self.addCleanup(shutil.rmtree, broken)
        golden = broken / "share/mxcert/vectors/e5m2-fp16.csv"
        golden.write_text(golden.read_text() + "\n")
        code, output, errors = self.certify(broken / "bin/mxcert", "portable")
        self.assertEqual(code, 2, output)
        self.assertIn("e5m2-fp16.csv does not match its manifest", errors)

        # Without them nothing falls back on the source tree: tables are computed, and commands about files say where they looked.
        shutil.rmtree(broken / "share/mxcert/vectors")
        code, output, errors = self.certify(broken / "bin/mxcert", "portable", "--json", "-")
        self.assertEqual(code, 0, errors)
        self.assertIn('"tabulated"', output)
        code, _, errors = run(broken / "bin/mxcert", "vectors", "list", check=False)
        self.assertEqual(code, 2)
        self.assertIn(f"{broken}/share/mxcert/vectors/manifest.json: there is no such folder", errors)
        self.assertIn("$MXCERT_VECTORS", errors)

    def test_missing_worker(self):
        broken = self.root / "no-worker"
        shutil.copytree(self.prefix, broken)
        self.addCleanup(shutil.rmtree, broken)
        (broken / "libexec/mxcert/mxcert-worker").unlink()
        code, output, _ = self.certify(broken / "bin/mxcert", "portable")
        self.assertEqual(code, 3)
        self.assertIn("mxcert-worker was not found; looked for", output)

    def configure(self, project, prefix, *more):
        build = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        code, output, errors = run("cmake", "-G", "Ninja", "-S", HERE / project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
                                   *more, check=False)
        return build, code, output + errors

    def build_by_cmake(self, project, prefix):
        build, code, output = self.configure(project, prefix)
        self.assertEqual(code, 0, output)
        run("cmake", "--build", build)
        return build

    def check_plugin(self, prefix, plugin):
        code, output, errors = self.certify(prefix / "bin/mxcert", plugin)
        self.assertEqual(code, 0, output + errors)
        self.assertIn("AGREES: shift agrees", output)

    def check_model(self, output):
        words = output.split()
        self.assertEqual(" ".join(words[:2]), RESULT)
        self.assertGreater(int(words[2]), 100)
        self.assertEqual(len(words[3]), 64)

    def pkg_config(self, prefix, *arguments):
        place = self.libraries(prefix, "mxcert.pc").parent
        quoted = run("pkg-config", *arguments, environment=clean_environment(PKG_CONFIG_PATH=place))[1]
        return shlex.split(quoted)

    def consume(self, prefix):
        self.check_plugin(prefix, self.build_by_cmake("plugin", prefix) / "shift.so")
        plugin = pathlib.Path(tempfile.mkdtemp(dir=self.root)) / "shift.so"
        run(CC, "-std=c11", "-shared", "-fPIC", *self.pkg_config(prefix, "--cflags", "mxcert"),
            HERE / "plugin/shift.c", "-o", plugin)
        self.check_plugin(prefix, plugin)

        self.check_model(run(self.build_by_cmake("model", prefix) / "model")[1])
        vectors = self.pkg_config(prefix, "--variable=vectorsdir", "mxcert-vectors")[0]
        model = plugin.parent / "model"
        run(CXX, "-std=c++20", f'-DVECTORS="{vectors}"', *self.pkg_config(prefix, "--cflags", "mxcert-vectors"),
            HERE / "model/model.cpp", "-o", model, *self.pkg_config(prefix, "--libs", "mxcert-vectors"))
        self.check_model(run(model)[1])

    def test_consumers(self):
        """Moved, which shows paths of the first place; in place they could only be right."""
        place = self.moved()
        self.consume(place)
        for name in ["*.cmake", "*.pc"]:
            for path in place.rglob(name):
                for folder in (SOURCE, BUILD, self.prefix):
                    self.assertNotIn(f"{folder}/", path.read_text(), path)

    def test_tests_of_a_project(self):
        """mxcert_add_test(), by the installation and by the build without one."""
        for prefix in (self.prefix, BUILD):
            project = pathlib.Path(tempfile.mkdtemp(dir=self.root)) / "user"
            shutil.copytree(HERE / "user", project)
            build = self.build_by_cmake(project, prefix)
            code, _, errors = run(prefix / "bin/mxcert", "gate", build / "wrong.so", "--baseline", project / "baseline.json",
                                  "--profile", "ocp-sat", "--filter", SMALL, "--acknowledge", "--reason", "known", "--owner", "me",
                                  "--expires", "2099-12-31", check=False)
            self.assertEqual(code, 0, errors)
            code, output, _ = run("ctest", "--test-dir", build, "--output-on-failure", check=False)
            ended = dict(re.findall(r"Test +#\d+: (\w+) \.+ *(?:\*\*\*)?(\w+)", output))
            self.assertEqual(ended, {"right": "Passed", "missing": "Failed", "wrong": "Failed",
                                     "acknowledged": "Passed", "pipe": "Passed", "script": "Failed"}, output)
            self.assertIn("e4m3-fp16-nearest_even-nosat: required, and not offered", output)
            self.assertIn("there is no program /bin/no/such/interpreter here", output)
            self.assertIn("PROCESSORS 1", "".join(path.read_text() for path in build.rglob("CTestTestfile.cmake")).replace('"', ""))

    def test_a_test_that_cannot_be(self):
        for wrong, reason in [("NAME x", "BACKEND is missing"), ("NAME x BACKEND y FILTERS z", "'FILTERS;z' is not an argument"),
                              ("NAME x BACKEND y BASELINE b REQUIRE z", "REQUIRE is not for it")]:
            project = pathlib.Path(tempfile.mkdtemp(dir=self.root))
            (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES NONE)\n"
                                                    f"find_package(mxcert CONFIG REQUIRED)\nmxcert_add_test({wrong})\n")
            _, code, output = self.configure(project, BUILD)
            self.assertNotEqual(code, 0)
            self.assertIn(reason, " ".join(output.split()))

    def test_a_build_has_no_libraries_to_take(self):
        _, code, output = self.configure("model", BUILD)
        self.assertNotEqual(code, 0)
        self.assertIn("need: an installation of mxcert", " ".join(output.split()))

    def test_a_part_that_lacks_its_libraries(self):
        """A plugin does not need fmt; who asks for the vectors is told."""
        without = "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON"
        _, code, output = self.configure("plugin", self.prefix, without)
        self.assertEqual(code, 0, output)
        _, code, output = self.configure("model", self.prefix, without)
        self.assertNotEqual(code, 0)
        self.assertIn("need: fmt", " ".join(output.split()))

    def test_another_version_is_refused(self):
        project = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        text = (HERE / "plugin/CMakeLists.txt").read_text()
        self.assertIn("find_package(mxcert 0.2 ", text)
        (project / "CMakeLists.txt").write_text(text.replace("find_package(mxcert 0.2 ", "find_package(mxcert 0.3 "))
        shutil.copy(HERE / "plugin/shift.c", project)
        _, code, output = self.configure(project, self.prefix)
        self.assertNotEqual(code, 0)
        self.assertIn('requested version "0.3"', " ".join(output.split()))

    def test_headers_are_whole(self):
        """The installed headers bring what they include, with the flags of the package."""
        include = self.prefix / "include/mxcert"
        headers = sorted(path.relative_to(include) for path in include.rglob("*.hpp"))
        self.assertGreater(len(headers), 30)
        unit = self.root / "headers.cpp"
        unit.write_text("".join(f'#include "{header}"\n' for header in headers))
        run(CXX, "-std=c++20", "-fsyntax-only",
            *self.pkg_config(self.prefix, "--cflags", "mxcert-vectors"), unit)


if __name__ == "__main__":
    unittest.main()
