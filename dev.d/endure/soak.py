# SPDX-License-Identifier: Apache-2.0
"""A long run whose memory and descriptors must not grow."""
import pathlib
import time

from run import Lost, children_of

ARGUMENTS = ["fuzz", "portable", "--cases", "0", "--quiet"]
LEAST_LOOKS = 8
# The allocator keeps what it once had, and asks for more in pages.
GROWTH = 1.05
SLACK_KIB = 2048


def measured(pid):
    """Resident KiB and open descriptors; None if it has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        descriptors = len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return None
    words = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
    return (int(words[0]), descriptors) if words else None


def soak(bench, seconds, say):
    """Runs for that long. What was measured of the harness and of its worker: the most of the second quarter and of the last."""
    process = bench.start([*ARGUMENTS, "--time", f"{seconds}s"])
    began = time.monotonic()
    looks = {"harness": [], "worker": []}
    while process.poll() is None:
        for name, pid in [("harness", process.pid), *[("worker", pid) for pid in children_of(process.pid)]]:
            seen = measured(pid)
            if seen:
                looks[name].append((time.monotonic() - began, *seen))
        say(f"soak: {time.monotonic() - began:.0f} of {seconds} s")
        time.sleep(max(0.05, seconds / 1000))
    if process.returncode != 0:
        raise Lost(f"the soak ended with {process.returncode}: {bench.last_words()}")
    result = {"seconds": seconds}
    for name, all_looks in looks.items():
        quarters = [[look for look in all_looks if begin * seconds <= look[0] < (begin + 0.25) * seconds] for begin in (0.25, 0.75)]
        if min(len(quarter) for quarter in quarters) < LEAST_LOOKS:
            raise Lost(f"{name} was not looked at often enough: {len(all_looks)} times in {seconds} s")
        early, late = ({"kib": max(look[1] for look in quarter), "descriptors": max(look[2] for look in quarter)} for quarter in quarters)
        result[name] = {"looks": len(all_looks), "second_quarter": early, "last_quarter": late}
        if late["kib"] > early["kib"] * GROWTH + SLACK_KIB or late["descriptors"] > early["descriptors"]:
            raise Lost(f"{name} grew: {early} in the second quarter, {late} in the last")
    return result
