# SPDX-License-Identifier: Apache-2.0
"""The matrix of implementations and what they convert, as one HTML file without anything from outside."""
import html

from findings import COLUMNS

STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; } th, td { border: 1px solid #c8c8c8; padding: 4px 6px; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: #f2f2f2; } tbody th { white-space: nowrap; }
.conforms { background: #e3f4e3; } .own { background: #fdf6d8; } .differs { background: #fbe3dd; } .failed { background: #ecd9f0; }
.none { color: #8a8a8a; } details summary { cursor: pointer; } li { max-width: 60em; } small { color: #555; }
@media (prefers-color-scheme: dark) {
  body { background: #16181c; color: #e6e6e6; } thead th { background: #24272d; } th, td { border-color: #444; }
  .conforms { background: #17351c; } .own { background: #3d3512; } .differs { background: #4a221b; } .failed { background: #3b2144; }
}
"""
WORDS = {"conforms": "conforms", "own": "own profile", "differs": "differs", "failed": "failed", "none": "-"}


def one_cell(state, instead, found):
    """A cell: the state in a word, what it does instead, and the findings behind it."""
    if state == "none":
        return '<td class="none">-</td>'
    word = WORDS[state] + (f": {html.escape(instead)}" if instead else "")
    items = "".join(f"<li><code>{html.escape(finding.name)}</code>: {html.escape(finding.text)}" +
                    (f". {html.escape(finding.note)}" if finding.note else "") + "</li>" for finding in found)
    return f'<td class="{state}"><details><summary>{word} <small>({len(found)})</small></summary><ul>{items}</ul></details></td>'


def page(rows):
    """The page. rows: the entry, its packages, and of each column its state, what it does instead, and its findings."""
    head = "".join(f"<th>{html.escape(column)}</th>" for column in COLUMNS)
    body = "\n".join(f"<tr><th>{html.escape(entry['title'])}<br><small>{html.escape(packages)}</small></th>" +
                     "".join(one_cell(*cells[column]) for column in COLUMNS) + "</tr>" for entry, packages, cells in rows)
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Survey of FP8 and MX implementations</title><style>{STYLE}</style></head>
<body>
<h1>Survey of FP8 and MX implementations</h1>
<p>A cell opens to its conversions. <b>conforms</b>: all agree with a profile of a standard; <b>own profile</b>: some agree with the
profile of an implementation alone; <b>differs</b>: some agree with none, with the class of bug that explains it; <b>failed</b>: some gave
no answers of the format.</p>
<table>
<thead><tr><th>implementation</th>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</body>
</html>
"""
