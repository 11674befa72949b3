# SPDX-License-Identifier: Apache-2.0
"""Scores the suite by mutants of source code; ./dev mutants --help explains it."""

import concurrent.futures
import hashlib
import pathlib
import random
import sys
import threading
import time

import build as builder
import gate as gates
import options
import report as reports
import score
import shard
from targets import LEVELS, TARGETS


def arguments_of(command_line):
    parser = options.parser_of("./dev mutants", __doc__)
    parser.add_argument("--target", action="append", choices=[target.name for target in TARGETS], metavar="NAME")
    parser.add_argument("--survey", action="store_true")
    given = options.parsed(parser, command_line)
    given.survey = given.survey or given.gate
    if given.mutant and (not given.target or len(given.target) != 1):
        parser.error("--mutant needs one --target")
    if given.gate and given.write:
        parser.error("--gate does not compare on all inputs: there is no score to --write")
    return given


def chosen_of(mutants, given):
    if given.mutant:
        return options.of_numbers(mutants, given.mutant)
    if given.sample is None:
        return shard.dealt(mutants, given.shard)
    # The first of an order that the seed chooses: a larger sample has all of a smaller one.
    order = list(mutants)
    random.Random(given.seed).shuffle(order)
    return shard.dealt(sorted(order[:given.sample], key=lambda mutant: mutant.number), given.shard)


def run_target(target, given, tools, deadline):
    """Build, all mutants, how many are chosen, and their records."""
    root = given.root
    build = builder.Build(root, target, root / "build/mutants" / target.name)
    build.find_sites()
    mutants = score.mutants_of(build.sites)
    if not mutants:
        raise score.Broken(f"{target.name}: no place that can be mutated")
    chosen = chosen_of(mutants, given)
    if given.list:
        for mutant in chosen:
            text = build.texts[mutant.site.file]
            print(f"{mutant.number:5} {pathlib.Path(mutant.site.file).name}:{text.line(mutant.site.begin)}: "
                  f"{reports.edit_text(mutant, text)}")
        return build, mutants, len(chosen), {}
    build.build_all()
    store = score.Store(build.folder, build.digest(tools["digest"], LEVELS, target, given.survey, given.gate), shard.suffix(given.shard))
    # In an order of its own, so that a run that is stopped has seen a sample of everything.
    todo = [mutant for mutant in chosen if mutant.number not in store.records]
    random.Random(given.seed).shuffle(todo)
    print(f"mutants: {target.name}: {len(mutants):,} mutants of {len(build.sites):,} places; {len(chosen):,} chosen, "
          f"{len(chosen) - len(todo):,} known" +
          "".join(f"; left out, {reason}: {count}" for reason, count in sorted(build.left_out.items())),
          file=sys.stderr, flush=True)
    if todo:
        scorer = score.Scorer(root, build, tools, given)
        scorer.prepare(todo, store.path.with_suffix(".same"))
        # What a level does not see first: those are the interesting ones.
        todo.sort(key=lambda mutant: not scorer.survives_one(mutant))
        score_all(scorer, store, todo, given, deadline)
    numbers = {mutant.number for mutant in chosen}
    return build, mutants, len(chosen), {number: record for number, record in store.records.items() if number in numbers}


def score_all(scorer, store, todo, given, deadline):
    """Scores `todo`, and last those that only a comparison on all inputs can tell from the original. A gate leaves these out."""
    lock = threading.Lock()
    began = time.monotonic()
    undecided = []
    done = 0

    def one(mutant, is_probe):
        nonlocal done
        if time.monotonic() > deadline:
            return
        record = scorer.score(mutant, is_probe)
        with lock:
            if record is None:
                undecided.append(mutant)
                return
            store.add(record)
            done += 1
            if done % 20 == 0:
                print(f"mutants: {scorer.build.target.name}: {done:,} of {len(todo):,}, {time.monotonic() - began:.0f} s",
                      file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for future in [pool.submit(one, mutant, True) for mutant in todo]:
            future.result()
        if given.gate:
            if done + len(undecided) < len(todo):
                raise score.Broken(f"{done + len(undecided):,} of {len(todo):,} mutants of {scorer.build.target.name} were asked in "
                                   f"{given.time:.0f} s: fewer, or more time, is needed")
            return
        for future in [pool.submit(one, mutant, False) for mutant in undecided]:
            future.result()


def tools_of(root):
    folder = root / "build/release/bin"
    tools = {"mxcert": folder / "mxcert", "worker": folder / "mxcert-worker"}
    hashed = hashlib.sha256()
    for path in tools.values():
        hashed.update(path.read_bytes())
    return {**tools, "digest": hashed.hexdigest()}


def main(command_line):
    given = arguments_of(command_line)
    given.root = given.root.resolve()
    deadline = time.monotonic() + given.time if given.time else float("inf")
    tools = tools_of(given.root) if not given.list else {}
    runs = []
    try:
        for target in TARGETS:
            if not given.target or target.name in given.target:
                runs.append(run_target(target, given, tools, deadline))
    except (score.Broken, builder.DoesNotCompile, RuntimeError, ValueError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    if given.list:
        return 0
    report = reports.Report(given.root, runs)
    table, totals = report.table()
    if given.gate:
        return gates.gate(report, totals)
    for line in report.lines():
        print("escaped: " + line)
    if given.shard:
        return options.tell_part(given, totals["done"], totals["chosen"])
    print(table, end="")
    if given.write:
        asked = f"{totals['done']:,} of {totals['chosen']:,} chosen of {totals['there']:,} mutants"
        survey = " --survey" if given.survey else ""
        report.write(given.root / "docs/mutants", f"Written by `./dev mutants{survey} --write`: {asked}, seed {given.seed}. "
                     "[What the words mean](../mutants.md).")
    if totals["wrong"] == 0:
        print("mutants: no wrong mutant was scored", file=sys.stderr)
        return 2
    met = True
    for text, is_met in report.goals(totals):
        print(f"{text}: {'met' if is_met else 'NOT met'}")
        met = met and is_met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
