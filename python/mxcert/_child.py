# SPDX-License-Identifier: Apache-2.0
"""The process that runs the function under test: a worker that serves it through mxcert.worker.

A job is a dictionary that JSON can hold:

    name        of the function, for reports
    conversion  source, target, rounding, overflow, random_bits; or None
    operation   name and attributes; or None
    arrays      what the function gets: _certify_choices.ARRAYS
    output      "codes" or "values"
    memory_limit  MiB that a process may take; 0: any; None: half of the machine's
    tails       whether it takes rows that do not divide into blocks
    grids       of each format of up to 8 bits that "values" needs, the values of its codes, as hexadecimal floats
    scales      of a quantizer with "values", the permitted scales: rows of first amax, last amax, codes
    failures    a folder in which what the function raises is left for the caller
    module, file, function, path    how a fresh interpreter finds the function; of a forked one these are not there
"""
import ctypes
import faulthandler
import functools
import importlib
import importlib.util
import inspect
import json
import operator
import os
import resource
import sys

import numpy

from mxcert import _child_failure, _child_operations
from mxcert._child_arrays import Grid, WrongResult, reader_of, wide_values, writer_of
from mxcert.worker import Backend, Conversion, Operation, Unsupported, Worker

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of <malloc.h>

# Set in every worker: a module that certifies when it is imported would never come to an end.
IN_WORKER = "MXCERT_IN_WORKER"


def load_function(job):
    """The function of a job, imported by its name."""
    module = None
    if job["module"] is not None:
        try:
            module = importlib.import_module(job["module"])
        except ModuleNotFoundError as error:
            if error.name != job["module"].partition(".")[0] or job["file"] is None:
                raise
    if module is None:
        name = os.path.splitext(os.path.basename(job["file"]))[0]
        spec = importlib.util.spec_from_file_location(name, job["file"])
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return operator.attrgetter(job["function"])(module)


def encode(grid, values):
    """The codes of values that are to be on the grid of a format."""
    found = grid.find(values)
    wrong = numpy.flatnonzero(found.reshape(-1) < 0)
    if len(wrong):
        value = values.reshape(-1)[wrong[0]]
        raise WrongResult("OFF_GRID", f"{value} is not a value of {grid.name}, it is {grid.neighbours(value)}")
    return found.astype("u1")


def conversion_of(job, function):
    """The offer of a job's conversion."""
    offer = job["conversion"]
    source, target = offer["source"], offer["target"]
    value = source.partition("_by_")[0].partition("_times_")[0]  # of a source with a given scale
    grid = Grid(target, job["grids"][target]) if job["output"] == "values" else None

    read = reader_of(value, job["arrays"])
    write = writer_of(target) if grid is None else lambda result, shape: encode(grid, wide_values(result, shape))

    def answer(codes, *others):
        try:
            result = function(read(codes), *others)
        except NotImplementedError as error:
            raise Unsupported(str(error)) from error
        return write(result, codes.shape)

    return Conversion(function=answer, **offer)


def backend_of(job, function):
    """What the worker offers: the one conversion or operation of a job."""
    target = inspect.unwrap(function) if callable(function) else function
    try:
        files = [inspect.getsourcefile(target)]
    except TypeError:  # built in, or an object with __call__
        files = []
    files = [name for name in files if name and os.path.exists(name)]
    module = sys.modules.get(getattr(target, "__module__", None) or "")
    version = getattr(module, "__version__", "0")
    conversions = [conversion_of(job, function)] if job["conversion"] else []
    operations = []
    if job["operation"]:
        answer = _child_operations.answer_of(job, function)
        operations = [Operation(job["operation"]["name"], job["operation"]["attributes"], answer)]
    return Backend(job["name"], version if isinstance(version, str) else "0", "a Python function", conversions,
                   files=tuple(files), operations=operations, failed=functools.partial(_child_failure.bisect, job))


def keep_memory():
    """Lets the C library keep what is freed: arrays of the same sizes come again and again, and new pages can cost more than the function."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, 1 << 26)
        mallopt(M_TRIM_THRESHOLD, 1 << 28)


def serve(job, load, requests=0, answers=1, memory=None):
    """Serves what load() returns until the harness ends it, and leaves the process without what Python does at its end: exit handlers
    are those of the caller, and torch takes seconds to go.

    Descriptors: as Worker has them.
    """
    os.environ[IN_WORKER] = "1"
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    # The line of a crash. Not on standard error, of which mxcert keeps the last lines alone: the first ones count.
    faulthandler.enable(_child_failure.crash_file(job), all_threads=False)
    keep_memory()
    numpy.seterr(all="ignore")  # every input is asked: of NaN and overflow numpy would warn value by value
    code = 1
    try:
        code = Worker(requests, answers, memory).run(functools.partial(_build, job, load))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:  # pylint: disable=broad-except
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _build(job, load):
    try:
        return backend_of(job, load())
    except Exception as error:
        _child_failure.leave(job, error, "LOAD", None, None, None)
        raise


def main():
    """The entry of a fresh interpreter: its argument is the file of a job."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    sys.argv[1:] = []
    sys.path[:] = job["path"]
    serve(job, functools.partial(load_function, job))
