# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin and the page about it: pytest runs plugin_cases.py, and check_docs.py the commands of docs/pytest.md."""
import importlib.util
import os
import subprocess
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))

for name in ("pytest", "ml_dtypes"):
    if importlib.util.find_spec(name) is None:
        raise unittest.SkipTest(f"no {name}: ./dev setup --peers")


class Pytest(unittest.TestCase):
    def run_python(self, *arguments):
        done = subprocess.run([sys.executable, "-B", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_plugin(self):
        said = self.run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", FOLDER, os.path.join(FOLDER, "plugin_cases.py"))
        self.assertRegex(said, r"\b[1-9]\d* passed in")

    def test_page(self):
        said = self.run_python(os.path.join(ROOT, "dev.d/check_docs.py"), ROOT, "--python", sys.executable,
                               os.path.join(ROOT, "docs/pytest.md"))
        self.assertRegex(said, r"\b[1-9]\d* commands run, 0 wrong, 0 left out")


if __name__ == "__main__":
    unittest.main()
