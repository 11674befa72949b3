# SPDX-License-Identifier: Apache-2.0
"""The algebra of Bitwuzla: bit vectors, and its theory of floating-point numbers.

A float is the vector of its bits. That of a computed float is any vector which stands for the result, so a NaN may have every payload
and sign: a proof holds whatever a processor writes there.
"""
import bitwuzla
from bitwuzla import Kind

FIELDS = {32: (8, 24), 64: (11, 53)}
INTEGER = {
    "add": Kind.BV_ADD, "sub": Kind.BV_SUB, "mul": Kind.BV_MUL, "and": Kind.BV_AND, "or": Kind.BV_OR, "xor": Kind.BV_XOR,
    "shl": Kind.BV_SHL, "lshr": Kind.BV_SHR, "ashr": Kind.BV_ASHR,
}
ORDER = {
    "eq": Kind.EQUAL, "ne": Kind.DISTINCT, "ult": Kind.BV_ULT, "ule": Kind.BV_ULE, "ugt": Kind.BV_UGT, "uge": Kind.BV_UGE,
    "slt": Kind.BV_SLT, "sle": Kind.BV_SLE, "sgt": Kind.BV_SGT, "sge": Kind.BV_SGE,
}
FLOATING = {"fadd": Kind.FP_ADD, "fsub": Kind.FP_SUB, "fmul": Kind.FP_MUL, "fdiv": Kind.FP_DIV}
FLOAT_ORDER = {"eq": Kind.FP_EQUAL, "lt": Kind.FP_LT, "le": Kind.FP_LEQ, "gt": Kind.FP_GT, "ge": Kind.FP_GEQ}


class SolverTerms:
    def __init__(self):
        self.manager = bitwuzla.TermManager()
        self.facts = []  # about the vectors of computed floats
        self.fresh = 0
        self.nearest = self.manager.mk_rm_value(bitwuzla.RoundingMode.RNE)
        self.toward_zero = self.manager.mk_rm_value(bitwuzla.RoundingMode.RTZ)
        self.is_one = self.constant(1, 1)

    def make(self, kind, *terms, indices=()):
        return self.manager.mk_term(kind, list(terms), list(indices))

    def constant(self, value, width):
        return self.manager.mk_bv_value(self.manager.mk_bv_sort(width), value)

    def variable(self, width, name):
        return self.manager.mk_const(self.manager.mk_bv_sort(width), name)

    def anything(self, width):
        self.fresh += 1
        return self.variable(width, f"any{self.fresh}")

    def bit(self, truth):
        return self.make(Kind.ITE, truth, self.is_one, self.constant(0, 1))

    def truth(self, bit):
        return self.make(Kind.EQUAL, bit, self.is_one)

    def binary(self, opcode, a, b, width):
        return self.make(INTEGER[opcode], a, b)

    def compare(self, predicate, a, b, width):
        return self.bit(self.make(ORDER[predicate], a, b))

    def choose(self, condition, yes, no):
        return self.make(Kind.ITE, self.truth(condition), yes, no)

    def zext(self, term, from_width, width):
        return self.make(Kind.BV_ZERO_EXTEND, term, indices=[width - from_width])

    def sext(self, term, from_width, width):
        return self.make(Kind.BV_SIGN_EXTEND, term, indices=[width - from_width])

    def trunc(self, term, from_width, width):
        return self.make(Kind.BV_EXTRACT, term, indices=[width - 1, 0])

    # Floats.

    def number(self, term, width):
        return self.make(Kind.FP_TO_FP_FROM_BV, term, indices=FIELDS[width])

    def bits(self, number, width):
        term = self.anything(width)
        self.facts.append(self.make(Kind.EQUAL, self.number(term, width), number))
        return term

    def float_value(self, value, width):
        exponent, significand = FIELDS[width]
        return self.manager.mk_fp_value(self.manager.mk_fp_sort(exponent, significand), self.nearest, str(value))

    def float_binary(self, opcode, a, b, width):
        return self.bits(self.make(FLOATING[opcode], self.nearest, self.number(a, width), self.number(b, width)), width)

    def float_compare(self, predicate, a, b, width):
        x, y = self.number(a, width), self.number(b, width)
        unordered = self.make(Kind.OR, self.make(Kind.FP_IS_NAN, x), self.make(Kind.FP_IS_NAN, y))
        if predicate in ("ord", "uno"):
            return self.bit(unordered if predicate == "uno" else self.make(Kind.NOT, unordered))
        relation = predicate[1:]
        holds = self.make(Kind.NOT, self.make(Kind.FP_EQUAL, x, y)) if relation == "ne" else self.make(FLOAT_ORDER[relation], x, y)
        if predicate[0] == "u":
            return self.bit(self.make(Kind.OR, holds, unordered))
        return self.bit(self.make(Kind.AND, holds, self.make(Kind.NOT, unordered)))

    def float_to_integer(self, term, from_width, width, is_signed):
        x = self.number(term, from_width)
        whole = self.make(Kind.FP_RTI, self.toward_zero, x)
        low, high = (-(2 ** (width - 1)), 2 ** (width - 1)) if is_signed else (0, 2 ** width)
        fits = self.make(Kind.AND, self.make(Kind.FP_GEQ, whole, self.float_value(low, from_width)),
                         self.make(Kind.FP_LT, whole, self.float_value(high, from_width)))
        kind = Kind.FP_TO_SBV if is_signed else Kind.FP_TO_UBV
        return self.make(kind, self.toward_zero, x, indices=[width]), self.bit(fits)

    def integer_to_float(self, term, from_width, width, is_signed):
        kind = Kind.FP_TO_FP_FROM_SBV if is_signed else Kind.FP_TO_FP_FROM_UBV
        return self.bits(self.make(kind, self.nearest, term, indices=FIELDS[width]), width)

    def float_to_float(self, term, from_width, width):
        return self.bits(self.make(Kind.FP_TO_FP_FROM_FP, self.nearest, self.number(term, from_width), indices=FIELDS[width]), width)

    # The question.

    def find(self, wrong, variable, seconds):
        """An input for which the bit `wrong` can be 1, as a number; None if there is none. Raises TimeoutError."""
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.TIME_LIMIT_PER, int(seconds * 1000))
        solver = bitwuzla.Bitwuzla(self.manager, options)
        for fact in self.facts:
            solver.assert_formula(fact)
        solver.assert_formula(self.truth(wrong))
        answer = solver.check_sat()
        if answer == bitwuzla.Result.UNSAT:
            return None
        if answer != bitwuzla.Result.SAT:
            raise TimeoutError(f"no answer within {seconds:g} s")
        return int(solver.get_value(variable).value(10))
