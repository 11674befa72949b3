# SPDX-License-Identifier: Apache-2.0
"""Tells the caller what a function raised: the whole traceback, and the smallest part of its input that still does it."""
import json
import os
import tempfile
import traceback

from mxcert._child_arrays import WrongResult
from mxcert.worker import Unsupported

PACKAGE = os.path.dirname(os.path.abspath(__file__))
MOST_CODES = 4096  # that are written down


def traceback_of(error):
    """The traceback from the first frame that is not of this package."""
    step = error.__traceback__
    while step is not None and os.path.dirname(os.path.abspath(step.tb_frame.f_code.co_filename)) == PACKAGE:
        step = step.tb_next
    return "".join(traceback.format_exception(type(error), error, step))


def leave(job, error, name, codes, shape, source, hint=""):
    """Writes a failure into the folder of the job.

    name: what it is. hint: what to do. codes: of the input that it is about, of the format `source`, in `shape`; None if there is none.
    """
    known = {"name": name, "message": f"{type(error).__name__}: {error}", "traceback": traceback_of(error),
             "codes": None if codes is None or codes.size > MOST_CODES else codes.reshape(-1).tolist(),
             "count": 0 if codes is None else int(codes.size), "shape": shape, "source": source, "hint": hint}
    if isinstance(error, WrongResult):
        known.update(message=str(error), traceback="")
    descriptor, path = tempfile.mkstemp(dir=job["failures"])
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(known, file)
    os.rename(path, path + ".json")  # whole, or not there


def crash_file(job):
    """A file in the folder of the job for what faulthandler writes."""
    return open(os.path.join(job["failures"], f"{os.getpid()}.crash"), "w", encoding="utf-8")


def is_told(job):
    """Whether a failure has been left already, by any worker."""
    return any(name.endswith(".json") for name in os.listdir(job["failures"]))


def name_of(error):
    return error.name if isinstance(error, WrongResult) else "EXCEPTION"


def bisect(job, error, codes, words, ask):
    """Leaves the fewest codes of a conversion that still raise the same kind of error, by halves. Once is enough: the harness asks for
    more after a failure.

    words: the random words that came with the codes, or None. ask(codes, words) asks again.
    """
    if isinstance(error, Unsupported) or is_told(job):
        return
    is_smaller = True
    while codes.size > 1 and is_smaller:
        middle = codes.size // 2
        for part in (slice(0, middle), slice(middle, None)):
            half = codes[part].copy(), None if words is None else words[part].copy()
            try:
                ask(*(array if array is None else array.copy() for array in half))
            except Exception as found:  # pylint: disable=broad-except
                if type(found) is type(error) and name_of(found) == name_of(error):
                    (codes, words), error = half, found
                    break
        else:
            is_smaller = False
    leave(job, error, name_of(error), codes, list(codes.shape), job["conversion"]["source"])
