# SPDX-License-Identifier: Apache-2.0
"""Which mutants answer all that a level asks as the original does. mxcert asks the original through a plugin that records the
calls (conformance/mutants/record.c); every mutant answers them again (replay.c), in milliseconds. What a level asks next may
depend on the answers, but as long as these are the original's, so are the questions: a mutant whose answers are all the same
passes as the original does. Of the others mxcert itself says whether their answers are permitted."""

import concurrent.futures
import os
import subprocess

PROGRAMS = {"record.so": ("record.c", "-shared", "-fPIC", "-fvisibility=hidden"), "replay": ("replay.c",), "compare": ("compare.c",)}


def build_programs(root, compiler, folder):
    for name, (source, *flags) in PROGRAMS.items():
        subprocess.run([compiler, "-std=gnu11", "-O2", *flags, f"-I{root}", root / "conformance/mutants" / source, "-o",
                        folder / name, "-ldl"], check=True)


def recording(environment, plugin, calls):
    """The environment in which record.so is `plugin`, and writes its calls into a new file."""
    calls.unlink(missing_ok=True)
    # The file of its calls is outside of what a sandbox lets it write.
    return {**environment, "MXCERT_RECORDED": str(plugin), "MXCERT_CALLS": str(calls), "MXCERT_SANDBOX": "off"}


def same_as_original(folder, plugin, calls, mutants, jobs=1):
    """The numbers of the mutants that answer the recorded calls as the original does."""
    parts = [mutants[at::jobs] for at in range(jobs)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return set().union(*pool.map(lambda part: _same_of(folder, plugin, calls, part), parts))


def _same_of(folder, plugin, calls, mutants):
    lines = "".join(mutant.environment + "\n" for mutant in mutants)
    environment = {name: value for name, value in os.environ.items() if name != "MXCERT_MUTANT"}
    done = subprocess.run([folder / "replay", plugin, calls], input=lines, capture_output=True, text=True, check=True,
                          env=environment)
    says = done.stdout.splitlines()
    if len(says) != len(mutants):
        raise RuntimeError(f"replay answered {len(says)} of {len(mutants)} mutants: {done.stderr[-500:]}")
    return {mutant.number for mutant, said in zip(mutants, says) if said == "same"}
