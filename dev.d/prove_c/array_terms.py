# SPDX-License-Identifier: Apache-2.0
"""The algebra of arrays: a term is what it is for each of many inputs, as 64-bit words."""
import numpy

WORD = numpy.uint64
FLOAT = {32: (numpy.uint32, numpy.float32), 64: (numpy.uint64, numpy.float64)}
INTEGER = {
    "add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply,
    "and": numpy.bitwise_and, "or": numpy.bitwise_or, "xor": numpy.bitwise_xor,
}
FLOATING = {"fadd": numpy.add, "fsub": numpy.subtract, "fmul": numpy.multiply, "fdiv": numpy.divide}
ORDER = {"eq": numpy.equal, "ne": numpy.not_equal, "lt": numpy.less, "le": numpy.less_equal, "gt": numpy.greater,
         "ge": numpy.greater_equal}


def cut(term, width):
    return term & WORD((1 << width) - 1)


def signed(term, width):
    return (term << WORD(64 - width)).view(numpy.int64) >> numpy.int64(64 - width)


def as_float(term, width):
    bits, kind = FLOAT[width]
    return term.astype(bits).view(kind)


def as_bits(value, width):
    bits, kind = FLOAT[width]
    return numpy.ascontiguousarray(value, kind).view(bits).astype(WORD)


class ArrayTerms:
    def __init__(self, count):
        self.count = count

    def constant(self, value, width):
        return numpy.full(self.count, value, WORD)

    def anything(self, width):
        return self.constant(0x5A5A5A5A5A5A5A5A & ((1 << width) - 1), width)

    def binary(self, opcode, a, b, width):
        if opcode in INTEGER:
            return cut(INTEGER[opcode](a, b), width)
        distance = numpy.minimum(b, WORD(63))
        too_far = b >= WORD(width)
        if opcode == "ashr":
            return cut((signed(a, width) >> distance.view(numpy.int64)).view(WORD), width)
        moved = a << distance if opcode == "shl" else a >> distance
        return numpy.where(too_far, WORD(0), cut(moved, width))

    def compare(self, predicate, a, b, width):
        if predicate[0] == "s":
            a, b = signed(a, width), signed(b, width)
        return ORDER[predicate if predicate in ("eq", "ne") else predicate[1:]](a, b).astype(WORD)

    def choose(self, condition, yes, no):
        return numpy.where(condition != 0, yes, no)

    def zext(self, term, from_width, width):
        return term

    def sext(self, term, from_width, width):
        return cut(signed(term, from_width).view(WORD), width)

    def trunc(self, term, from_width, width):
        return cut(term, width)

    def float_binary(self, opcode, a, b, width):
        with numpy.errstate(all="ignore"):
            return as_bits(FLOATING[opcode](as_float(a, width), as_float(b, width)), width)

    def float_compare(self, predicate, a, b, width):
        x, y = as_float(a, width), as_float(b, width)
        unordered = numpy.isnan(x) | numpy.isnan(y)
        if predicate in ("ord", "uno"):
            return (unordered == (predicate == "uno")).astype(WORD)
        with numpy.errstate(all="ignore"):
            holds = ORDER[predicate[1:]](x, y)
        return (holds | unordered if predicate[0] == "u" else holds & ~unordered).astype(WORD)

    def float_to_integer(self, term, from_width, width, is_signed):
        x = numpy.trunc(as_float(term, from_width).astype(numpy.float64))
        low, high = (-(2.0 ** (width - 1)), 2.0 ** (width - 1)) if is_signed else (0.0, 2.0 ** width)
        with numpy.errstate(all="ignore"):
            fits = (x >= low) & (x < high)
            whole = numpy.where(fits, x, 0.0)
            integer = whole.astype(numpy.int64).view(WORD) if is_signed else whole.astype(WORD)
        return cut(integer, width), fits.astype(WORD)

    def integer_to_float(self, term, from_width, width, is_signed):
        return as_bits((signed(term, from_width) if is_signed else term).astype(FLOAT[width][1]), width)

    def float_to_float(self, term, from_width, width):
        with numpy.errstate(all="ignore"):
            return as_bits(as_float(term, from_width).astype(FLOAT[width][1]), width)
