# SPDX-License-Identifier: Apache-2.0
"""Which stuck-at faults a set of inputs detects, which can be detected at all, and few inputs that detect all of these.

A fault is detected by an input if the faulty design gives a code that the permit table does not permit there. A fault that no input
detects is untestable: that is the solver's answer, not that of many inputs.
"""
import dataclasses

import numpy

import faults
import netlist
import permits
from solver_terms import SolverTerms

SECONDS = 300
RANDOM = 1 << 14  # random inputs, with which the solver's answers are checked


class CoverageError(Exception):
    """The design is not right, or two ways to the same result disagree; the message says where."""


@dataclasses.dataclass
class Measured:
    """A netlist, measured. `detected` has for each suite the faults that it detects, `witness` an input for each testable fault;
    `asked` are those whose input the solver found, as no suite has one."""
    design: object
    faults: list
    total: int  # before equivalent ones were joined
    detected: dict
    witness: dict
    untestable: set
    asked: set


class Design:
    """A netlist and the table of what it is to do."""

    def __init__(self, gates, table):
        self.gates, self.table = gates, table
        self.width = len(gates.inputs)
        if table.bits != self.width:
            raise CoverageError(f"the design has {self.width} bits of input, the conversion {table.bits}")

    def wrong_input(self, fault=None):
        """An input for which the code is not permitted; None if there is none."""
        algebra = SolverTerms()
        variable = algebra.variable(self.width, "x")
        code = netlist.code_term(self.gates, algebra, variable, fault)
        rows = self.table.part(0, (1 << self.width) - 1)
        wrong = permits.wrong_term(algebra, self.table, rows, variable, self.width, code, len(self.gates.outputs))
        return algebra.find(wrong, variable, SECONDS)

    def detects(self, inputs, found):
        """For each fault the places of the inputs that detect it."""
        values = netlist.evaluate(self.gates, inputs)
        right = netlist.codes_of([values[net] for net in self.gates.outputs], inputs.size)
        bad = numpy.nonzero(~self.table.right_each(inputs, right))[0]
        if bad.size:
            raise CoverageError(f"the design without a fault is wrong at 0x{inputs[bad[0]]:X}")
        for fault in found:
            words = netlist.evaluate_faulty(self.gates, values, fault)
            if words is None:
                yield fault, numpy.array([], int)
                continue
            codes = netlist.codes_of(words, inputs.size)
            changed = numpy.nonzero(codes != right)[0]
            yield fault, changed[~self.table.right_each(inputs[changed], codes[changed])]


def measure(gates, table, suites):
    """Of the suites, sets of inputs by name."""
    design = Design(gates, table)
    wrong = design.wrong_input()
    if wrong is not None:
        raise CoverageError(f"the design without a fault is wrong at 0x{wrong:X}")
    every = faults.all_faults(gates)
    kept = faults.collapsed(gates, every)
    result = Measured(design, kept, len(every), {}, {}, set(), set())
    for name, inputs in suites.items():
        result.detected[name] = set()
        for fault, places in design.detects(inputs, kept):
            if places.size:
                result.detected[name].add(fault)
                result.witness.setdefault(fault, int(inputs[places[0]]))
    for fault in kept:
        if fault not in result.witness:
            found = design.wrong_input(fault)
            if found is None:
                result.untestable.add(fault)
            else:
                result.witness[fault] = found
                result.asked.add(fault)
    check(result, table)
    return result


def check(result, table):
    """The solver against the simulation: a witness detects its fault, and nothing detects an untestable one."""
    for fault in result.asked:
        value = result.witness[fault]
        if not next(result.design.detects(numpy.array([value], numpy.uint64), [fault]))[1].size:
            raise CoverageError(f"{faults.name_of(fault, result.design.gates)}: the simulation does not detect it at 0x{value:X}")
    random = numpy.random.default_rng(1).integers(0, 1 << 63, RANDOM, numpy.uint64) * numpy.uint64(2) >> numpy.uint64(64 - table.bits)
    for fault, places in result.design.detects(random, result.untestable):
        if places.size:
            raise CoverageError(f"{faults.name_of(fault, result.design.gates)}: untestable, and detected at 0x{random[places[0]]:X}")
    for name, detected in result.detected.items():
        both = detected & result.untestable
        if both:
            raise CoverageError(f"{faults.name_of(next(iter(both)), result.design.gates)}: untestable, and detected by {name}")


def few_inputs(results, inputs):
    """Few of the inputs, which together detect in every netlist each fault that all of them detect: greedily, the one first that detects
    the most."""
    left, shows = set(), {}
    for number, result in enumerate(results):
        testable = [fault for fault in result.faults if fault not in result.untestable]
        for fault, places in result.design.detects(inputs, testable):
            if not places.size:
                raise CoverageError(f"{faults.name_of(fault, result.design.gates)}: no input detects it")
            left.add((number, fault))
            for place in places.tolist():
                shows.setdefault(place, set()).add((number, fault))
    chosen = []
    while left:
        best = max(shows, key=lambda place: (len(shows[place]), -place))
        chosen.append(int(inputs[best]))
        gained = shows[best]
        left -= gained
        shows = {place: rest for place, found in shows.items() if (rest := found - gained)}
    return sorted(chosen)
