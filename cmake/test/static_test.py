# SPDX-License-Identifier: Apache-2.0
"""The static program works alone: no shared library, no other file."""

import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from common import BUILD, SMALL, SOURCE, run

GOLDEN = SOURCE / "vectors/golden"
ORDINARY = BUILD / "bin/mxcert"


class Static(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mxcert-static-")
        cls.root = pathlib.Path(cls.folder.name)
        cls.program = cls.root / "mxcert"
        shutil.copy(BUILD / "static/mxcert", cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def mxcert(self, *arguments, environment=None):
        return run(self.program, *arguments, check=False, environment=environment or {}, cwd=self.root)

    def test_is_static(self):
        headers = run("readelf", "--program-headers", "--dynamic", "--wide", self.program)[1]
        self.assertIn("LOAD", headers)
        self.assertNotIn("INTERP", headers)
        self.assertNotIn("NEEDED", headers)

    def check_report(self, code, output, errors):
        self.assertEqual(code, 0, errors)
        report = json.loads(output)
        self.assertEqual(report["vectors"]["manifest_sha256"], hashlib.sha256((GOLDEN / "manifest.json").read_bytes()).hexdigest())
        rows = {row["id"]: row for row in report["rows"]}
        self.assertEqual(rows[SMALL]["status"], "PASS")
        self.assertIn(hashlib.sha256((GOLDEN / "e5m2-fp16.csv").read_bytes()).hexdigest(), output)
        self.assertIn(hashlib.sha256(self.program.read_bytes()).hexdigest(), output)

    def test_certifies_alone(self):
        self.assertEqual([path.name for path in self.root.iterdir()], ["mxcert"])
        self.check_report(*self.mxcert("certify", "portable", "--filter", SMALL, "--jobs", "2", "--json", "-"))

    def test_certifies_a_pipe(self):
        code, output, errors = self.mxcert("certify", "--pipe", "while read x; do echo ${x}00; done", "--conversion", SMALL,
                                           "--filter", SMALL, "--jobs", "1", "--level", "smoke", "--backend-option", "at-end")
        self.assertEqual(code, 0, output + errors)

    def test_certifies_in_an_empty_root(self):
        inside = ("mkdir proc dev && mount --rbind /proc proc && mount --rbind /dev dev && "
                  f"exec chroot . /mxcert certify portable --filter {SMALL} --jobs 1 --json -")
        root = self.root / "root"
        root.mkdir()
        shutil.copy(self.program, root)
        allowed = run("unshare", "-Urm", "sh", "-c", "mkdir p && mount --rbind /proc p && chroot / true", check=False, cwd=root)
        (root / "p").rmdir()
        if allowed[0] != 0:
            shutil.rmtree(root)
            self.skipTest("no user namespaces here")
        self.addCleanup(shutil.rmtree, root)
        self.check_report(*run("unshare", "-Urm", "sh", "-c", inside, check=False, cwd=root))

    def test_the_option_installs_this_file_alone(self):
        build, prefix = self.root / "build", self.root / "prefix"
        self.addCleanup(shutil.rmtree, prefix, ignore_errors=True)
        self.addCleanup(shutil.rmtree, build)
        option = ("cmake", "-G", "Ninja", "-S", SOURCE, "-B", build, "-DMXCERT_STATIC=ON",
                  "-DMXCERT_TESTS=OFF", "-DMXCERT_BENCH=OFF", "-DMXCERT_FIND_BACKENDS=OFF")
        run(*option)
        # As if it had been built: the files of a build with the same sources.
        for name in ("static", "share", "lib"):
            (build / name).mkdir(exist_ok=True)
            for path in (BUILD / name).iterdir():
                if path.is_file() and not (build / name / path.name).exists():
                    shutil.copy(path, build / name)
        run("cmake", "--install", build, "--prefix", prefix)
        self.assertEqual((prefix / "bin/mxcert").read_bytes(), self.program.read_bytes())
        for name in ("libexec", "lib/mxcert", "share/mxcert"):
            self.assertFalse((prefix / name).exists(), name)
        # What cannot be made is an error, not a program of another kind.
        code, _, errors = run(*option, "-DMXCERT_SANITIZE=address", check=False)
        self.assertNotEqual(code, 0)
        self.assertIn("MXCERT_STATIC needs a build without sanitizers", errors)

    def test_golden_files_are_inside(self):
        code, output, errors = self.mxcert("vectors", "list")
        self.assertEqual(code, 0, errors)
        first, rest = output.split("\n", 1)
        self.assertTrue(first.startswith("(in the program): vectors "), first)
        self.assertEqual(rest, run(ORDINARY, "vectors", "list")[1].split("\n", 1)[1])
        # All are in the program by one list, so some stand for the others.
        pairs = sorted(path.stem for path in GOLDEN.glob("*.csv"))[::6]
        self.assertGreater(len(pairs), 20)
        exported = 0
        for pair in pairs:  # an export reads the file, and fails if it is not what the manifest says
            how = "ocp_floor" if pair.startswith("amax") else "nearest_even"
            arguments = ("vectors", "export", "--conversion", f"{pair}-{how}-sat")
            inside, outside = self.mxcert(*arguments), run(ORDINARY, *arguments, check=False)
            self.assertEqual(inside, outside)
            if inside[0] == 0:
                exported += 1
            else:  # no default profile judges it
                self.assertIn("does not judge", inside[2])
        self.assertGreaterEqual(exported, 20)

    def test_other_golden_files_by_request(self):
        code, output, _ = self.mxcert("vectors", "list", environment={"MXCERT_VECTORS": str(GOLDEN)})
        self.assertEqual(code, 0)
        self.assertTrue(output.startswith(f"{GOLDEN}: "), output)
        code, _, errors = self.mxcert("vectors", "list", environment={"MXCERT_VECTORS": "/none"})
        self.assertEqual(code, 2)
        self.assertIn("/none/manifest.json", errors)

    def test_writes_no_files_into_itself(self):
        code, _, errors = self.mxcert("vectors", "generate")
        self.assertEqual(code, 2)
        self.assertIn("name a folder to write them to", errors)
        self.assertEqual([path.name for path in self.root.iterdir()], ["mxcert"])

    def test_plugins_are_refused(self):
        plugin = BUILD / "lib/mxcert/portable.so"
        for name in (plugin, "cuda_fp8"):
            code, output, _ = self.mxcert("certify", name)
            self.assertEqual(code, 3, output)
            self.assertIn("this mxcert is one static file and cannot load plugins (*.so): use an installed mxcert", output)
        self.assertIn("cuda_fp8: not here: this mxcert is one static file", self.mxcert("backends")[1])
        # Nor by going round the harness.
        code, output, _ = self.mxcert("--worker-inside", plugin)
        self.assertEqual(code, 1)
        self.assertIn("a static mxcert cannot load plugins", output)

    def test_a_worker_that_was_asked_for_changes_nothing(self):
        self.check_report(*self.mxcert("certify", "portable", "--filter", SMALL, "--json", "-",
                                       environment={"MXCERT_WORKER": "/none", "MXCERT_BACKENDS": str(BUILD / "lib/mxcert")}))

    def test_programs_are_run(self):
        program = self.root / "program"
        program.write_text(f"#!/bin/sh\nexec '{BUILD}/bin/mxcert-worker' '{BUILD}/lib/mxcert/portable.so'\n")
        program.chmod(0o755)
        self.addCleanup(os.unlink, program)
        code, output, errors = self.mxcert("certify", program, "--filter", SMALL)
        self.assertEqual(code, 0, output + errors)


if __name__ == "__main__":
    unittest.main()
