# SPDX-License-Identifier: Apache-2.0
"""How far a long call is: the argument `progress` of functions."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Tuple, Union

Tell = Callable[[int, int], Any]
Progress = Union[None, bool, Tell]

_SECONDS_OF_LINE, _SECONDS_OF_LOG = 0.1, 10.0


class _Line:
    """Shows the share that is done on standard error: a line that is rewritten on a terminal, elsewhere one every ten seconds."""

    def __init__(self, name: str) -> None:
        self.name, self.began, self.shown = name, time.monotonic(), 0.0

    def __call__(self, done: int, total: int) -> None:
        now, is_terminal, ended = time.monotonic(), sys.stderr.isatty(), done >= total
        if not ended and now - (self.shown or self.began) < (_SECONDS_OF_LINE if is_terminal else _SECONDS_OF_LOG):
            return
        if ended and not self.shown:
            return  # it was over before anybody could wonder
        self.shown = now
        text = f"{self.name}: {100 * done // max(total, 1):3d} %, {now - self.began:.0f} s"
        sys.stderr.write(f"\r\x1b[K{text}" + ("\n" if ended else "") if is_terminal else f"{text}\n")
        sys.stderr.flush()


def teller(progress: Progress, name: str) -> Optional[Tell]:
    """What is called with (done, total); None if nobody wants to know. Raises TypeError for what is neither."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return _Line(name)
    if not callable(progress):
        raise TypeError(f"progress={progress!r}: expected None, True or a function of (done, total)")
    return progress


def pieces(total: int, most: int, tell: Optional[Tell]) -> Any:
    """Yields (first, last) of pieces of at most so many, and tells after each; all at once if nobody wants to know."""
    if tell is None or total <= most:
        yield 0, total
    else:
        tell(0, total)
        for first in range(0, total, most):
            last = min(first + most, total)
            yield first, last
            if last < total:
                tell(last, total)
    if tell is not None:
        tell(total, total)


def numbers_of(line: bytes) -> Tuple[int, int]:
    """A line of MXCERT_PROGRESS."""
    done, total = line.split()
    return int(done), int(total)
