# SPDX-License-Identifier: Apache-2.0
"""The stored results: verdicts, and the SHA-256 of every file that they were made from."""
import contextlib
import fcntl
import hashlib
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "docs" / "results" / "proofs_of_c.json"


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def key_of(entry, table, folder, files, programs):
    """A digest of all that a verdict depends on: the same key has the same verdict."""
    digest = hashlib.sha256(json.dumps([entry.caller, table.digest, programs]).encode())
    for name in [*files, *tool_files()]:
        digest.update(sha256(folder / name).encode())
    return digest.hexdigest()[:16]


def row(entry, result, table, key):
    """A verdict as it is stored."""
    return {
        "backend": entry.backend, "conversion": entry.conversion, "file": entry.file, "function": entry.function, "golden": entry.golden,
        "bits": table.bits if table else None, "steps": len(table.steps) if table else None, "verdict": result.verdict, "how": result.how,
        "detail": result.detail, "seconds": round(result.seconds, 1), "compared": result.compared, "planted": result.planted, "key": key,
    }


def proven():
    """The stored proofs by their keys."""
    rows = read()["functions"] if FILE.exists() else []
    return {row["key"]: row for row in rows if row["verdict"] == "PROVEN"}


def read():
    return json.loads(FILE.read_text(encoding="utf-8"))


def dump(content):
    """With a line for each function and file, so that a difference can be read."""
    def line(item):
        return json.dumps(item)

    parts = []
    for key, value in content.items():
        if isinstance(value, list):
            text = "[\n" + ",\n".join("  " + line(item) for item in value) + "\n ]"
        else:
            text = "{\n" + ",\n".join(f"  {line(name)}: {line(item)}" for name, item in value.items()) + "\n }"
        parts.append(f" {line(key)}: {text}")
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def files_of(functions, work):
    """Every file of the project that a verdict depends on, with its SHA-256: sources, golden files, and the tool."""
    import sources  # needs what the tool is installed with, which the check of the stored results does without
    names = {entry.golden for entry in functions.entries} | set(tool_files())
    for file in {entry.file for entry in functions.entries}:
        names.update(sources.sources_of(ROOT, file, work))
    names.update(f"{sources.PORTABLE}/{name}" for name in ("portable.c",))
    names.update(f"{sources.KERNELS}/{name}" for name in ("conversions.c", "formats.h", "shell.c", "shell.h", "operations.c"))
    return {name: sha256(ROOT / name) for name in sorted(names)}


def tool_files():
    """What decides a verdict."""
    names = ("array_terms.py", "claims.py", "permits.py", "requirements.txt", "solver_terms.py", "sources.py", "translate.py")
    return [f"dev.d/prove_c/{name}" for name in names]


@contextlib.contextmanager
def changing():
    """The stored content, to be changed by one process at a time; new if there is none."""
    with open(ROOT / "build" / "prove_c.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        content = read() if FILE.exists() else {"programs": {}, "functions": [], "left_out": [], "edits": [], "files": {}}
        yield content
        dump(content)


def write(rows, functions, programs, files):
    """Stores verdicts. Those of other functions stay; a function that has none is not asked yet."""
    with changing() as content:
        known = {(row["backend"], row["conversion"]): row for row in content["functions"]}
        known |= {(row["backend"], row["conversion"]): row for row in rows}
        content["functions"] = [known.get((entry.backend, entry.conversion)) or
                                {"backend": entry.backend, "conversion": entry.conversion, "file": entry.file, "function": entry.function,
                                 "bits": None, "how": "", "verdict": "UNPROVEN", "detail": "not asked yet", "seconds": 0, "compared": 0,
                                 "planted": 0, "key": ""} for entry in functions.entries]
        content["left_out"] = [dict(zip(("backend", "conversion", "reason"), item)) for item in functions.left_out]
        content["programs"], content["files"] = programs, files


def write_edits(rows):
    with changing() as content:
        content["edits"] = rows


def changed(content, root=ROOT):
    """The files that are not as they were when the verdicts were made."""
    return [name for name, digest in content["files"].items() if not (root / name).is_file() or sha256(root / name) != digest]
