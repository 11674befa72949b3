# SPDX-License-Identifier: Apache-2.0
"""The instrumented build of the tests, in build/mutants/model: `tree/`, a copy of the sources with every mutant in it, and
`build/`, its test programs. Sites whose mutants do not compile are found by the compiler, and dropped."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import pickle
import re
import shlex
import subprocess
import sys

import cursors
import schemata
from clang import cindex

PROGRAMS = ("reference_test", "vectors_test")
ROOMS = ("reference", "vectors")
RUNTIME = "conformance/mutants"
ADDED = "reference/mutants_model.cpp"  # to the tree: of the library that every test program is linked with
NOT_MUTATED = re.compile(r"(^|/)(test|bench)/|^vectors/generate/")
# Names that a constant may have are variables now: what only warns stays quiet, and what depends on a constant is refused.
FLAGS = "-w -Wno-narrowing -Werror=vla -fwrapv -fmax-errors=0 -fdiagnostics-column-unit=byte -fno-diagnostics-show-caret"
PLACE = re.compile(r"^(?:In file included from |\s+from )?(\S+?\.[ch]pp):(\d+):(\d+):(.*)$")
# A site in the text of a diagnostic.
QUOTED = re.compile(r"(?:Plain|Constexpr)\{(\d+)\}")
MOST_ROUNDS = 12


class Broken(Exception):
    """No build, so no score."""


def _say(text):
    print(f"mutants: {text}", file=sys.stderr, flush=True)


def tracked_files(root):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, check=True).stdout
    return [name for name in listed.decode().split("\0") if name and (root / name).is_file()]


def write_if_new(path, content):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


class ModelBuild:
    """`sites` are all that were found, `dropped` the first mutants of those that do not compile."""

    def __init__(self, root, folder, jobs):
        self.root, self.folder, self.jobs = root, folder, jobs
        self.tree, self.build = folder / "tree", folder / "build"
        self.files = tracked_files(root)
        self.mutated = [name for name in self.files
                        if name.startswith(tuple(room + "/" for room in ROOMS)) and name.endswith((".cpp", ".hpp"))
                        and not NOT_MUTATED.search(name)]
        self.texts = {name: (root / name).read_text() for name in self.mutated}
        not_ascii = [name for name, text in self.texts.items() if not text.isascii()]
        if not_ascii:
            raise Broken(f"{not_ascii[0]}: offsets are in bytes, so the file must be ASCII")
        self.sites, self.dropped = [], set()

    # ---- what the results rest on

    def digest_of_sources(self):
        """Of what the sites and the rewritten sources follow from."""
        hashed = hashlib.sha256()
        tools = [self.root / RUNTIME / name for name in ("model.hpp", "model.cpp")]
        tools += [pathlib.Path(__file__).with_name(name) for name in ("cursors.py", "schemata.py")]
        for path in tools:
            hashed.update(path.read_bytes())
        for name, text in sorted(self.texts.items()):
            hashed.update(name.encode() + b"\0" + text.encode() + b"\0")
        return hashed.hexdigest()[:16]

    def digest_of_tests(self):
        hashed = hashlib.sha256(self.digest_of_sources().encode())
        for name in sorted(self.files):
            if name.startswith(tuple(room + "/" for room in ROOMS)) and name not in self.texts:
                hashed.update(name.encode() + b"\0" + (self.root / name).read_bytes() + b"\0")
        return hashed.hexdigest()[:16]

    # ---- the tree

    def write_tree(self, is_mutated):
        """Copies every tracked file. Where `is_mutated`, those of the models are rewritten, else they are as in the root."""
        by_file = {}
        for site in self.sites:
            if site.first not in self.dropped:
                by_file.setdefault(site.file, []).append(site)
        for name in self.files:
            content = (self.root / name).read_bytes()
            if is_mutated and name in by_file:
                content = (f'#include "{RUNTIME}/model.hpp"\n#line 1\n'.encode() +
                           schemata.rewrite(self.texts[name], by_file[name]).encode())
            write_if_new(self.tree / name, content)
        write_if_new(self.tree / ADDED, (self.root / RUNTIME / "model.cpp").read_bytes())
        known = set(self.files) | {ADDED}
        for room in ROOMS:
            for path in (self.tree / room).rglob("*.[ch]pp"):
                if path.relative_to(self.tree).as_posix() not in known:
                    path.unlink()

    def configure(self):
        command = ["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, "-DCMAKE_BUILD_TYPE=Release",
                   "-DCMAKE_CXX_FLAGS_RELEASE=-O1", f"-DCMAKE_CXX_FLAGS={FLAGS}", "-DMXCERT_WERROR=OFF", "-DMXCERT_BENCH=OFF",
                   "-DMXCERT_FIND_BACKENDS=OFF"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Broken(f"CMake refuses the tree:\n{done.stderr[-3000:]}")

    def commands(self):
        """The commands of the libraries: (source, words)."""
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            if re.search(r"CMakeFiles/(mxcert_reference|mxcert_vectors|mxcert_golden)\.dir/", entry["command"]):
                words = shlex.split(entry["command"])
                yield entry["file"], words[next(i for i, word in enumerate(words) if word.endswith(("c++", "g++", "clang++"))):]

    # ---- the sites

    def find_sites(self):
        kept = self.folder / "sites.pickle"
        digest = self.digest_of_sources()
        if kept.exists():
            known = pickle.loads(kept.read_bytes())
            if known["digest"] == digest:
                self.sites, self.dropped = known["sites"], known["dropped"]
                return
        _say("looking for places to mutate")
        self.write_tree(False)
        self.configure()
        finder = cursors.Finder({str(self.root / name): text for name, text in self.texts.items()},
                                lambda file: pathlib.Path(file).relative_to(self.root).as_posix())
        index = cindex.Index.create()
        for source, words in self.commands():
            if source.endswith(ADDED):
                continue
            # A source, or a group of them, of the root's files: their offsets are those of the texts.
            is_group = source.startswith(f"{self.build}/")
            content = pathlib.Path(source).read_text() if is_group else f'#include "{source}"\n'
            content = self.in_root(content)
            arguments = [word.replace(f"{self.tree}/", f"{self.root}/") if word != f"-I{self.tree}" else f"-I{self.root}"
                         for word in words[1:words.index("-o")] if not word.startswith(("-f", "-W"))]
            name = str(self.folder / "unit.cpp")
            unit = index.parse(name, arguments, unsaved_files=[(name, content)])
            errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
            if errors:
                raise Broken(f"{source}: libclang cannot read it: {errors[0]}")
            finder.unit(unit)
        self.sites = cursors.numbered(finder.sites.values())
        self.keep()

    def in_root(self, group):
        """A group of sources of the tree as one of the root's files, which lack one."""
        lines = [line for line in group.splitlines(keepends=True) if ADDED not in line]
        return "".join(lines).replace(f"{self.tree}/", f"{self.root}/")

    def keep(self):
        (self.folder / "sites.pickle").write_bytes(pickle.dumps(
            {"digest": self.digest_of_sources(), "sites": self.sites, "dropped": self.dropped}))

    # ---- the build

    def build_tests(self):
        """Nothing is done if this state was built before. If the models are the same, what does not compile is known."""
        stamp = self.folder / "built.json"
        known = json.loads(stamp.read_text()) if stamp.exists() else {}
        state = {"sources": self.digest_of_sources(), "tests": self.digest_of_tests()}
        if known == state and all((self.build / "bin" / program).exists() for program in PROGRAMS):
            return
        self.write_tree(True)
        self.configure()
        if known.get("sources") != state["sources"]:
            self.drop_by_syntax()
        for _ in range(MOST_ROUNDS):
            _say("compiling the tests with all mutants")
            done = subprocess.run(["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *PROGRAMS, "--", "-k", "0"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                stamp.write_text(json.dumps(state))
                return
            self.drop(done.stdout + done.stderr)
        raise Broken("the tests with mutants do not compile")

    def drop_by_syntax(self):
        """Drops what the libraries refuse, before anything is compiled: a header is part of most sources."""
        todo = list(self.commands())
        for _ in range(MOST_ROUNDS):
            _say(f"asking the compiler about {len(todo)} sources")
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                results = list(pool.map(lambda item: subprocess.run(
                    [*item[1][:item[1].index("-o")], "-fsyntax-only", item[0]], cwd=self.build, capture_output=True, text=True,
                    check=False), todo))
            failed = [(item, result) for item, result in zip(todo, results) if result.returncode != 0]
            if not failed:
                return
            self.drop("\n".join(result.stderr for _, result in failed))
            todo = [item for item, _ in failed]
        raise Broken("the sources with mutants do not compile")

    def drop(self, output):
        """Drops the innermost site of every error. Of an error in a template it is the first place of ours that led there, and
        of one that no site is around, all sites from its line to the end of the statement."""
        texts, new = {}, set()
        pending, last = None, None
        for line in output.split("\n"):
            match = PLACE.match(line)
            if match is None:
                continue
            first = self.site_at(texts, match[1], int(match[2]), int(match[3]))
            if "error:" in match[4]:
                chosen = first or pending
                quoted = [int(number) for number in QUOTED.findall(match[4])]
                last = None
                if chosen is not None:
                    new.add(chosen)
                elif quoted:
                    new.update(quoted)
                elif here := self.sites_of_statement(match[1], int(match[2])):
                    new.update(here)
                else:
                    last = True  # its notes may say more
                pending = None
            elif "note:" in match[4]:
                if last and first is not None:
                    new.add(first)
                    last = None
            elif pending is None:
                pending = first
        if not new:
            raise Broken(f"the compiler refuses what is no mutant:\n{output[-4000:]}")
        _say(f"{len(new)} places do not compile")
        self.dropped |= new
        self.keep()
        self.write_tree(True)

    def name_of(self, file):
        """The name of a mutated file of the tree, else None."""
        try:
            # ccache may make paths relative to where the compiler runs.
            name = pathlib.Path(os.path.realpath(self.build / file)).relative_to(os.path.realpath(self.tree)).as_posix()
        except ValueError:
            return None
        return name if name in self.texts else None

    def sites_of_statement(self, file, line):
        name = self.name_of(file)
        if name is None:
            return []
        lines = (self.tree / name).read_text().partition("#line 1\n")[2].split("\n")[line - 1:]
        end = next((n for n, text in enumerate(lines) if text.rstrip().endswith((";", "{", "}"))), 0)
        return [int(mark[1]) for mark in schemata.MARK.finditer("\n".join(lines[:end + 1]))]

    def site_at(self, texts, file, line, column):
        name = self.name_of(file)
        if name is None:
            return None
        if name not in texts:
            # Without the two lines in front, which `#line` does not count.
            text = (self.tree / name).read_text().partition("#line 1\n")[2]
            texts[name] = (text, schemata.spans(text))
        return schemata.site_at(*texts[name], line, column)
