# SPDX-License-Identifier: Apache-2.0
"""Reads a golden file and writes it as a Coq term. Trusted: a theorem is about the term, so an error here could make it one about
another table. It therefore translates row by row: expanding, selecting and sorting rows is part of the definitions in Coq."""

import hashlib
import json

HEADER = ["when", "first", "last", "permit", "clause"]
HEADER_OF_SCALED = HEADER + ["times", "first_by", "last_by", "permit_by"]
# A choice: the constructor of its term, and those of its values.
CHOICES = {
    "rounding": ("TRounding", {"nearest_even": "NearestEven", "nearest_away": "NearestAway", "nearest_zero": "NearestZero",
                               "toward_zero": "TowardZero", "up": "Up", "down": "Down", "away_from_zero": "AwayFromZero",
                               "to_odd": "ToOdd", "nearest_log2": "NearestLog2"}),
    "overflow": ("TOverflow", {"sat": "Sat", "nosat": "Nosat"}),
    "directed_overflow": ("TDirectedOverflow", {"special": "DirectedSpecial", "max": "DirectedMax"}),
    "nan": ("TNan", {"canonical": "NanCanonical", "sign": "NanSign", "quiet": "NanQuiet", "quiet_sign": "NanQuietSign",
                     "payload_sign": "NanPayloadSign", "max": "NanMax", "max_sign": "NanMaxSign", "zero": "NanZero",
                     "zero_inverted": "NanZeroInverted", "any": "NanAny"}),
    "overflow_nan": ("TOverflowNan", {"sign": "OverflowNanSign", "canonical": "OverflowNanCanonical", "any": "OverflowNanAny"}),
    "zero_sign": ("TZeroSign", {"kept": "ZeroKept", "dropped": "ZeroDropped"}),
    "negative": ("TNegative", {"magnitude": "NegativeMagnitude", "zero": "NegativeZero", "nan": "NegativeNan"}),
    "zero": ("TZero", {"smallest": "ZeroSmallest", "nan": "ZeroNan", "one": "ZeroOne", "lowered": "ZeroLowered"}),
    "lowest_binade": ("TLowestBinade", {"by_value": "ByValue", "up_above_smallest": "UpAboveSmallest", "up_nonzero": "UpNonzero",
                                        "zero_below": "ZeroBelow"}),
    "lowest": ("TLowest", {"unused": "LowestUnused", "used": "LowestUsed"}),
    "rule": ("TRule", {"ocp_floor": "OcpFloor", "ceil": "Ceil", "rceil": "Rceil", "rfloor": "Rfloor", "even": "Even",
                       "even_fbgemm": "EvenFbgemm", "tosa": "Tosa", "neuron": "Neuron", "log_nearest": "LogNearest",
                       "log_nearest2": "LogNearest2", "arith_nearest": "ArithNearest", "p3109": "P3109"}),
    "arithmetic": ("TArithmetic", {"exact": "Exact", "fp32_multiply": "Fp32Multiply", "fp32_divide": "Fp32Divide",
                                   "bf16_divide": "Bf16Divide"}),
    "least_amax": ("TLeastAmax", {"none": "NoLeastAmax", "fp32_1e_30": "Fp32Least"}),
    "tininess": ("TTininess", {"after_rounding": "AfterRounding", "before_rounding": "BeforeRounding"}),
    "invalid_nan": ("TInvalidNan", {"signalling": "Signalling", "signalling_e4m3": "SignallingE4m3", "never": "NeverInvalid"}),
    "inf_flags": ("TInfFlags", {"none": "InfNone", "overflow": "InfOverflow"}),
}
MOST_TIMES = 1 << 20  # of one row: more would only fill the memory
FORMATS = {"fp64", "fp32", "fp16", "bf16", "e4m3", "e5m2", "e8m0", "e3m2", "e2m3", "e2m1", "int8", "ue4m3", "ue5m3"}
SCALES = {"e8m0", "nscale", "nscale5", "lscale4", "lscale6"}
AMAXES = {"amax_fp32", "amax_fp16", "amax_bf16"}
ELEMENTS = {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "int8"}
OF_ELEMENT, OF_FLAGS = "e8m0_for_", "flags_of_"


class Unproven(Exception):
    """The definitions in Coq do not have this table: its text says why."""


class Malformed(Exception):
    """A golden file or manifest that is not as docs/vectors.md says."""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def load_manifest(folder):
    """The manifest, with the members that are read here and of their types."""
    place = folder / "manifest.json"
    try:
        manifest = json.loads(place.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Malformed(f"{place}: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("schema") != 2:
        raise Malformed(f"{place}: this reads schema 2")
    members = {"file": str, "from": str, "to": str, "bits": int, "rows": int, "sha256": str, "choices": list}
    files = manifest.get("files")
    if not isinstance(files, list) or not files:
        raise Malformed(f"{place}: it lists no file")
    for entry in files:
        if not isinstance(entry, dict) or any(not isinstance(entry.get(name), kind) for name, kind in members.items()):
            raise Malformed(f"{place}: an entry without {', '.join(members)}")
        if not entry["file"].endswith(".csv") or "/" in entry["file"]:
            raise Malformed(f"{place}: '{entry['file']}' is no name of a golden file")
        for choice in entry["choices"]:
            if not isinstance(choice, dict) or not isinstance(choice.get("name"), str) or not isinstance(choice.get("values"), list):
                raise Malformed(f"{place}: {entry['file']} has a choice without name and values")
    if len({entry["file"] for entry in files}) != len(files):
        raise Malformed(f"{place}: it lists a file twice")
    return manifest


def term(choice, value):
    if choice not in CHOICES:
        raise Unproven(f"choice {choice} is not defined in Coq")
    constructor, values = CHOICES[choice]
    if value not in values:
        raise Unproven(f"{choice}={value} is not defined in Coq")
    return f"{constructor} {values[value]}"


def source(name):
    if name.startswith("relu_") and name.removeprefix("relu_") in FORMATS:
        return f"Rectified {name.removeprefix('relu_')}"
    for mark, constructor in (("_by_", "Divided"), ("_times_", "Multiplied")):
        value, _, scale = name.partition(mark)
        if value in FORMATS and scale in SCALES:
            return f"{constructor} {scale} {value}"
    if name in FORMATS:
        return f"Plain {name}"
    raise Unproven(f"source {name} is not defined in Coq")


def target(name):
    if name not in FORMATS:
        raise Unproven(f"target {name} is not defined in Coq")
    return name


def kind(entry):
    """What a file has: "table", of a conversion; "scale_table", of scales of blocks for their amaxes; "flags_table"."""
    if entry["to"].startswith(OF_ELEMENT):
        return "scale_table"
    return "flags_table" if entry["to"].startswith(OF_FLAGS) else "table"


def is_scaled(entry):
    """Whether an input carries an E8M0 scale: the file stands for up to 600,000 rows."""
    return entry["from"].endswith("_e8m0")


# For each kind what checks it, the theorem on that, and what says where it is wrong.
CHECKERS = {"table": ("check", "check_sound", "findings"),
            "scale_table": ("check_scales", "check_scales_sound", "scale_findings"),
            "flags_table": ("check_flags", "check_flags_sound", "flags_findings")}


def head(entry):
    """The constructor of the file's table in Coq with its formats."""
    if kind(entry) == "scale_table":
        element = entry["to"].removeprefix(OF_ELEMENT)
        if element not in ELEMENTS or entry["from"] not in AMAXES:
            raise Unproven(f"scales of {element} for {entry['from']} are not defined in Coq")
        return f"ScaleTable {element} {entry['from']}"
    if kind(entry) == "flags_table":
        to = target(entry["to"].removeprefix(OF_FLAGS))
        if entry["from"] not in FORMATS:
            raise Unproven(f"flags of {entry['from']} are not defined in Coq")
        return f"FlagsTable {entry['from']} {to}"
    return f"Table ({source(entry['from'])}) {target(entry['to'])}"


def number(text, place, signed=False):
    digits = text.removeprefix("-") if signed else text
    if not digits or any(c not in "0123456789ABCDEF" for c in digits):
        raise Malformed(f"{place}: '{text}' is no upper-case hexadecimal number")
    return int(text, 16)


def in_coq(value):
    return f"({value})" if value < 0 else str(value)


def conditions(text, values, place):
    """The terms of `when`: each choice once, and a value that the manifest lists, so that no row is without a selection."""
    terms, seen = [], set()
    for part in text.split(" ") if text else []:
        choice, equals, value = part.partition("=")
        if not equals or choice in seen:
            raise Malformed(f"{place}: '{text}' is no list of different choices")
        if value not in values.get(choice, ()):
            raise Malformed(f"{place}: the manifest does not list {choice}={value}")
        seen.add(choice)
        terms.append(term(choice, value))
    return "[" + "; ".join(terms) + "]"


def permit(text, place):
    return "PNan" if text == "nan" else f"PCode {number(text, place)}"


def entries(data, entry):
    """The rows of a golden file as terms of type entry."""
    name = entry["file"]
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise Malformed(f"{name}: a character that is not ASCII") from None
    if not text.endswith("\n") or "\r" in text:
        raise Malformed(f"{name}: lines do not end with LF")
    lines = [line.split(",") for line in text[:-1].split("\n")]
    header = lines[0]
    if header not in (HEADER, HEADER_OF_SCALED):
        raise Malformed(f"{name}:1: an unknown header")
    values = {choice["name"]: choice["values"] for choice in entry["choices"]}
    for line, fields in enumerate(lines[1:], 2):
        place = f"{name}:{line}"
        if len(fields) != len(header):
            raise Malformed(f"{place}: {len(fields)} fields, not {len(header)}")
        row = dict(zip(header, fields))
        of = [conditions(row["when"], values, place), str(number(row["first"], place)), str(number(row["last"], place)),
              f"({permit(row['permit'], place)})"]
        if header == HEADER:
            yield "one " + " ".join(of)
        else:
            if not row["times"].isdecimal() or not 1 <= int(row["times"]) <= MOST_TIMES:
                raise Malformed(f"{place}: times is '{row['times']}'")
            by = [in_coq(number(row[column], place, signed=True)) for column in ("first_by", "last_by", "permit_by")]
            yield "Entry " + " ".join(of + [row["times"]] + by)


def table(data, entry):
    """The golden file as a term of the type that kind() names, and the number of its rows."""
    names = [choice["name"] for choice in entry["choices"]]
    if len(set(names)) != len(names) or any(len(set(map(str, c["values"]))) != len(c["values"]) for c in entry["choices"]):
        raise Malformed(f"{entry['file']}: the manifest lists a choice or a value twice")
    begin = head(entry)
    choices = ["[" + "; ".join(term(choice["name"], value) for value in choice["values"]) + "]" for choice in entry["choices"]]
    rows = list(entries(data, entry))
    if not rows:
        raise Malformed(f"{entry['file']} has no row")
    return "{} [{}] [\n{}]".format(begin, "; ".join(choices), ";\n".join(rows)), len(rows)


def selections(entry):
    count = 1
    for choice in entry["choices"]:
        count *= len(choice["values"])
    return count


PRELUDE = """From Coq Require Import ZArith List.
From Mxcert Require Import Formats Spec Table Checker Sound Scales ScaleChecker ScaleSound Flags FlagChecker FlagSound Findings.
Import ListNotations.
Open Scope Z_scope.
"""
# The theorem on a golden file. The kernel runs the checker where the proof is closed.
THEOREM = """Module Table{number}.
Definition golden : {kind} := {table}.
Theorem golden_is_right : {kind}_is_right golden.
Proof. apply {sound}. vm_cast_no_check (eq_refl true). Qed.
Print Assumptions golden_is_right.
End Table{number}.
"""


def theorem(data, entry, number):
    """What follows the prelude in a file that coqc accepts if and only if the golden file is right, and the number of rows."""
    term_of_table, rows = table(data, entry)
    return THEOREM.format(table=term_of_table, number=number, kind=kind(entry), sound=CHECKERS[kind(entry)][1]), rows
