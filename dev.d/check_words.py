#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for the phrases of phrases.toml in documents, strings, comments of headers and scripts, and for long cells of tables in documents.

Usage: check_words.py ROOT

Exit code: 0 there is none, 1 there is one, 2 nothing was looked at.
"""

import argparse
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ("reference", "vectors", "conformance")
SCRIPTS = ("dev.d", "python", "survey")
FENCE = re.compile(r"^( *)```.*?^\1```[ ]*$", re.MULTILINE | re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
PLACES = ("documents", "strings", "headers", "scripts")
MAX_WORDS = 11  # of a cell; the target of a link is no word
CELL = re.compile(r"(?<!\\)\|")
TARGET = re.compile(r"\]\([^)]*\)")


def kept(text, pattern):
    """What matches, at its places; all other characters but ends of lines are spaces."""
    blank = list(re.sub(r"[^\n]", " ", text))
    for match in pattern.finditer(text):
        blank[match.start():match.end()] = match[0]
    return "".join(blank)


def without(text, pattern):
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def sources(root, suffixes):
    return sorted(path for part in PARTS for path in (root / part).rglob("*")
                  if path.suffix in suffixes and not {"test", "bench"} & set(path.relative_to(root).parts))


def texts(root):
    """Each text to look at, as place, file and text."""
    # The results are what a program printed when they were made.
    pages = [page for page in sorted({*root.glob("*.md"), *(root / "docs").rglob("*.md")})
             if page.name != "CHANGELOG.md" and root / "docs/results" not in page.parents]
    for page in pages:
        yield "documents", page, without(page.read_text(encoding="utf-8"), FENCE)
    for source in sources(root, {".cpp", ".hpp", ".h", ".c"}):
        text = source.read_text(encoding="utf-8")
        yield "strings", source, kept(without(text, COMMENT), STRING)
        if source.suffix in {".hpp", ".h"}:
            yield "headers", source, kept(text, COMMENT)
    for script in sorted(path for part in SCRIPTS for path in (root / part).rglob("*")
                         if path.suffix in {".py", ".sh"} and "test" not in path.relative_to(root).parts):
        yield "scripts", script, script.read_text(encoding="utf-8")


def pages_with_tables(root):
    return [page for page in (root / "README.md", *sorted((root / "docs").rglob("*.md"))) if page.exists()]


def report_cells(root):
    """Prints each cell of more words than MAX_WORDS, and counts them."""
    found = 0
    for page in pages_with_tables(root):
        text = without(page.read_text(encoding="utf-8"), FENCE)
        for number, line in enumerate(text.split("\n"), 1):
            cells = CELL.split(line.strip())[1:-1] if line.lstrip().startswith("|") else []
            for words in (len(TARGET.sub("]", cell).split()) for cell in cells):
                if words > MAX_WORDS:
                    found += 1
                    print(f"{page.relative_to(root).as_posix()}:{number}: a cell of {words} words: at most {MAX_WORDS}, "
                          "or write a list or a sentence below the table")
    return found


def compiled(phrases):
    for phrase in phrases:
        words = phrase["pattern"].replace(" ", r"\s+(?:(?:///?|\*)\s*)?")  # a comment goes on behind its marks
        yield re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE | re.MULTILINE), phrase["better"], phrase.get("only", PLACES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    root = parser.parse_args().root
    phrases = list(compiled(tomllib.loads((HERE / "phrases.toml").read_text(encoding="utf-8"))["phrase"]))
    looked_at, found = set(pages_with_tables(root)), 0
    for place, path, text in texts(root):
        looked_at.add(path)
        for pattern, better, places in phrases:
            for match in pattern.finditer(text) if place in places else ():
                found += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f"{path.relative_to(root).as_posix()}:{line}: '{' '.join(match[0].split())}': {better}")
    cells = report_cells(root)
    print(f"check_words: {len(looked_at)} texts, {found} phrases, {cells} cells", file=sys.stderr)
    if not looked_at:
        return 2
    return 1 if found or cells else 0


if __name__ == "__main__":
    sys.exit(main())
