# SPDX-License-Identifier: Apache-2.0
"""The Debian package has what an installation has, names what it needs, and its program runs."""

import pathlib
import shutil
import tempfile
import unittest

from common import BUILD, SMALL, install, run


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "no dpkg-dev here")
class Package(unittest.TestCase):
    def test_package(self):
        with tempfile.TemporaryDirectory(prefix="mxcert-package-") as name:
            root = pathlib.Path(name)
            # Compressing takes most of the time, and nobody keeps this package.
            run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", root,
                "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", cwd=root)
            packages = list(root.glob("*.deb"))
            self.assertEqual(len(packages), 1)
            fields = run("dpkg-deb", "--field", packages[0])[1]
            self.assertIn("Package: mxcert\n", fields)
            self.assertRegex(fields, r"Depends: .*libc6 .*libfmt")

            install(root / "installed")
            run("dpkg-deb", "--extract", packages[0], root / "extracted")
            listed = [{path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()}
                      for folder in (root / "extracted/usr", root / "installed")]
            self.assertEqual(*listed)
            self.assertIn("./usr/bin/mxcert\n", run("dpkg-deb", "--contents", packages[0])[1])
            run(root / "extracted/usr/bin/mxcert", "certify", "portable", "--filter", SMALL, "--jobs", "1")


if __name__ == "__main__":
    unittest.main()
