# SPDX-License-Identifier: Apache-2.0
"""Where the function under test runs: in processes that are forked from this one, or in fresh interpreters that import it."""
import contextlib
import ctypes
import functools
import importlib.util
import json
import operator
import os
import re
import shlex
import shutil
import signal
import socket
import sys
import tempfile
import threading
import traceback
import warnings

from mxcert import _child, _child_server
from mxcert._certify_choices import PROCESSES, check_choice

PACKAGE = os.path.dirname(os.path.abspath(__file__))
# What the versions of OpenBLAS call it that numpy and scipy bring: its threads know of forks.
OPENBLAS_THREADS = ("scipy_openblas_get_num_threads64_", "scipy_openblas_get_num_threads", "openblas_get_num_threads64_",
                    "openblas_get_num_threads")


class CannotRun(RuntimeError):
    """A function can run in no process of its own. The message says why, and what to do."""


def openblas_threads():
    """How many threads the OpenBLAS libraries of this process have started."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        paths = set(re.findall(r"(/\S*openblas\S*)", file.read()))
    count = 0
    for path in paths:
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(path)
            number = next((getattr(library, name) for name in OPENBLAS_THREADS if hasattr(library, name)), lambda: 1)
            count += number() - 1
    return count


def why_not_fork():
    """Why this process cannot be forked safely; None if it can."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return "CUDA has been initialised"
    if threading.active_count() > 1:
        return "threads are running (" + ", ".join(thread.name for thread in threading.enumerate()) + ")"
    count = len(os.listdir("/proc/self/task")) - openblas_threads()
    if "PYTEST_XDIST_WORKER" in os.environ:
        count -= 1  # execnet's, which waits for messages and does nothing else
    if count > 1:
        return f"{count} threads are running, which a library has started"
    return None


def importable(function):
    """(module, file, name) by which a fresh interpreter finds a function, and why there is none: one of the two is None.

    function: an object, or text as "package.module:name" and "folder/file.py:name".
    """
    if isinstance(function, str):
        place, _, name = function.rpartition(":")
        if not place or not all(part.isidentifier() for part in name.split(".")):
            raise ValueError(f"'{function}' is not of the form 'package.module:function' or 'file.py:function'")
        is_file = place.endswith(".py")
        if is_file and not os.path.isfile(place):
            raise ValueError(f"there is no file '{place}'")
        return ((None, os.path.abspath(place), name) if is_file else (place, None, name)), None
    name, place = getattr(function, "__qualname__", None), getattr(function, "__module__", None)
    if name is None or place is None:
        return None, "it is an object without a name"
    if "<" in name:
        return None, "it is " + ("a lambda" if name.endswith("<lambda>") else "defined inside another function")
    module = sys.modules.get(place)
    try:
        found = operator.attrgetter(name)(module)
    except AttributeError:
        found = None
    if found is not function:
        return None, f"{place}.{name} is something else"
    file = getattr(module, "__file__", None)
    if place != "__main__":
        return (place, file and os.path.abspath(file), name), None
    if file is None or not os.path.isfile(file):
        return None, "its module is no file"
    return (None, os.path.abspath(file), name), None


def name_of(function):
    """A function as reports call it."""
    if isinstance(function, str):
        place, _, name = function.rpartition(":")
        return f"{os.path.splitext(os.path.basename(place))[0] if place.endswith('.py') else place}.{name}"
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or type(function).__name__
    return name if module in (None, "__main__") else f"{module}.{name}"


def choose(function, process):
    """"fork", or the (module, file, name) to import. Throws CannotRun."""
    check_choice("process", process, PROCESSES)
    if not callable(function) and not isinstance(function, str):
        raise TypeError(f"{function!r} is neither a function nor the name of one, as 'package.module:function'")
    if isinstance(function, str):
        if process == "fork":
            raise ValueError("a name is imported, not forked: pass the function itself, or process='import'")
        return importable(function)[0]
    reason = why_not_fork() if process == "auto" else None
    if process == "fork" or (process == "auto" and reason is None):
        return "fork"
    found, why = importable(function)
    if found is not None:
        return found
    raise CannotRun(
        f"{name_of(function)} cannot run in a process of its own: "
        + (f"{reason}, so this one cannot be forked, and a fresh one cannot import it, since {why}. " if reason else
           f"a fresh one cannot import it, since {why}. ")
        + "Define it at the top level of a module, or pass 'package.module:function'"
        + (", or certify before that; process='fork' forks all the same." if reason else "."))


def write_script(path, words):
    """An executable file that becomes this command."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec " + " ".join(map(shlex.quote, words)) + ' "$@"\n')
    os.chmod(path, 0o700)


@contextlib.contextmanager
def backend(function, job, process="auto"):
    """A program that mxcert can start as a backend: a folder with it as long as the context lasts. Yields its path.

    job: as _child describes it, to which what this decides is added. Throws CannotRun.
    """
    if os.environ.get(_child.IN_WORKER):
        raise CannotRun("a module was certified while a worker imports it: call it in a function, or under "
                        "if __name__ == '__main__':")
    way = choose(function, process)
    folder = tempfile.mkdtemp(prefix="mxcert-")
    try:
        path = os.path.join(folder, re.sub(r"[^\w.-]", "_", job["name"]))
        job["failures"] = os.path.join(folder, "failures")
        os.mkdir(job["failures"])
        if way == "fork":
            write_script(path, [sys.executable, "-I", "-S", os.path.join(PACKAGE, "_child_relay.py"), folder])
            with fork_server(folder, functools.partial(_child.serve, job, lambda: function), job["memory_limit"]):
                yield path
        else:
            job.update(module=way[0], file=way[1], function=way[2], path=[os.path.dirname(PACKAGE), *sys.path])
            with open(os.path.join(folder, "job.json"), "w", encoding="utf-8") as file:
                json.dump(job, file)
            start = f"import sys; sys.path.insert(0, {os.path.dirname(PACKAGE)!r}); from mxcert._child import main; main()"
            write_script(path, [sys.executable, "-c", start, os.path.join(folder, "job.json")])
            yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def fork_server(folder, serve, memory_limit=None):
    """A process forked from this one that forks workers, as long as the context lasts. memory_limit: as Server has it."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    listener.bind(f"/proc/self/fd/{place}/socket")  # the address of a socket has 107 bytes, the path of a folder may have more
    os.close(place)
    listener.listen(64)
    lifeline, held = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are threads: why_not_fork() has looked at them
        pid = os.fork()
    if pid == 0:
        try:
            os.close(held)
            os.setpgid(0, 0)  # Ctrl-C is for the caller
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _child_server.Server(listener, lifeline, serve, memory_limit).run()
        except BaseException:  # pylint: disable=broad-except
            traceback.print_exc()
        finally:
            os._exit(0)
    listener.close()
    os.close(lifeline)
    try:
        yield
    finally:
        os.close(held)
        os.waitpid(pid, 0)
