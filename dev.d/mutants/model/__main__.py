# SPDX-License-Identifier: Apache-2.0
"""Scores the project's own tests by mutants of the models; ./dev mutants --help explains it."""

import argparse
import concurrent.futures
import pathlib
import random
import sys
import threading
import time

# Behind the modules of this folder: the C half shares its tables of mutations.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

import judge as judges
import model_build
import model_report
import mutant as mutants_of_sites
import options
import same_code
import shard
from equivalent import Equivalents
from results import Results


def arguments_of(command_line):
    parser = options.parser_of("./dev mutants --model", __doc__)
    parser.add_argument("--model", action="store_true", help=argparse.SUPPRESS)
    given = options.parsed(parser, command_line)
    if given.write and given.mutant:
        parser.error("--write needs a sample, not single mutants")
    return given


def chosen_of(mutants, given):
    if given.mutant:
        return options.of_numbers(mutants, given.mutant)
    return shard.dealt(mutants_of_sites.chosen(mutants, given.sample, given.seed), given.shard)


def score_all(judge, same, results, todo, given, deadline):
    """Scores `todo`: all by the quick tests, then those that pass by the rest, unless their machine code is the original's."""
    lock = threading.Lock()
    began = time.monotonic()
    done, rest = 0, []

    def keep(mutant, record):
        nonlocal done
        with lock:
            if record is None:
                rest.append(mutant)
                return
            results.add(mutant, record)
            done += 1
            if done % 20 == 0:
                print(f"mutants: {done:,} of {len(todo):,}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    def quick(mutant):
        record = judge.score(mutant, results.hints(mutant), is_quick=True)
        # What passes may be equivalent.
        keep(mutant, None if record is not None and record["verdict"] == judges.SURVIVED else record)

    def whole(mutant):
        keep(mutant, {"verdict": judges.SAME_CODE} if same.is_same(mutant) else judge.score(mutant, results.hints(mutant)))

    def until_deadline(score, mutants):
        def one(mutant):
            if time.monotonic() < deadline:
                score(mutant)
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for future in [pool.submit(one, mutant) for mutant in mutants]:
                future.result()

    until_deadline(quick, todo)
    until_deadline(whole, list(rest))


def run(given, deadline):
    folder = given.root / "build/mutants/model"
    folder.mkdir(parents=True, exist_ok=True)
    build = model_build.ModelBuild(given.root, folder, given.jobs)
    build.find_sites()
    mutants = mutants_of_sites.mutants_of(build.sites, build.texts)
    chosen = chosen_of(mutants, given)
    if given.list:
        for mutant in chosen:
            print(f"{mutant.number:6} {mutant.site.file}:{mutant.line}: {mutant.edit}")
        return 0
    build.build_tests()
    judge = judges.Judge(build, given.jobs)
    judge.record()
    results = Results(folder, build.digest_of_tests(), shard.suffix(given.shard))
    todo = [mutant for mutant in chosen if results.of(mutant) is None]
    # In an order of its own, so that a run that is stopped has seen a sample of everything.
    random.Random(given.seed).shuffle(todo)
    print(f"mutants: {len(mutants):,} mutants of {len(build.sites):,} places; {len(chosen):,} chosen, "
          f"{len(chosen) - len(todo):,} known; {len(judge.tests)} tests, {len(judge.slow)} are too slow" +
          "".join(f"\nmutants: does not pass without a mutant: {name}" for name in judge.unfit), file=sys.stderr, flush=True)
    score_all(judge, same_code.SameCode(build), results, todo, given, deadline)
    report = model_report.ModelReport(mutants, chosen, results, Equivalents(pathlib.Path(__file__).with_name("equivalent.toml")))
    if given.gate:
        return report.gate()
    for line in report.lines(report.survivors()):
        print("survived: " + line)
    if given.shard:
        return options.tell_part(given, sum(results.of(mutant) is not None for mutant in chosen), len(chosen))
    print(report.table(), end="")
    if given.write:
        silent = [f"{name} (too slow)" for name in judge.slow] + [f"{name} (does not pass in this build)" for name in judge.unfit]
        report.write(given.root / "docs/mutants/model.md", given.seed, silent)
    return 1 if report.survivors() else 0


def main(command_line):
    given = arguments_of(command_line)
    given.root = given.root.resolve()
    try:
        return run(given, time.monotonic() + given.time if given.time else float("inf"))
    except (model_build.Broken, ValueError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
