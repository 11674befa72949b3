# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/performance.md."""
import fnmatch
import math
import pathlib
import textwrap
import tomllib

import runs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "performance.md"
REASONS = pathlib.Path(__file__).with_name("reasons.toml")
BEGIN, END = "<!-- begin performance -->\n", "<!-- end performance -->"
CLOSE = 0.8  # a row nearer to its limit needs no reason
WIDTH = 119


class Unexplained(Exception):
    """A row is far from its limit and nobody says why."""


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def share(reached):
    return f"{reached:.2f}" if reached < 10 else f"{reached:.0f}"


def digits(value):
    """Three of them, or all before the point."""
    return f"{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}" if value >= 0.001 else "< 0.001"


def mebibytes(run, floor):
    return f"{run.peak:,.0f}" if run.peak > 1.05 * floor else f"< {math.ceil(run.peak)}"


def inputs(run):
    power = run.inputs.bit_length() - 1 if run.inputs else 0
    return "" if not run.inputs else f"2^{power}" if run.inputs == 2 ** power else f"{run.inputs:,}"


def reason_for(name, reasons):
    """The first pattern that matches; None if there is none."""
    return next((row["because"] for row in reasons if fnmatch.fnmatchcase(name, row["row"])), None)


def in_the_way(rows, reasons):
    """`rows`: names with what is reached. A line for each reason."""
    by_reason = {}
    for name, reached in rows:
        if 0 < reached < CLOSE:
            by_reason.setdefault(reason_for(name, reasons), []).append(f"{name} ({share(reached)})")
    if None in by_reason:
        raise Unexplained(f"less than {CLOSE:.0%} of their limit: {'; '.join(by_reason[None])}: {REASONS.name} does not say why")
    if not by_reason:
        return f"Every row reaches {CLOSE:.0%} of its limit.\n"
    return "\n".join(textwrap.fill(f"* {'; '.join(names)}: {because}.", WIDTH, subsequent_indent="  ", break_long_words=False,
                                   break_on_hyphens=False) for because, names in by_reason.items()) + "\n"


def growth(done, floor):
    rows = [[inputs(done[name]), f"`mxcert {done[name].command}`", digits(done[name].processor),
             digits(done[name].processor / done[name].inputs * 1e9), mebibytes(done[name], floor)]
            for name in ("2^16", "2^24", "2^32", "2^40") if name in done]
    text = table(["inputs", "command", "processor, s", "ns an input", "peak, MiB"], rows)
    one, all_jobs = done["one job"], done["2^32"]
    text += "\n" + table(["2^32 inputs", "clock, s", "processor, s", "speed"],
                         [["`--jobs 1`", digits(one.clock), digits(one.processor), "1.00"],
                          ["a job a core", digits(all_jobs.clock), digits(all_jobs.processor), share(one.clock / all_jobs.clock)]])
    return text


def text(measured):
    """`measured`: machine, ratios, bare, runs, peaks of the benchmark programs, floor."""
    done, bare, floor = measured["runs"], measured["bare"], measured["floor"]
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))["reason"]
    parts = [f"{measured['machine']}.\n", "## Limits and peers\n",
             table(["what", "measured", "limit or peer", "reached"],
                   [[row.what, row.figure, row.limit, share(row.reached)] for row in measured["ratios"]])]
    if measured["peaks"]:
        parts.append("Peak memory: " + ", ".join(f"`{name}` {peak:,.0f} MiB" for name, peak in measured["peaks"].items()) + ".\n")
    rows = []
    for run in done.values():
        limit, what = run.limit(bare)
        rows.append([f"`mxcert {run.command}`", inputs(run), digits(run.clock), digits(run.processor), mebibytes(run, floor),
                     f"{digits(limit)} s, {what}" if limit else "", share(run.reached(bare)) if limit else ""])
    parts += ["## Runs of the program\n",
              table(["command", "inputs", "clock, s", "processor, s", "peak, MiB", "limit", "reached"], rows),
              "## Reasons\n",
              in_the_way([(row.what, row.reached) for row in measured["ratios"]] +
                         [(run.command, run.reached(bare)) for run in done.values()], reasons)]
    if "2^40" in done:
        loop = bare["portable", runs.SCALED] * 1e-9 * done["2^40"].inputs
        parts.append(textwrap.fill(f"A bare loop with the plugin of `portable` over the 2^40 inputs takes {loop:,.0f} s of processor, "
                                   f"{loop / measured['cores']:,.0f} s on {measured['cores']} cores.", WIDTH) + "\n")
    parts += ["## Growth\n", growth(done, floor)]
    return "\n".join(parts)


def written(page, generated):
    """The page with its generated part exchanged."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"{PAGE.name} needs {BEGIN.strip()} and {END}")
    return f"{before}{BEGIN}\n{generated}\n{END}{after}"
