#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/results/rtl.md: each design of this folder and each of its planted bugs, proven and simulated.

Run in the root of the source tree with mxcert, yosys, iverilog, verilator and CMake in PATH. Takes about half an hour:

    python3 docs/examples/rtl/results.py > docs/results/rtl.md

With names of top modules, or `equal`, only their tables are printed.
"""

import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
HANDSHAKES = ("--clock clk --reset reset --in-valid in_valid --in-ready in_ready --out-valid out_valid --out-ready out_ready "
              "--latency 3").split()
PIPE = [*HANDSHAKES, "--lanes", "2", "--parameter", "LANES=2"]
SCALE = "--input amax --output scale".split()

# Design, conversion, files, further options, whether its bugs are planted: those of float_to_mini.sv are the same in all formats.
DESIGNS = [
    ("fp32_to_e4m3", "fp32-e4m3-nearest_even-sat", ["float_to_mini.sv"], [], True),
    ("fp32_to_e4m3", "fp32-e4m3-nearest_even-nosat", ["float_to_mini.sv"], ["--parameter", "SAT=0"], False),
    ("fp32_to_e5m2", "fp32-e5m2-nearest_even-sat", ["float_to_mini.sv"], [], False),
    ("fp32_to_e5m2", "fp32-e5m2-nearest_even-nosat", ["float_to_mini.sv"], ["--parameter", "SAT=0"], False),
    ("fp32_to_e2m1", "fp32-e2m1-nearest_even-sat", ["float_to_mini.sv"], [], False),
    ("fp64_to_e4m3", "fp64-e4m3-nearest_even-sat", ["float_to_mini.sv"], [], False),
    ("e8m0_scale", "amax_fp32-e8m0_for_e4m3-ocp_floor-sat", ["e8m0_scale.sv"], SCALE, True),
    ("e8m0_scale", "amax_fp32-e8m0_for_e4m3-rceil-sat", ["e8m0_scale.sv"], SCALE + ["--parameter", "ROUND_UP=1"], True),
    ("scaled_to_mini", "fp32_by_e8m0-e4m3-nearest_even-sat", ["scaled_to_mini.sv", "float_to_mini.sv"], [], False),
    ("fp32_to_e4m3_pipe", "fp32-e4m3-nearest_even-sat", ["float_to_mini.sv", "fp32_to_e4m3_pipe.sv"], PIPE, True),
]

# Operations: design, operation, files, further options, and the files whose bugs are planted with what is added to their numbers.
CHAIN = ["mxfp8_quantizer.sv", "scaled_to_mini.sv", "float_to_mini.sv", "e8m0_scale.sv"]
OPERATIONS = [
    ("mxfp8_quantizer", "quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32", CHAIN, HANDSHAKES,
     [("mxfp8_quantizer.sv", 0), ("float_to_mini.sv", 0), ("scaled_to_mini.sv", 0), ("e8m0_scale.sv", 50)]),
    ("mxfp8_quantizer", "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-32", CHAIN,
     [*HANDSHAKES, "--parameter", "BITS=32", "--parameter", "ROUND_UP=1", "--parameter", "TE=1"], [("e8m0_scale.sv", 50)]),
    ("fp8_dot4", "matmul-e4m3-e4m3-none-none-none-nn-fp32-fp32-arm_fdot_f32-given", ["fp8_dot4.sv"],
     ["--clock", "clk", "--latency", "2"], [("fp8_dot4.sv", 0)]),
]


# Proven equal to a reference module by equal.py: design, reference, files of the design, further options, and bugs as above.
REFERENCES = [
    ("mxfp8_quantizer", "mxfp8_quantizer_exact", CHAIN, HANDSHAKES, OPERATIONS[0][4]),
    ("fp8_dot4", "fp8_dot4_exact", ["fp8_dot4.sv"], OPERATIONS[2][3], OPERATIONS[2][4]),
]


def bugs_of(path):
    """Number and name of each bug that the comment at the top of a file lists."""
    return [(int(number), name) for number, name in re.findall(r"^//\s+(\d+) (\w+)  ", path.read_text(), re.MULTILINE)]


def version_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def run(folder, *arguments):
    return subprocess.run(["mxcert", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def names_of(rows):
    return {bug["class"] for row in rows for bug in row.get("known_as", []) + row.get("diagnosis", {}).get("bugs", [])}


def simulated(folder, conversion, profile):
    """What certify says of the simulation that a counterexample leaves: the status and the bugs that it names."""
    result = run(folder, "certify", f"pipe:{conversion}:vvp -n proof/simulate.vvp", "--backend-option", "at-end", "--level",
                 "smoke", "--profile", profile, "--jobs", "1", "--json", "-")
    rows = [row for row in json.loads(result.stdout)["rows"] if not row["id"].startswith("provision")]
    return rows[0]["status"] if rows else "-", names_of(rows)


def row_of(design, bug):
    top, conversion, files, options, _ = design
    with tempfile.TemporaryDirectory() as folder:
        result = run(folder, "prove", *(FOLDER / file for file in files), "--top", top, "--conversion", conversion, *options,
                     "--parameter", f"BUG={bug}", "--folder", "proof")
        claims = re.findall(r"^(?:every|\d+ cycles).*?(\d+)\s+(PROVEN|FAIL|UNPROVEN)\s+([\d.]+)  (.*)$", result.stdout, re.MULTILINE)
        if not claims:
            sys.exit(f"{top}, bug {bug}: {result.stderr}")
        verdict = {0: "PROVEN", 1: "FAIL", 3: "UNPROVEN"}[result.returncode]
        detail = next((claim[3] for claim in claims if claim[1] == "FAIL"), "")
        seconds = sum(float(claim[2]) for claim in claims)
        profile = re.search(r" of (\S+): [\d,]+ steps", result.stdout).group(1)
        status, names = simulated(folder, conversion, profile) if verdict == "FAIL" else ("", set())
        names |= set(re.findall(r"^  ([A-Z0-9_]+) explains", result.stdout, re.MULTILINE))
    return verdict, seconds, detail, status, " ".join(sorted(names))


def simulated_operation(operation, bug):
    """What certify says of a design in Verilator: the rows that are not right, with their status, and the bugs that it names."""
    top, name, files, options, _ = operation
    with tempfile.TemporaryDirectory() as folder:
        designs = [argument for file in files for argument in ("--design", FOLDER / file)]
        made = run(folder, "new-backend", "design", "--language", "verilator", *designs, "--top", top, "--conversion", name,
                   *options, "--parameter", f"BUG={bug}")
        if made.returncode != 0:
            sys.exit(f"{top}, bug {bug}: {made.stderr}")
        for command in (["cmake", "-S", "design", "-B", "build"], ["cmake", "--build", "build"]):
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        certify = re.search(r"^  mxcert certify build/design.so (.*)$", made.stdout, re.MULTILINE).group(1)
        result = run(folder, "certify", "build/design.so", *shlex.split(certify), "--json", "-")
        if not result.stdout:
            sys.exit(f"{top}, bug {bug}: {result.stderr}")
    rows = [row for row in json.loads(result.stdout)["rows"] if row["id"].startswith(name)]
    wrong = [f"{row['id'].rpartition('/')[2]} {row['status']}" for row in rows if row["status"] != "PASS"]
    names = names_of(rows)
    return "PASS" if rows and not wrong else ", ".join(wrong) or "no rows", " ".join(sorted(names))


def print_operations():
    for operation in OPERATIONS:
        top, name, _, _, planted = operation
        if sys.argv[1:] and top not in sys.argv[1:]:
            continue
        print(f"## {top}, {name}\n\n| bug | simulation | named |\n|---|---|---|")
        for number, bug in planted_in(planted):
            print(f"| {number} {bug} | " + " | ".join(simulated_operation(operation, number)) + " |", flush=True)
        print()


def planted_in(more_of_files):
    return [(0, "none")] + [(n + more, bug) for file, more in more_of_files for n, bug in bugs_of(FOLDER / file)]


def equal(design, bug):
    """The row of a bug: the worst verdict, which claims are not proven, and the seconds of all."""
    top, reference, files, options, _ = design
    result = subprocess.run([sys.executable, "-B", FOLDER / "equal.py", *(FOLDER / file for file in [*files, f"{reference}.sv"]), "--top", top,
                             "--reference", reference, *options, "--parameter", f"BUG={bug}"], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1, 3):
        sys.exit(f"{top}, bug {bug}: {result.stderr}")
    claims = re.findall(r"^(\w+)  (.*): ([\d.]+) s$", result.stdout, re.MULTILINE)
    failed = "; ".join(claim for verdict, claim, _ in claims if verdict != "PROVEN")
    return f"{('PROVEN', 'FAIL', '', 'UNPROVEN')[result.returncode]} | {failed} | {sum(float(seconds) for _, _, seconds in claims):.1f}"


def print_references():
    if sys.argv[1:] and "equal" not in sys.argv[1:]:
        return
    for design in REFERENCES:
        print(f"## {design[0]} and {design[1]}\n\n| bug | verdict | not proven | seconds |\n|---|---|---|---|")
        bugs = planted_in(design[-1])
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (number, bug), row in zip(bugs, pool.map(lambda of: equal(design, of[0]), bugs)):
                print(f"| {number} {bug} | {row} |", flush=True)
        print()


def main():
    print("# Designs and their planted bugs\n")
    print("Printed by `python3 docs/examples/rtl/results.py`; [rtl.md](../rtl.md) says how a proof is made. *Proof* is the verdict of\n"
          "`mxcert prove`, *seconds* those of the solver on a machine of two cores with other work. *Simulation* is the status of\n"
          "`mxcert certify --level smoke` in Icarus Verilog; *named* are the classes of bugs that it or `prove` names. Operations are\n"
          "simulated in Verilator, and have the rows that are not right. The last two tables are of `equal.py`, which compares whole\n"
          "blocks and dot products with a reference.\n")
    print(version_of("yosys", "-V").split(" (")[0] + ", its MiniSat; " + " ".join(version_of("verilator", "--version").split()[:2]) + ".\n")
    for design in DESIGNS:
        if sys.argv[1:] and design[0] not in sys.argv[1:]:
            continue
        top, conversion, files, _, planted = design
        bugs = [(0, "none")] + (bugs_of(FOLDER / files[-1]) if planted else [])
        print(f"## {top}, {conversion}\n\n| bug | proof | seconds | counterexample | simulation | named |\n|---|---|---|---|---|---|")
        for number, name in bugs:
            verdict, seconds, detail, status, names = row_of(design, number)
            print(f"| {number} {name} | {verdict} | {seconds:.1f} | {detail} | {status} | {names} |", flush=True)
        print()
    print_operations()
    print_references()


if __name__ == "__main__":
    main()
