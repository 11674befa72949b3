# SPDX-License-Identifier: Apache-2.0
"""A combinational design as gates, by yosys; evaluated on words of 64 inputs, and as terms of the solver."""
import collections
import dataclasses
import json
import subprocess

import numpy

# How yosys is told to make gates.
LIBRARIES = {
    "two inputs": ["synth -flatten -top {top}", "abc -g AND,NAND,OR,NOR,XOR,XNOR", "opt_clean -purge"],
    "AND and NOT": ["synth -flatten -top {top}", "abc -g AND", "opt_clean -purge"],
}

ONES = numpy.uint64(0xFFFFFFFFFFFFFFFF)
GATES = {  # ports of the inputs, and what becomes of words or of terms of one bit
    "$_NOT_": ("A", lambda a: ~a),
    "$_BUF_": ("A", lambda a: a),
    "$_AND_": ("AB", lambda a, b: a & b),
    "$_NAND_": ("AB", lambda a, b: ~(a & b)),
    "$_OR_": ("AB", lambda a, b: a | b),
    "$_NOR_": ("AB", lambda a, b: ~(a | b)),
    "$_XOR_": ("AB", lambda a, b: a ^ b),
    "$_XNOR_": ("AB", lambda a, b: ~(a ^ b)),
    "$_ANDNOT_": ("AB", lambda a, b: a & ~b),
    "$_ORNOT_": ("AB", lambda a, b: a | ~b),
    "$_MUX_": ("ABS", lambda a, b, s: (a & ~s) | (b & s)),
}

Gate = collections.namedtuple("Gate", "kind inputs output")


class NetlistError(Exception):
    """yosys failed, or the netlist has what is not evaluated; the message says which."""


@dataclasses.dataclass(frozen=True)
class Netlist:
    """Nets are numbers, "0" or "1". Gates come after those that feed them."""
    inputs: list  # nets of the input port, lowest bit first
    outputs: list
    gates: list

    def uses(self):
        """Of each net the places that read it: (gate, pin), and (None, bit) of the output port."""
        found = collections.defaultdict(list)
        for number, gate in enumerate(self.gates):
            for pin, net in enumerate(gate.inputs):
                found[net].append((number, pin))
        for bit, net in enumerate(self.outputs):
            found[net].append((None, bit))
        return found


def synthesise(files, top, parameters, library):
    lines = [f"read_verilog -sv {' '.join(map(str, files))}"]
    lines += [f"chparam -set {name} {value} {top}" for name, value in parameters.items()]
    lines += [f"hierarchy -top {top}", *(line.format(top=top) for line in LIBRARIES[library]), "write_json -"]
    done = subprocess.run(["yosys", "-q", "-p", "; ".join(lines)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NetlistError(f"yosys: {done.stderr.strip()[-500:]}")
    modules = json.loads(done.stdout[done.stdout.index("{"):])["modules"]
    return modules[max(modules, key=lambda name: name == top or name.startswith("$paramod") and top in name)]


def read(module, input_port, output_port):
    """A Netlist of a module as yosys writes it in JSON."""
    for port in (input_port, output_port):
        if port not in module["ports"]:
            raise NetlistError(f"the design has no port {port}")
    waiting = {}
    for name, cell in module["cells"].items():
        if cell["type"] not in GATES:
            raise NetlistError(f"the gate {cell['type']}")
        ports = GATES[cell["type"]][0]
        nets = tuple(cell["connections"][port][0] for port in ports)
        waiting[name] = Gate(cell["type"], nets, cell["connections"]["Y"][0])
    known = {"0", "1", *module["ports"][input_port]["bits"]}
    gates = []
    while waiting:
        ready = [name for name, gate in waiting.items() if known.issuperset(gate.inputs)]
        if not ready:
            raise NetlistError("a loop of gates, or a net that nothing drives")
        for name in ready:
            gates.append(waiting.pop(name))
        known.update(gate.output for gate in gates[-len(ready):])
    outputs = module["ports"][output_port]["bits"]
    if not known.issuperset(outputs):
        raise NetlistError("an output that nothing drives")
    return Netlist(module["ports"][input_port]["bits"], outputs, gates)


# On words

def words_of(inputs, width):
    """An array of inputs as a word for 64 of them, for each bit; the last word is filled up with the last input."""
    filled = numpy.concatenate([inputs, numpy.repeat(inputs[-1:], -inputs.size % 64)])
    return [numpy.packbits(((filled >> numpy.uint64(bit)) & numpy.uint64(1)).astype(numpy.uint8), bitorder="little").view(numpy.uint64)
            for bit in range(width)]


def codes_of(words, count):
    """The codes of the first `count` inputs, from the words of the output bits."""
    codes = numpy.zeros(count, numpy.uint64)
    for bit, word in enumerate(words):
        codes |= numpy.unpackbits(word.view(numpy.uint8), bitorder="little")[:count].astype(numpy.uint64) << numpy.uint64(bit)
    return codes


def evaluate(netlist, inputs):
    """The words of every net."""
    words = words_of(inputs, len(netlist.inputs))
    values = {"0": numpy.zeros_like(words[0]), "1": numpy.full_like(words[0], ONES), **dict(zip(netlist.inputs, words))}
    for gate in netlist.gates:
        values[gate.output] = GATES[gate.kind][1](*(values[net] for net in gate.inputs))
    return values


def evaluate_faulty(netlist, values, fault):
    """The words of the output bits with a fault, of which only what it changes is evaluated; None if that is no output."""
    stuck = values["1" if fault.value else "0"]
    changed = {}
    first = 0
    if fault.gate is None:
        if numpy.array_equal(values[fault.net], stuck):
            return None
        changed[fault.net] = stuck
    elif fault.gate == "output":
        return [stuck if bit == fault.pin else values[net] for bit, net in enumerate(netlist.outputs)]
    else:
        first = fault.gate
    for number in range(first, len(netlist.gates)):
        gate = netlist.gates[number]
        if number != fault.gate and not any(net in changed for net in gate.inputs) or fault.gate is None and gate.output == fault.net:
            continue
        pins = [changed.get(net, values[net]) for net in gate.inputs]
        if number == fault.gate:
            pins[fault.pin] = stuck
        word = GATES[gate.kind][1](*pins)
        if not numpy.array_equal(word, values[gate.output]):
            changed[gate.output] = word
    if not any(net in changed for net in netlist.outputs):
        return None
    return [changed.get(net, values[net]) for net in netlist.outputs]


# As terms

class Bit:
    """A term of one bit, with the operators of GATES."""

    def __init__(self, algebra, term):
        self.algebra, self.term = algebra, term

    def __and__(self, other):
        return Bit(self.algebra, self.algebra.binary("and", self.term, other.term, 1))

    def __or__(self, other):
        return Bit(self.algebra, self.algebra.binary("or", self.term, other.term, 1))

    def __xor__(self, other):
        return Bit(self.algebra, self.algebra.binary("xor", self.term, other.term, 1))

    def __invert__(self):
        return Bit(self.algebra, self.algebra.binary("xor", self.term, self.algebra.constant(1, 1), 1))


def code_term(netlist, algebra, variable, fault=None):
    """The code for an input, of the netlist with a fault or without."""
    width = len(netlist.inputs)
    values = {digit: Bit(algebra, algebra.constant(int(digit), 1)) for digit in "01"}
    stuck = values[str(fault.value)] if fault else None

    def driven(net, value):
        values[net] = stuck if fault and fault.gate is None and fault.net == net else value

    for bit, net in enumerate(netlist.inputs):
        moved = algebra.binary("lshr", variable, algebra.constant(bit, width), width)
        driven(net, Bit(algebra, algebra.trunc(moved, width, 1)))
    for number, gate in enumerate(netlist.gates):
        pins = [values[net] for net in gate.inputs]
        if fault and fault.gate == number:
            pins[fault.pin] = stuck
        driven(gate.output, GATES[gate.kind][1](*pins))
    code, count = None, len(netlist.outputs)
    for bit, net in enumerate(netlist.outputs):
        value = stuck if fault and fault.gate == "output" and fault.pin == bit else values[net]
        place = algebra.binary("shl", algebra.zext(value.term, 1, count), algebra.constant(bit, count), count)
        code = place if code is None else algebra.binary("or", code, place, count)
    return code


def version():
    """Of yosys."""
    return subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split(" (")[0].strip()
