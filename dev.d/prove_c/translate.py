# SPDX-License-Identifier: Apache-2.0
"""A function in LLVM's intermediate language as terms, by an algebra: of the solver (solver_terms.py) or of arrays (array_terms.py).

Translated are functions without loops and without memory, of integers, floats and doubles. Any other instruction is refused by its
name. A value is a pair: its term, and a term of one bit that is 1 where the value is poison. A float is the term of its bits.
"""
import collections
import re
import struct

FLOATS = {"float": 32, "double": 64}
ARITHMETIC = {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"}
FLOAT_ARITHMETIC = {"fadd", "fsub", "fmul", "fdiv"}
LOOSE = {"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"}  # flags that permit other results than IEEE 754's

Value = collections.namedtuple("Value", "term poison")


class Refused(Exception):
    """The function has something that is not translated; the message names it."""


def width_of(kind):
    text = str(kind)
    if text in FLOATS:
        return FLOATS[text]
    found = re.fullmatch(r"i(\d+)", text)
    if not found or int(found.group(1)) > 64:
        raise Refused(f"the type {text}")
    return int(found.group(1))


def float_bits(text, width):
    """The bits of a constant as LLVM writes it: a decimal that is exact, or the bits of a double in hexadecimal."""
    if not text.startswith("0x"):
        value = float(text)
        return int.from_bytes(struct.pack("<f" if width == 32 else "<d", value), "little")
    bits = int(text, 16)
    if width == 64:
        return bits
    if bits >> 52 & 0x7FF == 0x7FF:  # an infinity or NaN, whose payload a conversion could change
        return bits >> 63 << 31 | 0xFF << 23 | (bits >> 29 & 0x7FFFFF)
    value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return int.from_bytes(struct.pack("<f", value), "little")


class Translation:
    """Of one function. `result` is its Value; `undefined` is 1 where a branch depends on poison."""

    def __init__(self, function, algebra, arguments):
        self.algebra = algebra
        self.values = dict(zip(function.arguments, (Value(term, algebra.constant(0, 1)) for term in arguments)))
        self.edges = {}  # (block, block) -> the term that is 1 where control goes that way
        self.reached = {}
        self.result = None
        self.undefined = algebra.constant(0, 1)
        blocks = list(function.blocks)
        if not blocks:
            raise Refused(f"{function.name} has no body")
        for block in in_order(blocks):
            self.block = block
            incoming = [edge for (_, to), edge in self.edges.items() if to == block]
            self.reached[block] = self.any(incoming) if block != blocks[0] else algebra.constant(1, 1)
            for instruction in block.instructions:
                self.step(instruction)
        if self.result is None:
            raise Refused("a function without a result")

    # Terms of one bit.

    def any(self, terms):
        found = self.algebra.constant(0, 1)
        for term in terms:
            found = self.algebra.binary("or", found, term, 1)
        return found

    def all(self, *terms):
        found = terms[0]
        for term in terms[1:]:
            found = self.algebra.binary("and", found, term, 1)
        return found

    def no(self, term):
        return self.algebra.binary("xor", term, self.algebra.constant(1, 1), 1)

    # Operands.

    def value(self, operand):
        if operand in self.values:
            return self.values[operand]
        if not operand.is_constant:
            raise Refused(f"the operand {str(operand).strip()}")
        kind, _, text = str(operand).partition(" ")
        width = width_of(kind)
        if text == "poison":
            return Value(self.algebra.constant(0, width), self.algebra.constant(1, 1))
        if kind in FLOATS and re.fullmatch(r"0x[0-9A-F]{16}|-?\d+\.\d+e[+-]\d+", text):
            bits = float_bits(text, width)
        elif text in ("true", "false"):
            bits = int(text == "true")
        elif re.fullmatch(r"-?\d+", text):
            bits = int(text) % (1 << width)
        else:
            raise Refused(f"the constant {str(operand)}")
        return Value(self.algebra.constant(bits, width), self.algebra.constant(0, 1))

    # Instructions.

    def step(self, instruction):
        opcode, operands = instruction.opcode, list(instruction.operands)
        text = str(instruction).strip()
        if " undef" in text:
            raise Refused(f"undef in {text}")
        words = re.sub(r"^%\S+ = ", "", text).replace(",", " ").split()
        if opcode == "ret":
            self.leave(operands)
        elif opcode == "br":
            self.branch(operands)
        elif opcode == "switch":
            self.switch(operands)
        elif opcode == "phi":
            self.values[instruction] = self.merge(operands, list(instruction.incoming_blocks))
        else:
            width = width_of(instruction.type) if opcode != "call" or str(instruction.type) != "void" else 0
            name = "call" if opcode in ("call", "tail") else opcode
            method = getattr(self, f"do_{name}", None)
            if opcode in ARITHMETIC:
                method = self.arithmetic
            elif opcode in FLOAT_ARITHMETIC:
                method = self.float_arithmetic
            elif method is None:
                raise Refused(f"the instruction {opcode}: {text}")
            self.values[instruction] = method(words, operands, width)

    def leave(self, operands):
        if len(operands) != 1:
            raise Refused("a function that returns nothing")
        value = self.value(operands[0])
        if self.result is None:
            self.result = value
        else:
            self.result = self.choose(self.reached[self.block], value, self.result)

    def go(self, to, condition):
        key = (self.block, to)
        edge = self.all(self.reached[self.block], condition)
        self.edges[key] = self.any([self.edges[key], edge]) if key in self.edges else edge

    def depends_on(self, value):
        self.undefined = self.any([self.undefined, self.all(self.reached[self.block], value.poison)])

    def branch(self, operands):
        if len(operands) == 1:
            self.go(operands[0], self.algebra.constant(1, 1))
            return
        condition = self.value(operands[0])
        self.depends_on(condition)
        self.go(operands[2], condition.term)  # LLVM keeps the targets in reverse
        self.go(operands[1], self.no(condition.term))

    def switch(self, operands):
        value, width = self.value(operands[0]), width_of(operands[0].type)
        self.depends_on(value)
        others = self.algebra.constant(1, 1)
        for case, to in zip(operands[2::2], operands[3::2]):
            hit = self.algebra.compare("eq", value.term, self.value(case).term, width)
            self.go(to, hit)
            others = self.all(others, self.no(hit))
        self.go(operands[1], others)

    def merge(self, operands, blocks):
        merged = None
        for operand, block in zip(operands, blocks):
            value = self.value(operand)
            merged = value if merged is None else self.choose(self.edges[block, self.block], value, merged)
        return merged

    def choose(self, condition, yes, no):
        return Value(self.algebra.choose(condition, yes.term, no.term), self.algebra.choose(condition, yes.poison, no.poison))

    def do_select(self, words, operands, width):
        condition, yes, no = map(self.value, operands)
        self.refuse_loose(words)
        chosen = self.choose(condition.term, yes, no)
        return Value(chosen.term, self.any([condition.poison, chosen.poison]))

    def do_freeze(self, words, operands, width):
        value = self.value(operands[0])
        return Value(self.algebra.choose(value.poison, self.algebra.anything(width), value.term), self.algebra.constant(0, 1))

    def arithmetic(self, words, operands, width):
        left, right = map(self.value, operands)
        a, b, opcode = left.term, right.term, words[0]
        term = self.algebra.binary(opcode, a, b, width)
        poison = [left.poison, right.poison]
        if opcode in ("shl", "lshr", "ashr"):
            poison.append(self.compare("uge", b, width, width))
        for flag in words[1:3]:
            if flag in ("nuw", "nsw", "exact"):
                poison.append(self.broken(flag, opcode, a, b, term, width))
        return Value(term, self.any(poison))

    def compare(self, predicate, term, number, width):
        """Of a term and a number."""
        return self.algebra.compare(predicate, term, self.algebra.constant(number, width), width)

    def broken(self, flag, opcode, a, b, result, width):
        """1 where the promise of a flag is not kept."""
        algebra = self.algebra
        if flag == "exact" and opcode in ("lshr", "ashr"):
            return self.no(algebra.compare("eq", algebra.binary("shl", result, b, width), a, width))
        if opcode == "shl":
            back = algebra.binary("lshr" if flag == "nuw" else "ashr", result, b, width)
            return self.no(algebra.compare("eq", back, a, width))
        if opcode == "mul" and width <= 32:
            widen = algebra.zext if flag == "nuw" else algebra.sext
            product = algebra.binary("mul", widen(a, width, 2 * width), widen(b, width, 2 * width), 2 * width)
            return self.no(algebra.compare("eq", product, widen(result, width, 2 * width), 2 * width))
        if opcode not in ("add", "sub"):
            raise Refused(f"{flag} of {opcode} with {width} bits")
        if flag == "nuw":
            return algebra.compare("ult", result if opcode == "add" else a, a if opcode == "add" else b, width)
        signs = [self.compare("slt", term, 0, width) for term in (a, b, result)]
        alike = self.no(algebra.binary("xor", signs[0], signs[1], 1))
        may = alike if opcode == "add" else self.no(alike)
        return self.all(may, algebra.binary("xor", signs[0], signs[2], 1))

    def do_icmp(self, words, operands, width):
        left, right = map(self.value, operands)
        term = self.algebra.compare(words[1], left.term, right.term, width_of(operands[0].type))
        return Value(term, self.any([left.poison, right.poison]))

    def unary(self, operands, term_of):
        value = self.value(operands[0])
        return Value(term_of(value.term, width_of(operands[0].type)), value.poison)

    def do_zext(self, words, operands, width):
        return self.unary(operands, lambda term, from_width: self.algebra.zext(term, from_width, width))

    def do_sext(self, words, operands, width):
        return self.unary(operands, lambda term, from_width: self.algebra.sext(term, from_width, width))

    def do_trunc(self, words, operands, width):
        return self.unary(operands, lambda term, from_width: self.algebra.trunc(term, from_width, width))

    def do_bitcast(self, words, operands, width):
        if width_of(operands[0].type) != width:
            raise Refused(" ".join(words))
        return self.value(operands[0])

    # Floats.

    @staticmethod
    def refuse_loose(words):
        loose = LOOSE.intersection(words)
        if loose:
            raise Refused(f"the flag {min(loose)}: {' '.join(words)}")

    def float_arithmetic(self, words, operands, width):
        self.refuse_loose(words)
        left, right = map(self.value, operands)
        return Value(self.algebra.float_binary(words[0], left.term, right.term, width), self.any([left.poison, right.poison]))

    def do_fneg(self, words, operands, width):
        self.refuse_loose(words)
        sign = self.algebra.constant(1 << (width - 1), width)
        return self.unary(operands, lambda term, _: self.algebra.binary("xor", term, sign, width))

    def do_fcmp(self, words, operands, width):
        self.refuse_loose(words)
        if words[1] in ("true", "false"):
            raise Refused(" ".join(words))
        left, right = map(self.value, operands)
        term = self.algebra.float_compare(words[1], left.term, right.term, width_of(operands[0].type))
        return Value(term, self.any([left.poison, right.poison]))

    def to_integer(self, operands, width, signed):
        value, from_width = self.value(operands[0]), width_of(operands[0].type)
        term, fits = self.algebra.float_to_integer(value.term, from_width, width, signed)
        return Value(term, self.any([value.poison, self.no(fits)]))

    def do_fptosi(self, words, operands, width):
        return self.to_integer(operands, width, True)

    def do_fptoui(self, words, operands, width):
        return self.to_integer(operands, width, False)

    def do_sitofp(self, words, operands, width):
        return self.unary(operands, lambda term, from_width: self.algebra.integer_to_float(term, from_width, width, True))

    def do_uitofp(self, words, operands, width):
        return self.unary(operands, lambda term, from_width: self.algebra.integer_to_float(term, from_width, width, False))

    def do_fpext(self, words, operands, width):
        return self.unary(operands, lambda term, from_width: self.algebra.float_to_float(term, from_width, width))

    do_fptrunc = do_fpext

    # Intrinsic functions.

    def do_call(self, words, operands, width):
        self.refuse_loose(words)
        name = operands[-1].name
        found = re.fullmatch(r"llvm\.(\w+)\.[if]\d+", name)
        method = getattr(self, f"call_{found.group(1)}", None) if found else None
        if method is None:
            raise Refused(f"a call of {name}")
        return method([self.value(operand) for operand in operands[:-1]], width)

    def call_ctlz(self, values, width):
        value, zero_is_poison = values
        count = self.algebra.constant(width, width)
        for bit in range(width):  # the highest one that is set decides, so it comes last
            is_set = self.compare("ne", self.algebra.binary("and", value.term, self.algebra.constant(1 << bit, width), width), 0, width)
            count = self.algebra.choose(is_set, self.algebra.constant(width - 1 - bit, width), count)
        poison = self.all(zero_is_poison.term, self.compare("eq", value.term, 0, width))
        return Value(count, self.any([value.poison, poison]))

    def extreme(self, predicate, values, width):
        left, right = values
        first = self.algebra.compare(predicate, left.term, right.term, width)
        return Value(self.algebra.choose(first, left.term, right.term), self.any([left.poison, right.poison]))

    def call_umin(self, values, width):
        return self.extreme("ult", values, width)

    def call_umax(self, values, width):
        return self.extreme("ugt", values, width)

    def call_smin(self, values, width):
        return self.extreme("slt", values, width)

    def call_smax(self, values, width):
        return self.extreme("sgt", values, width)

    def call_fabs(self, values, width):
        mask = self.algebra.constant((1 << (width - 1)) - 1, width)
        return Value(self.algebra.binary("and", values[0].term, mask, width), values[0].poison)


def in_order(blocks):
    """The blocks, each after all that lead to it. A loop is refused."""
    own = {block: block for block in blocks}  # an operand is equal to its block, and lacks its instructions
    after = {block: [own[operand] for operand in list(block.instructions)[-1].operands if operand in own] for block in blocks}
    order, state = [], {}
    pending = [(blocks[0], iter(after[blocks[0]]))]
    state[blocks[0]] = "open"
    while pending:
        block, rest = pending[-1]
        following = next(rest, None)
        if following is None:
            state[block] = "done"
            order.append(block)
            pending.pop()
        elif state.get(following) == "open":
            raise Refused("a loop")
        elif following not in state:
            state[following] = "open"
            pending.append((following, iter(after[following])))
    return order[::-1]
