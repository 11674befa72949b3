#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a run of certify takes in many parts: a simulation from measured times.

    simulate.py [--values 2^40] [--second VALUES] [--parts N,N,...] [--workers N,N,...] ...

Workers take parts from one queue. A part takes its start, its values and its units. A scheduler starts so many tasks a
second. Some nodes are slower, and some parts are killed half-way and queued again. The merge reads all units.
"""
import argparse
import collections
import heapq
import random

SMALLEST_PIECE = 2**24  # shards/unit.cpp
LARGEST_PIECE = 2**32
UNITS_OF_A_PART = 16


def number(text):
    base, _, power = text.partition("^")
    return int(base) ** int(power) if power else int(text)


def numbers(text):
    return [number(part) for part in text.split(",")]


def units_of(values, parts):
    """How many units certify cuts so many values into."""
    wanted = max(1, values // parts // UNITS_OF_A_PART)
    piece = min(max(1 << (wanted.bit_length() - 1), SMALLEST_PIECE), LARGEST_PIECE)
    return max(1, values // piece)


def simulate(values, parts, workers, times):
    """Seconds until the certificate is there, and where they went."""
    chance = random.Random(f"{times.seed} {parts} {workers}")
    units = units_of(values, parts)
    free = [(0.0, worker, times.slow_by if chance.random() < times.slow else 1.0) for worker in range(workers)]
    heapq.heapify(free)
    queue = collections.deque((part, 1.0) for part in range(parts))  # a part, and how much of it is left
    scheduler = end = busy = 0.0
    while queue:
        part, left = queue.popleft()
        at, worker, factor = heapq.heappop(free)
        scheduler = max(scheduler + 1 / times.starts, at)
        # The deal gives each part units of about the same cost, and some one more than others.
        mine = units // parts + (1 if part < units % parts else 0)
        ask = factor * mine * (values / units / times.second + times.unit) * chance.lognormvariate(0, times.spread) * left
        if chance.random() < times.killed:
            # What it had answered is kept.
            done = chance.random()
            queue.append((part, left * (1 - done)))
            ask *= done
        busy += times.start + ask
        heapq.heappush(free, (scheduler + times.start + ask, worker, factor))
        end = max(end, scheduler + times.start + ask)
    merge = times.merge + units * times.merge_unit
    ideal = values / times.second / workers
    return {"units": units, "ask": end, "merge": merge, "total": end + merge, "ideal": ideal, "busy": busy / workers / end}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--values", type=number, default=number("2^40"))
    parser.add_argument("--second", type=float, default=1e6, help="values a worker answers in a second")
    parser.add_argument("--parts", type=numbers, default=[64, 1024, 10000])
    parser.add_argument("--workers", type=numbers, default=[1, 64, 1024])
    parser.add_argument("--start", type=float, default=0.5, help="seconds until a part asks its first unit")
    parser.add_argument("--unit", type=float, default=0.1, help="seconds of a unit beside its values")
    parser.add_argument("--starts", type=float, default=50, help="tasks that the scheduler starts in a second")
    parser.add_argument("--merge", type=float, default=1, help="seconds of a merge beside its units")
    parser.add_argument("--merge-unit", type=float, default=0.002, help="seconds of a merge for each unit")
    parser.add_argument("--slow", type=float, default=0.05, help="share of nodes that are slower")
    parser.add_argument("--slow-by", type=float, default=1.5, help="how many times")
    parser.add_argument("--spread", type=float, default=0.05, help="deviation of the logarithm of a part's time")
    parser.add_argument("--killed", type=float, default=0.01, help="share of parts that are killed")
    parser.add_argument("--seed", type=int, default=1)
    times = parser.parse_args()
    print(f"{'parts':>6} {'workers':>7} {'units':>6} {'ideal s':>9} {'asked s':>9} {'merge s':>8} {'busy':>5} {'efficiency':>10}")
    for parts in times.parts:
        for workers in times.workers:
            if workers > parts:
                continue
            seen = simulate(times.values, parts, workers, times)
            print(f"{parts:6} {workers:7} {seen['units']:6} {seen['ideal']:9.0f} {seen['ask']:9.0f} {seen['merge']:8.1f} "
                  f"{seen['busy']:5.0%} {seen['ideal'] / seen['total']:10.0%}")


if __name__ == "__main__":
    main()
