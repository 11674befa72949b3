# SPDX-License-Identifier: Apache-2.0
"""check_docs.py runs what stands in a document and fails when it prints something else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "check_docs.py"
# Stands in for the program: `mxcert say A B` prints A and B on a line each, `mxcert end N` ends with N.
PROGRAM = """#!/bin/sh
case $1 in
    say) shift; for word in "$@"; do echo "$word"; done ;;
    warn) echo "$2" >&2 ;;
    end) exit "$2" ;;
esac
"""


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        program = self.root / "build/release/bin/mxcert"
        program.parent.mkdir(parents=True)
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(0o755)
        dev = self.root / "dev"
        dev.write_text('#!/bin/sh\nshift\nexec mxcert "$@"\n', encoding="utf-8")
        dev.chmod(0o755)

    def check(self, body, *options, info=""):
        self.readme = self.root / "README.md"
        self.readme.write_text(f"# Title\n\n```console{info}\n{body}```\n\nText.\n", encoding="utf-8")
        done = subprocess.run([sys.executable, str(SCRIPT), str(self.root), *options], capture_output=True, text=True,
                              check=False)
        return done.returncode

    def test_same_output(self):
        self.assertEqual(self.check("$ mxcert say one two\none\ntwo\n"), 0)
        self.assertEqual(self.check("$ ./dev mxcert say one\none\n"), 0)
        self.assertEqual(self.check("$ mxcert say a\na\n$ mxcert warn b\nb\n"), 0)

    def test_other_output(self):
        self.assertEqual(self.check("$ mxcert say one two\none\n"), 1)
        self.assertEqual(self.check("$ mxcert say one\none\ntwo\n"), 1)
        self.assertEqual(self.check("$ mxcert say one\nOne\n"), 1)
        self.assertEqual(self.check("$ mxcert say one\n"), 1)
        self.assertEqual(self.check("$ mxcert say a\na\n$ mxcert say b\nc\n"), 1)

    def test_variables(self):
        self.assertEqual(self.check('$ WORD=one mxcert say "$0"\nother\n'), 1)
        self.assertEqual(self.check("$ FIRST=a/b SECOND=2 \\\n    mxcert say one\none\n"), 0)
        self.assertEqual(self.check("$ FIRST=a/b SECOND=2 \\\n    mxcert say one\nother\n"), 1)

    def test_wildcards(self):
        self.assertEqual(self.check("$ mxcert say 1 2 3\n...\n3\n"), 0)
        self.assertEqual(self.check("$ mxcert say 1 2 3\n1\n...\n"), 0)
        self.assertEqual(self.check("$ mxcert say 1 2 3\n...\n2\n"), 1)
        self.assertEqual(self.check("$ mxcert say 'took 3 s'\ntook ... s\n"), 0)
        self.assertEqual(self.check("$ mxcert say 'took 3 h'\ntook ... s\n"), 1)
        self.assertEqual(self.check("$ mxcert say a.c\nabc\n"), 1)

    def test_exit_code(self):
        self.assertEqual(self.check("$ mxcert end 3\n"), 1)
        self.assertEqual(self.check("$ mxcert end 3\n[exit 3]\n"), 0)
        self.assertEqual(self.check("$ mxcert end 0\n[exit 3]\n"), 1)

    def test_refused_without_a_word(self):
        # Whoever filled in such a block did not see that nothing had run.
        self.assertEqual(self.check("$ mxcert end 2\n[exit 2]\n"), 1)
        self.assertEqual(self.check("$ mxcert end 2\n[exit 2]\n", "--update"), 1)
        self.assertEqual(self.check("$ mxcert warn why; mxcert end 2\nwhy\n[exit 2]\n"), 0)

    def test_progress_is_not_compared(self):
        self.assertEqual(self.check("$ mxcert warn 'mxcert:  98%  x  420 M inputs/s'\n"), 0)
        self.assertEqual(self.check("$ mxcert warn 'mxcert: quantize_nvfp4-bf16-te_nvfp4-1x16-decode'\n"), 0)
        self.assertEqual(self.check("$ mxcert warn 'mxcert: cannot 98%'\n"), 1)
        self.assertEqual(self.check("$ mxcert warn 'mxcert: a-file-name is not there'\n"), 1)

    def test_pipes_and_continued_lines(self):
        self.assertEqual(self.check("$ mxcert say 1 2 | tail -n 1\n2\n"), 0)
        self.assertEqual(self.check("$ mxcert say 1 \\\n    2\n1\n2\n"), 0)

    def test_nothing_run(self):
        self.assertEqual(self.check("$ ls\n"), 2)
        (self.root / "README.md").write_text("no blocks\n", encoding="utf-8")
        done = subprocess.run([sys.executable, str(SCRIPT), str(self.root)], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)

    def test_broken_block(self):
        self.assertEqual(self.check("one\n$ mxcert say one\none\n"), 1)
        self.assertEqual(self.check("$ mxcert say one\none\n", info=" nedes=cuda"), 1)

    def test_needed_backend(self):
        self.assertEqual(self.check("$ mxcert say one\ntwo\n", info=" needs=gpu"), 2)
        plugin = self.root / "build/release/lib/mxcert/gpu.so"
        plugin.parent.mkdir(parents=True)
        plugin.touch()
        self.assertEqual(self.check("$ mxcert say one\ntwo\n", info=" needs=gpu"), 1)
        self.assertEqual(self.check("$ mxcert say one\none\n", info=" needs=gpu"), 0)
        self.assertEqual(self.check("$ mxcert say one\ntwo\n", info=" needs=snake"), 2)
        (plugin.parent / "snake").touch()  # a backend that is a program
        self.assertEqual(self.check("$ mxcert say one\ntwo\n", info=" needs=snake"), 1)

    def test_update(self):
        self.assertEqual(self.check("$ mxcert say one two\nwrong\n$ mxcert end 3\n$ ls\nx\n", "--update"), 0)
        self.assertEqual(self.readme.read_text(encoding="utf-8"),
                         "# Title\n\n```console\n$ mxcert say one two\none\ntwo\n$ mxcert end 3\n[exit 3]\n$ ls\nx\n```\n\nText.\n")
        self.assertEqual(self.check("$ mxcert say 1 2\n1\n...\n", "--update"), 0)
        self.assertIn("\n1\n...\n", self.readme.read_text(encoding="utf-8"))

    def test_commands_write_beside_the_tree(self):
        self.assertEqual(self.check("$ mxcert say one > out.txt\n$ mxcert say $(cat out.txt)\none\n"), 0)
        self.assertFalse((self.root / "out.txt").exists())

    def test_files_of_a_document(self):
        def document(name, said):
            self.readme = self.root / "README.md"
            self.readme.write_text(f"```python\n# {name}\nprint('hello')\n```\n\n```console\n$ python hello.py\n{said}\n```\n",
                                   encoding="utf-8")
            done = subprocess.run([sys.executable, str(SCRIPT), str(self.root), "--python", sys.executable], capture_output=True,
                                  text=True, check=False)
            return done.returncode

        self.assertEqual(document("hello.py", "hello"), 0)
        self.assertEqual(document("hello.py", "goodbye"), 1)
        self.assertEqual(document("other.py", "hello"), 1)

    def test_files_in_c(self):
        def document(block, info=" needs=cc"):
            self.readme = self.root / "README.md"
            self.readme.write_text(f"{block}\n```console{info}\n$ cc -c one.c\n$ mxcert say compiled\ncompiled\n```\n", encoding="utf-8")
            return subprocess.run([sys.executable, str(SCRIPT), str(self.root)], capture_output=True, check=False).returncode

        self.assertEqual(document("```c\n/* one.c: a file */\nint one;\n```\n"), 0)
        self.assertEqual(document("```c\n/* one.c: a file */\nno C\n```\n"), 1)
        self.assertEqual(document("```c\nint one;\n```\n"), 1)
        self.assertEqual(document("", " needs=no_such_compiler"), 2)

    def test_needed_module(self):
        self.assertEqual(self.check("$ mxcert say one\none\n", info=" needs=json"), 0)
        self.assertEqual(self.check("$ mxcert say one\none\n", info=" needs=no_such_module"), 2)


if __name__ == "__main__":
    unittest.main()
