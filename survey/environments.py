# SPDX-License-Identifier: Apache-2.0
"""Environments of Python with exactly the packages that an entry is about, one at a time, from wheels whose SHA-256 is known."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("MXCERT_SURVEY_CACHE", ROOT / "build" / "survey"))
LOCKS = ROOT / "survey" / "locks"
PROJECT = ROOT / ".venv"  # what ./dev setup --peers and --torch install


class SetupError(Exception):
    """An environment cannot be made; the message says what to do."""


def run_pip(python, *arguments):
    """Runs pip. Raises SetupError with the end of what it said."""
    done = subprocess.run([python, "-m", "pip", "--disable-pip-version-check", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupError("pip " + " ".join(map(str, arguments[:2])) + ": " + " ".join(done.stderr.strip().split("\n")[-2:]))
    return done.stdout


def _create(folder, base):
    """An empty environment. base: it also sees the packages of the repository's .venv."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    if base:
        site = next((folder / "lib").glob("python3*/site-packages"))
        packages = next((PROJECT.resolve() / "lib").glob("python3*/site-packages"))
        (site / "project.pth").write_text(f"{packages}\n", encoding="utf-8")


def site_packages(folder):
    """Where an environment has its packages."""
    return next((folder / "lib").glob("python3*/site-packages"))


def lock(name, row):
    """Writes the lock of an environment: each wheel that pip takes for its packages, with its SHA-256."""
    folder = CACHE / "environments" / "lock"
    _create(folder, row.get("base") == ".venv")
    arguments = ["install", "--dry-run", "--quiet", "--report", "-", "--only-binary", ":all:"]
    arguments += ["--pre"] if row.get("prerelease") else []
    arguments += ["--no-deps"] if row.get("alone") else []
    arguments += [] if row.get("base") else ["--ignore-installed"]  # what the base has stays, whatever its version
    report = json.loads(run_pip(folder / "bin" / "python", *arguments, *row["packages"]))
    of_base = versions(PROJECT) if row.get("base") else {}
    lines = ["# SPDX-License-Identifier: Apache-2.0", f"# Wheels of the environment {name}: ./dev survey --lock {name}"]
    for item in sorted(report["install"], key=lambda item: normal(item["metadata"]["name"])):
        about, digest = item["metadata"], item["download_info"]["archive_info"]["hashes"]["sha256"]
        if normal(about["name"]) in of_base:
            continue
        lines.append(f"{normal(about['name'])}=={about['version']} --hash=sha256:{digest}")
    LOCKS.mkdir(exist_ok=True)
    (LOCKS / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def prepare(name, row, latest=False):
    """The folder of an environment, made if it is not there or was made of another lock.

    latest: the newest releases of the packages instead, in a folder of its own. Raises SetupError.
    """
    if name == "project":
        if not (PROJECT / "bin" / "python").exists():
            raise SetupError("no .venv: run ./dev setup --peers and ./dev setup --torch")
        return PROJECT
    if row.get("base") and not PROJECT.exists():
        raise SetupError(f"the environment {name} needs torch: run ./dev setup --torch")
    folder = CACHE / "environments" / (name + ("-latest" if latest else ""))
    file = LOCKS / f"{name}.txt"
    if not file.exists():
        raise SetupError(f"no {file.relative_to(ROOT)}: run ./dev survey --lock {name}")
    wanted, stamp = file.read_text(encoding="utf-8"), folder / "lock"
    if not latest and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return folder
    _create(folder, row.get("base") == ".venv")
    arguments = ["install", "--quiet", *(["--no-deps"] if latest and row.get("alone") else [])]
    if latest:
        packages = [package.partition("==")[0] for package in row["packages"]]
        run_pip(folder / "bin" / "python", *arguments, *(["--pre"] if row.get("prerelease") else []), *packages)
    else:
        python, exactly = folder / "bin" / "python", ["--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", file]
        run_pip(python, "download", "--quiet", "--dest", CACHE / "wheels", *exactly)
        run_pip(python, *arguments, "--no-index", "--find-links", CACHE / "wheels", *exactly)
        stamp.write_text(wanted, encoding="utf-8")
    return folder


def normal(name):
    """A name of a package as PyPI compares it."""
    return name.lower().replace("_", "-")


def versions(folder):
    """Name and version of each package of an environment, by pip's own list."""
    listed = json.loads(run_pip(folder / "bin" / "python", "list", "--format", "json"))
    return {normal(item["name"]): item["version"] for item in listed}


def megabytes(folder):
    """Disk that a folder takes, in MB of 10^6 bytes."""
    return round(sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() or path.is_symlink()) / 1e6)


def remove(name):
    """Deletes an environment; its wheels stay in the cache."""
    shutil.rmtree(CACHE / "environments" / name, ignore_errors=True)
