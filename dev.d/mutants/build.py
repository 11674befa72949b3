# SPDX-License-Identifier: Apache-2.0
"""Builds a target: once with all its mutants, and a single mutant at full speed for the comparison on all inputs."""

import hashlib
import os
import pathlib
import shutil
import subprocess

import instrument
import sites as site_finder
import tree

RUNTIME = "conformance/mutants"
HEADERS = ("conformance/backend.h",)
FLAGS = ("-std=gnu11", "-w", "-fwrapv", "-fPIC", "-fvisibility=hidden", "-include", f"{RUNTIME}/mutant.h")


class DoesNotCompile(Exception):
    """A mutant, or a target, that the compiler refuses."""


def _run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise DoesNotCompile(" ".join(map(str, command)) + "\n" + done.stderr[-3000:])


class Build:
    """The folder build/mutants/NAME: `tree/`, the rewritten sources; `object/`; `all.so`, every mutant; `one/`."""

    def __init__(self, root, target, folder):
        self.root, self.target, self.folder = root, target, folder
        self.tree = folder / "tree"
        self.compiler = os.environ.get("CC", "cc")
        self.sites, self.left_out = [], {}
        self.texts = {}

    def find_sites(self):
        groups = self.target.groups
        self.texts = {os.path.realpath(self.root / g.file): tree.Text(self.root / g.file) for g in groups}
        macros = tree.function_macros(
            path.read_text() for folder in (*self.target.folders, RUNTIME)
            for path in sorted((self.root / folder).glob("*.[ch]")))
        for text in self.texts.values():
            text.macros = macros
        names = {}
        for group in groups:
            names.setdefault(os.path.realpath(self.root / group.file), []).append(group.names)

        def wanted(file, name):
            return any(not some or name in some for some in names[file])

        units = (tree.parse(self.root / source, ("-std=gnu11", f"-I{self.root}")) for source in self.target.sources)
        self.sites, self.left_out = site_finder.find(units, self.texts, wanted)

    def group_of(self, site):
        """The group of a site: the first one of its file that names the function around it, or names none. A constant in
        a macro may be used in functions of other files: it belongs to the first group of its file."""
        file = pathlib.Path(site.file).relative_to(self.root.resolve()).as_posix()
        groups = [g for g in self.target.groups if g.file == file]
        return next((g for g in groups if not g.names or site.inside in g.names), groups[0])

    def write_tree(self):
        if self.tree.exists():
            shutil.rmtree(self.tree)
        for folder in {*self.target.folders, RUNTIME}:
            (self.tree / folder).mkdir(parents=True, exist_ok=True)
            for path in sorted((self.root / folder).glob("*.[ch]")):
                shutil.copyfile(path, self.tree / folder / path.name)
        for header in HEADERS:
            shutil.copyfile(self.root / header, self.tree / header)
        for path, text in self.texts.items():
            mine = [site for site in self.sites if site.file == path]
            relative = pathlib.Path(path).relative_to(self.root.resolve())
            (self.tree / relative).write_text(instrument.rewrite(text.text, mine))

    def _compile(self, source, output, defines, compiler=None):
        output.parent.mkdir(parents=True, exist_ok=True)
        _run([compiler or self.compiler, *FLAGS, *self.target.flags, *defines, f"-I{self.tree}", "-MMD", "-c", self.tree / source,
              "-o", output])
        return output

    def _link(self, objects, output):
        output.parent.mkdir(parents=True, exist_ok=True)
        _run([self.compiler, "-shared", *objects, "-o", output, "-lm"])
        return output

    def object_of(self, source, folder):
        return self.folder / "object" / folder / (source.replace("/", "+") + ".o")

    def build_all(self):
        """all.so and original.so. The second is what single mutants are compared with."""
        self.write_tree()
        sources = (*self.target.sources, f"{RUNTIME}/mutant.c")
        objects = [self._compile(s, self.object_of(s, "all"), ()) for s in sources]
        self._link(objects, self.folder / "all.so")
        for source in self.target.sources:
            self._compile(source, self.object_of(source, "original"), ("-DMX_ACTIVE=0",))
        self._link([self.object_of(s, "original") for s in self.target.sources], self.folder / "original.so")

    def build_one(self, mutant):
        """A plugin that is this mutant, and nothing else: only what includes the mutated file is compiled again. None if the
        compiler makes the same machine code of it as of the original, which proves that it is equivalent."""
        defines = self._defines(mutant)
        folder = self.folder / "one" / str(mutant.number)
        objects, same = [], True
        try:
            for source in self.target.sources:
                known = self.object_of(source, "original")
                objects.append(known)
                if self._uses(source, mutant):
                    objects[-1] = self._compile(source, folder / known.name, defines)
                    same = same and objects[-1].read_bytes() == known.read_bytes()
            return None if same else self._link(objects, folder / "one.so")
        finally:
            for file in folder.glob("*.[do]"):
                file.unlink()

    @staticmethod
    def _defines(mutant):
        defines = [f"-DMX_ACTIVE={mutant.number}"]
        if mutant.site.kind == "int":
            defines.append(f"-DMX_VALUE={mutant.value}ull")
        elif mutant.site.kind == "float":
            defines.append(f"-DMX_FLOAT_VALUE={float(mutant.value).hex()}")
        return defines

    def _uses(self, source, mutant):
        """Whether the mutated file is part of a source."""
        relative = pathlib.Path(mutant.site.file).relative_to(self.root.resolve()).as_posix()
        dependencies = self.object_of(source, "original").with_suffix(".d").read_text()
        return relative in dependencies.replace(f"{self.tree}/", "")

    def is_same_by_clang(self, mutant):
        """Whether Clang makes the same machine code of a mutant as of the original. It leaves out bits that a cast drops, where
        GCC often keeps them."""
        folder = self.folder / "one" / f"clang-{mutant.number}"
        try:
            for source in self.target.sources:
                if not self._uses(source, mutant):
                    continue
                both = [self._compile(source, folder / name, defines, "clang").read_bytes()
                        for name, defines in (("original.o", ("-DMX_ACTIVE=0",)), ("mutant.o", self._defines(mutant)))]
                if both[0] != both[1]:
                    return False
            return True
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def digest(self, *more):
        """What the results rest on: the rewritten sources, and what is passed."""
        hashed = hashlib.sha256()
        for path in sorted(self.tree.rglob("*.[ch]")):
            hashed.update(path.relative_to(self.tree).as_posix().encode() + b"\0" + path.read_bytes())
        for item in more:
            hashed.update(str(item).encode() + b"\0")
        return hashed.hexdigest()[:16]
