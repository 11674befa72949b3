#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that a pipeline gives what a reference module without registers gives, on every input, with yosys and its ABC:

    python3 equal.py fp8_dot4.sv fp8_dot4_exact.sv --top fp8_dot4 --reference fp8_dot4_exact --clock clk --latency 2

Both have the same ports but for the clock. What comes `latency` cycles after an input must be what the reference gives for it, whatever
the registers hold at first, whatever undefined bits are, and whatever comes in the cycles between. All registers have the one clock, and
take their values at its rising edge. A reference that is wrong for one input is tried as well, and must be found.

With the ports of a handshake an input is one that is valid, and the cycles are those that do not stall. Proven as well is what makes this
right for any valid and ready signals: a cycle that stalls (an answer is valid and not taken) changes no register, a cycle that does not
does what it would if the answer were taken, an answer is valid where its input was, and nothing is valid after a reset.

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
HANDSHAKE = {
    "in_valid": "the port of the design that says that an input is there",
    "in_ready": "that an input is taken",
    "out_valid": "that an answer is there",
    "out_ready": "that an answer is taken",
    "reset": "the port that empties the pipeline, high for a cycle",
}


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
        outside = "opt_clean -purge; async2sync; dffunmap; expose -evert-dff; " if name == "frame" else ""
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


class Design:
    """The ports of the design, sorted by what they are for; `shared` are those that the reference has too."""

    def __init__(self, frame, reference, given):
        self.given = given
        self.handshake = {role: getattr(given, role) for role in HANDSHAKE} if given.in_valid else {}
        known = {name: width for name, _, width in frame}
        for name, _, width in reference:
            if known.get(name) != width:
                raise Stop(f"the reference has a port {name} of {width} bits, and {given.top} has none")
        for name in self.handshake.values():
            if known.get(name) != 1:
                raise Stop(f"{given.top} has no port {name} of 1 bit")
        shared = {direction: [(name, width) for name, of, width in reference if of == direction] for direction in ("input", "output")}
        self.shared, self.outputs = shared["input"], shared["output"]
        self.registers = [(name.removesuffix(".q"), width) for name, direction, width in frame if direction == "input" and name.endswith(".q")]
        self.held = dict(held.partition("=")[::2] for held in given.hold)
        free = [(name, width) for name, _, width in frame if name.startswith("undefined_")]
        free += [(self.handshake[role], 1) for role in ("in_valid", "out_ready", "reset") if self.handshake]
        self.inputs = self.shared + free
        for name, direction, _ in frame:
            if direction == "input" and not name.endswith(".q") and name not in {given.clock, *self.held, *(n for n, _ in self.inputs)}:
                raise Stop(f"the reference has no input {name}: --hold {name}=VALUE holds it at a value")

    def head(self, outputs):
        """The ports that the modules of a claim have: what comes in each cycle, and what the registers hold at first."""
        ports = [f"input {wide(w)}{n}_{c}" for c in range(self.given.latency + 1) for n, w in self.inputs]
        ports += [f"input {wide(w)}state_{i}" for i, (_, w) in enumerate(self.registers)]
        return "(" + ", ".join(ports + [f"output {wide(w)}{n}" for n, w in outputs]) + ");\n"

    def unrolled(self, cycles, given=lambda cycle: {}, prefix=""):
        """The design in so many cycles, one after the other. Inputs are free where `given` does not say what they are. The outputs of
        a cycle are called as the ports, what the registers hold r0, r1, ..., both with the number of the cycle."""
        text = ""
        for i, (_, width) in enumerate(self.registers):
            text += "".join(f"wire {wide(width)}{prefix}r{i}_{c}; " for c in range(cycles + 1)) + f"assign {prefix}r{i}_0 = state_{i};\n"
        outputs = self.outputs + [(self.handshake[role], 1) for role in ("in_ready", "out_valid") if self.handshake]
        for c in range(cycles):
            pins = {name: f"{name}_{c}" for name, _ in self.inputs} | self.held | given(c)
            pins |= {name: f"{prefix}out_{name}_{c}" for name, _ in outputs}
            text += "".join(f"wire {wide(width)}{prefix}out_{name}_{c}; " for name, width in outputs)
            text += f"\nframe {prefix}frame_{c} (" + ", ".join(f".{name}({value})" for name, value in pins.items())
            text += "".join(f", .\\{name}.q ({prefix}r{i}_{c}), .\\{name}.d ({prefix}r{i}_{c + 1})" for i, (name, _) in enumerate(self.registers))
            text += ");\n"
        return text


def claims_of(design):
    """Each claim, and the three modules with the same ports that decide it: what the design does, what is wanted, and what is wrong for
    one input."""
    latency, handshake = design.given.latency, design.handshake
    at = " && ".join(f"{n}_0 == {w}'h{int('5A' * w, 16) % (1 << w):x}" for n, w in design.shared)

    def modules(outputs, *bodies):
        head = design.head(outputs)
        return "".join(f"module {name} {head}{body}endmodule\n" for name, body in zip(("does", "wanted", "wrong"), bodies))

    def holds(does, condition):
        return modules([("right", 1)], f"{does}assign right = {condition};\n", "assign right = 1'b1;\n", f"assign right = !({at});\n")

    def of(name, cycle, prefix=""):
        return f"{prefix}out_{handshake[name]}_{cycle}"

    flows = {handshake["out_ready"]: "1'b1", handshake["reset"]: "1'b0"} if handshake else {}
    if handshake:
        reset = design.unrolled(latency + 1, lambda c: {handshake["reset"]: "1'b1"} if c == 0 else flows)
        yield "nothing is valid after a reset", holds(reset, " && ".join(f"!{of('out_valid', c)}" for c in range(1, latency + 1)) or "1'b1")

        stalls = design.unrolled(1, lambda c: {handshake["reset"]: "1'b0"}) + design.unrolled(1, lambda c: flows, "flow_")
        ready, ready_0 = of("in_ready", 0), f"{handshake['out_ready']}_0"
        conditions = [f"{of('out_valid', 0)} == {of('out_valid', 0, 'flow_')}", f"{ready_0} ? {ready} : !({ready} && {of('out_valid', 0)})"]
        conditions += [f"r{i}_1 == ({ready} ? flow_r{i}_1 : r{i}_0)" for i in range(len(design.registers))]
        conditions += [f"!{of('out_valid', 0)} || out_{name}_0 == flow_out_{name}_0" for name, _ in design.outputs]
        yield "a stalled cycle changes nothing", holds(stalls, " && ".join(f"({condition})" for condition in conditions))

        yield "out_valid follows in_valid", holds(design.unrolled(latency + 1, lambda c: flows),
                                                                f"{of('out_valid', latency)} == {handshake['in_valid']}_0")

    flow = design.unrolled(latency + 1, lambda c: flows | ({handshake["in_valid"]: "1'b1"} if handshake and c == 0 else {}))
    flow += "".join(f"assign {name} = out_{name}_{latency};\n" for name, _ in design.outputs)
    pins = [f".{name}({name}_0)" for name, _ in design.shared]
    wanted = f"reference right ({', '.join(pins + [f'.{name}({name})' for name, _ in design.outputs])});\n"
    name, width = design.outputs[0]
    wrong = f"wire {wide(width)}kept;\n" + wanted.replace(f".{name}({name})", f".{name}(kept)") + f"assign {name} = kept ^ ({at});\n"
    yield f"{design.given.top} gives what {design.given.reference} gives", modules(design.outputs, flow, wanted, wrong)


def compare(folder, design, other, timeout):
    """Whether ABC proves two and-inverter graphs equal."""
    try:
        done = run(folder, "yosys-abc", "-c", f"&r {design}.aig; &cec -T {int(timeout)} {other}.aig", timeout=timeout + 60)
    except subprocess.TimeoutExpired:
        return UNPROVEN
    if "NOT EQUIVALENT" in done.stdout:
        return FAIL
    return PROVEN if re.search(r"Networks are equivalent", done.stdout) else UNPROVEN


def prove(text, folder, timeout):
    (folder / "claim.v").write_text(text, encoding="utf-8")
    for top in ("does", "wanted", "wrong"):
        yosys(folder, f"read_verilog frame.v reference.v claim.v; hierarchy -top {top}; proc; flatten; opt -full; techmap; opt; aigmap; "
                      f"write_aiger {top}.aig")
    # A solver that finds no difference there would find none anywhere.
    if compare(folder, "wanted", "wrong", timeout) != FAIL:
        raise Stop("what is wrong for one input was not found out")
    return compare(folder, "does", "wanted", timeout)


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
    for role in HANDSHAKE:
        parser.add_argument("--" + role.replace("_", "-"), metavar="PORT", help=HANDSHAKE[role])
    given = parser.parse_args()
    if given.latency < 0 or given.timeout <= 0:
        parser.error("--latency is 0 or more, --timeout more than 0")
    if len({bool(getattr(given, role)) for role in HANDSHAKE}) != 1:
        parser.error("--in-valid, --in-ready, --out-valid, --out-ready and --reset are given together")
    verdicts = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        design = Design(*prepare(folder, given), given)
        for claim, text in claims_of(design):
            begin = time.monotonic()
            verdicts.append(prove(text, folder, given.timeout))
            print(f"{verdicts[-1]}  {claim}: {time.monotonic() - begin:.1f} s", flush=True)
    return 1 if FAIL in verdicts else 3 if UNPROVEN in verdicts else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Stop, OSError) as problem:
        print(f"equal: {problem}", file=sys.stderr)
        sys.exit(2)
