# SPDX-License-Identifier: Apache-2.0
"""The inputs that the small suites send, as mxcert sends or writes them."""
import json
import pathlib
import subprocess
import sys

import numpy

ANSWERS = pathlib.Path(__file__).with_name("answers.py")


class SuiteError(Exception):
    """mxcert failed; the message has what it said."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SuiteError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def numbers(words):
    return numpy.unique(numpy.array([int(word, 16) for word in words], numpy.uint64))


def smoke(mxcert, conversion, table, work):
    """What `certify --level smoke` asks a backend that answers by the permit table."""
    asked, answers = work / "asked", work / "table.csv"
    asked.unlink(missing_ok=True)
    answers.write_text(table, encoding="utf-8")
    run(mxcert, "certify", "--pipe", f"{sys.executable} {ANSWERS} {answers} {asked}", "--conversion", conversion, "--level", "smoke",
        "--filter", conversion, "--jobs", "1", "--profile", profile_of(mxcert, conversion))
    return numbers(asked.read_text(encoding="utf-8").split())


def profile_of(mxcert, conversion):
    """The profile that the exported table is of."""
    header = json.loads(run(mxcert, "vectors", "export", "--format", "json", "--conversion", conversion))
    return header["subject"]["profile"]["name"]


def tests(mxcert, conversion, table, work):
    """The tests of `vectors export --format json`."""
    content = json.loads(run(mxcert, "vectors", "export", "--format", "json", "--conversion", conversion))
    return numbers(test["inputs"]["value"] for group in content["groups"] for test in group["tests"])


def entries(mxcert, conversion, table, work):
    """The entries of `vectors export --format npy`."""
    file = work / "entries.npy"
    run(mxcert, "vectors", "export", "--format", "npy", "--conversion", conversion, "-o", str(file))
    return numpy.unique(numpy.load(file)["input"].astype(numpy.uint64))


def boundaries(mxcert, conversion, table, work):
    """The requests of `offline --points boundaries`."""
    folder = work / "offline"
    run(mxcert, "offline", str(folder), "--format", "hex", "--points", "boundaries", "--filter", conversion, "--profile",
        profile_of(mxcert, conversion))
    words = [line for file in sorted(folder.glob("*.hex")) for line in file.read_text(encoding="utf-8").split("\n")
             if line and not line.startswith("//")]
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    return numbers(words)


SUITES = {"smoke": smoke, "export tests": tests, "export entries": entries, "offline boundaries": boundaries}
