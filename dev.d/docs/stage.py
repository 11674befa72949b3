#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the pages of the site, and the files that they link to, at their places in the tree, so that links hold as they are.

Usage: stage.py ROOT DIR [--api DIR]

What the renderer of the site does not know is rewritten in the copies: words after the language of a code block, lists without a
blank line before them, pictures as Mermaid, links to folders. With --api the generated API is copied too, and docs/api.md links to it.
"""

import argparse
import pathlib
import re
import shutil

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w+-]*)[^\n`]*\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
LIST_ITEM = re.compile(r"^ *(?:[*-]|\d+\.) ")
API_PLACE = "<!-- api -->"


def pages_of(root):
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]


def outside_code(text, change):
    """The text with `change` made to what is between its code blocks."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end:fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def plain_fence(fence):
    if fence["language"] == "mermaid":
        return ""
    return f"{fence['indent']}```{fence['language']}\n{fence['body']}{fence['indent']}```"


def lists_apart(text):
    """A blank line before each list that follows a paragraph: without one it is part of the paragraph. Items are indented by four."""
    lines = []
    for line in text.split("\n"):
        if LIST_ITEM.match(line) and lines and lines[-1].strip() and not LIST_ITEM.match(lines[-1]) and not lines[-1].startswith(" "):
            lines.append("")
        spaces = len(line) - len(line.lstrip(" "))
        lines.append(" " * (2 * spaces) + line.lstrip(" ") if spaces in (2, 4) else line)
    return "\n".join(lines)


def linked_files(root, page, text):
    """The files, not pages, that a page links to."""
    for link in LINK.finditer(text):
        target = (page.parent / link["target"].partition("#")[0]).resolve()
        if target.is_file() and target.suffix != ".md" and target.is_relative_to(root):
            yield target


def without_folders(page, text):
    """Links to folders, which no file of the site is, as their text."""
    def replace(link):
        return link["text"] if (page.parent / link["target"]).is_dir() else link[0]
    return LINK.sub(replace, text)


def stage(root, folder, api):
    shutil.rmtree(folder, ignore_errors=True)
    files = set()
    for page in pages_of(root):
        text = page.read_text(encoding="utf-8")
        outside_code(text, lambda part, page=page: files.update(linked_files(root, page, part)) or part)
        text = outside_code(text, lambda part, page=page: lists_apart(without_folders(page, part)))
        if api:
            text = text.replace(API_PLACE, "[The generated API](../api/index.html)")
        place = folder / page.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(FENCE.sub(plain_fence, text), encoding="utf-8")
    for file in sorted(files):
        place = folder / file.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    if api:
        shutil.copytree(api, folder / "api")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--api", type=pathlib.Path, help="the folder of HTML that doxygen wrote")
    options = parser.parse_args()
    stage(options.root.resolve(), options.folder.resolve(), options.api)


if __name__ == "__main__":
    main()
