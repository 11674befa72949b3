# SPDX-License-Identifier: Apache-2.0
"""What the tests of packaging share: where the build is, and how commands are run."""

import json
import os
import pathlib
import subprocess
import unittest

BUILD = pathlib.Path(os.environ["MXCERT_BUILD"])
SOURCE = pathlib.Path(os.environ["MXCERT_SOURCE"])
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
HERE = pathlib.Path(__file__).resolve().parent

# One conversion of few inputs.
SMALL = "e5m2-fp16-nearest_even-nosat"


def clean_environment(**more):
    """Nothing that would lead the program to other files."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "CC", "CXX") if name in os.environ}
    return {**kept, "LC_ALL": "C", **more}


def run(*command, check=True, environment=None, cwd=None):
    """Exit code, standard output and standard error; with `check` an exit code other than 0 is an error."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=cwd,
                          stdin=subprocess.DEVNULL, env=clean_environment() if environment is None else environment)
    if check and done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.returncode, done.stdout, done.stderr


def validate(value, schema_file):
    """Throws where a value does not fit a JSON Schema. Without python3-jsonschema the test counts as skipped."""
    try:
        import jsonschema
    except ImportError:
        raise unittest.SkipTest("no python3-jsonschema here: ./dev test installs it") from None
    jsonschema.Draft202012Validator(json.loads(schema_file.read_text())).validate(value)


def rust_environment():
    """For rustc, which may be a wrapper that looks for more than others need."""
    return dict(os.environ)


def install(prefix):
    run("cmake", "--install", BUILD, "--prefix", prefix)


def subcommands(program, *path):
    """The paths of all commands, as --help lists them: ("vectors", "check"), ..."""
    found = []
    section = False
    for line in run(program, *path, "--help")[1].splitlines():
        section = section or (line.endswith(":") and not line.startswith((" ", "Options", "Positionals", "Usage")))
        words = line.split()
        if section and line.startswith("  ") and not line.startswith("   ") and words[0].islower() and words[0] != "mxcert":
            found.append((*path, words[0]))
    return found


def all_commands(program):
    found = []
    for command in subcommands(program):
        found += [command, *(subcommands(program, *command) if command == ("vectors",) else [])]
    return found


def options(program, *path):
    """The long options of a command, as --help lists them."""
    names = []
    for line in run(program, *path, "--help")[1].splitlines():
        if line.startswith("  -"):
            names += [word.strip(",") for word in line[2:].replace(",", " ").split() if word.startswith("--")][:1]
    return names
