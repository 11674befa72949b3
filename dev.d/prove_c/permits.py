# SPDX-License-Identifier: Apache-2.0
"""The permit table of a conversion, as `mxcert vectors export` writes it, as rows, as a lookup of arrays and as a term of the solver."""
import bisect
import csv
import dataclasses
import hashlib
import io
import subprocess

import numpy

# The NaN codes of a target: the first of magnitude, the last, and whether a sign stands above them.
NANS = {
    "fp64": (0x7FF0000000000001, 0x7FFFFFFFFFFFFFFF, 63), "fp32": (0x7F800001, 0x7FFFFFFF, 31), "fp16": (0x7C01, 0x7FFF, 15),
    "bf16": (0x7F81, 0x7FFF, 15), "e4m3": (0x7F, 0x7F, 7), "e5m2": (0x7D, 0x7F, 7), "e8m0": (0xFF, 0xFF, None),
    "ue4m3": (0x7F, 0x7F, None), "ue5m3": (0xFF, 0xFF, None),
}


class PermitError(Exception):
    """There is no table, or none that is understood; the message says why."""


@dataclasses.dataclass(frozen=True)
class Step:
    first: int
    codes: tuple  # numbers, and "nan"


@dataclasses.dataclass(frozen=True)
class Permits:
    """steps[k] is about the inputs from its first one to that of the next."""
    bits: int
    nan: tuple  # an entry of NANS, or None
    steps: tuple
    digest: str

    def step_of(self, code):
        return self.steps[bisect.bisect_right(self.steps, code, key=lambda step: step.first) - 1]

    def right(self, value, code):
        """Whether a code is permitted for an input."""
        return any(self.is_nan(code) if right == "nan" else right == code for right in self.step_of(value).codes)

    def is_nan(self, code):
        first, last, sign = self.nan
        return first <= (code & ~(1 << sign) if sign is not None else code) <= last

    def right_each(self, inputs, codes):
        """The same of arrays."""
        place = numpy.searchsorted(numpy.array([step.first for step in self.steps], numpy.uint64), inputs, side="right") - 1
        right = numpy.zeros(inputs.size, bool)
        for k in range(max(len(step.codes) for step in self.steps)):
            kth = [step.codes[k] if k < len(step.codes) else None for step in self.steps]
            known = numpy.array([code not in (None, "nan") for code in kth])[place]
            number = numpy.array([code if code not in (None, "nan") else 0 for code in kth], numpy.uint64)[place]
            right |= known & (codes == number)
            if "nan" in kth:
                right |= numpy.array([code == "nan" for code in kth])[place] & self.is_nan_each(codes)
        return right

    def is_nan_each(self, codes):
        first, last, sign = self.nan
        magnitude = codes & numpy.uint64(((1 << 64) - 1) ^ (1 << sign)) if sign is not None else codes
        return (magnitude >= numpy.uint64(first)) & (magnitude <= numpy.uint64(last))

    def part(self, first, last):
        """The steps of the inputs from `first` to `last`, as pairs of a first input and codes."""
        begin = bisect.bisect_right(self.steps, first, key=lambda step: step.first) - 1
        end = bisect.bisect_right(self.steps, last, key=lambda step: step.first)
        return [(max(step.first, first), step.codes) for step in self.steps[begin:end]]

    def with_moved_row(self, place, earlier):
        """A wrong table: the step `place` begins one input earlier, or later."""
        steps = list(self.steps)
        steps[place] = Step(steps[place].first + (-1 if earlier else 1), steps[place].codes)
        return dataclasses.replace(self, steps=tuple(steps))


def read(text, target):
    rows, wanted, steps = list(csv.DictReader(io.StringIO(text))), 0, []
    if not rows:
        raise PermitError("the exported table has no rows")
    for row in rows:
        first, last = int(row["first"], 16), int(row["last"], 16)
        codes = tuple("nan" if code == "nan" else int(code, 16) for code in row["permit"].split("|"))
        if first != wanted or last < first:
            raise PermitError(f"the exported table has no row for the input 0x{wanted:X}")
        wanted = last + 1
        if not steps or steps[-1].codes != codes:
            steps.append(Step(first, codes))
    bits = wanted.bit_length() - 1
    if wanted != 1 << bits:
        raise PermitError(f"the exported table ends at 0x{wanted - 1:X}")
    nan = NANS.get("e8m0" if target.startswith("e8m0") else target)
    if nan is None and any("nan" in step.codes for step in steps):
        raise PermitError(f"{target} has no NaN")
    return Permits(bits, nan, tuple(steps), hashlib.sha256(text.encode()).hexdigest())


def export(mxcert, conversion):
    """The permit table of the profile that judges a conversion by default."""
    done = subprocess.run([mxcert, "vectors", "export", "--format", "csv", "--conversion", conversion], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise PermitError(done.stderr.strip())
    return read(done.stdout, conversion.split("-")[1])


def wrong_term(algebra, permits, rows, variable, width, code, code_bits):
    """The bit that is 1 where `code` is not permitted for the input `variable`: comparisons that halve the rows."""
    def is_right(codes):
        right = algebra.constant(0, 1)
        for permitted in codes:
            hit = nan_term(algebra, permits.nan, code, code_bits) if permitted == "nan" else \
                algebra.compare("eq", code, algebra.constant(permitted, code_bits), code_bits)
            right = algebra.binary("or", right, hit, 1)
        return right

    made = {}

    def among(begin, end):
        if end - begin == 1:
            codes = rows[begin][1]
            if codes not in made:
                made[codes] = is_right(codes)
            return made[codes]
        middle = (begin + end) // 2
        below = algebra.compare("ult", variable, algebra.constant(rows[middle][0], width), width)
        return algebra.choose(below, among(begin, middle), among(middle, end))

    return algebra.binary("xor", among(0, len(rows)), algebra.constant(1, 1), 1)


def nan_term(algebra, nan, code, code_bits):
    first, last, sign = nan
    magnitude = code
    if sign is not None:
        magnitude = algebra.binary("and", code, algebra.constant((1 << code_bits) - 1 ^ 1 << sign, code_bits), code_bits)
    above = algebra.compare("uge", magnitude, algebra.constant(first, code_bits), code_bits)
    return algebra.binary("and", above, algebra.compare("ule", magnitude, algebra.constant(last, code_bits), code_bits), 1)
