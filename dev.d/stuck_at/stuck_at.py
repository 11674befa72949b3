#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stuck-at faults that small suites detect: ./dev stuck-at --help has the options."""
import argparse
import os
import pathlib
import re
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "dev.d" / "prove_c"))

import numpy

import coverage
import faults
import netlist
import permits
import stuck_page
import suites

SHOWN = 3  # faults that a suite misses; of inputs that the user gives all are shown
RTL = ROOT / "docs" / "examples" / "rtl"
FLOAT, SCALE = ["float_to_mini.sv"], ["e8m0_scale.sv"]

# Top module, its input and output, its files, parameters, conversion.
DESIGNS = [
    ("fp32_to_e4m3", "x", "code", FLOAT, {}, "fp32-e4m3-nearest_even-sat"),
    ("fp32_to_e4m3", "x", "code", FLOAT, {"SAT": 0}, "fp32-e4m3-nearest_even-nosat"),
    ("fp32_to_e5m2", "x", "code", FLOAT, {}, "fp32-e5m2-nearest_even-sat"),
    ("fp32_to_e5m2", "x", "code", FLOAT, {"SAT": 0}, "fp32-e5m2-nearest_even-nosat"),
    ("fp32_to_e2m1", "x", "code", FLOAT, {}, "fp32-e2m1-nearest_even-sat"),
    ("e8m0_scale", "amax", "scale", SCALE, {}, "amax_fp32-e8m0_for_e4m3-ocp_floor-sat"),
    ("e8m0_scale", "amax", "scale", SCALE, {"ROUND_UP": 1}, "amax_fp32-e8m0_for_e4m3-rceil-sat"),
]


def suites_of(mxcert, conversion, table, work):
    """The inputs of each suite, and of one that is to miss faults: its first input alone."""
    found = {name: suite(mxcert, conversion, table, work) for name, suite in suites.SUITES.items()}
    return found | {"one input": found["smoke"][:1]}


def measured(mxcert, design, work, own):
    """What is stored of a design: each of its netlists, and few inputs that detect all that can be detected in them."""
    top, input_port, output_port, files, parameters, conversion = design
    text = suites.run(mxcert, "vectors", "export", "--format", "csv", "--conversion", conversion)
    table = permits.read(text, conversion.split("-")[1])
    sets = {"own": read_inputs(own, table.bits)} if own else suites_of(mxcert, conversion, text, work)
    rows, results = [], []
    for library in netlist.LIBRARIES:
        begin = time.process_time()
        gates = netlist.read(netlist.synthesise([RTL / file for file in files], top, parameters, library), input_port, output_port)
        result = coverage.measure(gates, table, sets)
        results.append(result)
        rows.append(row_of(library, result, sets, time.process_time() - begin))
        show(conversion, rows[-1], own is not None)
    witnesses = {result.witness[fault] for result in results for fault in result.asked}
    every = numpy.unique(numpy.concatenate([*sets.values(), numpy.array(sorted(witnesses), numpy.uint64)]))
    return {"design": top, "parameters": parameters, "conversion": conversion, "netlists": rows,
            "inputs": {name: int(inputs.size) for name, inputs in sets.items()},
            "few": [f"{value:0{(table.bits + 3) // 4}X}" for value in coverage.few_inputs(results, every)]}


def row_of(library, result, sets, seconds):
    testable = len(result.faults) - len(result.untestable)
    if testable == 0:
        raise coverage.CoverageError("no fault can be tested")
    missed = {name: [fault for fault in result.faults if fault not in result.untestable and fault not in result.detected[name]]
              for name in sets}
    if "one input" in sets and not missed["one input"]:
        raise coverage.CoverageError("one input misses no fault: nothing was measured")
    gates = result.design.gates
    return {"library": library, "gates": len(gates.gates), "faults": result.total, "classes": len(result.faults), "testable": testable,
            "detected": {name: testable - len(missed[name]) for name in sets}, "seconds": round(seconds, 1),
            "missed": {name: [[faults.name_of(fault, gates), f"0x{result.witness[fault]:X}"] for fault in missed[name]]
                       for name in sets if name != "one input"}}


def show(conversion, row, all_missed):
    parts = [f"{name} {100 * count / row['testable']:.2f} % ({row['testable'] - count} missed)" for name, count in row["detected"].items()]
    print(f"{conversion:38}{row['library']:12}{row['gates']:5} gates {row['testable']:5} of {row['classes']:5} testable  {'  '.join(parts)}", flush=True)
    for name, missed in row["missed"].items():
        for what, value in missed if all_missed else missed[:SHOWN]:
            print(f"    {name} misses {what}: {value} detects it")
        if not all_missed and len(missed) > SHOWN:
            print(f"    {name} misses {len(missed) - SHOWN} more")


def read_inputs(file, bits):
    """Hexadecimal words, one a line; a line may be a comment behind #."""
    inputs = []
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise suites.SuiteError(f"{file}: it is no text") from error
    for number, line in enumerate(lines, 1):
        word = line.partition("#")[0].strip()
        if word and not re.fullmatch(r"(0[xX])?[0-9A-Fa-f]{1,16}", word):
            raise suites.SuiteError(f"{file}:{number}: '{word[:40]}' is no hexadecimal word")
        if word:
            inputs.append(int(word, 16))
        if word and inputs[-1] >> bits:
            raise suites.SuiteError(f"{file}:{number}: '{word}' has more than {bits} bits")
    if not inputs:
        raise suites.SuiteError(f"{file} has no inputs")
    return numpy.unique(numpy.array(inputs, numpy.uint64))


def parse():
    parser = argparse.ArgumentParser(prog="./dev stuck-at", add_help=False)
    parser.add_argument("--conversion")
    parser.add_argument("--inputs", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.write and (options.conversion or options.inputs):
        parser.error("--write takes all conversions and suites")
    if options.inputs and not options.conversion:
        parser.error("--inputs needs --conversion")
    if options.inputs and not options.inputs.is_file():
        parser.error(f"there is no file {options.inputs}")
    if options.conversion and options.conversion not in [design[-1] for design in DESIGNS]:
        parser.error(f"there is no design of {options.conversion}, but of {', '.join(design[-1] for design in DESIGNS)}")
    return options


def main():
    options = parse()
    mxcert = os.environ.get("MXCERT", str(ROOT / "build" / "release" / "bin" / "mxcert"))
    chosen = [design for design in DESIGNS if options.conversion in (None, design[-1])]
    try:
        with tempfile.TemporaryDirectory() as folder:
            rows = [measured(mxcert, design, pathlib.Path(folder), options.inputs) for design in chosen]
    except (suites.SuiteError, netlist.NetlistError, coverage.CoverageError, permits.PermitError, TimeoutError) as error:
        print(f"stuck-at: {error}", file=sys.stderr)
        return 3
    for row in rows:
        print(f"{row['conversion']:38}{len(row['few'])} inputs detect every testable fault of {len(row['netlists'])} netlists")
    if options.write:
        stuck_page.write(rows, netlist.version())
    missed = any(netlist_row["missed"][name] for row in rows for netlist_row in row["netlists"] for name in netlist_row["missed"])
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
