# SPDX-License-Identifier: Apache-2.0
"""Each instruction that is translated, in a small function (instructions.c): the arrays, the solver and the C compiler must agree on it."""
import collections
import pathlib
import re

import numpy

import claims
import sources
from array_terms import ArrayTerms
from translate import Translation

FILE = pathlib.Path(__file__).with_name("instructions.c")
SOLVED = 60  # inputs for which the solver is asked, of those that are evaluated
EVALUATED = 1 << 16
# What the functions must contain after Clang has optimised them, or nothing was tested.
NEEDED = set("add sub mul and or xor shl lshr ashr zext sext trunc bitcast icmp select phi br switch fadd fsub fmul fdiv fneg fcmp fptosi "
             "fptoui sitofp uitofp fpext fptrunc smin smax umin umax ctlz fabs".split())


def inputs():
    """Seeded ones, and halves that are special as integers or as the upper half of a float."""
    special = numpy.array([0, 1, 2, 0x7F, 0x80, 0x3F80, 0xBF80, 0x4F00, 0xCF00, 0x4F80, 0x7F7F, 0x7F80, 0x7FC0, 0x7FFF, 0x8000, 0xFF80, 0xFFFF],
                          numpy.uint64)
    pairs = (special[:, None] << numpy.uint64(16) | special[None, :]).ravel()
    random = numpy.random.default_rng(1).integers(0, 1 << 32, EVALUATED - pairs.size, numpy.uint64)
    return pairs, numpy.concatenate([pairs, random])


def entries():
    names = re.findall(r"^EACH\((\w+),|^uint32_t (a_\w+)\(", FILE.read_text(encoding="utf-8"), re.MULTILINE)
    return [sources.Entry("own", "fp32-fp32-nearest_even-nosat", str(FILE), name, f"one_{name}",
                          f"uint32_t one_{name}(uint32_t x) {{ return {name}(x); }}\n", 32, 32)
            for name in (first or second for first, second in names)]


def words_of(function):
    """The instructions and intrinsic functions in it."""
    for block in function.blocks:
        for instruction in block.instructions:
            yield instruction.opcode
            yield from re.findall(r"@llvm\.(\w+)\.", str(instruction))


def check(functions_of, work, seconds):
    """The functions on which they do not agree, and what was not tested, as lines."""
    chosen = entries()
    functions = functions_of(sources.ROOT, work, chosen)
    found, problems = collections.Counter(), []
    pairs, every = inputs()
    asked = numpy.concatenate([pairs[::11], every[-SOLVED + len(pairs[::11]):]])
    for entry in chosen:
        function, compiled = functions.of(entry, chosen)
        found.update(words_of(function))
        codes = compiled.codes(entry, every)
        with numpy.errstate(all="ignore"):
            translation = Translation(function, ArrayTerms(every.size), [every])
        different = claims.translation_differs(translation, every, codes)
        if different or (translation.result.poison | translation.undefined).any():
            problems.append(f"{entry.function}: {different or 'poison'}")
        question = claims.Question(function, entry, 32, claims.Rows(0, (1 << 32) - 1))
        for value, code in zip(asked.tolist(), compiled.codes(entry, asked).tolist()):
            if not question.gives(value, code, False, seconds):
                problems.append(f"{entry.function}: the term of the solver does not give 0x{code:X} for 0x{value:X}")
                break
        print(f"{entry.function:24}{'differs' if problems and problems[-1].startswith(entry.function + ':') else 'agrees'}", flush=True)
    problems += [f"{name}: in no function" for name in sorted(NEEDED - set(found))]
    return problems, len(chosen), int(every.size), int(asked.size)
