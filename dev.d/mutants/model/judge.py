# SPDX-License-Identifier: Apache-2.0
"""Runs the tests against mutants: of each mutant those that evaluate its site, the fastest first, until one fails."""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading

from model_build import PROGRAMS, Broken

KILLED, CRASHED, HUNG = "killed", "crashed", "hung"
SURVIVED, SAME_CODE, NOT_REACHED, NOT_COMPILED = "survived", "same code", "not reached", "not compiled"
ABSENT_CODE = 77  # of conformance/mutants/model.hpp
MEMORY = 6 << 30  # bytes that a mutant may take
# A process for each test would cost more than the fast ones: seconds of tests that share one.
BATCHES = (0.3, 3.0, 15.0)
QUICK_BATCHES = 3
# Tests that may not pass with every constant a variable, or in a copy of the tree. More means that the build is not right.
MOST_UNFIT = 5
# Seconds of the processor. A slower test does not judge: each survivor would run it.
LONGEST_TEST = 10


@dataclasses.dataclass
class Test:
    program: str
    name: str
    seconds: float  # of the processor, without a mutant
    reached: frozenset  # first mutants of the sites that it evaluates


def _limits(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def pattern_of(name):
    """What selects the test of a name in a file of Catch2."""
    return '"' + name.replace("\\", "\\\\").replace(",", "\\,") + '"'


class Judge:
    def __init__(self, build, jobs):
        self.build, self.jobs = build, jobs
        self.tests = []
        self.unfit, self.slow = [], []  # names of tests that do not judge
        self.passed = {}  # by number: batches of tests that a mutant passes

    def _run(self, program, names, environment, seconds):
        """Exit code (None if it ran too long), seconds of the processor, and what it printed."""
        with tempfile.TemporaryDirectory(dir=self.build.folder) as folder:
            listed = pathlib.Path(folder) / "tests"
            listed.write_text("".join(f"{pattern_of(name)}\n" for name in names))
            # The properties draw the same inputs every time.
            environment = {**os.environ, "RC_PARAMS": "seed=1", **environment}
            printed = pathlib.Path(folder) / "printed"
            with open(printed, "wb") as output:
                process = subprocess.Popen(
                    [self.build.build / "bin" / program, "-f", listed, "--abort"], cwd=folder, env=environment,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True,
                    preexec_fn=lambda: _limits(seconds))
            # One that waits takes no time of the processor.
            timer = threading.Timer(10 * seconds, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            text = printed.read_text(errors="replace")
        is_late = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        return None if is_late else process.returncode, usage.ru_utime + usage.ru_stime, text

    # ---- which tests evaluate which sites

    def record(self):
        """Fills `tests`, from the last run with the same tests if there is one."""
        kept = self.build.folder / "reached.json"
        state = self.build.digest_of_tests()
        known = json.loads(kept.read_text()) if kept.exists() else {}
        if known.get("state") != state:
            known = {"state": state, "tests": {}}
        names = []
        for program in PROGRAMS:
            listed = subprocess.run([self.build.build / "bin" / program, "--list-test-names-only"], capture_output=True, text=True,
                                    check=False).stdout
            names += [(program, line.strip()) for line in listed.split("\n") if line.strip()]
        lock = threading.Lock()

        def one(program, name):
            if f"{program}: {name}" in known["tests"]:
                return
            result = self._record_one(program, name)
            with lock:
                known["tests"][f"{program}: {name}"] = result
                kept.write_text(json.dumps(known))

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for future in [pool.submit(one, *item) for item in names]:
                future.result()
        for program, name in names:
            result = known["tests"][f"{program}: {name}"]
            if "reached" in result:
                self.tests.append(Test(program, name, result["seconds"], frozenset(result["reached"])))
            else:
                (self.slow if result["code"] is None else self.unfit).append(f"{program}: {name}")
        if len(self.unfit) > MOST_UNFIT or not self.tests:
            raise Broken("tests do not pass without a mutant:\n" + "\n".join(self.unfit))

    def _record_one(self, program, name):
        with tempfile.TemporaryDirectory(dir=self.build.folder) as folder:
            file = pathlib.Path(folder) / "reached"
            code, seconds, text = self._run(program, [name], {"MXCERT_REACHED": str(file)}, LONGEST_TEST)
            # Catch2 does not fail where a name selects no test.
            if code == 0 and "No tests ran" in text:
                raise Broken(f"{program}: no test of the name {name}")
            if code != 0:
                return {"code": code}
            return {"seconds": seconds, "reached": list(map(int, file.read_text().split()))}

    # ---- a mutant

    def score(self, mutant, hints=(), is_quick=False):
        """{"verdict", "by"}: `by` is the test that saw it. `hints` are names of tests that are asked first. If `is_quick` the
        tests of the first batches alone are asked, and the result is None if they pass and there are more; the next call goes
        on with these."""
        if mutant.site.first in self.build.dropped:
            return {"verdict": NOT_COMPILED}
        tests = sorted((test for test in self.tests if mutant.site.first in test.reached),
                       key=lambda test: (test.name not in hints, test.seconds))
        if not tests:
            return {"verdict": NOT_REACHED}
        for number, batch in enumerate(self.batches(tests)):
            if number < self.passed.get(mutant.number, 0):
                continue
            if is_quick and number == QUICK_BATCHES:
                return None
            for program in PROGRAMS:
                some = [test for test in batch if test.program == program]
                verdict = self._verdict(program, some, mutant) if some else None
                if verdict is None:
                    continue
                if verdict == NOT_COMPILED:
                    return {"verdict": verdict}
                # To find which test of several hangs would take the time of each.
                return {"verdict": verdict, "by": some[0].name if verdict == HUNG else self._first(program, some, mutant)}
            self.passed[mutant.number] = number + 1
        return {"verdict": SURVIVED, "tests": len(tests)}

    @staticmethod
    def batches(tests):
        """The tests in their order, in groups that grow: the first one alone."""
        result, seconds = [tests[:1], []], 0.0
        for test in tests[1:]:
            if seconds + test.seconds > BATCHES[min(len(result) - 2, len(BATCHES) - 1)] and result[-1]:
                result.append([])
                seconds = 0.0
            result[-1].append(test)
            seconds += test.seconds
        return [batch for batch in result if batch]

    def _verdict(self, program, tests, mutant):
        """None if all pass."""
        limit = 3 + int(5 * sum(test.seconds for test in tests))
        code, *_ = self._run(program, [test.name for test in tests], {"MXCERT_MUTANT": mutant.environment}, limit)
        if code == 0:
            return None
        if code == ABSENT_CODE:
            return NOT_COMPILED
        return HUNG if code is None else CRASHED if code < 0 else KILLED

    def _first(self, program, tests, mutant):
        """The test of a batch that saw the mutant."""
        while len(tests) > 1:
            half = tests[:len(tests) // 2]
            tests = half if self._verdict(program, half, mutant) is not None else tests[len(tests) // 2:]
        return tests[0].name
