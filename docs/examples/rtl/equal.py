#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that a pipeline gives what a reference module without registers gives, on every input, with yosys and its ABC:

    python3 equal.py fp8_dot4.sv fp8_dot4_exact.sv --top fp8_dot4 --reference fp8_dot4_exact --clock clk --latency 2

Both have the same ports but for the clock. What comes `latency` cycles after an input must be what the reference gives for it, whatever
the registers hold at first, whatever undefined bits are, and whatever comes in the cycles between. All registers have the one clock, and
take their values at its rising edge. A reference that is wrong for one input is tried as well, and must be found out.

Exit codes as of `mxcert prove`: 0 PROVEN, 1 FAIL, 2 bad arguments or no yosys, 3 UNPROVEN.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROVEN, FAIL, UNPROVEN = "PROVEN", "FAIL", "UNPROVEN"


class Stop(Exception):
    """Nothing can be proven: its text says why."""


def run(folder, *command, timeout=None):
    if not shutil.which(command[0]):
        raise Stop(f"{command[0]} is not here: apt-get install yosys")
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=timeout)


def yosys(folder, script):
    done = run(folder, "yosys", "-q", "-p", script)
    if done.returncode != 0:
        raise Stop("yosys: " + (done.stderr or done.stdout).strip())


def ports_of(text, module):
    """Name, direction and width of the ports of a module that yosys wrote."""
    body = re.search(rf"^module \\?{re.escape(module)}\b.*?^endmodule", text, re.MULTILINE | re.DOTALL)
    ports = re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\\\S+ |\w+) ?;", body[0], re.MULTILINE)
    return [(name.strip().removeprefix("\\"), direction, int(high or 0) + 1) for direction, high, name in ports]


def undefined_as_inputs(text):
    """The module with a port for each undefined bit, and how many there are: nothing is known of them."""
    free = re.compile(r"^  \\\$anyseq  #\(\s*\.WIDTH\(32'd(\d+)\)\s*\) \S+ \(\s*\.Y\((.*?)\)\s*\);$", re.MULTILINE | re.DOTALL)
    found = [(int(width), wire) for width, wire in free.findall(text)]
    text = free.sub("", text)
    names = [f"undefined_{i}" for i in range(len(found))]
    ports = "".join(f"  input {wide(width)}{name};\n  assign {wire} = {name};\n" for name, (width, wire) in zip(names, found))
    return re.sub(r"^(module [^;]*)\);\n", rf"\1{''.join(', ' + name for name in names)});\n" + ports.replace("\\", r"\\"), text, count=1,
                  flags=re.MULTILINE), len(found)


def check_clock(text, ports, clock):
    """Every register is clocked by the rising edge of the one clock, and by nothing else."""
    sources = dict(re.findall(r"^  assign \\(\S+\.c)  ?= (.*);$", text, re.MULTILINE))
    for register in (name.removesuffix(".q") for name, direction, _ in ports if direction == "input" and name.endswith(".q")):
        source = sources.get(f"{register}.c", "").strip()
        if source != clock and source.removeprefix("\\").strip() not in sources:
            raise Stop(f"the register {register} is not clocked by the rising edge of {clock}")


def prepare(folder, given):
    """Writes both modules, the design with its registers and its undefined bits as ports, and gives the ports of each."""
    files = " ".join(str(pathlib.Path(file).resolve()) for file in given.files)
    parameters = "".join(f"chparam -set {name} {value} {given.top}; " for name, _, value in (p.partition("=") for p in given.parameter))
    ports = []
    for top, extra, name in ((given.top, parameters, "frame"), (given.reference, "", "reference")):
        # Before anything is simplified: of a register of which a part is constant a part would stay inside.
        outside = "async2sync; dffunmap; expose -evert-dff; " if name == "frame" else ""
        yosys(folder, f"read_verilog -sv {files}; {extra}hierarchy -top {top}; proc; flatten; setundef -undriven -anyseq; {outside}opt -full; "
                      f"opt_clean -purge; select -assert-none t:*dff* t:*DFF* t:*latch*; rename -top {name}; write_verilog -noattr {name}.v")
        text, undefined = undefined_as_inputs((folder / f"{name}.v").read_text(encoding="utf-8"))
        (folder / f"{name}.v").write_text(text, encoding="utf-8")
        ports.append(ports_of(text, name))
        if name == "frame":
            check_clock(text, ports[0], given.clock)
        elif undefined:
            raise Stop(f"{given.reference} has undefined bits")
    return ports


def wide(width):
    return f"[{width - 1}:0] "


def wrap(frame, reference, given):
    """The design unrolled from free registers, the reference, and one that is wrong for one input, with the same ports."""
    inputs = [(name, width) for name, direction, width in reference if direction == "input"]
    outputs = [(name, width) for name, direction, width in reference if direction == "output"]
    registers = [(name.removesuffix(".q"), width) for name, direction, width in frame if direction == "input" and name.endswith(".q")]
    undefined = [(name, width) for name, _, width in frame if name.startswith("undefined_")]
    known = {name: width for name, _, width in frame}
    for name, width in inputs + outputs:
        if known.get(name) != width:
            raise Stop(f"the reference has a port {name} of {width} bits, and {given.top} has none")
    connected = {given.clock, *(name for name, _ in inputs + undefined), *(held.partition("=")[0] for held in given.hold)}
    for name, direction, _ in frame:
        if direction == "input" and not name.endswith(".q") and name not in connected:
            raise Stop(f"the reference has no input {name}: --hold {name}=VALUE holds it at a value")
    cycles = range(given.latency + 1)
    ports = [f"input {wide(w)}{n}_{c}" for c in cycles for n, w in inputs + undefined] + [f"input {wide(w)}state_{i}" for i, (_, w) in enumerate(registers)]
    ports += [f"output {wide(w)}{n}" for n, w in outputs]
    head = "(" + ", ".join(ports) + ");\n"
    text = f"module unrolled {head}"
    for i, (_, width) in enumerate(registers):
        text += "".join(f"wire {wide(width)}r{i}_{c}; " for c in range(given.latency + 2)) + f"assign r{i}_0 = state_{i};\n"
    for c in cycles:
        pins = [f".{n}({n}_{c})" for n, _ in inputs + undefined] + [f".{n}({value})" for n, _, value in (h.partition("=") for h in given.hold)]
        pins += [f".\\{n}.q (r{i}_{c}), .\\{n}.d (r{i}_{c + 1})" for i, (n, _) in enumerate(registers)]
        if c == given.latency:
            pins += [f".{n}({n})" for n, _ in outputs]
        text += f"frame frame_{c} ({', '.join(pins)});\n"
    text += "endmodule\n"
    first = [f".{n}({n}_0)" for n, _ in inputs]
    name, width = outputs[0]
    text += f"module wanted {head}reference right ({', '.join(first + [f'.{n}({n})' for n, _ in outputs])});\nendmodule\n"
    text += f"module wrong {head}wire {wide(width)}right_{name};\nreference right ("
    text += ", ".join(first + [f".{n}({'right_' if n == name else ''}{n})" for n, _ in outputs])
    at = " && ".join(f"{n}_0 == {w}'h{int('5A' * w, 16) % (1 << w):x}" for n, w in inputs)
    return text + f");\nassign {name} = right_{name} ^ ({at});\nendmodule\n"


def compare(folder, design, other, timeout):
    """Whether ABC proves two and-inverter graphs equal."""
    try:
        done = run(folder, "yosys-abc", "-c", f"&r {design}.aig; &cec -T {int(timeout)} {other}.aig", timeout=timeout + 60)
    except subprocess.TimeoutExpired:
        return UNPROVEN
    if "NOT EQUIVALENT" in done.stdout:
        return FAIL
    return PROVEN if re.search(r"Networks are equivalent", done.stdout) else UNPROVEN


def prove(given, folder):
    frame, reference = prepare(folder, given)
    (folder / "wrap.v").write_text(wrap(frame, reference, given), encoding="utf-8")
    for top in ("unrolled", "wanted", "wrong"):
        yosys(folder, f"read_verilog frame.v reference.v wrap.v; hierarchy -top {top}; proc; flatten; opt -full; techmap; opt; aigmap; "
                      f"write_aiger {top}.aig")
    # A solver that finds no difference there would find none anywhere.
    if compare(folder, "wanted", "wrong", given.timeout) != FAIL:
        raise Stop("a reference that is wrong for one input was not found out")
    return compare(folder, "unrolled", "wanted", given.timeout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="Verilog or SystemVerilog, of the design and of the reference")
    parser.add_argument("--top", required=True, help="module of the design")
    parser.add_argument("--reference", required=True, help="module of the reference")
    parser.add_argument("--clock", required=True, help="port of the design that the reference does not have")
    parser.add_argument("--latency", type=int, required=True, help="cycles from an input to its output")
    parser.add_argument("--hold", action="append", default=[], metavar="NAME=VALUE",
                        help="an input of the design alone, held at a value: in_valid=1; may be repeated")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE", help="of the design; may be repeated")
    parser.add_argument("--timeout", type=float, default=1800, metavar="SECONDS", help="of the solver (1800)")
    given = parser.parse_args()
    if given.latency < 0 or given.timeout <= 0:
        parser.error("--latency is 0 or more, --timeout more than 0")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        verdict = prove(given, pathlib.Path(folder))
    print(f"{verdict}  {given.top} gives what {given.reference} gives: {time.monotonic() - begin:.1f} s")
    return {PROVEN: 0, FAIL: 1, UNPROVEN: 3}[verdict]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Stop, OSError) as problem:
        print(f"equal: {problem}", file=sys.stderr)
        sys.exit(2)
