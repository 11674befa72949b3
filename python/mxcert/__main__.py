# SPDX-License-Identifier: Apache-2.0
"""``mxcert`` and ``python -m mxcert``: the program, with all its commands."""
from __future__ import annotations

import os
import sys

from ._program import program


def main() -> None:
    """Becomes the program: arguments, streams and exit code are its own."""
    try:
        path = program()
        os.execv(path, ["mxcert", *sys.argv[1:]])
    except OSError as error:
        print(f"mxcert: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
