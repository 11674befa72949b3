# SPDX-License-Identifier: Apache-2.0
"""Where the C++ of the models can be mutated, and into what: from the cursors of libclang.

The mutations are those of the C half (../sites.py), and the neighbours of an enumerator, the opposite of a bool. A site is
taken only if the text between its operands is the operator, so nothing that a macro hides is mutated. Whether a mutant
compiles is not asked here."""

import dataclasses
import re

import sites
from clang import cindex

BINARY = {
    "+": ("add", ("a - b", "a", "b")), "-": ("subtract", ("a + b", "a", "b")), "*": ("multiply", ("a + b", "a", "b")),
    "/": ("divide", ("a * b", "a", "b")), "%": ("remainder", ("a / b", "a", "b")),
    "&": ("bit_and", ("a | b", "a ^ b", "a", "b")), "|": ("bit_or", ("a & b", "a ^ b", "a", "b")),
    "^": ("bit_xor", ("a & b", "a | b", "a", "b")),
    "<<": ("shift_left", ("a >> b", "a")), ">>": ("shift_right", ("a << b", "a")),
    "<": ("less", ("a <= b", "a >= b", "a != b")), "<=": ("less_equal", ("a < b", "a > b", "a == b")),
    ">": ("greater", ("a >= b", "a <= b", "a != b")), ">=": ("greater_equal", ("a > b", "a < b", "a == b")),
    "==": ("equal", ("a != b", "a <= b", "a >= b")), "!=": ("not_equal", ("a == b", "a < b", "a > b")),
    "&&": ("and", ("a || b", "a", "b")), "||": ("or", ("a && b", "a", "b")),
}
ASSIGNMENT = {
    "+=": ("add_assign", ("a -= b", "a = b")), "-=": ("subtract_assign", ("a += b", "a = b")),
    "*=": ("multiply_assign", ("a += b", "a = b")), "/=": ("divide_assign", ("a *= b", "a = b")),
    "&=": ("and_assign", ("a |= b", "a = b")), "|=": ("or_assign", ("a &= b", "a = b")),
    "^=": ("xor_assign", ("a |= b", "a = b")),
    "<<=": ("left_assign", ("a >>= b", "a = b")), ">>=": ("right_assign", ("a <<= b", "a = b")),
}
UNARY = {"-": "minus", "~": "complement", "!": "negate"}
K = cindex.CursorKind
FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE}
STATIC_ASSERT = K.from_id(602)
# Below these nothing is evaluated when the program runs, or nothing may vary.
CONSTANT = {STATIC_ASSERT, K.ENUM_DECL, K.FIELD_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL, K.CXX_UNARY_EXPR, K.PARM_DECL,
            K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER}


@dataclasses.dataclass
class Site:
    """A place with `len(edits)` mutants. `edits` say what comes instead: of an operator with operands a and b, of a constant
    as it is written. `file` is relative to the root."""

    file: str
    begin: int
    end: int
    kind: str  # "binary", "assignment", "unary", "condition", "statement", "constant"
    call: str  # of model.hpp
    edits: tuple
    operator: tuple = ()  # begin and end of its token
    is_constexpr: bool = False
    inside: str = ""  # the function around it
    first: int = 0  # number of its first mutant

    @property
    def key(self):
        return (self.file, self.begin, -self.end, self.kind)


def integer_edits(text, parent_is_shift):
    """What an integer constant becomes, as it is written: hexadecimal stays hexadecimal, and the suffix stays."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)([uUlLzZ]*)", text)
    if match is None:
        return ()
    digits = match[1].replace("'", "")
    value = int(digits, 8) if re.fullmatch(r"0[0-7]+", digits) else int(digits, 0)
    bits = 64 if "l" in match[2].lower() or value >= 1 << 32 else 32
    is_mask = digits[:2].lower() == "0x"
    values = sites.integer_values(value, bits, parent_is_shift, is_mask)
    # Of a decimal one without a suffix one less than 0 is -1, of the type that it has.
    show = (lambda v: f"0x{v:X}") if is_mask else (lambda v: str(v if "u" in match[2].lower() else v - (v >> bits - 1 << bits)))
    return tuple(show(v) + match[2] for v in values)


class Finder:
    """Collects the sites of translation units. `texts` maps the absolute path of each file that may be mutated to its text."""

    def __init__(self, texts, relative):
        self.texts, self.relative = texts, relative
        self.sites = {}
        self.visited = set()  # files that an earlier unit had as a whole

    def unit(self, unit):
        here = set()
        for cursor in unit.cursor.get_children():
            self.declaration(cursor, here)
        self.visited |= here

    def declaration(self, cursor, here):
        file = cursor.location.file
        if file is None or file.name not in self.texts or file.name in self.visited:
            return
        here.add(file.name)
        kind = cursor.kind
        if kind in FUNCTIONS:
            self.function(cursor, cursor.spelling)
        elif kind == K.VAR_DECL:
            self.lambdas(cursor, cursor.spelling)
        elif kind in (K.NAMESPACE, K.CLASS_DECL, K.STRUCT_DECL, K.CLASS_TEMPLATE, K.UNION_DECL, K.LINKAGE_SPEC, K.UNEXPOSED_DECL,
                      K.FRIEND_DECL, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION):
            for child in cursor.get_children():
                self.declaration(child, here)

    def function(self, cursor, name):
        """The body, and what initialises members."""
        text = self.texts[cursor.location.file.name]
        children = list(cursor.get_children())
        if not children or children[-1].kind != K.COMPOUND_STMT:
            return
        head = text[cursor.extent.start.offset:children[-1].extent.start.offset]
        if re.search(r"\bconsteval\b", head):
            return
        self.where = (cursor.location.file.name, text, name, re.search(r"\bconstexpr\b", head) is not None)
        parts = [children[-1]]
        if cursor.kind == K.CONSTRUCTOR:
            parts += [child for child in children[:-1] if child.kind.is_expression()]
        for part in parts:
            self.walk(part, None)

    def lambdas(self, cursor, name):
        """The bodies of the lambdas in static data, which may be constants."""
        for child in cursor.get_children():
            if child.kind == K.LAMBDA_EXPR:
                body = list(child.get_children())[-1]
                if body.kind == K.COMPOUND_STMT and body.location.file is not None and body.location.file.name in self.texts:
                    self.where = (body.location.file.name, self.texts[body.location.file.name], name, True)
                    self.walk(body, None)
            else:
                self.lambdas(child, name)

    def add(self, begin, end, kind, call, edits, operator=()):
        file, _, name, is_constexpr = self.where
        site = Site(self.relative(file), begin, end, kind, call, tuple(edits), operator, is_constexpr, name)
        if site.edits:
            self.sites.setdefault(site.key, site)

    def walk(self, cursor, parent):
        kind = cursor.kind
        if kind in CONSTANT or kind.is_reference():
            return
        file = cursor.extent.start.file
        if file is not None and file.name != self.where[0]:
            return
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = self.where[1]
        children = list(cursor.get_children())
        if kind == K.VAR_DECL and re.search(r"\bconstexpr\b", text[begin:cursor.location.offset]):
            return
        if kind == K.CASE_STMT:
            children = children[1:]
        if kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.CALL_EXPR):
            self.binary(begin, end, children)
        elif kind == K.UNARY_OPERATOR:
            self.unary(begin, end, children)
        elif kind == K.INTEGER_LITERAL:
            self.add(begin, end, "constant", "constant", integer_edits(text[begin:end], self.is_count(cursor, parent)))
        elif kind == K.FLOATING_LITERAL:
            self.floating(begin, end)
        elif kind == K.CXX_BOOL_LITERAL_EXPR and text[begin:end] in ("true", "false"):
            self.add(begin, end, "constant", "constant", ("false" if text[begin:end] == "true" else "true",))
        elif kind == K.DECL_REF_EXPR:
            self.enumerator(cursor, begin, end)
        elif kind == K.CONDITIONAL_OPERATOR and children:
            self.condition(children[0])
        elif kind == K.IF_STMT:
            if re.match(r"if\s+constexpr\b", text[begin:end]):
                children = children[1:]
            else:
                self.condition_of_if(begin, children)
        if kind == K.COMPOUND_STMT:
            for child in children:
                self.statement(child)
        elif kind in (K.IF_STMT, K.FOR_STMT, K.WHILE_STMT, K.DO_STMT, K.CXX_FOR_RANGE_STMT, K.CASE_STMT, K.DEFAULT_STMT):
            # The bodies. What a loop does at its end stays: without it there is no end.
            bodies = children[1:] if kind == K.IF_STMT else children[:1] if kind == K.DO_STMT else children[-1:]
            for child in bodies:
                self.statement(child)
        for child in children:
            self.walk(child, cursor)

    def binary(self, begin, end, children):
        text = self.where[1]
        if len(children) not in (2, 3):
            return
        left, right = children[0], children[-1]
        gap = (left.extent.end.offset, right.extent.start.offset)
        if left.extent.start.offset != begin or right.extent.end.offset != end or not begin < gap[0] <= gap[1] < end:
            return
        between = re.sub(r"//[^\n]*", lambda match: " " * len(match[0]), text[gap[0]:gap[1]])
        opcode = between.strip()
        table, kind = (ASSIGNMENT, "assignment") if opcode in ASSIGNMENT else (BINARY, "binary")
        if opcode not in table:
            return
        at = gap[0] + between.index(opcode)
        self.add(begin, end, kind, *table[opcode], operator=(at, at + len(opcode)))

    def unary(self, begin, end, children):
        text = self.where[1]
        call = UNARY.get(text[begin:begin + 1]) if not text.startswith("--", begin) else None
        if call and len(children) == 1 and children[0].extent.start.offset > begin and children[0].extent.end.offset == end:
            self.add(begin, end, "unary", call, ("a",), operator=(begin, begin + 1))

    def floating(self, begin, end):
        text = self.where[1][begin:end]
        match = re.fullmatch(r"([0-9.']+(?:[eE][+-]?[0-9]+)?|0[xX][0-9a-fA-F.']+[pP][+-]?[0-9]+)([fFlL]?)", text)
        if match:
            digits = match[1].replace("'", "")
            value = float.fromhex(digits) if digits[:2].lower() == "0x" else float(digits)
            self.add(begin, end, "constant", "constant", [v.hex() + match[2] for v in sites.float_values(value)])

    def is_count(self, cursor, parent):
        """Whether a constant is the number of bits of a shift."""
        if parent is None or parent.kind not in (K.BINARY_OPERATOR, K.CALL_EXPR):
            return False
        before = self.where[1][parent.extent.start.offset:cursor.extent.start.offset].rstrip()
        return before.endswith(("<<", ">>")) and parent.extent.end.offset == cursor.extent.end.offset

    def enumerator(self, cursor, begin, end):
        """The enumerators beside it."""
        declared = cursor.referenced
        text = self.where[1][begin:end]
        if declared is None or declared.kind != K.ENUM_CONSTANT_DECL or not text.endswith(declared.spelling):
            return
        names = [child.spelling for child in declared.semantic_parent.get_children() if child.kind == K.ENUM_CONSTANT_DECL]
        at = names.index(declared.spelling)
        prefix = text[:len(text) - len(declared.spelling)]
        self.add(begin, end, "constant", "constant",
                 [prefix + name for name in (*names[max(at - 1, 0):at], *names[at + 1:at + 2])])

    def condition_of_if(self, begin, children):
        """Of `if (a)`; not of `if (const T a = ...)`, whose name the body may use."""
        for child in children[:2]:
            text = self.where[1]
            after = child.extent.end.offset
            if child.kind.is_expression() and text[after:].lstrip().startswith(")"):
                self.condition(child)
                return

    def condition(self, cursor):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = self.where[1][begin:end]
        children = list(cursor.get_children())
        edits = ("true", "false", "!a")
        if len(children) in (2, 3):
            between = self.where[1][children[0].extent.end.offset:children[-1].extent.start.offset].strip()
            if between in sites.COMPARISONS:
                edits = edits[:2]  # the opposite of a comparison is one of its own mutants
        if text.startswith("!"):
            edits = edits[:2]
        if begin < end:
            self.add(begin, end, "condition", "condition", edits)

    def statement(self, cursor):
        """Left out where it has an effect."""
        while cursor.kind == K.UNEXPOSED_EXPR:
            children = list(cursor.get_children())
            if len(children) != 1:
                break
            cursor = children[0]
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = self.where[1]
        if not text[end:].lstrip().startswith(";"):
            return
        is_effect = cursor.kind in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR)
        is_step = cursor.kind == K.UNARY_OPERATOR and ("++" in text[begin:end] or "--" in text[begin:end])
        is_assignment = cursor.kind == K.BINARY_OPERATOR and re.search(r"[^=!<>]=[^=]", text[begin:end])
        if is_effect or is_step or is_assignment:
            self.add(begin, end, "statement", "is_dropped", ("",))


def numbered(found):
    """The sites in the order of their places, numbered from 1."""
    ordered = sorted(found, key=lambda site: site.key)
    number = 1
    for site in ordered:
        site.first = number
        number += len(site.edits)
    return ordered
