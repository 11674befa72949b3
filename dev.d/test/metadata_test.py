# SPDX-License-Identifier: Apache-2.0
"""The files that describe the project to others say the same: CMake, the Python package, the citation, the changelog."""
import pathlib
import re
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def found(pattern, content):
    """What the group of a pattern matches; None if it does not."""
    match = re.search(pattern, content, re.MULTILINE)
    return match and match[1]


PROJECT = found(r"^project\(mxcert ([^)]*)\)", text("CMakeLists.txt"))
CITATION = text("CITATION.cff")
PACKAGE = tomllib.loads(text("pyproject.toml"))


class Metadata(unittest.TestCase):
    def test_versions(self):
        version = found(r"VERSION ([0-9.]+)", PROJECT)
        self.assertEqual(found(r"^version: (.*)$", CITATION), version)
        self.assertEqual(found(r"^## \[([0-9.]+)\]", text("CHANGELOG.md")), version)
        pattern = PACKAGE["tool"]["scikit-build"]["metadata"]["version"]["regex"]
        self.assertEqual(re.search(pattern, text("CMakeLists.txt"))["value"], version)

    def test_homepages(self):
        """One address, or none in any of them."""
        address = found(r'HOMEPAGE_URL "?([^\s"]+)', PROJECT)
        self.assertEqual(PACKAGE["project"].get("urls", {}).get("Homepage"), address)
        self.assertEqual(found(r"^url: \"?([^\"\n]+)", CITATION), address)

    def test_authors(self):
        authors = found(r"^  - name: (.*)$", CITATION)
        self.assertEqual([author["name"] for author in PACKAGE["project"]["authors"]], [authors])
        self.assertEqual(found(r'CPACK_PACKAGE_CONTACT "(.*)"', text("cmake/MxcertInstall.cmake")), authors)

    def test_licences(self):
        self.assertEqual(found(r"^license: (.*)$", CITATION), PACKAGE["project"]["license"])


if __name__ == "__main__":
    unittest.main()
