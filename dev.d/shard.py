# SPDX-License-Identifier: Apache-2.0
"""--shard I/N of ./dev survey and ./dev mutants: one of N runs does every N-th of a list."""

import argparse


def part(text):
    """(I, N) of "I/N"."""
    number, slash, count = text.partition("/")
    if not (text.isascii() and slash and number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"'{text}': expected I/N, a part from 1 to N, as in 3/64")
    return int(number), int(count)


def dealt(items, shard):
    """The items of a part, or all where there is none. Raises ValueError if the part has nothing."""
    items = list(items)
    if shard is None:
        return items
    number, count = shard
    if count > len(items):
        raise ValueError(f"--shard {number}/{count}: there are {len(items)} to deal out, and each part needs one")
    return items[number - 1::count]


def suffix(shard):
    """Of the name of a file that each part has for itself: ".2-of-4"."""
    return "" if shard is None else f".{shard[0]}-of-{shard[1]}"
