# SPDX-License-Identifier: Apache-2.0
"""Builds and tests the wheel (./dev package --help). Runs in the environment of requirements.txt."""
import argparse
import csv
import hashlib
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile

import sbom

MOST_BYTES = 25_000_000
ELF = b"\x7fELF"
# Of each architecture, the CMake file that a build on another machine is configured by, and what runs its programs there.
ARCHITECTURES = {"x86_64": (None, []), "aarch64": ("cmake/aarch64-linux-gnu.cmake", ["qemu-aarch64-static"])}


def say(message):
    print(f"dev: {message}", file=sys.stderr, flush=True)


def run(*command, **given):
    return subprocess.run([str(word) for word in command], check=True, **given)


def epoch_of(root):
    """Seconds of the last commit: what the times in the wheel are."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    return int(told or run("git", "-C", root, "log", "-1", "--format=%ct", text=True, capture_output=True).stdout)


def revision_of(root):
    """The revision that the program names, as CMake finds it: a copy of the sources cannot ask git."""
    done = subprocess.run(["git", "-C", root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"], check=False, text=True,
                          capture_output=True)
    return done.stdout.strip()


def platform_of(architecture):
    return f"manylinux_2_28_{architecture}"


def add_sbom(wheel, folder, epoch, architecture):
    """The wheel with its bill of materials, its platform and nothing of this machine: file modes and times are set."""
    run(sys.executable, "-m", "wheel", "unpack", "--dest", folder / "unpacked", wheel, stdout=subprocess.DEVNULL)
    tree = next((folder / "unpacked").iterdir())
    info = next(tree.glob("*.dist-info"))
    version = re.search(r"^Version: (.*)$", (info / "METADATA").read_text(encoding="utf-8"), re.MULTILINE)[1]
    (info / "sboms").mkdir()
    (info / "sboms" / "mxcert.cdx.json").write_text(sbom.bill(version, epoch, architecture), encoding="utf-8")
    for path in tree.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(epoch))
    run(sys.executable, "-m", "wheel", "pack", "--dest-dir", folder, tree, stdout=subprocess.DEVNULL, env=environment)
    packed = next(folder.glob("*.whl"))
    done = run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", platform_of(architecture), packed, text=True,
               capture_output=True, env=environment)
    return folder / done.stdout.split()[-1]


def named_in(data, root):
    """The folder of the sources if a path in it is in some bytes; else None."""
    return str(root) if os.fsencode(root) + b"/" in data else None


def check_wheel(wheel, architecture):
    """Its size, that auditwheel calls it by the name of its platform, and that no path of this machine is in it."""
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"dev: {wheel.name} has {size:,} bytes: more than {MOST_BYTES:,}")
    audit = pathlib.Path(sys.executable).parent / "auditwheel"
    shown = run(audit, "show", wheel, text=True, capture_output=True).stdout
    found = re.search(rf'platform tag:\s+"(manylinux_2_(\d+)_{architecture})"', shown)
    if not found or int(found[2]) > 28:
        sys.exit(f"dev: auditwheel does not call it {platform_of(architecture)}:\n{shown}")
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    with zipfile.ZipFile(wheel) as archive:
        binaries = [name for name in archive.namelist() if archive.read(name)[:4] == ELF]
        for name in archive.namelist():
            if named := named_in(archive.read(name), root):
                sys.exit(f"dev: {name} of the wheel names {named}")
    if len(binaries) != 5:
        sys.exit(f"dev: the wheel has other programs and libraries than it should: {binaries}")


def build_wheel(root, output, build, cache, architecture, revision):
    """The path of a wheel, built in a folder of its own from sources of that revision."""
    epoch = epoch_of(root)
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(epoch), CCACHE_BASEDIR=str(root), CCACHE_NOHASHDIR="1", CC="gcc", CXX="g++",
                       CMAKE_BUILD_PARALLEL_LEVEL=os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count())))
    if not cache:
        environment["CCACHE_DISABLE"] = "1"
    settings = ["--config-settings", f"build-dir={build}", "--config-settings", f"cmake.define.MXCERT_REVISION={revision}"]
    toolchain, _ = ARCHITECTURES[architecture]
    if architecture != platform.machine():
        settings += ["--config-settings", f"cmake.define.CMAKE_TOOLCHAIN_FILE={root / toolchain}"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
            "--disable-pip-version-check", "--wheel-dir", folder / "built", *settings, root, env=environment)
        (folder / "named").mkdir()
        wheel = add_sbom(next((folder / "built").glob("*.whl")), folder / "named", epoch, architecture)
        check_wheel(wheel, architecture)
        output.mkdir(parents=True, exist_ok=True)
        return pathlib.Path(shutil.copy(wheel, output))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def differing_members(one, other):
    """The differences of two wheels: the names of files that only one has or that have other bytes, times or modes there; "the order
    of the files" if nothing else does; none of equal wheels."""
    if digest(one) == digest(other):
        return []
    with zipfile.ZipFile(one) as a, zipfile.ZipFile(other) as b:
        members = [{entry.filename: (archive.read(entry), entry.date_time, entry.external_attr) for entry in archive.infolist()}
                   for archive in (a, b)]
    names = sorted(name for name in members[0].keys() | members[1].keys() if members[0].get(name) != members[1].get(name))
    return names or ["the order of the files"]


def copy_sources(root, folder):
    """The files of a source tree that git does not ignore, in another folder."""
    listed = run("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", text=True, capture_output=True).stdout
    for name in filter(None, listed.split("\0")):
        source, target = root / name, folder / name
        if source.is_file():  # not what is deleted
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def check_again(wheel, root, architecture, revision):
    """Fails unless the same sources in another folder, built without a cache, give the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        sources = folder / "the_same_sources"
        copy_sources(root, sources)
        again = build_wheel(sources, folder / "output", folder / "build", False, architecture, revision)
        if names := differing_members(wheel, again):
            sys.exit(f"dev: a second build is another wheel, {digest(again)}, by {len(names)} files: {', '.join(names[:10])}")
        say(f"a second build in another folder has the same bytes: {digest(again)}")


def test_wheel(wheel, root, python):
    """In an empty environment of a Python: the package does as its tests say, and the program comes to a verdict by its own
    worker and vectors."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        own = pathlib.Path(folder) / "bin" / "python"
        run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
        clean = {"PATH": f"{own.parent}:/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8"}
        place = "import mxcert, pathlib; print(pathlib.Path(mxcert.__file__).parent)"
        package = run(own, "-I", "-c", place, cwd=folder, env=clean, text=True, capture_output=True).stdout.strip()
        names = {"MXCERT_PROGRAM": f"{package}/bin/mxcert", "MXCERT_LIBRARY": f"{package}/lib/libmxcert.so"}
        for test in ("library", "document"):
            run(own, "-B", root / "python" / "test" / f"test_{test}.py", cwd=folder, env={**clean, **names})
        vectors = "import mxcert; assert mxcert.step_table('fp32-e4m3').vectors == 'vectors/golden/fp32-e4m3.csv'"
        run(own, "-I", "-c", vectors, cwd=folder, env=clean)
        done = subprocess.run(["mxcert", "certify", "portable", "--level", "smoke", "--profile", "ocp-sat", "--filter", "fp32-e4m3-*",
                               "--filter", "quantize-bf16-e4m3-*"], cwd=folder, env=clean, text=True, capture_output=True,
                              check=False)
        print("".join(f"{line}\n" for line in done.stdout.splitlines()[-3:]), end="")
        if done.returncode != 0:
            sys.exit(f"dev: the installed program ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        test_first_page(own, root, pathlib.Path(folder), clean)


def test_first_page(python, root, folder, environment):
    """The tests that the README begins with, by pytest: a cast that passes, and a quantizer whose bug is named."""
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest", "ml_dtypes")
    text = (root / "README.md").read_text(encoding="utf-8")
    name = "test_kernels.py"
    (folder / name).write_text(re.search(rf"```python\n(# {name}\n.*?)```", text, re.DOTALL)[1], encoding="utf-8")
    done = subprocess.run([python, "-m", "pytest", "-q", name], cwd=folder, env=environment, text=True, capture_output=True, check=False)
    print(done.stdout.splitlines()[-1])
    if done.returncode != 1 or "2 failed, 2 passed" not in done.stdout or "cause: LOG2_OFF_BY_ONE" not in done.stdout:
        sys.exit(f"dev: the tests of the README ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def test_emulated(wheel, emulator):
    """Of another architecture, whose Python is not here: the program, the worker and the library of the wheel by an emulator. The
    backend comes to a verdict on a source of 16 bits, and `convert` gives what the table of that conversion says of every input."""
    conversion, inputs = "bf16-e4m3-nearest_even-sat", range(1 << 16)
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "wheel", "unpack", "--dest", folder, wheel, stdout=subprocess.DEVNULL)
        folder = pathlib.Path(folder)
        package = next(folder.glob("*/mxcert"))
        program = [*emulator, package / "bin" / "mxcert"]
        # The system starts no program of another architecture, but a script that names its emulator.
        backend = folder / "portable"
        worker = [*emulator, package / "libexec" / "mxcert" / "mxcert-worker", package / "lib" / "mxcert" / "portable.so"]
        backend.write_text(f"#!/bin/sh\nexec {shlex.join(map(str, worker))}\n", encoding="utf-8")
        backend.chmod(0o755)
        done = run(*program, "certify", backend, "--filter", conversion, text=True, capture_output=True)
        verdict = next(line for line in done.stdout.splitlines() if line.startswith(("AGREES", "CONFORMS")))
        print(verdict)
        values, codes = folder / "values.bin", folder / "codes.bin"
        values.write_bytes(b"".join(value.to_bytes(2, "little") for value in inputs))
        run(*program, "convert", values, "--dtype", "bf16", "--shape", len(inputs), "--to", "e4m3", "-o", codes, "--quiet", stdout=subprocess.DEVNULL)
        table = run(*program, "vectors", "export", "--format", "csv", "--conversion", conversion, text=True, capture_output=True).stdout
        wrong = differing(table, codes.read_bytes())
        if wrong:
            sys.exit(f"dev: convert gives other codes than the table for {len(wrong)} inputs, the first is 0x{wrong[0]:04X}")
        print(f"convert: the codes of the table for {len(inputs):,} inputs")


def differing(table, codes):
    """The inputs whose code is none that a table permits: first, last, permit, clause a row, of all inputs."""
    wrong, end = [], 0
    for row in csv.DictReader(line for line in table.splitlines() if not line.startswith("#")):
        first, last, permit = int(row["first"], 16), int(row["last"], 16), row["permit"].split("|")
        if first != end:
            sys.exit(f"dev: the table has no row of the input 0x{end:04X}")
        end = last + 1
        permitted = {int(code, 16) for code in permit if code != "nan"} | ({0x7F, 0xFF} if "nan" in permit else set())
        wrong += [value for value in range(first, end) if codes[value] not in permitted]
    if end != len(codes):
        sys.exit(f"dev: the table ends at 0x{end:04X}, not at 0x{len(codes):04X}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--arch", choices=ARCHITECTURES, default=platform.machine())
    parser.add_argument("--check", action="store_true", help="build it once more in another folder and compare")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--python", action="append")
    options = parser.parse_args()
    is_own = options.arch == platform.machine()
    os.environ.setdefault("SOURCE_DATE_EPOCH", str(epoch_of(options.root)))  # a copy of the sources has no commit
    build = options.root / "build" / ("wheel" if is_own else f"wheel-{options.arch}")
    revision = revision_of(options.root)
    wheel = build_wheel(options.root, options.output, build, True, options.arch, revision)
    say(f"{wheel}: {wheel.stat().st_size:,} bytes")
    print(f"{digest(wheel)}  {wheel.name}")
    if options.check or (options.test and is_own):
        check_again(wheel, options.root, options.arch, revision)
    if not options.test:
        return
    if not is_own:
        test_emulated(wheel, ARCHITECTURES[options.arch][1])
        return
    for python in options.python or ["python3"]:
        test_wheel(wheel, options.root, python)


if __name__ == "__main__":
    main()
