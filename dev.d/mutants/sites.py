# SPDX-License-Identifier: Apache-2.0
"""Where a source can be mutated, and into what. Each mutant is one small edit of one expression or statement.

    constants    each bit inverted, one more, one less; floating-point ones doubled, halved, and their neighbours
    operators    another one of the same kind, the left operand alone, the right one alone
    conditions   always, never, the opposite
    statements   left out

What cannot be mutated is counted with its reason: operators within the body of a macro, expressions whose range a macro
hides, labels of cases and sizes of arrays."""

import dataclasses
import math
import re
import struct

import tree

# An operator: its macro in mutant.h, and what its mutants are, in that order. {a} and {b} are the operands.
BINARY = {
    "+": ("MX_ADD", ("{a} - {b}", "{a}", "{b}")),
    "-": ("MX_SUB", ("{a} + {b}", "{a}", "{b}")),
    "*": ("MX_MUL", ("{a} + {b}", "{a}", "{b}")),
    "&": ("MX_AND", ("{a} | {b}", "{a} ^ {b}", "{a}", "{b}")),
    "|": ("MX_OR", ("{a} & {b}", "{a} ^ {b}", "{a}", "{b}")),
    "^": ("MX_XOR", ("{a} & {b}", "{a} | {b}", "{a}", "{b}")),
    "<<": ("MX_SHL", ("{a} >> {b}", "{a}")),
    ">>": ("MX_SHR", ("{a} << {b}", "{a}")),
    "<": ("MX_LT", ("{a} <= {b}", "{a} >= {b}", "{a} != {b}")),
    "<=": ("MX_LE", ("{a} < {b}", "{a} > {b}", "{a} == {b}")),
    ">": ("MX_GT", ("{a} >= {b}", "{a} <= {b}", "{a} != {b}")),
    ">=": ("MX_GE", ("{a} > {b}", "{a} < {b}", "{a} == {b}")),
    "==": ("MX_EQ", ("{a} != {b}", "{a} <= {b}", "{a} >= {b}")),
    "!=": ("MX_NE", ("{a} == {b}", "{a} < {b}", "{a} > {b}")),
    "&&": ("MX_LAND", ("{a} || {b}", "!!({a})", "!!({b})")),
    "||": ("MX_LOR", ("{a} && {b}", "!!({a})", "!!({b})")),
}
# Operators of two numbers of which one may be floating-point.
OF_FLOATS = {"+", "-", "*", "<", "<=", ">", ">=", "==", "!=", "&&", "||"}
ASSIGNMENT = {
    "+=": ("MX_ADD_ASSIGN", ("{a} -= {b}", "{a} = {b}")),
    "-=": ("MX_SUB_ASSIGN", ("{a} += {b}", "{a} = {b}")),
    "&=": ("MX_AND_ASSIGN", ("{a} |= {b}", "{a} = {b}")),
    "|=": ("MX_OR_ASSIGN", ("{a} &= {b}", "{a} = {b}")),
    "^=": ("MX_XOR_ASSIGN", ("{a} |= {b}", "{a} = {b}")),
    "<<=": ("MX_SHL_ASSIGN", ("{a} >>= {b}", "{a} = {b}")),
    ">>=": ("MX_SHR_ASSIGN", ("{a} <<= {b}", "{a} = {b}")),
}
UNARY = {"-": ("MX_MINUS", ("{a}",)), "~": ("MX_NOT", ("{a}",)), "!": ("MX_LNOT", ("!!({a})",))}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
ALWAYS = ("1", "0")
CONDITION = ("1", "0", "!({a})")
LITERALS = ("IntegerLiteral", "FloatingLiteral")
# Nodes below which nothing is evaluated, or nothing may vary.
CONSTANT = ("ConstantExpr", "UnaryExprOrTypeTraitExpr", "OffsetOfExpr", "StaticAssertDecl", "EnumDecl", "RecordDecl",
            "TypedefDecl", "FieldDecl")
# Expressions that are worth leaving out where they are a statement.
EFFECTS = ("BinaryOperator", "CompoundAssignOperator", "CallExpr", "UnaryOperator")


@dataclasses.dataclass
class Site:
    """A place with `len(edits)` mutants. `edits` says what comes instead, `values` a constant's new values."""

    file: str
    begin: int
    end: int
    kind: str  # "binary", "assignment", "unary", "condition", "statement", "int", "float"
    macro: str
    edits: tuple
    values: tuple = ()
    operator: tuple = ()  # begin and end of its token
    static: bool = False  # initialises static data: mutated at compile time alone
    first: int = 0  # number of its first mutant
    inside: str = ""  # the function or object around it

    @property
    def key(self):
        return (self.file, self.begin, -self.end, self.kind)


def integer_values(value, bits, is_count, is_mask):
    """The mutants of an integer of `bits` bits: inverted bits from the lowest, then one more and one less."""
    width = 5 if is_count else bits if is_mask else max(1, value.bit_length())
    values = [value ^ 1 << bit for bit in range(width)] + [value + 1, value - 1]
    if is_count:
        values = [v for v in values if 0 <= v < 64]
    limit = (1 << bits) - 1
    return tuple(dict.fromkeys(v & limit for v in values if (v & limit) != value))


def float_values(value):
    up = struct.unpack("<d", struct.pack("<q", struct.unpack("<q", struct.pack("<d", value))[0] + (1 << 29)))[0]
    down = struct.unpack("<d", struct.pack("<q", struct.unpack("<q", struct.pack("<d", value))[0] - (1 << 29)))[0]
    # One in the last place of a float: that of a double is often rounded away.
    return tuple(v for v in dict.fromkeys((value * 2, value / 2, up, down)) if v != value and math.isfinite(v))


class Finder:
    """Collects the sites of one translation unit. `wanted(file, name)` says whether a function or an object of the file
    scope is to be mutated; `texts` maps the files that may be mutated to their Text."""

    def __init__(self, texts, wanted):
        self.texts = texts
        self.wanted = wanted
        self.sites = {}
        self.left_out = {}  # (file, offset): reason
        self.inside = ""

    def unit(self, node):
        for child in node.get("inner", ()):
            place = child.get("loc")
            if not isinstance(place, tree.Place) or place.file not in self.texts or "inner" not in child:
                continue
            self.inside = child.get("name", "")
            if child["kind"] == "FunctionDecl" and self.wanted(place.file, self.inside):
                for part in child["inner"]:
                    if part["kind"] == "CompoundStmt":
                        self.walk(part, None)
            elif child["kind"] == "VarDecl" and self.wanted(place.file, self.inside):
                for part in child["inner"]:
                    self.walk(part, child, static=True)

    def span(self, node):
        """File, begin and end of a node that is written as a whole in one file; None otherwise."""
        begin, end = node.get("range", {}).get("begin"), node.get("range", {}).get("end")
        if not isinstance(begin, tree.Place) or not isinstance(end, tree.Place) or begin.file != end.file:
            return None
        text = self.texts.get(begin.file)
        return (begin.file, begin.offset, text.end_of(end)) if text else None

    def leave_out(self, node, reason):
        begin = node.get("range", {}).get("begin")
        if isinstance(begin, tree.Place):
            at = begin.macro or begin
            self.left_out.setdefault((at.file, at.offset, node["kind"]), reason)

    def add(self, site):
        site.inside = self.inside
        if site.edits:
            self.sites.setdefault(site.key, site)

    def walk(self, node, parent, static=False):
        kind = node.get("kind", "")
        if kind in CONSTANT:
            return
        begin = node.get("range", {}).get("begin")
        in_macro = isinstance(begin, tree.Place) and begin.macro is not None
        if kind in LITERALS:
            self.literal(node, parent, static)
        elif kind == "DeclRefExpr":
            self.enumerator(node, parent, static, in_macro)
        elif kind in ("BinaryOperator", "CompoundAssignOperator", "UnaryOperator", "ConditionalOperator", "IfStmt"):
            if static:
                self.leave_out(node, "operator of static data")
            else:
                getattr(self, {"UnaryOperator": "unary", "ConditionalOperator": "condition", "IfStmt": "condition"}
                        .get(kind, "binary"))(node, parent)
        elif kind == "CompoundStmt":
            for child in node.get("inner", ()):
                self.statement(child)
        if kind in ("IfStmt", "ForStmt", "WhileStmt", "DoStmt"):
            for child in node.get("inner", ())[1:]:
                # The body; the increment of a loop would leave it without end.
                if kind == "IfStmt" or child is node["inner"][-1]:
                    self.statement(child)
        for child in node.get("inner", ()):
            self.walk(child, node, static or (kind == "VarDecl" and node.get("storageClass") == "static"))

    def whole(self, node):
        """The span of an expression that no macro hides. Both ends in one and the same macro call: within its body."""
        begin, end = node["range"].get("begin"), node["range"].get("end")
        span = self.span(node)
        if span is None:
            self.leave_out(node, "in another file")
            return None
        if begin.macro is not None and end.macro is not None and begin.offset == end.offset:
            self.leave_out(node, "in the body or an argument of a macro")
            return None
        return span

    def binary(self, node, _parent):
        opcode = node["opcode"]
        table = ASSIGNMENT if node["kind"] == "CompoundAssignOperator" else BINARY
        if opcode not in table:
            return  # an assignment, which is a statement, or a comma
        left, right = node["inner"]
        types = [tree.type_of(side) for side in (left, right)]
        if any("*" in t or "[" in t for t in types):
            return  # arithmetic of addresses
        if any(t.split()[-1:] in (["float"], ["double"]) for t in types) and opcode.rstrip("=") not in OF_FLOATS | {""} \
                and opcode not in OF_FLOATS:
            return
        span = self.whole(node)
        if span is None:
            return
        left_span, right_span = self.span(left), self.span(right)
        text = self.texts[span[0]].text
        gap = (left_span[2], right_span[1])
        between = re.sub(r"/\*.*?\*/", lambda match: " " * len(match[0]), text[gap[0]:gap[1]], flags=re.DOTALL)
        if between.strip() != opcode or not span[1] == left_span[1] < gap[0] <= gap[1] < right_span[2] == span[2]:
            self.leave_out(node, "in the body or an argument of a macro")
            return
        at = gap[0] + between.index(opcode)
        macro, edits = table[opcode]
        self.add(Site(*span, "assignment" if table is ASSIGNMENT else "binary", macro, edits,
                      operator=(at, at + len(opcode))))

    def unary(self, node, _parent):
        if node["opcode"] not in UNARY:
            return
        span = self.whole(node)
        if span is None:
            return
        macro, edits = UNARY[node["opcode"]]
        self.add(Site(*span, "unary", macro, edits, operator=(span[1], span[1] + 1)))

    def condition(self, node, _parent):
        of = node["inner"][0]
        inner = of
        while inner["kind"] in ("ParenExpr", "ImplicitCastExpr"):
            inner = inner["inner"][0]
        # The opposite of a comparison is one of its own mutants.
        edits = ALWAYS if inner.get("opcode") in COMPARISONS | {"!"} else CONDITION
        span = self.whole(of)
        if span is not None:
            self.add(Site(*span, "condition", "MX_CONDITION", edits))

    def statement(self, node):
        if node["kind"] in EFFECTS and (node["kind"] != "UnaryOperator" or node["opcode"] in ("++", "--")) and \
                (node["kind"] != "BinaryOperator" or node["opcode"] == "="):
            span = self.whole(node)
            if span is not None:
                self.add(Site(*span, "statement", "MX_STATEMENT", ("",)))

    def is_count(self, node, parent):
        return parent is not None and parent.get("opcode") in ("<<", ">>", "<<=", ">>=") and parent["inner"][1] is node

    def literal(self, node, parent, static):
        place = node["range"]["begin"]
        spelled = place.macro or place
        if spelled.file not in self.texts:
            self.leave_out(node, "in another file")
            return
        text = self.texts[spelled.file].text[spelled.offset:spelled.offset + spelled.length]
        begin, end = spelled.offset, spelled.offset + spelled.length
        # Where a macro pastes tokens, there is no such text.
        if not re.fullmatch(r"[0-9.][0-9A-Za-z.+-]*", text):
            self.leave_out(node, "in the body or an argument of a macro")
            return
        of_static = "STATIC_" if static else ""
        if node["kind"] == "FloatingLiteral":
            number = float.fromhex(text.rstrip("fFlL")) if text.lower().startswith("0x") else float(text.rstrip("fFlL"))
            values = float_values(number)
            self.add_literal(Site(spelled.file, begin, end, "float", f"MX_{of_static}FLOAT",
                                  tuple(v.hex() for v in values), values, static=static))
            return
        bits = 64 if "long" in tree.type_of(node) else 32
        values = integer_values(int(node["value"]), bits, self.is_count(node, parent), text.lower().startswith("0x"))
        show = (lambda v: f"0x{v:X}") if text.lower().startswith("0x") else (lambda v: str(v - (v >> bits - 1 << bits)))
        self.add_literal(Site(spelled.file, begin, end, "int", f"MX_{of_static}INT", tuple(show(v) for v in values),
                              values, static=static))

    def add_literal(self, site):
        known = self.sites.get(site.key)
        if known is not None and known.static != site.static:
            # Of a macro that both static data and code use: at compile time alone.
            known.static, known.macro = True, site.macro if site.static else known.macro
        self.add(site)

    def enumerator(self, node, parent, static, in_macro):
        declared = node.get("referencedDecl", {})
        if declared.get("kind") != "EnumConstantDecl" or in_macro:
            return
        value = self.enumerators.get(declared["id"])
        span = self.whole(node)
        if value is None or span is None or static:
            return
        values = integer_values(value & 0xFFFFFFFF, 32, self.is_count(node, parent), False)
        self.add(Site(*span, "int", "MX_INT", tuple(str(v - (v >> 31 << 32)) for v in values), values))

    def know_enumerators(self, node):
        """The values of the constants of all enumerations."""
        self.enumerators = {}
        for child in node.get("inner", ()):
            if child["kind"] != "EnumDecl":
                continue
            following = 0
            for constant in child.get("inner", ()):
                if constant["kind"] != "EnumConstantDecl":
                    continue
                given = _constant_value(constant)
                following = given if given is not None else following
                self.enumerators[constant["id"]] = following
                following += 1


def _constant_value(constant):
    for part in constant.get("inner", ()):
        if part["kind"] == "ConstantExpr" or (part["kind"] == "ImplicitCastExpr" and "inner" in part):
            return int(part["value"]) if "value" in part else _constant_value(part)
    return None


def find(units, texts, wanted):
    """The sites of all translation units, numbered from 1, and what was left out: {reason: count}."""
    finder = Finder(texts, wanted)
    for unit in units:
        finder.know_enumerators(unit)
        finder.unit(unit)
    found = sorted(finder.sites.values(), key=lambda site: site.key)
    number = 1
    for site in found:
        site.first = number
        number += len(site.edits)
    reasons = {}
    known = {(site.file, site.begin) for site in found}
    for (file, offset, _kind), reason in finder.left_out.items():
        if (file, offset) not in known:
            reasons[reason] = reasons.get(reason, 0) + 1
    return found, reasons
