#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The survey of implementations: ./dev survey --help has the options."""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
import tomllib

import controls
import environments
import findings
import measure
import pages
import parity
from environments import CACHE, ROOT

sys.path.append(str(ROOT / "dev.d"))

import shard  # noqa: E402

RESULTS = ROOT / "docs" / "survey" / "results"
SMOKE = CACHE / "smoke"


def table():
    """The entries, the environments that they need, and the pairs that are compared."""
    content = tomllib.loads((ROOT / "survey" / "entries.toml").read_text(encoding="utf-8"))
    return content["entry"], content["environment"], content["pairs"]


def key(entry, environment):
    """What a stored result depends on beside the package: the entry, its source and the lock of its environment."""
    digest = hashlib.sha256(json.dumps(entry, sort_keys=True).encode())
    files = [ROOT / "survey" / "entries" / entry["source"]] if "source" in entry else []
    lock = environments.LOCKS / f"{environment}.txt"
    for file in (*files, *([lock] if lock.exists() else [])):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def compiled(entry, folder):
    """The plugin of an entry in C or C++, compiled against the headers of its environment."""
    source, plugin = ROOT / "survey" / "entries" / entry["source"], CACHE / "plugins" / f"{entry['name']}.so"
    plugin.parent.mkdir(parents=True, exist_ok=True)
    place = {"site": environments.site_packages(folder), "env": folder}
    flags = [flag.format(**place) for flag in entry.get("flags", ())]
    compiler = ["cc", "-std=c11"] if source.suffix == ".c" else ["c++", "-std=c++17"]
    done = subprocess.run([*compiler, "-O2", "-shared", "-fPIC", "-I", ROOT, source, "-o", plugin, *flags],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise measure.MeasureError(f"{source.name} does not compile: {done.stderr.strip()[:400]}")
    return str(plugin)


def subject_of(entry, folder):
    """What certify is given, and the variables of its process."""
    paths = [str(ROOT / "build" / "release" / "lib" / "mxcert"), str(ROOT / "survey")]
    variables = {name: value.format(env=folder) for name, value in entry.get("variables", {}).items()}
    environment = os.environ | variables | {
        "PATH": f"{folder}/bin:{os.environ['PATH']}", "PYTHONPATH": ":".join(paths), "OMP_NUM_THREADS": "1", "PYTHONSAFEPATH": "1"}
    if "builtin" in entry:
        script = ROOT / "build" / "release" / "lib" / "mxcert" / entry["builtin"]
        return str(script if script.exists() else script.with_name(f"{entry['builtin']}.so")), environment
    if entry["source"].endswith(".py"):
        return str(ROOT / "survey" / "entries" / entry["source"]), environment
    return compiled(entry, folder), environment


def dealt(entries, part):
    """The entries that a part runs, or all: entries of one environment stay together, but those of the project's own, which is
    there anyway."""
    groups = {}
    for entry in entries:
        groups.setdefault(entry["name"] if entry["environment"] == "project" else (entry["environment"],), []).append(entry)
    return [entry for group in shard.dealt(groups.values(), part) for entry in group]


def store_of(options):
    """The folder that the results go to."""
    return SMOKE if options.smoke else CACHE / "latest" if options.latest else RESULTS


def run_entry(entry, environments_table, options):
    """Measures one entry and stores it. True: it ran; what went wrong is said on standard error."""
    name = entry["environment"]
    store = store_of(options)
    file, wanted = store / f"{entry['name']}.json", key(entry, name)
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() and not options.again and not options.latest else {}
    if known.get("key") == wanted and not controls.other_vectors(known):
        print(f"{entry['name']}: done already", flush=True)
        return True
    begin = time.monotonic()
    try:
        folder = environments.prepare(name, environments_table.get(name, {}), options.latest)
        subject, environment = subject_of(entry, folder)
        result = measure.measure(entry, subject, environment, options.smoke)
        installed = environments.versions(folder)
    except (environments.SetupError, measure.MeasureError) as error:
        print(f"{entry['name']}: NOT RUN: {error}", file=sys.stderr, flush=True)
        return False
    result |= {"key": wanted, "packages": {package: installed.get(environments.normal(package), "") for package in entry.get("packages", ())},
               "environment_mb": environments.megabytes(folder) if folder != environments.PROJECT else 0}
    store.mkdir(parents=True, exist_ok=True)
    file.write_text(findings.dump(result), encoding="utf-8")
    counts = findings.counts_of(result)
    print(f"{entry['name']}: {counts}, {time.monotonic() - begin:.0f} s", flush=True)
    if options.latest:
        for line in findings.changes(RESULTS / file.name, result):
            print(f"  {line}")
    return True


def main():
    parser = argparse.ArgumentParser(prog="./dev survey")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--smoke", action="store_true", help="a few inputs of each conversion, in minutes; stores nothing in docs")
    parser.add_argument("--latest", action="store_true", help="the newest releases, and what they changed")
    parser.add_argument("--again", action="store_true", help="also entries with a result that is up to date")
    parser.add_argument("--shard", type=shard.part, metavar="I/N", help="only part I of N of the entries")
    parser.add_argument("--delete", action="store_true", help="delete each environment when its entries have run")
    parser.add_argument("--table", action="store_true", help="write docs/survey from the stored results")
    parser.add_argument("--check", action="store_true", help="check that the stored results are consistent, and the controls")
    parser.add_argument("--parity", action="store_true", help="compare the pairs of survey/parity.toml, these or all")
    parser.add_argument("--lock", action="store_true", help="write the locks of these environments")
    options = parser.parse_args()
    if options.shard and (options.lock or options.parity or options.table or options.check):
        parser.error("--shard deals out entries to run: not with --lock, --parity, --table or --check")
    entries, places, pairs = table()
    if options.lock:
        for name in options.names or places:
            environments.lock(name, places[name])
        return 0
    if options.parity:
        named = {pair["name"]: pair for pair in parity.table()}
        for name in options.names:
            if name not in named:
                parser.error(f"no pair {name}: {' '.join(sorted(named))}")
        done = [parity.run(named[name]) for name in options.names or named]
        return 0 if all(done) else 3
    if options.table or options.check:
        broken = controls.check(entries, RESULTS)
        changed = pages.write(entries, places, pairs, RESULTS, check=options.check)
        broken += parity.write(check=options.check)
        for line in [*broken, *changed]:
            print(line, file=sys.stderr)
        return 1 if broken or (options.check and changed) else 0
    known = {entry["name"] for entry in entries}
    for name in options.names:
        if name not in known:
            parser.error(f"no entry {name}: {' '.join(sorted(known))}")
    chosen = [entry for entry in entries if not options.names or entry["name"] in options.names]
    chosen.sort(key=lambda entry: list(places).index(entry["environment"]) if entry["environment"] in places else -1)
    every = len(chosen)
    try:
        chosen = dealt(chosen, options.shard)
    except ValueError as error:
        parser.error(str(error))
    failed = 0
    for number, entry in enumerate(chosen):
        failed += not run_entry(entry, places, options)
        last = number + 1 == len(chosen) or chosen[number + 1]["environment"] != entry["environment"]
        if options.delete and last and entry["environment"] != "project":
            environments.remove(entry["environment"])
    if options.shard:
        files = " ".join(f"{entry['name']}.json" for entry in chosen)
        print(f"PART {options.shard[0]} of {options.shard[1]}: {len(chosen) - failed} of its {len(chosen)} entries ran, of {every} in all. "
              f"Put its files beside those of the other parts, in {store_of(options)}: {files}")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
