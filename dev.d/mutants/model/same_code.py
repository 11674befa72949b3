# SPDX-License-Identifier: Apache-2.0
"""Whether the compiler makes the same machine code of a mutant as of the original, which proves that it is equivalent."""

import pathlib
import subprocess
import tempfile


class SameCode:
    """Compiles single sources of the tree with one mutant as a constant. A mutant in a header is part of too many sources to
    ask: it counts as different."""

    def __init__(self, build):
        self.build = build
        groups = {}
        for source, words in build.commands():
            # A source of a group is compiled alone, with the options of its group.
            text = (build.root / source).read_text() if source.startswith(f"{build.build}/") else f'#include "{source}"'
            for name in build.texts:
                if f'#include "{build.tree / name}"' in text:
                    groups[name] = words[:words.index("-o")]
        self.commands = groups
        self.originals = {}  # object files of sources without a mutant

    def is_same(self, mutant):
        words = self.commands.get(mutant.site.file)
        if words is None:
            return False
        with tempfile.TemporaryDirectory(dir=self.build.folder) as folder:
            output = pathlib.Path(folder) / "one.o"
            if mutant.site.file not in self.originals:
                self.originals[mutant.site.file] = self._compile(words, mutant, 0, output)
            return self.originals[mutant.site.file] == self._compile(words, mutant, mutant.number, output)

    def _compile(self, words, mutant, number, output):
        done = subprocess.run(
            [*words, "-O2", f"-DMXCERT_MUTANT_ACTIVE={number}", f"-DMXCERT_MUTANT_FIRST={mutant.site.first}", "-c",
             self.build.tree / mutant.site.file, "-o", output], cwd=self.build.build, capture_output=True, check=False)
        # What a constant makes an error, an array of a negative size or the like, is not the same.
        return output.read_bytes() if done.returncode == 0 else number
