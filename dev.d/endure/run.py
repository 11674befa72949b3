# SPDX-License-Identifier: Apache-2.0
"""One run of mxcert that may be killed, and what must be true after it."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build" / "release" / "bin" / "mxcert"
sys.path.insert(0, str(ROOT / "docs" / "examples" / "shards"))
import same_report  # noqa: E402  (the comparison that sites use)

# Seven conversions of 16-bit sources and an order of scales: each is kept as soon as it is answered.
ASKED = ["portable", "--level", "quick", "--jobs", "2", "--quiet", "--filter", "fp16-e?m?-nearest_even-*", "--filter",
         "layout-swizzle_128x4-arrange*"]
MARK = "MXCERT_ENDURE"
END_SECONDS = 120  # a busy machine takes its time to end them


class Lost(Exception):
    """Something was lost, left over or half written."""


class Bench:
    """A folder for one run, and the report that it must give."""

    def __init__(self, folder, seconds=0.0, single=None):
        self.folder = folder
        self.seconds = seconds
        self.single = single
        self.mark = f"{os.getpid()}-{folder.name}"

    def start(self, arguments, before=()):
        """The program in a session of its own, so that a kill meets it alone."""
        environment = dict(os.environ, TMPDIR=str(self.folder / "tmp"), **{MARK: self.mark})
        (self.folder / "tmp").mkdir(exist_ok=True)
        log = open(self.folder / "log.txt", "ab")
        with log:
            return subprocess.Popen([*before, str(PROGRAM), *arguments], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=log, start_new_session=True)

    def finish(self, arguments, before=(), codes=(0,)):
        """Lets a run end by itself."""
        code = self.start(arguments, before).wait(timeout=600)
        if code not in codes:
            raise Lost(f"ended with {code}: {self.last_words()}")
        return code

    def last_words(self):
        return (self.folder / "log.txt").read_text(errors="replace")[-600:]

    def kill_at_random(self, process, pick, rng):
        """Kills what `pick` gives, after a random part of the time that the run takes. Whether there was something to kill."""
        time.sleep(rng.uniform(0, self.seconds))
        pids = pick(process)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return False
        return bool(pids)

    def marked(self):
        """The processes that belong to this run, but for those that have ended and nobody has waited for."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def check_nothing_runs(self):
        end = time.monotonic() + END_SECONDS
        while self.marked():
            if time.monotonic() > end:
                raise Lost(f"left running: {self.marked()}")
            time.sleep(0.02)

    def check_files(self, *folders):
        """Every file that has its final name is whole."""
        for folder in folders:
            for path in (self.folder / folder).rglob("*"):
                if path.suffix == ".json":
                    try:
                        json.loads(path.read_text())
                    except ValueError as error:
                        raise Lost(f"{path.relative_to(self.folder)} is half written: {error}") from error
                elif path.suffix in (".csv", ".txt", ".xml", ".html") and not path.read_bytes().endswith(b"\n"):
                    raise Lost(f"{path.relative_to(self.folder)} does not end with a line")

    def check_report(self, name="report"):
        reports = [json.loads((folder / name / "report.json").read_text()) for folder in (self.single, self.folder)]
        if not reports[0]["rows"]:
            raise Lost("the run that nobody killed has no rows")
        for report in reports:
            for row in report["rows"]:
                row.pop("kept", None)  # that an answer is of an earlier start is no other answer
        found = list(same_report.differences(*reports))
        if found:
            raise Lost(f"another report: {found[:3]}")

    def check_names(self, *folders):
        """No file more than the run that nobody killed has, and no file less."""
        for folder in folders:
            names = [{str(path.relative_to(top / folder)) for path in (top / folder).rglob("*")} for top in (self.single, self.folder)]
            if names[0] != names[1]:
                raise Lost(f"{folder}: other files than without a kill: {sorted(names[0] ^ names[1])[:5]}")


def children_of(pid):
    """The workers of a harness."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            continue
    return found


def generator(seed, number):
    return random.Random(f"{seed}-{number}")
