# SPDX-License-Identifier: Apache-2.0
"""The ways in which runs are ended. Each function makes one run end well after some kills, and gives their number."""
import os
import shutil
import subprocess
import time

from run import ASKED, ROOT, Lost, children_of

CERTIFY = ["certify", *ASKED]
WHOLE = [*CERTIFY, "--keep", "kept", "--report", "report"]
PARTS = 2
SHARDS = ROOT / "docs" / "examples" / "shards"


def itself(process):
    return [process.pid]


def one_worker(rng):
    def pick(process):
        workers = children_of(process.pid)
        return [rng.choice(workers)] if workers else []

    return pick


def killed(bench, arguments, pick, rng, codes, before=()):
    """A run that is killed. 1 if it was, 0 if it had ended before."""
    process = bench.start(arguments, before)
    was_there = bench.kill_at_random(process, pick, rng)
    code = process.wait(timeout=600)
    if code not in codes:
        raise Lost(f"ended with {code} when killed: {bench.last_words()}")
    return 1 if was_there and (code != 0 or pick is not itself) else 0


def by_harness(bench, rng):
    kills = 0
    for _ in range(rng.randint(1, 3)):
        kills += killed(bench, WHOLE, itself, rng, (0, -9))
        bench.check_nothing_runs()
        bench.check_files("kept", "report")
    bench.finish(WHOLE)
    bench.check_names("kept", "report")
    return kills


def by_worker(bench, rng):
    """What ends a worker is an ERROR of the row, never a PASS, and is asked again."""
    kills = killed(bench, WHOLE, one_worker(rng), rng, (0, 3))
    bench.check_files("kept", "report")
    bench.finish(WHOLE)
    bench.check_names("kept", "report")
    return kills


def part(number):
    return [*CERTIFY, "--shard", f"{number}/{PARTS}", "--keep", f"parts/{number}"]


MERGE = ["merge", *[f"parts/{number}" for number in range(1, PARTS + 1)], "--report", "report", "--quiet"]


def by_parts(bench, rng):
    kills = 0
    for number in range(1, PARTS + 1):
        kills += killed(bench, part(number), itself, rng, (0, -9))
        bench.check_nothing_runs()
        bench.check_files("parts")
        bench.finish(part(number))
    bench.finish(MERGE)
    return kills


def by_merge(bench, rng):
    for number in range(1, PARTS + 1):
        bench.finish(part(number))
    kills = 0
    for _ in range(4):
        kills += killed(bench, MERGE, itself, rng, (0, -9))
        bench.check_nothing_runs()
        bench.check_files("parts", "report")
    bench.finish(MERGE)
    return kills


def by_clock(bench, rng):
    """Each start is a year earlier than the one before."""
    kills = 0
    years = rng.randint(1, 3)
    for year in range(years):
        kills += killed(bench, WHOLE, itself, rng, (0, -9), ("faketime", "-f", f"-{year}y"))
        bench.check_nothing_runs()
        bench.check_files("kept", "report")
    bench.finish(WHOLE, ("faketime", "-f", f"-{years}y"))
    bench.check_names("kept", "report")
    return kills


def by_disk(bench, rng):
    """A full disk ends the run with an error; what was kept before goes on elsewhere."""
    size = rng.randint(1, 24) * 4096
    (bench.folder / "disk").mkdir()
    inside = (f"mount -t tmpfs -o size={size} none disk && \"$@\"; code=$?; cp -r disk/. left 2> /dev/null; exit $code")
    (bench.folder / "left").mkdir()
    code = bench.finish([*CERTIFY, "--keep", "disk/kept", "--report", "disk/report"], ("unshare", "-Urm", "sh", "-c", inside, "sh"),
                        (0, 2, 3, 4))
    bench.check_nothing_runs()
    was_full = code != 0
    if was_full and "No space left on device" not in bench.last_words():
        raise Lost(f"does not say that the disk is full: {bench.last_words()}")
    bench.check_files("left")
    if (bench.folder / "left/kept").exists():
        shutil.copytree(bench.folder / "left/kept", bench.folder / "kept")
    bench.finish(WHOLE)
    bench.check_names("kept", "report")
    return 1 if was_full else 0


def queue():
    return subprocess.run(["squeue", "--noheader"], capture_output=True, text=True, check=True).stdout.strip()


def by_slurm(bench, rng):
    """Parts of a job array: what runs in the job of a part is killed, twice; what is missing then is submitted again."""
    asked = [word for word in ASKED if word not in ("--jobs", "2")]  # the script says how many
    words = [str(SHARDS / "slurm/submit.sh"), str(PARTS), str(bench.folder / "run"), *asked]
    environment = dict(os.environ, PATH=f"{ROOT / 'build/release/bin'}:{os.environ['PATH']}")
    kills = 0
    for to_kill in (2, 0):
        jobs = subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout.split()
        while queue():
            time.sleep(rng.uniform(0, bench.seconds))
            if kills < to_kill:
                job = f"{jobs[0]}_{rng.randint(1, PARTS)}"
                done = subprocess.run(["scancel", "--signal=KILL", "--full", job], capture_output=True)
                kills += 1 if done.returncode == 0 and not done.stderr else 0
    bench.check_files("run/parts")
    if not (bench.folder / "run/report").exists():
        raise Lost(f"no report: {(bench.folder / 'run/log/merge.txt').read_text()[-600:]}")
    (bench.folder / "run/report").rename(bench.folder / "report")
    return kills


WAYS = {
    "harness": by_harness,
    "worker": by_worker,
    "parts": by_parts,
    "merge": by_merge,
    "clock": by_clock,
    "disk": by_disk,
    "slurm": by_slurm,
}
# The share of the kills of each: a run by Slurm takes ten times as long.
SHARES = {"harness": 40, "worker": 20, "parts": 12, "merge": 10, "clock": 10, "disk": 6, "slurm": 2}


def missing(way):
    """Why a way cannot be run here; "" if it can."""
    if way == "clock" and shutil.which("faketime") is None:
        return "there is no faketime: apt-get install faketime"
    if way == "disk" and subprocess.run(["unshare", "-Urm", "true"], capture_output=True).returncode != 0:
        return "no user namespaces"
    if way == "slurm":
        if shutil.which("sbatch") is None:
            return "there is no sbatch: apt-get install slurm-wlm munge"
        if os.geteuid() != 0:
            return "only root can start Slurm here"
    return ""
