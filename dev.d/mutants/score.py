# SPDX-License-Identifier: Apache-2.0
"""Certifies mutants, and sorts those that survive.

A mutant is certified at each level. One that every level passes is compared with the original on all inputs, by a program
that is no part of mxcert (conformance/mutants/compare.c), unless the compiler makes the same machine code of both. No
difference: it is equivalent. Where it differs, the first differing inputs are asked of the profile one by one: if one is not
permitted, the mutant is wrong, and has escaped each level that it passed; if all are, it counts as permitted."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

import build as builder
import replay
from targets import LEVELS

SURVIVED, KILLED, CRASHED, HUNG = "survived", "killed", "crashed", "hung"
# Exit codes of `mxcert certify`: what else there is means that the run was not set up right.
OUTCOMES = {0: SURVIVED, 5: SURVIVED, 1: KILLED, 3: CRASHED}
# What stands in the row of a conversion or operation that fails.
COUNTEREXAMPLE = re.compile(r"^\S+ .*\b(?:FAIL|MISTRUSTED) +(\S.*)$", re.MULTILINE)
LONGEST_CERTIFY = 120  # seconds
LONGEST_SWEEP = 900  # of a level that asks billions of values
LONGEST_COMPARE = 1800


@dataclasses.dataclass
class Mutant:
    number: int
    site: object
    which: int

    @property
    def value(self):
        return self.site.values[self.which] if self.site.values else None

    @property
    def environment(self):
        if self.site.kind == "int":
            return f"{self.number}:{self.value}"
        if self.site.kind == "float":
            # A whole number in hexadecimal would be read as an integer: a fraction makes it a floating-point one.
            return f"{self.number}:{float(self.value).hex()}"
        return str(self.number)


def mutants_of(sites):
    return [Mutant(site.first + which, site, which) for site in sites for which in range(len(site.edits))]


class Broken(Exception):
    """The original does not pass, or mxcert refuses the command: no score."""


def attributes_of(row):
    """The attributes of an operation, from the name of its row."""
    keys = ("source", "element", "scale", "rule", "rounding", "overflow", "axis", "block")
    return " ".join(f"{key}={value}" for key, value in zip(keys, row.split("-")[1:]))


def is_operation(row):
    return row.startswith("quantize-")


class Scorer:
    """Certifies the mutants of one target. `tools` has the paths of mxcert and its worker. In a survey a mutant whose answers at
    a level are not all those of the original counts as seen there, without a run of mxcert. A gate is a survey without the
    levels that sweep."""

    def __init__(self, root, build, tools, given):
        self.root, self.build, self.tools = root, build, tools
        self.is_survey, self.is_gate, self.jobs = given.survey, given.gate, given.jobs
        self.plugin = build.folder / "all.so"
        self.compare = build.folder / "compare"
        self.offline = {}  # of a group: the folder with its requests
        self.same = {}  # prepare()
        self.recorded = {}  # more of the environment, while the original is recorded
        self.written = set()  # the steps of the original that this run has made
        self.swept = set()  # groups and names of levels that the original is known to pass, of those that sweep
        self.lock = threading.Lock()

    # ---- certify

    def prepare(self, mutants, kept):
        """Builds the programs beside mxcert, demands that the original passes, and finds which of `mutants` answer what a level
        asks as the original does: `same` has {(group, level's name): their numbers}. The file `kept` has it for a run that goes on."""
        replay.build_programs(self.root, self.build.compiler, self.build.folder)
        of_group = {}
        for mutant in mutants:
            of_group.setdefault(self.build.group_of(mutant.site), []).append(mutant)
        known = json.loads(kept.read_text()) if kept.exists() else {}
        for group, some in of_group.items():
            numbers = {mutant.number for mutant in some}
            recorded = [level for level in self.levels(group) if not level.sweeps]  # what sweeps: _sweep()
            of_level = {level.name: known.setdefault(f"{self.build.target.groups.index(group)} {level.name}",
                                                     {"asked": [], "same": []}) for level in recorded}
            is_known = all(numbers <= set(one["asked"]) for one in of_level.values())
            if not is_known or not self.is_survey:
                self._write_requests(group)
            for level in recorded:
                one = of_level[level.name]
                if not is_known:
                    one["asked"], one["same"] = sorted(numbers), sorted(self._same_at(level, group, some))
                    kept.write_text(json.dumps(known))
                self.same[group, level.name] = set(one["same"])

    def _same_at(self, level, group, some):
        """Which mutants answer what a level asks as the original does."""
        calls = self.build.folder / "calls"
        self.recorded = replay.recording({}, self.plugin, calls)
        self._demand_original(level, group, self.build.folder / "record.so")
        self.recorded = {}
        # What differs at a level differs at one that includes it.
        below = self.same.get((group, level.includes))
        asked = [mutant for mutant in some if below is None or mutant.number in below]
        return replay.same_as_original(self.build.folder, self.plugin, calls, asked, self.jobs)

    def _demand_original(self, level, group, plugin):
        outcome, output = self.certify(level, group, plugin, None)
        if outcome != SURVIVED:
            raise Broken(f"{self.build.target.name}: the original does not pass at {level.name}: {outcome}\n{output}")

    def levels(self, group):
        """Those that a mutant of the group is certified at."""
        return [level for level in LEVELS
                if (not level.is_whole or all(is_operation(row) for row in group.rows)) and not (level.sweeps and self.is_gate)]

    def survives_one(self, mutant):
        """Whether the mutant is known to pass at one of the levels."""
        group = self.build.group_of(mutant.site)
        return any(mutant.number in self.same[group, level.name] for level in self.levels(group) if not level.sweeps)

    @staticmethod
    def _filters(group):
        for row in group.rows:
            yield from ("--filter", row + "/*" if is_operation(row) else row)

    def _write_requests(self, group):
        level = next(level for level in LEVELS if level.offline)
        folder = self.build.folder / "offline" / f"{self.build.target.groups.index(group)}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(exist_ok=True)
        hello = folder.parent / "hello.mxcf"
        with open(hello, "wb") as file:
            subprocess.run([self.tools["worker"], self.plugin], stdin=subprocess.DEVNULL, stdout=file,
                           stderr=subprocess.DEVNULL, check=False)  # it says that nothing was asked
        done = subprocess.run([self.tools["mxcert"], "offline", folder, "--hello", hello, "--profile", group.profile,
                               *self._filters(group), *level.options], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Broken(f"mxcert offline: {done.stderr}")
        self.offline[group] = folder

    def _environment(self, mutant):
        environment = {**os.environ, **self.recorded, "NO_COLOR": "1", "MXCERT_WORKER": str(self.tools["worker"])}
        environment.pop("MXCERT_MUTANT", None)
        if mutant is not None:
            environment["MXCERT_MUTANT"] = mutant.environment
        return environment

    def _mxcert(self, arguments, mutant, longest=LONGEST_CERTIFY):
        try:
            done = subprocess.run([self.tools["mxcert"], "certify", *arguments, "--quiet"], env=self._environment(mutant),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                                  timeout=longest)
        except subprocess.TimeoutExpired:
            return HUNG, ""
        output = done.stdout + done.stderr
        if done.returncode not in OUTCOMES:
            raise Broken(f"mxcert certify {' '.join(map(str, arguments))}: exit code {done.returncode}\n{output[-2000:]}")
        outcome = OUTCOMES[done.returncode]
        return (HUNG if outcome == CRASHED and "timeout" in output else outcome), output

    def certify(self, level, group, plugin, mutant):
        """Outcome and output of one mutant, or of the original, at a level."""
        if level.offline:
            return self._certify_offline(group, plugin, mutant)
        return self._mxcert([plugin, "--profile", group.profile, "--jobs", "1", *self._filters(group), *level.options], mutant,
                            LONGEST_SWEEP if level.sweeps else LONGEST_CERTIFY)

    def _certify_offline(self, group, plugin, mutant):
        with tempfile.TemporaryDirectory(dir=self.build.folder) as folder:
            for path in self.offline[group].iterdir():
                os.link(path, pathlib.Path(folder) / path.name)
            with open(self.offline[group] / "requests.mxcf", "rb") as requests, \
                    open(pathlib.Path(folder) / "responses.mxcf", "wb") as responses:
                try:
                    subprocess.run([self.tools["worker"], plugin], env=self._environment(mutant), stdin=requests,
                                   stdout=responses, stderr=subprocess.DEVNULL, check=False, timeout=LONGEST_CERTIFY)
                except subprocess.TimeoutExpired:
                    return HUNG, ""
            return self._mxcert([folder], None)

    # ---- the truth about what survives

    def differences(self, mutant, group, is_probe):
        """{row: (inputs, differing ones, the first of them)}, by comparison with the original; {} where both are the same
        machine code. A probe compares the first part of the inputs only."""
        plugin = self.build.build_one(mutant)
        found = {}
        if plugin is None:
            return found
        if not is_probe and self.build.is_same_by_clang(mutant):
            shutil.rmtree(plugin.parent)
            return found
        try:
            for row in group.rows:
                command = [self.compare, self.build.folder / "original.so", plugin,
                           *([attributes_of(row)] if is_operation(row) else [row])]
                if is_probe or not is_operation(row):
                    command.append("probe" if is_probe else self._steps(row))
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST_COMPARE)
                if done.returncode != 0:
                    return {row: (0, 1, [f"compare ends with {done.returncode} {done.stderr.strip()}"])}
                lines = done.stdout.splitlines()
                found[row] = (int(lines[-2].split()[1]), int(lines[-1].split()[1]), lines[:-2])
        except subprocess.TimeoutExpired:
            return {group.rows[0]: (0, 1, ["compare does not end"])}
        finally:
            shutil.rmtree(plugin.parent)
        return found

    def _steps(self, row):
        """The steps of the original in a conversion, made at the first use."""
        steps = self.build.folder / f"{row}.steps"
        with self.lock:
            if steps not in self.written:
                with open(steps, "wb") as file:
                    subprocess.run([self.compare, "--steps", self.build.folder / "original.so", row], stdout=file, check=True)
                self.written.add(steps)
        return steps

    def is_permitted(self, mutant, group, found):
        """Whether the profile permits the first differing answers of every row."""
        for row, (_inputs, _differ, lines) in found.items():
            for line in lines:
                if line.startswith("compare "):
                    return False
                if is_operation(row):
                    values = line.rpartition("@")[2]
                    sizes = f"1x{values.count(',') + 1}" + ("x32" if row.endswith("-any") else "")
                    case = f"{row}/blocks@{sizes}={values}"
                else:
                    case = f"{row}:{line.split()[2].partition('-')[0]}"
                outcome, _ = self._mxcert([self.plugin, "--profile", group.profile, "--jobs", "1", "--reproduce", case], mutant)
                if outcome != SURVIVED:
                    return False
        return True

    def _is_the_same(self, mutant):
        """Whether the machine code is that of the original, where it costs less to compile than to certify."""
        if len(self.build.target.sources) > 1:
            return False
        plugin = self.build.build_one(mutant)
        if plugin is not None:
            shutil.rmtree(plugin.parent)
        return plugin is None

    def score(self, mutant, is_probe):
        """The record of one mutant, as it is kept. A probe gives None where only the comparison on all inputs can tell."""
        began = time.monotonic()
        group = self.build.group_of(mutant.site)
        record = {"mutant": mutant.number, "outcomes": {}, "differ": {}}
        if not mutant.site.static and not self._is_the_same(mutant):
            for level in self.levels(group):
                if level.sweeps:
                    continue  # _sweep()
                if mutant.number in self.same[group, level.name]:
                    record["outcomes"][level.name] = SURVIVED
                    continue
                if self.is_survey:
                    record["outcomes"][level.name] = KILLED
                    continue
                if level.includes in record["outcomes"] and record["outcomes"][level.includes] == KILLED:
                    record["outcomes"][level.name] = KILLED  # it asks the same inputs, and others
                    continue
                outcome, output = self.certify(level, group, self.plugin, mutant)
                record["outcomes"][level.name] = outcome
                counterexample = COUNTEREXAMPLE.search(output) if outcome == KILLED else None
                if counterexample and not record.get("shown"):
                    record["shown"] = f"{level.name}: {counterexample[1].strip()}"
                if outcome in (CRASHED, HUNG):
                    break
        try:
            record["verdict"] = self._verdict(mutant, group, record, is_probe)
            if record["verdict"] in ("wrong", "permitted"):
                self._sweep(mutant, group, record)
        except builder.DoesNotCompile:
            record["verdict"] = "does not compile"
        record["seconds"] = round(time.monotonic() - began, 2)
        return record if record["verdict"] else None

    def _sweep(self, mutant, group, record):
        """Certifies a mutant that is not the original at the levels that sweep. These ask billions of values, too many for a
        record: mxcert itself asks them, of a plugin that is this mutant alone, which answers several times as fast as all.so."""
        for level in self.levels(group):
            if not level.sweeps or not record["outcomes"]:
                continue
            if record["outcomes"][level.includes] != SURVIVED:
                record["outcomes"][level.name] = KILLED
                continue
            with self.lock:
                if (group, level.name) not in self.swept:
                    self._demand_original(level, group, self.build.folder / "original.so")
                    self.swept.add((group, level.name))
            plugin = self.build.build_one(mutant)
            try:
                outcome, output = self.certify(level, group, plugin, None)
            finally:
                shutil.rmtree(plugin.parent)
            record["outcomes"][level.name] = outcome
            if outcome != SURVIVED:
                record["verdict"] = "wrong"  # whatever the first differing inputs are
                found = COUNTEREXAMPLE.search(output)
                if found and not record.get("shown"):
                    record["shown"] = f"{level.name}: {found[1].strip()}"

    def _verdict(self, mutant, group, record, is_probe):
        outcomes = set(record["outcomes"].values())
        if outcomes & {CRASHED, HUNG}:
            return HUNG if HUNG in outcomes else CRASHED
        if KILLED in outcomes and not (self.is_survey and SURVIVED in outcomes):
            return "wrong"
        record["differ"] = self.differences(mutant, group, is_probe)
        if is_probe and record["differ"] and not any(differ for _, differ, _ in record["differ"].values()):
            return None
        if not any(differ for _, differ, _ in record["differ"].values()):
            return "equivalent"
        return "permitted" if self.is_permitted(mutant, group, record["differ"]) else "wrong"


class Store:
    """The records of a target, a line each: what is there is not done again. A file is of one state of the target and of
    mxcert: when either changes, another one begins. Each part of a run has its own, and those of other parts are read too."""

    def __init__(self, folder, digest, part=""):
        self.path = folder / f"results-{digest}{part}.jsonl"
        self.records = {}
        for path in sorted(folder.glob(f"results-{digest}*.jsonl")):
            for line in path.read_text().splitlines():
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # cut off when a run was stopped
                self.records[record["mutant"]] = record

    def add(self, record):
        self.records[record["mutant"]] = record
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
