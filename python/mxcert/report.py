# SPDX-License-Identifier: Apache-2.0
"""What came of a run: rows, and of each that did not pass the causes, each with its smallest input as code to paste."""
from __future__ import annotations

import dataclasses
import html
import itertools
import re
from typing import Any

import numpy

from mxcert._child_arrays import ML_DTYPES, NUMPY, TORCH, base_format, width_of
from mxcert._parameters import in_python

STYLES = {"PASS": "#1a7f37", "FAIL": "#cf222e"}


def list_code(codes, width):
    """Codes as an expression: many equal ones that follow each other are written once."""
    parts, few = [], []
    for code, run in itertools.groupby(codes):
        text, count = f"0x{code:0{2 * width}X}", len(list(run))
        if count <= 3:
            few += [text] * count
            continue
        if few:
            parts.append(f"[{', '.join(few)}]")
        parts.append(f"[{text}] * {count}")
        few = []
    if few or not parts:
        parts.append(f"[{', '.join(few)}]")
    return " + ".join(parts)


def array_code(codes, name, arrays, shape=None):
    """An expression for these codes of a format, as the function under test gets them."""
    base, width = base_format(name), width_of(name)
    code = f"np.array({list_code(codes, width)}, np.uint{8 * width})"
    if arrays == "torch":
        if width > 1:
            code += f".view(np.int{8 * width})"
        code = f"torch.from_numpy({code}).view(torch.{TORCH[base]})"
    elif base in NUMPY:
        code += f".view(np.{NUMPY[base]})"
    elif arrays == "numpy" and base in ML_DTYPES:
        code += f".view(ml_dtypes.{ML_DTYPES[base]})"
    return code + (f".reshape({', '.join(map(str, shape))})" if shape is not None and len(shape) > 1 else "")


def value_of(code, name):
    """The value of a code in words; "" where numpy has no type for the format."""
    base, width = base_format(name), width_of(name)
    if base not in NUMPY:
        return ""
    return str(numpy.array([code], f"u{width}").view(NUMPY[base])[0])


def permitted(text):
    """The permitted codes of a report, "7E|7F" or "nan", as people read them."""
    return " ".join(part if part == "nan" else f"0x{part}" for part in text.split("|"))


def magnitude(code, name):
    """A code without its sign."""
    return code & ((1 << (8 * width_of(name) - 1)) - 1)


@dataclasses.dataclass(frozen=True)
class Finding:
    """A cause of wrong answers.

    name      a class of `mxcert bugs`; or EXCEPTION, CRASH, TIMEOUT, WRONG_SHAPE, WRONG_DTYPE, OFF_GRID of the function; "" if the cause
              is not known
    text      what it is, in a line or more
    code      lines of Python that show it with the smallest input, to paste; "" if there are none
    inputs    how many wrong inputs it explains; 0 if they were not counted
    """
    name: str
    text: str
    code: str = ""
    inputs: int = 0

    def __str__(self):
        lines = [f"cause: {self.name}" if self.name else "cause: not known", *self.text.splitlines(), *self.code.splitlines()]
        return "\n  ".join(filter(None, lines))


@dataclasses.dataclass(frozen=True)
class Row:
    """A conversion, or a part of an operation, judged by a profile.

    id          its name: "fp32-e4m3-nearest_even-sat", "quantize-.../scale"
    status      PASS, FAIL, MISTRUSTED, UNTESTED, UNSUPPORTED, ERROR or INCOMPLETE (docs/certify.md)
    compared    inputs that were compared
    differing   those with a wrong answer; of cases, how many findings there were
    complete    every input was compared; None where nobody can count them
    """
    id: str
    profile: str
    status: str
    compared: int
    differing: int
    complete: bool | None
    reason: str
    findings: tuple[Finding, ...]

    @property
    def part(self) -> str:
        """The part of an operation: "scale", "elements", "blocks"; of a conversion its name."""
        return self.id.rpartition("/")[2]

    @property
    def passed(self) -> bool:
        return self.status == "PASS"

    def __str__(self):
        head = f"{self.status} {self.id}, profile {self.profile}: "
        if self.passed:
            return head + f"{self.compared:,} inputs" + ("" if self.complete is not False else ", a sample")
        if self.differing:
            _, also, more = self.reason.partition("; also ")
            head += f"{self.differing:,} of {self.compared:,} answers are wrong{also}{more}"
        else:
            head += "the function failed" if self.findings else self.reason or "nothing was compared"
        return "\n".join([head, *("  " + str(finding).replace("\n", "\n  ") for finding in self.findings)])


class Report:
    """The result of a certify function.

    json        the report of the program (docs/reports.md)
    passed      every row passed, and there is one
    complete    every input that can be counted was compared
    rows, findings   tuples of Row and of Finding
    names       of the findings, each once
    """

    def __init__(self, content: dict[str, Any], job: dict[str, Any], failures: tuple | list = (), crash: str = "") -> None:
        self.json = content
        self.job = job
        self.rows: tuple[Row, ...] = tuple(_row(row, job, failures, crash) for row in content["rows"])
        self.findings: tuple[Finding, ...] = tuple(finding for row in self.rows for finding in row.findings)
        self.names: tuple[str, ...] = tuple(dict.fromkeys(finding.name for finding in self.findings if finding.name))
        self.passed: bool = bool(self.rows) and all(row.passed for row in self.rows)
        self.complete: bool = bool(self.rows) and not content["interrupted"] and all(row.complete is not False for row in self.rows)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self):
        return f"<mxcert.Report {self.job['name']}: {self.verdict}>"

    @property
    def verdict(self) -> str:
        """"PASS", or the statuses of the rows that did not pass; "NOTHING CHECKED" without a row."""
        wrong = dict.fromkeys(row.status for row in self.rows if not row.passed)
        return ", ".join(wrong) or ("PASS" if self.rows else "NOTHING CHECKED")

    def assert_passed(self) -> None:
        """Throws AssertionError with the causes unless everything passed."""
        if not self.passed:
            raise AssertionError(str(self))

    def __str__(self):
        lines = [str(row) for row in self.rows]
        lines.append(f"{self.verdict}: {self.job['name']} at level {self.json['level']}, {self.json['seconds']:.1f} s")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = []
        for row in self.rows:
            color = STYLES.get(row.status, "#9a6700")
            causes = "".join(f"<pre>{html.escape(str(finding))}</pre>" for finding in row.findings)
            parts.append(f'<tr><td style="color:{color}"><b>{row.status}</b></td><td style="text-align:left">{html.escape(row.id)}'
                         f"</td><td>{html.escape(row.profile)}</td><td>{row.compared:,}</td><td>{row.differing:,}</td></tr>")
            if causes or not row.passed:
                parts.append(f'<tr><td></td><td colspan="4" style="text-align:left">{html.escape("" if causes else row.reason)}{causes}'
                             "</td></tr>")
        heads = "".join(f"<th>{name}</th>" for name in ("", "row", "profile", "compared", "wrong"))
        return (f"<table><caption>{html.escape(self.job['name'])}: {self.verdict}</caption><tr>{heads}</tr>{''.join(parts)}</table>")


def _row(content, job, failures, crash):
    content = {**content, "reason": in_python(content["reason"])}
    total = content["total"]
    complete = None if content["open"] else not content["sample"] and str(content["compared"]) == total
    findings = () if content["status"] == "PASS" else tuple(_findings(content, job, failures, crash))
    return Row(content["id"], content["profile"], content["status"], content["compared"], content["differing"], complete,
               content["reason"], findings)


def _findings(content, job, failures, crash):
    """What a row that did not pass has found, the causes with a name first."""
    found = [*_bugs(content, job), *_culprits(content, job, crash)]
    if failures and (job["conversion"] or content["status"] == "ERROR"):
        found.append(_failure(failures[0], job))
    elif content["status"] == "ERROR" and not found:
        found += _end(content, crash)
    cases = _cases(content, job)
    if cases is not None:
        found.append(cases)
    if not found and content["status"] not in ("UNTESTED", "UNSUPPORTED", "INCOMPLETE"):
        found.append(Finding("", "\n".join(filter(None, [content["reason"], content["detail"]]))))
    return found


def _formats(content, job):
    """The formats of the input and of the answer of a row that is a table: those of the conversion, or of the part of an operation."""
    if job["conversion"]:
        return job["conversion"]["source"], job["conversion"]["target"]
    attributes = job["operation"]["attributes"]
    part = content["id"].rpartition("/")[2]
    if part == "scale":
        return f"amax_{attributes['source']}", attributes["scale"]
    return None, attributes.get("element")


def _bugs(content, job):
    """The bugs that explain the wrong answers of a table, and the rest."""
    diagnosis = content.get("diagnosis")
    if not diagnosis:
        return
    differing = diagnosis["explained"] + diagnosis["unexplained"]
    differences = [{**row, "first": int(row["first"], 16), "last": int(row["last"], 16)} for row in content["differences"]]
    for bug in diagnosis["bugs"]:
        yield Finding(bug["class"], f"{bug['how']} explains {bug['inputs']:,} of {differing:,} wrong answers",
                      _table_code(int(bug["smallest"], 16), differences, content, job), bug["inputs"])
    if diagnosis["unexplained"]:
        source = _formats(content, job)[0]
        smallest = min((row["first"] for row in differences), key=lambda code: (magnitude(code, source) if source else code, code))
        yield Finding("", f"no known bug explains {diagnosis['unexplained']:,} of {differing:,} wrong answers",
                      _table_code(smallest, differences, content, job), diagnosis["unexplained"])


def _table_code(code, differences, content, job):
    """One wrong answer of a table as Python."""
    source, _ = _formats(content, job)
    known = next((row for row in differences if row["first"] <= code <= row["last"]), None)
    answer = "" if known is None else f"0x{known['got']}, permitted: {permitted(known['expected'])} ({known['clause']})"
    if job["conversion"] and "_by_" not in source and "_times_" not in source:
        value = value_of(code, source)
        return (f"x = {array_code([code], source, job['arrays'])}" + (f"  # {value}" if value else "") +
                f"\n{job['name'].rpartition('.')[2]}(x)" + (f"  # {answer}" if answer else ""))
    if job["operation"] and source:  # a block with this amax
        attributes = job["operation"]["attributes"]
        block = [0] * int(attributes["block"])
        block[0] = code
        shape = (1, len(block)) if attributes["axis"] == "row" else (len(block), 1)
        return (f"x = {array_code(block, attributes['source'], job['arrays'], shape)}  # amax {value_of(code, source) or hex(code)}"
                f"\n{job['name'].rpartition('.')[2]}(x)" + (f"  # scale {answer}" if answer else ""))
    if job["operation"] and "source" in job["operation"]["attributes"]:
        width = width_of(job["operation"]["attributes"]["source"])
        where = f"0x{code & ((1 << 8 * width) - 1):0{2 * width}X} under the scale 0x{code >> 8 * width:02X}"
    else:
        where = f"input 0x{code:X}"
    return f"# {where}" + (f" gives {answer}" if answer else "")


def _culprits(content, job, crash):
    """Inputs that end or hang the worker. crash: the stack of one that crashed."""
    detail = crash or content["detail"]
    for culprit in content["culprits"]:
        name = "TIMEOUT" if culprit["how"].startswith("timeout") else "CRASH"
        first = int(culprit["first"], 16)
        source, _ = _formats(content, job)
        text = culprit["how"]
        code = ""
        if culprit["inputs"] == 1 and source:
            code = f"x = {array_code([first], source, job['arrays'])}\n{job['name'].rpartition('.')[2]}(x)"
        else:
            text += f", within {culprit['inputs']:,} inputs from 0x{culprit['first']} to 0x{culprit['last']}"
        yield Finding(name, "\n".join(filter(None, [text, detail if name == "CRASH" else ""])), code, culprit["inputs"])


def _end(content, crash):
    """The end of a worker of which no input is known."""
    ended = re.search(r"signal \d+|timeout|exit \d+", content["reason"])
    if ended:
        name = "TIMEOUT" if ended[0] == "timeout" else "CRASH"
        detail = crash or content["detail"]
        yield Finding(name, "\n".join(filter(None, [content["reason"], detail if name == "CRASH" else ""])))


def _failure(failure, job):
    """What the function raised, or what it returned that is no answer."""
    code = ""
    if failure["codes"] is not None and failure["source"]:
        code = f"x = {array_code(failure['codes'], failure['source'], job['arrays'], failure['shape'])}"
        code += f"\n{job['name'].rpartition('.')[2]}(x)"
    elif failure["shape"]:
        code = f"# within {failure['count']:,} inputs of shape {tuple(failure['shape'])}"
    text = failure["traceback"].rstrip() or failure["message"]
    return Finding(failure["name"], "\n".join(filter(None, [text, failure["hint"]])), code)


def _cases(content, job):
    """What the cases of an operation found."""
    names = content.get("known_as", [])
    if not names and not content.get("findings"):
        return None
    text = "; ".join(f"{known['class']}: {known['how']}" for known in names[1:])
    how = names[0]["how"] if names else ""
    first = content["findings"][0] if content.get("findings") else ""
    smallest = content.get("smallest")
    code = ""
    if smallest:
        code = _case_code(smallest, job)
        first = smallest["finding"] or first
    return Finding(names[0]["class"] if names else "", "\n".join(filter(None, [how, text and f"or {text}", first])), code,
                   content["differing"])


def _case_code(smallest, job):
    """The smallest failing case of a quantizer or dequantizer as Python: "1x33=0x00000000*32,0x3F800000"."""
    if job["operation"]["name"] not in ("quantize", "dequantize"):
        return "\n".join(f"# {line}" for line in smallest["c"].splitlines())
    attributes = job["operation"]["attributes"]
    sizes, _, inputs = smallest["case"].partition("=")
    rows, columns = map(int, sizes.split("x")[:2])
    block = int(attributes["block"])
    scales = (rows, -(-columns // block)) if attributes["axis"] == "row" else (-(-rows // block), columns)
    named = [("x", attributes["source"], (rows, columns))] if job["operation"]["name"] == "quantize" else [
        ("elements", attributes["element"], (rows, columns)), ("scales", attributes["scale"], scales)]
    lines = []
    for (name, format_name, shape), text in zip(named, inputs.split("/")):
        codes = []
        for part in text.split(","):
            code, _, count = part.partition("*")
            codes += [int(code, 16)] * int(count or 1)
        lines.append(f"{name} = {array_code(codes, format_name, job['arrays'], shape)}")
    return "\n".join([*lines, f"{job['name'].rpartition('.')[2]}({', '.join(name for name, *_ in named)})"])
