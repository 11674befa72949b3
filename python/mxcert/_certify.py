# SPDX-License-Identifier: Apache-2.0
"""Certifies Python functions: the verdict is that of the program mxcert, the function runs in processes of its own."""
from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import tempfile
from typing import Any, Callable, Mapping

from mxcert._certify_choices import AXES, LEVELS, OUTPUTS, check_choice, profiles_of
from mxcert._certify_process import PACKAGE, CannotRun, backend, name_of
from mxcert._child_arrays import check_arrays
from mxcert._parameters import in_python
from mxcert._program import program
from mxcert._progress import numbers_of, teller
from mxcert.report import Report

__all__ = ["certify", "certify_quantizer", "certify_dequantizer", "certify_operation", "CannotRun"]

START_SECONDS = 120  # a fresh interpreter may import torch from a cold disk
MOST_RANGES = 1000   # of wrong inputs that the report lists


def ask(*words):
    """What the program prints. Throws ValueError with what it says, where it refuses the words."""
    done = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(said(done))
    return done.stdout


def said(done):
    """What a finished program wrote to standard error, without its name."""
    lines = (done.stderr or "").strip().splitlines()
    text = "\n".join(line.removeprefix("mxcert: ") for line in lines)
    return in_python(text) or f"mxcert ended with {done.returncode}"


def conversion_of(name):
    """The parts of "fp32-e4m3-nearest_even-sat". Throws ValueError."""
    parts = name.split("-")
    if len(parts) != 4:
        raise ValueError(f"'{name}' is no conversion: it has the form source-target-rounding-overflow, as fp32-e4m3-nearest_even-sat")
    source, target, rounding, overflow = parts
    random = re.fullmatch(r"(stochastic\w*?)(\d+)", rounding)
    return {"source": source, "target": target, "rounding": random[1] if random else rounding, "overflow": overflow,
            "random_bits": int(random[2]) if random else 0}


def scaled_format(name):
    """The record of a format of blocks. Throws ValueError."""
    known = {row["name"]: row for row in json.loads(ask("formats", "--scaled", "--json", "-"))}
    if name not in known:
        raise ValueError(f"unknown format of blocks '{name}'; there are {', '.join(known)}")
    row = known[name]
    if row["scale"] != "e8m0":
        raise ValueError(f"the scales of {name} are in {row['scale']}: take certify_operation(fn, 'quantize_{name}', ...)")
    return row


def first_profile(source, element, rule, overflow):
    """The first of `mxcert profiles` that judges such a quantizer. Throws ValueError if none does."""
    amax, scale = f"amax_{source}", f"e8m0_for_{element}"
    for profile in json.loads(ask("profiles", "--json", "-")):
        scopes = profile["scopes"]
        if rule in profile["scale_rules"].split() and overflow in profile["judged_overflow"].get(scale, "").split() and any(
                amax in scope["sources"].split() and scale in scope["targets"].split() for scope in scopes):
            return profile["name"]
    raise ValueError(f"no profile judges quantizers from {source} to {element} by the rule {rule} with {overflow}")


def grid_of(name):
    """The values of a format's codes, as hexadecimal floats."""
    return [row["hex_float"] for row in json.loads(ask("formats", name, "--json", "-"))["codes"]]


def permitted_scales(source, element, rule, overflow, profile):
    """What a profile permits of the scales of blocks: rows of the first amax, the last one and the codes."""
    conversion = f"amax_{source}-e8m0_for_{element}-{rule}-{overflow}"
    lines = ask("vectors", "export", "--format", "csv", "--conversion", conversion, "--profile", profile, "--output", "-")
    rows = [line.split(",") for line in lines.splitlines()[1:]]
    return [(int(first, 16), int(last, 16), [0xFF if code == "nan" else int(code, 16) for code in permit.split("|")])
            for first, last, permit, *_ in rows]


def command_of(command, path, profile, level, limits):
    """The words of a run of the program, with the options that certify and gate share."""
    # The function is the caller's own, and is reached through a socket of this process: a sandbox would refuse that.
    words = [program(), command, path, "--quiet", "--sandbox", "off", "--start-timeout", str(START_SECONDS), "--jobs",
             str(limits.jobs), "--timeout", str(limits.timeout)]
    if limits.memory_limit is not None:
        words += ["--memory-limit", str(limits.memory_limit)]
    for name in profiles_of(profile):
        words += ["--profile", name]
    if level is not None:
        words += ["--level", level]
    return words


def run_and_tell(words, tell):
    """The finished program. tell: is called with (done, total) while it runs; what it raises ends the program."""
    if tell is None:
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    told, telling = os.pipe()
    with open(told, "rb") as lines, tempfile.TemporaryFile("w+", errors="replace") as errors:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, pass_fds=[telling],
                              env={**os.environ, "MXCERT_PROGRESS": str(telling)}) as running:
            os.close(telling)
            try:
                total = None
                for line in lines:
                    done, total = numbers_of(line)
                    if done < total:
                        tell(done, total)
                code = running.wait()
                if total is not None:
                    tell(total, total)
            except BaseException:
                running.terminate()  # it ends its workers
                raise
        errors.seek(0)
        return subprocess.CompletedProcess(words, code, "", errors.read())


@dataclasses.dataclass(frozen=True)
class Limits:
    """What the function may take."""
    timeout: float = 60        # seconds for 2^18 values
    jobs: int = 0              # processes; 0: one a core
    memory_limit: int | None = None  # MiB of a process; 0: any; None: half of the machine's


class Subject:
    """A function, and what it is said to compute: what certify and the gate of the pytest plugin run.

    function: an object, or its name as "package.module:function". job: as _child describes it. limits: as Limits has them.
    """

    def __init__(self, function, job, rows, profile, process, limits):
        self.limits = Limits(**limits)
        self.function, self.rows, self.profile, self.process = function, rows, profile, process
        self.job = {"name": name_of(function), "memory_limit": self.limits.memory_limit, **job}

    def certify(self, level, progress=None):
        """The report of one run."""
        check_choice("level", level, LEVELS)
        tell = teller(progress, self.job["name"])
        with backend(self.function, self.job, self.process) as path:
            folder = os.path.dirname(path)
            result = os.path.join(folder, "report.json")
            words = command_of("certify", path, self.profile, level, self.limits)
            done = run_and_tell([*words, "--filter", self.rows, "--max-failures", str(MOST_RANGES), "--json", result], tell)
            if done.returncode == 2 or not os.path.exists(result):
                raise ValueError(said(done))
            with open(result, encoding="utf-8") as file:
                content = json.load(file)
            failures, crash = read_failures(self.job["failures"])
        check_asked(content, failures)
        return Report(content, self.job, failures, crash)


def check_asked(content, failures):
    """Throws if nothing was asked: ValueError because of what the caller wrote, CannotRun if no worker started."""
    for text in content["backend"]["not_understood"]:
        raise ValueError(text.partition("}: ")[2] or text)
    rows, outside = content["rows"], content["outside"]
    if not rows and outside:
        raise ValueError(f"{', '.join(content['profiles'])} does not judge {', '.join(outside)}; `mxcert profiles` lists the profiles")
    if rows and rows[0]["kind"] == "other" and rows[0]["id"] == "start":
        raise CannotRun("\n".join([in_python(rows[0]["reason"]), *(failure["traceback"] for failure in failures[:1])]))


def read_failures(folder):
    """What the workers left of what the function raised, the one about the fewest inputs first, and where one crashed."""
    failures, crash = [], ""
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            if name.endswith(".json"):
                failures.append(json.load(file))
            elif name.endswith(".crash"):
                crash = crash or stack_of_crash(file.read())
    return sorted(failures, key=lambda failure: failure["count"]), crash


def stack_of_crash(text):
    """What faulthandler wrote, up to the first frame of this package."""
    lines = text.splitlines()
    end = next((at for at, line in enumerate(lines) if f'File "{PACKAGE}{os.sep}' in line), len(lines))
    return "\n".join(line for line in lines[:end] if line.strip())


def conversion_subject(fn, conversion, *, profile=None, arrays="numpy", output="codes", process="auto", **limits):
    """The Subject of certify()."""
    parts = conversion_of(conversion)
    check_choice("output", output, OUTPUTS)
    value = parts["source"].partition("_by_")[0].partition("_times_")[0]
    check_arrays(arrays, [value])
    job = {"conversion": parts, "operation": None, "arrays": arrays, "output": output, "tails": True, "scales": [],
           "grids": {parts["target"]: grid_of(parts["target"])} if output == "values" else {}}
    return Subject(fn, job, conversion, profile, process, limits)


def quantizer_subject(fn, format, *, rule="ocp_floor", source="fp32", rounding="nearest_even", overflow="sat", axis=-1, tails=True,
                      profile=None, arrays="numpy", output="codes", process="auto", **limits):
    """The Subject of certify_quantizer()."""
    check_choice("output", output, OUTPUTS)
    check_choice("axis", axis, AXES)
    row = scaled_format(format)
    element = row["element"]
    check_arrays(arrays, [source])
    profiles = profiles_of(profile) or [first_profile(source, element, rule, overflow)]
    attributes = {"source": source, "element": element, "scale": "e8m0", "rule": rule, "rounding": rounding, "overflow": overflow,
                  "axis": AXES[axis], "block": str(row["block"])}
    is_values = output == "values"
    job = {"conversion": None, "operation": {"name": "quantize", "attributes": attributes}, "arrays": arrays, "output": output,
           "tails": tails, "grids": {element: grid_of(element)} if is_values else {},
           "scales": permitted_scales(source, element, rule, overflow, profiles[0]) if is_values else []}
    return Subject(fn, job, "quantize-*", profiles, process, limits)


def dequantizer_subject(fn, format, *, target="fp32", axis=-1, tails=True, profile=None, arrays="numpy", process="auto", **limits):
    """The Subject of certify_dequantizer()."""
    check_choice("axis", axis, AXES)
    row = scaled_format(format)
    check_arrays(arrays, [row["element"], "e8m0", target])
    attributes = {"element": row["element"], "scale": "e8m0", "target": target, "axis": AXES[axis], "block": str(row["block"])}
    job = {"conversion": None, "operation": {"name": "dequantize", "attributes": attributes}, "arrays": arrays, "output": "codes",
           "tails": tails, "grids": {}, "scales": []}
    return Subject(fn, job, "dequantize-*", profile or "ocp-sat", process, limits)


def operation_subject(fn, operation, attributes, *, profile=None, process="auto", **limits):
    """The Subject of certify_operation()."""
    job = {"conversion": None, "operation": {"name": operation, "attributes": {key: str(value) for key, value in attributes.items()}},
           "arrays": "codes", "output": "codes", "tails": True, "grids": {}, "scales": []}
    return Subject(fn, job, f"{operation}-*", profile, process, limits)


def certify(fn: Callable[..., Any] | str, conversion: str, *, level: str = "quick", progress: Any = None,
            **options: Any) -> Report:
    """Asks a conversion for every input there is (of sources of up to 32 bits) and compares each answer bit for bit.

    fn          takes one array of one dimension and returns an array of the same shape; a function, or its name as
                "package.module:function" or "file.py:function". A stochastic conversion also gets an array of random words, one with a
                given scale also the code of the scale. It runs in processes of its own, never in this one.
    conversion  source-target-rounding-overflow, in the names of `mxcert formats` and `mxcert choices`
    level       smoke (some thousand inputs), quick, standard or complete
    profile     a name of `mxcert profiles`, or several; default: ocp-sat or ocp-nosat, by the conversion
    arrays      "numpy": types of numpy and ml_dtypes; "codes": uint8 and uint16 where numpy has no type; "torch": tensors
    output      "codes": uint8, or a type of ml_dtypes or torch; "values": numbers, each a value of the target format, as fake
                quantization has them. Then a NaN counts as the format's first one of its sign.
    process     "auto": forked from this process if that is safe, else imported by a fresh interpreter; or "fork" or "import"
    timeout     seconds that 2^18 values may take; default: 60
    jobs        worker processes; 0: one a core
    memory_limit  MiB that one of them may take; 0: any number; default: half of the machine's
    progress    True: a line on standard error; or a function that is called with (done, total): inputs of a conversion, thousandths of
                the expected time of an operation. What it raises ends the run.

    Returns a Report. Raises ValueError for names that there are not, CannotRun if fn can be neither forked nor imported.
    """
    return conversion_subject(fn, conversion, **options).certify(level, progress)


def certify_quantizer(fn: Callable[..., Any] | str, format: str, *, level: str = "quick", progress: Any = None,
                      **options: Any) -> Report:
    """Asks a quantizer of blocks for its scales, its elements and what joins them.

    fn        takes a matrix of rows x columns and returns (elements, scales): elements in the same shape, scales rows x blocks of a row
              (axis=-1), or blocks of a column x columns (axis=0). What raises NotImplementedError for a shape refuses it; only rows that
              do not divide into blocks may be refused.
    format    "mxfp8_e4m3", "mxfp4" ...: `mxcert formats --scaled`
    rule      of `mxcert rules`; default: ocp_floor
    source    fp32, fp16 or bf16
    rounding, overflow   of the elements; default: nearest_even, sat
    tails     False: fn takes rows of whole blocks alone
    profile   default: the first of `mxcert profiles` that judges the rule
    output    "values": fn returns the dequantized values alone. Their scales are those that are permitted, if the values lie on their
              grid: a wrong scale shows only if the values tell it.

    The other options are those of certify(). Returns a Report.
    """
    return quantizer_subject(fn, format, **options).certify(level, progress)


def certify_dequantizer(fn: Callable[..., Any] | str, format: str, *, level: str = "quick", progress: Any = None,
                        **options: Any) -> Report:
    """Asks a dequantizer of blocks: fn takes elements and scales, in the shapes of certify_quantizer(), and returns values.

    target    fp32, fp64, fp16 or bf16

    The other options are those of certify_quantizer(). Returns a Report.
    """
    return dequantizer_subject(fn, format, **options).certify(level, progress)


def certify_operation(fn: Callable[..., Any] | str, operation: str, attributes: Mapping[str, Any], *, level: str = "quick",
                      progress: Any = None, **options: Any) -> Report:
    """Asks any other operation, such as a matrix product.

    fn          fn(shape, *inputs) takes the four sizes of a run and flat arrays of codes (uint8, uint16, uint32), and returns the flat
                arrays of its outputs
    operation   a name of docs/operations.md, such as "matmul"
    attributes  of the operation, by name

    The options are profile, process, timeout, jobs, memory_limit and progress, as of certify(). Returns a Report.
    """
    return operation_subject(fn, operation, attributes, **options).certify(level, progress)
