# SPDX-License-Identifier: Apache-2.0
"""What zsh offers: the completion system of a real shell is asked at a terminal, and what it is told is kept."""

import os
import pathlib
import pty
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import shell_offers
from common import BUILD, run

PROGRAM = BUILD / "bin/mxcert"
TIMEOUT_SECONDS = 60

# A key completes the line, and writes what matches to a file instead of into the line.
SETUP = """PS1='> '; autoload -Uz compinit; compinit -D -u; source '{script}'
compadd() {{ local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >> '{root}/hits'; builtin compadd "$@" }}
ask() {{ zle complete-word; : > '{root}/done'; }}
zle -N ask; bindkey '^G' ask; bindkey '^U' kill-whole-line; unsetopt beep; : > '{root}/ready'
"""


@unittest.skipIf(shutil.which("zsh") is None, "no zsh here: ./dev test installs it")
class Zsh(shell_offers.ShellOffers, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mxcert-zsh-")
        cls.root = pathlib.Path(cls.folder.name)
        script = cls.root / "script"
        script.write_text(run(PROGRAM, "completion", "zsh")[1])
        work = cls.root / "work"
        (work / "record").mkdir(parents=True)
        for name in ("kernel.so", "notes.txt"):
            (work / name).write_text("")
        (cls.root / "setup").write_text(SETUP.format(script=script, root=cls.root))
        cls.terminal, other_end = pty.openpty()
        environment = {"HOME": str(cls.root), "PATH": os.environ["PATH"], "TERM": "dumb", "LANG": "C.UTF-8"}
        cls.shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=other_end, stdout=other_end, stderr=other_end, cwd=work,
                                     env=environment, start_new_session=True)
        os.close(other_end)
        cls.type_keys(f"source '{cls.root}/setup'\n", "ready")

    @classmethod
    def tearDownClass(cls):
        cls.shell.kill()
        cls.shell.wait()
        os.close(cls.terminal)
        cls.folder.cleanup()

    @classmethod
    def type_keys(cls, keys, until):
        """Types, and reads the terminal until the shell has made a file."""
        os.write(cls.terminal, keys.encode())
        said = b""
        end = time.monotonic() + TIMEOUT_SECONDS
        while not (cls.root / until).exists():
            if time.monotonic() > end:
                raise AssertionError(f"zsh did not come so far: {said.decode(errors='replace')}")
            if select.select([cls.terminal], [], [], 0.02)[0]:
                said += os.read(cls.terminal, 65536)

    def offers(self, line):
        for name in ("hits", "done"):
            (self.root / name).unlink(missing_ok=True)
        self.type_keys("\x15" + line + "\x07", "done")
        hits = self.root / "hits"
        return [word for word in hits.read_text().splitlines() if word] if hits.exists() else []

    def test_values(self):
        self.assertEqual(self.offers("mxcert certify --color=al"), ["always"])
        self.assertEqual(self.offers("mxcert explain 1 --choice overflow=nos"), ["overflow=nosat"])

    def test_files(self):
        self.assertIn("record", "".join(self.offers("mxcert certify --report rec")))
        self.assertNotIn("notes.txt", self.offers("mxcert certify --report no"))

    def test_installed_script_is_this(self):
        self.assertEqual((BUILD / "share/mxcert.zsh").read_text(), (self.root / "script").read_text())


if __name__ == "__main__":
    unittest.main()
