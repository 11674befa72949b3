#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/results/rtl.md: each design of this folder and each of its planted bugs, proven and simulated.

Run in the root of the source tree with mxcert, yosys and iverilog in PATH. Takes about half an hour:

    python3 docs/examples/rtl/results.py > docs/results/rtl.md

With names of top modules only their tables are printed.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
PIPE = ("--clock clk --reset reset --in-valid in_valid --in-ready in_ready --out-valid out_valid --out-ready out_ready "
        "--latency 3 --lanes 2 --parameter LANES=2").split()
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


def bugs_of(path):
    """Number and name of each bug that the comment at the top of a file lists."""
    return [(int(number), name) for number, name in re.findall(r"^//\s+(\d+) (\w+)  ", path.read_text(), re.MULTILINE)]


def run(folder, *arguments):
    return subprocess.run(["mxcert", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def simulated(folder, conversion, profile):
    """What certify says of the simulation that a counterexample leaves: the status and the bugs that it names."""
    result = run(folder, "certify", f"pipe:{conversion}:vvp -n proof/simulate.vvp", "--backend-option", "at-end", "--level",
                 "smoke", "--profile", profile, "--jobs", "1", "--json", "-")
    rows = [row for row in json.loads(result.stdout)["rows"] if not row["id"].startswith("provision")]
    names = {bug["class"] for row in rows for bug in row.get("diagnosis", {}).get("bugs", [])}
    return rows[0]["status"] if rows else "-", names


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
        profile = re.search(r" of (\S+): \d+ steps", result.stdout).group(1)
        status, names = simulated(folder, conversion, profile) if verdict == "FAIL" else ("", set())
        names |= set(re.findall(r"^  ([A-Z0-9_]+) explains", result.stdout, re.MULTILINE))
    return verdict, seconds, detail, status, " ".join(sorted(names))


def main():
    print("# Designs and their planted bugs\n")
    print("Printed by `python3 docs/examples/rtl/results.py`; [rtl.md](../rtl.md) says how a proof is made. *Proof* is the verdict of\n"
          "`mxcert prove`, *seconds* those of the solver on a machine of two cores with other work. *Simulation* is the status of\n"
          "`mxcert certify --level smoke` in Icarus Verilog; *named* are the classes of bugs that it or `prove` names.\n")
    print(subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split(" (")[0] + ", its MiniSat.\n")
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


if __name__ == "__main__":
    main()
