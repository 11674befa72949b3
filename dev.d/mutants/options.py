# SPDX-License-Identifier: Apache-2.0
"""The options that both halves have: mutants of implementations, and of the models."""

import argparse
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

import shard  # noqa: E402


def parser_of(prog, about):
    parser = argparse.ArgumentParser(prog=prog, description=about)
    parser.add_argument("--root", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--time", type=float, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--shard", type=shard.part, metavar="I/N")
    parser.add_argument("--mutant", type=int, action="append", metavar="NUMBER")
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write", action="store_true")
    return parser


def parsed(parser, command_line):
    """Ends with exit code 2 and the reason where a number is none of the option."""
    given = parser.parse_args(command_line)
    if given.sample is not None and given.sample < 1 or given.jobs < 1 or given.time is not None and given.time <= 0:
        parser.error("--sample, --jobs and --time need a number above 0")
    for name in ("gate", "mutant", "write"):
        if given.shard and getattr(given, name):
            parser.error(f"--shard and --{name} exclude each other: a part is no whole run")
    return given


def tell_part(given, done, chosen):
    """Says how far a part is, which has no score, and gives the exit code."""
    number, count = given.shard
    print(f"PART {number} of {count}: {done:,} of its {chosen:,} mutants are scored. The same command without --shard, where "
          "the result files of all parts are, gives the score.")
    return 0 if done == chosen else 2


def of_numbers(mutants, numbers):
    """The mutants of these numbers. Raises ValueError with the range that there is."""
    known = {mutant.number: mutant for mutant in mutants}
    unknown = [number for number in numbers if number not in known]
    if unknown:
        raise ValueError(f"no mutant {unknown[0]}: there are {min(known)} to {max(known)}")
    return [known[number] for number in numbers]
