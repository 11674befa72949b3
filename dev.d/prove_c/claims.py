# SPDX-License-Identifier: Apache-2.0
"""The claims about one C function: for every input its code is permitted and defined."""
import collections
import contextlib
import dataclasses
import time

import numpy

import permits
from array_terms import ArrayTerms
from solver_terms import SolverTerms
from sources import has_scale
from translate import Refused, Translation

SAMPLES = 1 << 17  # random inputs of a source of more than 16 bits, beside both sides of every boundary
ENUMERATED = 24  # bits of an input with a given scale, up to which all are evaluated
CHUNK, SPAN = 1 << 20, 1 << 16  # inputs that are evaluated at once, and those around a planted row that are looked up
PROVEN, WRONG, UNPROVEN = "PROVEN", "WRONG", "UNPROVEN"

Rows = collections.namedtuple("Rows", "first last")  # a part of the inputs: under one scale, or all


@dataclasses.dataclass
class Result:
    verdict: str
    detail: str
    seconds: float = 0.0  # of a processor
    how: str = "solver"
    counterexample: int | None = None
    code: int | None = None  # what the compiled function gives for it
    compared: int = 0  # inputs on which the translation was compared with the compiled function
    planted: int = 0  # wrong rows that were found


class Question:
    """A function of LLVM's language, asked about the inputs of a part: with a scale that scale is a constant."""

    def __init__(self, function, entry, bits, part):
        self.algebra = algebra = SolverTerms()
        self.part = part
        self.width = (part.last - part.first).bit_length()
        self.entry = entry
        self.variable = algebra.variable(self.width, "x")
        argument = self.variable
        if entry.bits > self.width:
            argument = algebra.binary("or", algebra.zext(argument, self.width, entry.bits), algebra.constant(part.first, entry.bits),
                                      entry.bits)
        translation = Translation(function, algebra, [argument])
        self.code = translation.result.term
        self.undefined = algebra.binary("or", translation.result.poison, translation.undefined, 1)

    def wrong(self, table):
        rows = [(first - self.part.first, codes) for first, codes in table.part(self.part.first, self.part.last)]
        return permits.wrong_term(self.algebra, table, rows, self.variable, self.width, self.code, self.entry.code_bits)

    def wrong_input(self, table, seconds):
        """An input whose code `table` does not permit or that has none, and None if there is none."""
        wrong = self.wrong(table)
        found = self.algebra.find(self.algebra.binary("or", wrong, self.undefined, 1), self.variable, seconds)
        return None if found is None else found + self.part.first

    def defined_wrong_input(self, table, seconds):
        """The same of inputs that have a code."""
        wrong = self.wrong(table)
        is_defined = self.algebra.binary("xor", self.undefined, self.algebra.constant(1, 1), 1)
        found = self.algebra.find(self.algebra.binary("and", wrong, is_defined, 1), self.variable, seconds)
        return None if found is None else found + self.part.first

    def gives(self, value, code, is_nan, seconds):
        """Whether the term has the code for one input, and no other, unless it is that of a NaN. What contradicts itself has none."""
        algebra = self.algebra
        here = algebra.compare("eq", self.variable, algebra.constant(value - self.part.first, self.width), self.width)
        same = algebra.compare("eq", self.code, algebra.constant(code, self.entry.code_bits), self.entry.code_bits)
        other = algebra.binary("xor", same, algebra.constant(1, 1), 1)
        return (algebra.find(algebra.binary("and", here, same, 1), self.variable, seconds) is not None
                and (is_nan or algebra.find(algebra.binary("and", here, other, 1), self.variable, seconds) is None))


def parts_of(entry, bits):
    """A source with a scale has a part for each, as its inputs have the scale on top."""
    if has_scale(entry.conversion.split("-")[0]):
        low = bits - 8
        return [Rows(scale << low, (scale + 1 << low) - 1) for scale in range(256)]
    return [Rows(0, (1 << bits) - 1)]


def inputs_of(table):
    """All inputs of up to 16 bits; else both sides of every boundary and random ones."""
    if table.bits <= 16:
        return numpy.arange(1 << table.bits, dtype=numpy.uint64)
    firsts = numpy.array([step.first for step in table.steps], numpy.uint64)
    around = numpy.concatenate([firsts, firsts[1:] - numpy.uint64(1), firsts[:-1] + numpy.uint64(1)])
    random = numpy.random.default_rng(1).integers(0, 1 << 63, SAMPLES, numpy.uint64) * numpy.uint64(2) >> numpy.uint64(64 - table.bits)
    return numpy.unique(numpy.concatenate([around, random]))


def translation_differs(translation, inputs, codes):
    """Text on the first input for which the translation, evaluated, is not what the compiled function gives; None if there is none."""
    differs = numpy.nonzero((translation.result.term != codes) & (translation.result.poison == 0) & (translation.undefined == 0))[0]
    if differs.size == 0:
        return None
    at = differs[0]
    return f"the translation gives 0x{translation.result.term[at]:X} for 0x{inputs[at]:X}, the compiled function 0x{codes[at]:X}"


def planted_rows(table, compiled, entry):
    """Wrong tables, each with the one input that tells: a step near the first, the middle and the last that is moved by one input."""
    chosen = {}
    count = len(table.steps)
    for goal in (1, count // 2, count - 1):
        for place in sorted(range(1, count), key=lambda place: abs(place - goal)):
            earlier = table.steps[place].first - table.steps[place - 1].first > 1
            wrong = table.with_moved_row(place, earlier)
            value = table.steps[place].first - (1 if earlier else 0)
            ends = table.steps[place + 1].first if place + 1 < count else 1 << table.bits
            if not earlier and ends - value < 2:
                continue  # the step would be empty
            code = int(compiled.codes(entry, [value])[0])
            if table.right(value, code) and not wrong.right(value, code):
                chosen[value] = wrong
                break
    return chosen


def one_input_tables(table, compiled, entry):
    """Where every step has one input: a step whose code is another one's."""
    count = len(table.steps)
    for place in range(count // 3, count):
        value, other = table.steps[place].first, permits.Step(table.steps[place].first, table.steps[place - 1].codes)
        wrong = dataclasses.replace(table, steps=table.steps[:place] + (other,) + table.steps[place + 1:])
        code = int(compiled.codes(entry, [value])[0])
        last = table.steps[place + 1].first - 1 if place + 1 < count else (1 << table.bits) - 1
        if last == value and table.right(value, code) and not wrong.right(value, code):
            return {value: wrong}
    return {}


def samples_of(table, part):
    """Inputs of every kind: the ends of steps at the begin, in the middle and at the end of a part."""
    firsts = [first for first, _ in table.part(part.first, part.last)]
    return sorted({*firsts[:2], firsts[len(firsts) // 2], *firsts[-2:], part.last})


def judge(function, entry, table, compiled, seconds):
    """The verdict on one function, with all that makes it one."""
    begin = time.process_time()
    result = Result(UNPROVEN, "")
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: setattr(result, "seconds", time.process_time() - begin))
        try:
            if is_enumerated(entry, table):
                enumerate_all(result, function, entry, table, compiled)
                return result
            inputs = inputs_of(table)
            translation = Translation(function, ArrayTerms(inputs.size), [inputs])  # a loop is refused before it is run
            result.compared = int(inputs.size)
            result.detail = translation_differs(translation, inputs, compiled.codes(entry, inputs)) or ""
            if not result.detail:
                ask(result, function, entry, table, compiled, seconds)
        except (Refused, TimeoutError) as error:
            result.detail = str(error)
    return result


def is_enumerated(entry, table):
    """With a given scale the solver takes longer than an evaluation of all inputs, where these are few."""
    return has_scale(entry.conversion.split("-")[0]) and table.bits <= ENUMERATED


def enumerate_all(result, function, entry, table, compiled):
    """Every input, evaluated by the translation and run through the compiled function. What a solver would be asked is looked up."""
    result.how = "every input"
    planted = planted_rows(table, compiled, entry) or one_input_tables(table, compiled, entry)
    found = {value: [] for value in planted}
    for first in range(0, 1 << table.bits, CHUNK):
        inputs = numpy.arange(first, min(first + CHUNK, 1 << table.bits), dtype=numpy.uint64)
        translation = Translation(function, ArrayTerms(inputs.size), [inputs])
        codes = compiled.codes(entry, inputs)
        result.compared += int(inputs.size)
        undefined = numpy.nonzero((translation.result.poison | translation.undefined) != 0)[0]
        wrong = numpy.nonzero(~table.right_each(inputs, codes))[0]
        result.detail = translation_differs(translation, inputs, codes) or ""
        if undefined.size and not result.detail:
            result.detail = f"0x{inputs[undefined[0]]:X} has undefined behaviour"
        if wrong.size:
            say_wrong(result, table, int(inputs[wrong[0]]), int(codes[wrong[0]]))
        if result.detail:
            return
        for value, other in planted.items():
            low, high = (bound // SPAN * SPAN for bound in (value, value + SPAN))
            near = (inputs >= numpy.uint64(low)) & (inputs < numpy.uint64(high))
            found[value] += inputs[near][~other.right_each(inputs[near], codes[near])].tolist()
    if not planted:
        result.detail = "no wrong row could be planted"
    elif any(found[value] != [value] for value in planted):
        result.detail = "a planted wrong row was not found"
    else:
        result.planted, result.verdict = len(planted), PROVEN


def ask(result, function, entry, table, compiled, seconds):
    parts = parts_of(entry, table.bits)
    for part in parts:
        question = Question(function, entry, table.bits, part)
        found = question.wrong_input(table, seconds)
        if found is not None:
            counterexample(result, question, table, compiled, found, seconds)
            return
        if part in (parts[0], parts[len(parts) // 2], parts[-1]):
            for value in samples_of(table, part):
                code = int(compiled.codes(entry, [value])[0])
                is_nan = table.nan is not None and table.is_nan(code)
                if not question.gives(value, code, is_nan, seconds):
                    result.detail = f"the term of the solver does not give 0x{code:X} for 0x{value:X}, which the compiled function gives"
                    return
    wrong_tables = planted_rows(table, compiled, entry) or one_input_tables(table, compiled, entry)
    if not wrong_tables:
        result.detail = "no wrong row could be planted"
        return
    for value, wrong in wrong_tables.items():
        part = next(part for part in parts if part.first <= value <= part.last)
        found = Question(function, entry, table.bits, part).wrong_input(wrong, seconds)
        if found != value:
            result.detail = f"a wrong row planted at 0x{value:X} was not found"
            return
        result.planted += 1
    result.verdict = PROVEN


def counterexample(result, question, table, compiled, found, seconds):
    """The input that the solver names, run through the compiled function. Without a code by C's rules an input shows nothing there, so
    another one is looked for."""
    entry = question.entry
    code = int(compiled.codes(entry, [found])[0])
    if table.right(found, code):
        result.detail = f"0x{found:X} has undefined behaviour, or gives a NaN with an open payload; the compiled function gives 0x{code:X}"
        found = question.defined_wrong_input(table, seconds)
        if found is None:
            return
        code = int(compiled.codes(entry, [found])[0])
        if table.right(found, code):
            result.detail += f"; 0x{found:X} is wrong by the translation, and right as it is compiled"
            return
    say_wrong(result, table, found, code)


def say_wrong(result, table, found, code):
    """A code that the compiled function gives, and that is not permitted."""
    result.verdict, result.counterexample, result.code = WRONG, found, code
    allowed = " or ".join(code if code == "nan" else f"0x{code:X}" for code in table.step_of(found).codes)
    result.detail = f"0x{found:X} gives 0x{code:X}, permitted is {allowed}"


def observed(table, codes):
    """What a function of up to 16 bits was seen to give, as a table; of a NaN, that it is one."""
    seen = [("nan",) if table.nan and table.is_nan(code) else (code,) for code in codes.tolist()]
    steps = [permits.Step(at, code) for at, code in enumerate(seen) if at == 0 or code != seen[at - 1]]
    return dataclasses.replace(table, steps=tuple(steps))


def differs_from_observed(function, entry, table, compiled, seconds):
    """Of a source of up to 16 bits: an input for which the term of the solver is not what the compiled function gives for it; None
    if it is the same for all inputs."""
    seen = observed(table, compiled.codes(entry, inputs_of(table)))
    for part in parts_of(entry, table.bits):
        found = Question(function, entry, table.bits, part).wrong_input(seen, seconds)
        if found is not None:
            return found
    return None
