# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of the wheel, and its checks."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev.d" / "package"))
import sbom  # noqa: E402: it is not in a package
import wheel  # noqa: E402

# Of Debian's packages the versioned one, which the other stands for.
VERSIONED = {"libboost-dev": "libboost1.74-dev"}
NOT_INSIDE = {"libc6-dev", "catch2", "librapidcheck-dev", "libbenchmark-dev"}  # the system's, and those of tests


class Sbom(unittest.TestCase):
    def test_it_has_every_library_that_is_linked(self):
        text = (ROOT / "cmake/MxcertDependencies.cmake").read_text(encoding="utf-8")
        needed = set(re.findall(r"mxcert_(?:package|header)\(\S+ (?:\S+/\S+ |\S+\.h )?([a-z][\w.+-]+)", text))
        self.assertIn("libpugixml-dev", needed)
        inside = {VERSIONED.get(package, package) for package in needed - NOT_INSIDE}
        self.assertEqual(inside - set(sbom.LIBRARIES), set())

    def test_versions_are_those_of_the_projects(self):
        self.assertEqual(sbom.upstream("1.74.0+ds1-21"), "1.74.0")
        self.assertEqual(sbom.upstream("1:1.2.13.dfsg-1"), "1.2.13")
        self.assertEqual(sbom.upstream("12.2.0-14+deb12u1"), "12.2.0")
        self.assertEqual(sbom.upstream("0~20200822-2"), "0~20200822")


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_paths_of_the_machine_are_found(self):
        root = ROOT.resolve()
        self.assertEqual(wheel.named_in(b"... " + str(root).encode() + b"/build/x.cpp", root), str(root))
        self.assertIsNone(wheel.named_in(b"/usr/lib/x", root))

    def test_what_differs_between_two_wheels_is_named(self):
        def written(name, members):
            path = pathlib.Path(self.folder.name) / name
            with zipfile.ZipFile(path, "w") as archive:
                for member, content, year in members:
                    archive.writestr(zipfile.ZipInfo(member, (year, 1, 1, 0, 0, 0)), content)
            return path
        members = [("a", b"1", 2000), ("b", b"2", 2000)]
        one = written("one", members)
        for other, names in ((members, []), (members[:1], ["b"]), (members[::-1], ["the order of the files"]),
                             ([members[0], ("b", b"3", 2000)], ["b"]), ([("a", b"1", 2001), members[1]], ["a"])):
            self.assertEqual(wheel.differing_members(one, written("other", other)), names)

    def test_a_copy_of_the_sources_has_what_git_does_not_ignore(self):
        source, copy = pathlib.Path(self.folder.name) / "source", pathlib.Path(self.folder.name) / "copy"
        (source / "sub").mkdir(parents=True)
        for name in ("kept", "sub/new", "gone", "ignored"):
            (source / name).write_text(name, encoding="utf-8")
        (source / ".gitignore").write_text("/ignored\n", encoding="utf-8")
        subprocess.run(["git", "init", "--quiet", source], check=True)
        subprocess.run(["git", "-C", source, "add", "kept", "gone"], check=True)
        (source / "gone").unlink()
        wheel.copy_sources(source, copy)
        self.assertEqual(sorted(str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()), [".gitignore", "kept", "sub/new"])

    def test_codes_that_a_table_does_not_permit_are_found(self):
        table = "# a comment\nfirst,last,permit,clause\n0000,0001,00,A\n0002,0002,01|7E,A\n0003,0003,7F|nan,B\n"
        self.assertEqual(wheel.differing(table, bytes([0, 0, 0x7E, 0xFF])), [])
        self.assertEqual(wheel.differing(table, bytes([0, 1, 0, 0x7E])), [1, 2, 3])
        for cut in (table.replace("0002,0002", "0003,0003"), table[:table.index("0003")]):
            with self.assertRaises(SystemExit):
                wheel.differing(cut, bytes([0, 0, 1, 0x7F]))

    def test_the_versions_of_the_tools_are_pinned(self):
        lines = (ROOT / "dev.d/package/requirements.txt").read_text(encoding="utf-8").splitlines()
        pinned = [line for line in lines if not line.startswith("#")]
        self.assertGreater(len(pinned), 3)
        self.assertTrue(all(re.fullmatch(r"[\w-]+==[\w.]+", line) for line in pinned))
        needed = re.search(r"^requires = (\[.*\])$", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
        zig = next(word for word in json.loads(needed) if word.startswith("ziglang"))
        self.assertIn(zig, pinned)


if __name__ == "__main__":
    unittest.main()
