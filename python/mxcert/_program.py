# SPDX-License-Identifier: Apache-2.0
"""Where the program is that this package belongs to."""
from __future__ import annotations

import os
import pathlib

_INSTALLED = pathlib.Path(__file__).resolve().parent / "bin" / "mxcert"


def _is_program(path: pathlib.Path) -> bool:
    """Whether it is the program itself, and not the script of the same name that starts it from here."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def program() -> str:
    """The path of the program ``mxcert``.

    It is the environment variable MXCERT_PROGRAM if that is set, else the one that was installed with this package, else
    the first on the PATH. Raises FileNotFoundError if there is none.
    """
    chosen = os.environ.get("MXCERT_PROGRAM")
    if chosen:
        if not os.access(chosen, os.X_OK) or os.path.isdir(chosen):
            raise FileNotFoundError(f"MXCERT_PROGRAM names '{chosen}', which is no program")
        return chosen
    on_path = (pathlib.Path(folder) / "mxcert" for folder in os.environ.get("PATH", "").split(os.pathsep) if folder)
    for path in (_INSTALLED, *on_path):
        if _is_program(path):
            return str(path)
    raise FileNotFoundError(f"the program mxcert was not found: neither {_INSTALLED} nor on the PATH; "
                            "install the wheel, or set MXCERT_PROGRAM")
