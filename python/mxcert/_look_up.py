# SPDX-License-Identifier: Apache-2.0
"""Explanations of single values, tables of whole conversions, and bugs."""
from __future__ import annotations

import json
import numbers
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from ._library import call_for_text, optional_text, options


class Explanation(Dict[str, Any]):
    """The items of `mxcert explain --json -`; ``str()`` of it is the text that `mxcert explain` prints."""

    def __init__(self, items: Mapping[str, Any], text: str) -> None:
        super().__init__(items)
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def _number(value: Any) -> str:
    """A number as text with the same value: one of numpy in the digits of the double that it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise ValueError(f"{value!r} is no number; write a code as text, '0x7E'")
    return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))


def explain(value: Any, to: str = "e4m3", *, source: str = "fp32", rounding: Optional[str] = None,
            overflow: Optional[str] = None, choices: Optional[Mapping[str, str]] = None, scale: Any = None,
            rule: Optional[str] = None, random: Optional[str] = None) -> Explanation:
    """How one input becomes a code, or the values of a block its scale and elements, and by which clauses.

    value: a number, or text: "464.0001", "0x1.8p3", "-inf", "nan", a bit pattern "0x43E80003". A list or array of one axis
        is a block.
    to, source: the formats; rounding, overflow, choices: as of `convert`; of a block also `rule`.
    scale: a given E8M0 scale: the value is divided by it, or multiplied by it if the target is wider.
    random: for a stochastic rounding R and the number of bits, "200/8".

    Raises ValueError: an unknown name, text that is no number of the source.

    >>> mxcert.explain(464.0001, "e4m3")["result"]["code"]
    '0x7E'
    """
    is_block = hasattr(value, "__len__") and not isinstance(value, str)
    values = [_number(item) for item in getattr(value, "tolist", lambda: value)()] if is_block else [_number(value)]
    for text in values:
        if len(text.split()) != 1:
            raise ValueError(f"{text!r} is no number")
    given = dict(to=to, rounding=rounding, overflow=overflow, choice=choices, rule=rule, random=random,
                 scale=None if scale is None else _number(scale), block="yes" if is_block else None)
    inputs = " ".join(values).encode()
    items, people = (call_for_text("explain", inputs, options(**{"from": source, "form": form}, **given))
                     for form in ("json", "text"))
    return Explanation(json.loads(items), people)


@dataclass(frozen=True, eq=False)
class StepTable:
    """The codes that a profile permits on every input of a conversion.

    Row i: inputs first[i] to last[i] may give any of codes[i].
    """

    conversion: str  #: "fp32-e4m3-nearest_even-sat"
    profile: str
    source: str  #: format of the inputs
    target: str  #: format of the codes
    vectors: str  #: the golden file that the rows are from, or "tabulated"
    sha256: str  #: of that file
    first: np.ndarray  #: uint64, bit patterns of the source, ascending; the rows leave no input out
    last: np.ndarray  #: uint64
    codes: List[Tuple[int, ...]]
    any_nan: np.ndarray  #: bool: every NaN of the target is permitted as well
    clauses: List[str]  #: that decide each row

    def __len__(self) -> int:
        return len(self.codes)


def step_table(conversion: str, *, profile: Optional[str] = None, rounding: str = "nearest_even",
               overflow: str = "sat") -> StepTable:
    """The table of a conversion, from the golden vectors.

    conversion: "fp32-e4m3-toward_zero-nosat", or two formats, "fp32-e4m3", with `rounding` and `overflow`; of an amax to a
        scale, "amax_fp32-e8m0_for_e4m3", the rule takes the place of the rounding.
    profile: what permits, one of `mxcert profiles`; without it ocp-sat or ocp-nosat, as the conversion says.

    Raises ValueError: an unknown name, a stochastic rounding, a conversion that the profile does not judge.

    >>> table = mxcert.step_table("fp32-e4m3")
    >>> hex(table.first[2]), table.codes[2], table.clauses[2]
    ('0x3a800001', (1,), 'OFP8-ROUND')
    """
    if conversion.count("-") == 1:
        conversion = f"{conversion}-{rounding}-{overflow}"
    table = json.loads(call_for_text("step_table", conversion.encode(), optional_text(profile)))
    rows = table["rows"]

    def codes_of(column: str) -> np.ndarray:
        return np.array([int(row[column], 16) for row in rows], np.uint64)

    return StepTable(table["conversion"], table["profile"], table["from"], table["to"], table["vectors"], table["sha256"],
                     codes_of("first"), codes_of("last"), [tuple(int(code, 16) for code in row["codes"]) for row in rows],
                     np.array([row["any_nan"] for row in rows], bool), [row["clause"] for row in rows])


class Bug(NamedTuple):
    """A class of bugs that verdicts name."""

    id: str  #: "TIES_AWAY"
    says: str  #: what an implementation with it does
    cause: str  #: why, usually
    reports: str  #: where it was reported
    faults: List[str]  #: that are planted to show that it is found


def bugs() -> List[Bug]:
    """The classes of bugs that verdicts name, as `mxcert bugs` lists them.

    >>> [bug.cause for bug in mxcert.bugs() if bug.id == "TIES_AWAY"]
    ['half a unit is added and the rest is cut']
    """
    return [Bug(**bug) for bug in json.loads(call_for_text("bugs"))]
