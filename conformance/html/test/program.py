# SPDX-License-Identifier: Apache-2.0
"""Runs the program for the tests of HTML reports. MXCERT_PROGRAM names it, MXCERT_PLANTED the folder of wrong backends."""
import os
import subprocess
from pathlib import Path

PROGRAM = os.environ["MXCERT_PROGRAM"]
PLANTED = Path(os.environ["MXCERT_PLANTED"])


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def write_page(folder, *arguments):
    """Runs a command with --html: the text of the page, and the finished process."""
    path = folder / "page.html"
    path.unlink(missing_ok=True)
    result = run(*arguments, "--html", path)
    assert path.exists(), result.stderr
    return path.read_text(encoding="utf-8"), result
