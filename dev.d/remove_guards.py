#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Removes each guard of conformance/test/guards.toml in turn, in a copy of the tree, and demands that a test fails.

    remove_guards.py ROOT --check              each guard is in its file, once
    remove_guards.py ROOT --build COPY [--only WORD]
                                               builds and tests; WORD: only guards with it in their words or groups

Exit codes: 0 all were missed; 1 one was not, does not build, or is not where the list says; 2 wrong arguments.
"""

import argparse
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib

LIST = "conformance/test/guards.toml"
MARK = "MXCERT_GUARDS"  # in the environment of what the tests start
LARGEST_TEST = 8 << 30  # bytes: without a guard a test may read without end
LONGEST_TEST = 300  # seconds: without a guard a test may wait forever


def read_guards(root):
    """The guards, and what is wrong with their list."""
    guards = tomllib.loads((root / LIST).read_text())["guard"]
    wrong = []
    for guard in guards:
        name = f"{guard['file']}: {guard['what']}"
        source = root / guard["file"]
        found = source.read_text().count(guard["code"]) if source.is_file() else 0
        if found != 1:
            wrong.append(f"{name}: the code is there {found} times, not once")
        if guard["code"] == guard["without"]:
            wrong.append(f"{name}: nothing is removed")
        if not guard["groups"] or not guard["tests"]:
            wrong.append(f"{name}: no group or no test")
    if not guards:
        wrong.append(f"{LIST}: there are no guards")
    return guards, wrong


def update_copy(root, copy):
    """Copies what changed, so that only that is built again."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True, text=True).stdout
    names = {name for name in listed.split("\0") if name and (root / name).is_file()}
    for name in names:
        source, target = root / name, copy / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    # Only what an earlier call copied is taken away.
    copied = copy / "build/copied.txt"
    for name in set(copied.read_text().splitlines() if copied.is_file() else []) - names:
        (copy / name).unlink(missing_ok=True)
    copied.parent.mkdir(exist_ok=True)
    copied.write_text("\n".join(sorted(names)))


def program_of(guard):
    return guard["program"]


def place_of(guard):
    """What the tests of a guard are known by."""
    return program_of(guard), guard["tests"]


def build(copy, programs):
    return subprocess.run(["cmake", "--build", copy / "build/release", "--target", *sorted(programs)],
                          capture_output=True, text=True)


def configure(root, copy):
    # What a guard leaves unused is no error here. File by file: only one is compiled again for each guard.
    options = ["-DMXCERT_WERROR=OFF", "-DMXCERT_UNITY=OFF"]
    python = root / ".venv/bin/python"
    if python.exists():
        options.append(f"-DMXCERT_PYTHON={python}")
    subprocess.run(["cmake", "--preset", "release", *options], cwd=copy, check=True, stdout=subprocess.DEVNULL)


def kill_what_is_left():
    """Programs that tests started in groups of their own: without a guard one may read a device without end."""
    mark = f"{MARK}={os.getpid()}".encode()
    for environment in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)
        except (OSError, ValueError):
            continue  # it has ended, or is somebody else's


def usual(tests):
    """The tests of a guard without hidden ones, which no usual run includes."""
    return ",".join(f'"{name}"~[.]' for name in tests.split(","))


def run_tests(copy, guard):
    """'passed', 'failed', 'hangs' or 'no tests'."""
    program = copy / "build/release/bin" / program_of(guard)
    tests = subprocess.Popen([program, usual(guard["tests"]), "--warn", "NoTests"], cwd=copy, start_new_session=True,
                             env={**os.environ, MARK: str(os.getpid())},
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (LARGEST_TEST, LARGEST_TEST)),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = tests.communicate(timeout=LONGEST_TEST)
    except subprocess.TimeoutExpired:
        os.killpg(tests.pid, signal.SIGKILL)
        kill_what_is_left()
        tests.communicate()
        return "hangs"
    kill_what_is_left()
    if "No test cases matched" in output:
        return "no tests"
    return "passed" if tests.returncode == 0 else "failed"


def try_guard(copy, guard):
    """The outcome without the guard; the file is as it was afterwards."""
    source = copy / guard["file"]
    whole = source.read_text()
    source.write_text(whole.replace(guard["code"], guard["without"]))
    try:
        built = build(copy, {program_of(guard)})
        return "does not build: " + built.stdout[-2000:] if built.returncode != 0 else run_tests(copy, guard)
    finally:
        source.write_text(whole)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(), metavar="COPY")
    parser.add_argument("--only", default="", metavar="WORD")
    arguments = parser.parse_args()
    if arguments.check == (arguments.build is not None):
        parser.error("either --check or --build COPY")

    guards, wrong = read_guards(arguments.root)
    for line in wrong:
        print(line)
    if arguments.check:
        print(f"guards: {len(guards)}, {len(wrong)} wrong")
    if wrong or arguments.check:
        return 1 if wrong else 0

    chosen = [g for g in guards if arguments.only in g["groups"] or arguments.only in g["what"]]
    if not chosen:
        print(f"no guard has '{arguments.only}' in its words or groups")
        return 1
    copy = arguments.build
    copy.mkdir(parents=True, exist_ok=True)
    update_copy(arguments.root, copy)
    configure(arguments.root, copy)
    built = build(copy, {program_of(guard) for guard in chosen})
    if built.returncode != 0:
        print(built.stdout[-4000:])
        print("the tree does not build as it is")
        return 1

    # Tests that fail as the tree is show nothing by failing. All run before anything is removed: afterwards the program is that
    # of the guard before.
    known = {}
    for guard in chosen:
        if place_of(guard) not in known:
            known[place_of(guard)] = run_tests(copy, guard)
    missed = 0
    for number, guard in enumerate(chosen, 1):
        began = time.monotonic()
        with_guard = known[place_of(guard)]
        outcome = try_guard(copy, guard) if with_guard == "passed" else f"with the guard the tests say: {with_guard}"
        good = outcome in ("failed", "hangs")
        missed += good
        seconds = time.monotonic() - began
        print(f"{number}/{len(chosen)} {'missed' if good else 'NOT MISSED'} ({outcome}, {seconds:.0f} s): "
              f"{guard['what']} [{' '.join(guard['groups'])}] {guard['tests']}", flush=True)
    print(f"guards: {len(chosen)} removed, {missed} missed by a test, {len(chosen) - missed} not")
    return 0 if missed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
