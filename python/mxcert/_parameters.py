# SPDX-License-Identifier: Apache-2.0
"""Options of the program in its messages, as the parameters of this package are called."""
from __future__ import annotations

import re

# Where more than the dashes differs.
_RENAMED = {"choice": "choices", "scale-choice": "scale_choices", "element-choice": "element_choices", "from": "source",
            "start-timeout": "timeout"}
# A command in backticks or brackets is for a shell and stays.
_OPTION = re.compile(r"`[^`]*`|\(mxcert [^)]*\)|--([a-z][a-z-]*)")
_HELP = re.compile(r"\n?mxcert [a-z-]+ --help says more\.")


def in_python(message: str) -> str:
    """A message with parameters in the place of options: "tensor_amax '-1': an amax has no sign"."""
    def renamed(found: re.Match[str]) -> str:
        option = found[1]
        return found[0] if option is None else _RENAMED.get(option, option.replace("-", "_"))
    return _OPTION.sub(renamed, _HELP.sub("", message))
