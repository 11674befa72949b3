# SPDX-License-Identifier: Apache-2.0
"""Where the program mxcert is."""
import os
import shutil


def program():
    """The path of the program: MXCERT_PROGRAM, else the first in the PATH. Throws FileNotFoundError."""
    path = os.environ.get("MXCERT_PROGRAM") or shutil.which("mxcert")
    if path is None:
        raise FileNotFoundError("the program mxcert is not in the PATH: install the package, or set MXCERT_PROGRAM")
    return path
