# SPDX-License-Identifier: Apache-2.0
"""Reads the HTML reports back and compares them with the JSON of the same runs. MXCERT_PROGRAM names the program."""
import hashlib
import html.parser
import json
import re
import shutil
import struct
import tempfile
import unittest
from pathlib import Path

from program import PLANTED, run, write_page

HOSTILE = "<script>alert(1)</script>\" onload='x' & <b>&amp;"
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Node:
    """An element with what is in it."""

    def __init__(self, name, attributes):
        self.name, self.attributes, self.children = name, dict(attributes), []

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def all(self, name=None, of_class=None):
        """The elements below, in their order, of this name and class."""
        for child in self.children:
            if isinstance(child, str):
                continue
            classes = (child.attributes.get("class") or "").split()
            if (name is None or child.name == name) and (of_class is None or of_class in classes):
                yield child
            yield from child.all(name, of_class)

    def with_id(self, wanted):
        return next(node for node in self.all() if node.attributes.get("id") == wanted)

    def rows(self, of_class):
        """The text of the cells of a table, without its heading."""
        table = next(self.all("table", of_class))
        return [[cell.text() for cell in row.all("td")] for row in table.all("tr") if any(row.all("td"))]


class Page(html.parser.HTMLParser):
    """A page that is checked while it is read: what is opened is closed, in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.open = [self.root]
        self.feed(text)
        self.close()
        assert self.open == [self.root], f"not closed: {[node.name for node in self.open]}"

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice"
        node = Node(tag, attrs)
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Node(tag, attrs))

    def handle_endtag(self, tag):
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


def change_code(record, conversion, code, wrong):
    """Every input of a record that gives a code gives another one; the record is as whole as before."""
    path = record / f"{conversion}.csv"
    lines = [line.split(",") for line in path.read_text().splitlines()]
    for line in lines[1:]:
        if line[2] == code:
            line[2] = wrong
    # Neighbours of one code are one row.
    merged = lines[:1]
    for first, last, answer in lines[1:]:
        if merged[-1][2] == answer:
            merged[-1][1] = last
        else:
            merged.append([first, last, answer])
    path.write_text("".join(",".join(line) + "\n" for line in merged))
    index = json.loads((record / "record.json").read_text())
    entry = next(item for item in index["files"] if item["conversion"] == conversion)
    entry["rows"] = len(merged) - 1
    entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (record / "record.json").write_text(json.dumps(index))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.keep.name)
        made = run("record", "portable", "--level", "quick", "--filter", "fp16-e4m3-nearest_even-sat", "--filter",
                   "e4m3-fp32-*", "-o", cls.folder / "right")
        assert made.returncode == 0, made.stderr
        shutil.copytree(cls.folder / "right", cls.folder / "wrong")
        index = json.loads((cls.folder / "wrong/record.json").read_text())
        index["backend"]["name"] = index["backend"]["description"] = HOSTILE
        (cls.folder / "wrong/record.json").write_text(json.dumps(index))
        change_code(cls.folder / "wrong", "fp16-e4m3-nearest_even-sat", "80", "00")
        change_code(cls.folder / "wrong", "fp16-e4m3-nearest_even-sat", "3A", "39")

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def page(self, *arguments):
        """Runs a command with --html: the page, and what the command printed."""
        text, result = write_page(self.folder, *arguments)
        page = Page(text).root
        self.check_alone(page)
        return page, result

    def check_alone(self, page):
        """The page asks for nothing, runs nothing, and every link leads to a place in it."""
        ids = [node.attributes["id"] for node in page.all() if "id" in node.attributes]
        self.assertEqual(len(ids), len(set(ids)))
        for node in page.all():
            self.assertNotIn(node.name, {"script", "link", "img", "iframe", "object", "embed", "form", "base"})
            for name, value in node.attributes.items():
                self.assertFalse(name.startswith("on"), name)
                self.assertNotIn(name, {"src", "srcset", "action", "data"})
                if name == "href":
                    self.assertIn(value[1:], ids)
                if name not in {"xmlns", "content"}:
                    self.assertNotIn("://", value or "")
        self.assertNotIn("url(", next(page.all("style")).text())
        policies = [node.attributes["content"] for node in page.all("meta") if node.attributes.get("http-equiv")]
        self.assertEqual(policies, ["default-src 'none'; style-src 'unsafe-inline'"])

    def verdict(self, page):
        """The word and the sentence, as the terminal has them."""
        verdict = page.with_id("verdict")
        word = next(verdict.all("span", "badge")).text()
        return word + ": " + "\n".join(part.text() for part in verdict.all("p"))

    def counts(self, page):
        return {status: int(number.replace(",", "")) for status, number in page.rows("counts")}

    def certify(self, *arguments):
        path = self.folder / "report.json"
        page, result = self.page("certify", *arguments, "--json", path)
        return page, json.loads(path.read_text(encoding="utf-8")), result.stdout

    def check_certify(self, page, report, printed):
        self.assertIn(self.verdict(page).splitlines()[0], printed.replace("\n  ", " "))
        self.assertEqual(self.counts(page), {name: n for name, n in report["counts"].items() if n})
        for cells in page.rows("profiles"):
            rows = [row for row in report["rows"] if row["profile"] == cells[0]]
            self.assertEqual(cells[1], f"{len(rows):,}")
            self.assertEqual(cells[-2:], [f"{sum(row[name] for row in rows):,}" for name in ("compared", "differing")])
        coverage = [cells for table in page.all("table", "coverage") for cells in
                    ([cell.text() for cell in row.all("td")] for row in table.all("tr")) if cells]
        self.assertEqual(sorted((c[0], c[1], c[2], c[3]) for c in coverage),
                         sorted((r["id"], r["profile"], r["status"], f"{r['compared']:,}") for r in report["rows"]))
        failed = [row for row in report["rows"]
                  if row["status"] != "PASS" and (row["status"] != "UNSUPPORTED" or row["required"])]
        found = list(page.with_id("findings").all("details", "row")) if failed else []
        self.assertEqual(len(found), len(failed))
        for node, row in zip(found, failed):
            self.check_finding(node, row)

    def check_finding(self, node, row):
        text = node.text()
        for part in (row["id"], row["profile"], row["reason"]):
            self.assertIn(part, text)
        again = [line.text() for line in node.all("code", "again")]
        wanted = [item["reproduce"] for item in row["differences"] + row["culprits"] if item["reproduce"]]
        wanted += row.get("reproduce", []) + ([row["smallest"]["reproduce"]] if "smallest" in row else [])
        self.assertEqual(sorted(again), sorted(wanted))
        self.assertEqual(len(row["findings"]), sum(1 for _ in node.all("p", "finding")) - ("smallest" in row))
        bugs = [bug["class"] for bug in row.get("diagnosis", {}).get("bugs", []) + row.get("known_as", [])]
        self.assertEqual([bug.text() for bug in node.all("code", "bug")], bugs)
        clauses = [clause.text() for clause in node.all("code", "clause")]
        self.assertEqual(clauses, [difference["clause"] for difference in row["differences"]])
        for difference in row["differences"]:
            for name in ("first", "got"):
                self.assertIn("0x" + difference[name], text)
            self.assertTrue(any(f"mxcert explain 0x{difference['first']} " in line.text()
                                for line in node.all("code", "explain")))

    def test_certify_says_what_its_json_says(self):
        page, report, printed = self.certify(self.folder / "wrong", "--profile", "ocp-sat")
        self.assertEqual(report["counts"]["FAIL"], 1)
        self.check_certify(page, report, printed)
        self.assertEqual(next(page.all("h1")).text(), HOSTILE + " 1")

    def test_inputs_that_are_wrong_are_on_a_map(self):
        page, _, _ = self.certify(self.folder / "wrong", "--profile", "ocp-sat")
        finding = next(page.with_id("findings").all("details", "row"))
        maps = list(finding.all("svg", "map"))
        self.assertTrue(any(any(node.all("path", "wrong-3")) for node in maps))
        # The tables below the pictures list every cell with wrong inputs: of a line each has so many.
        self.assertEqual(finding.rows("cells")[0], ["-1", "zero, subnormals to 2-11", "64", "64"])

    def test_many_profiles_are_one_sentence_and_a_table(self):
        profiles = ["ocp-sat", "ocp-nosat", "onnx-sat", "onnx-nosat"]
        page, report, printed = self.certify(self.folder / "right", "--filter", "e4m3-*",
                                             *(word for name in profiles for word in ("--profile", name)))
        self.check_certify(page, report, printed)
        self.assertEqual(report["exit_code"], 0)
        self.assertIn("agrees with 4 profiles", self.verdict(page).splitlines()[0])
        self.assertEqual([cells[0] for cells in page.rows("profiles")], report["profiles"])

    def test_a_pass_has_no_findings(self):
        page, report, printed = self.certify(self.folder / "right", "--profile", "ocp-sat")
        self.assertEqual(report["counts"]["FAIL"], 0)
        self.check_certify(page, report, printed)
        self.assertFalse(any(node.attributes.get("id") == "findings" for node in page.all()))

    def test_a_quantizer_has_a_map_of_scales_and_codes(self):
        page, report, printed = self.certify(PLANTED / "quantizer.so", "--backend-option", "subnormals flushed",
                                             "--profile", "ocp-sat", "--level", "smoke", "--filter", "*/elements")
        self.check_certify(page, report, printed)
        caption = next(page.with_id("findings").all("figcaption")).text()
        self.assertIn("Across: the OFP8 E4M3 code that is permitted. Down: the code of the scale", caption)

    def test_a_backend_that_does_not_start_has_a_page(self):
        page, report, printed = self.certify("--pipe", "false", "--conversion", "fp16-e4m3-nearest_even-sat")
        self.check_certify(page, report, printed)

    def test_diff_says_what_its_json_says(self):
        path = self.folder / "diff.json"
        page, result = self.page("diff", self.folder / "right", self.folder / "wrong", "--json", path)
        diff = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(diff["exit_code"], 1)
        self.assertEqual(self.verdict(page), "DIFFERENT: " + result.stdout.splitlines()[-1])
        self.assertEqual([(cells[0], cells[1], cells[2]) for cells in page.rows("rows")],
                         [(row["conversion"], row["result"], f"{row['compared']:,}") for row in diff["rows"]])
        different = [row for row in diff["rows"] if row["result"] == "different"]
        found = list(page.with_id("differences").all("details", "row"))
        self.assertEqual(len(found), len(different))
        for node, row in zip(found, different):
            for given in row["ranges"][:5]:
                for name in ("first", "a", "b"):
                    self.assertIn("0x" + given[name], node.text())

    def test_parity_says_what_its_json_says(self):
        path = self.folder / "parity.json"
        name = "quantize-fp16-e2m1-e8m0-ocp_floor-nearest_even-sat-{}-any".format
        page, result = self.page("parity", "portable", "portable", "--operation", name("row"), "--against", name("column"), "--json", path)
        parity = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(parity["exit_code"], 1)
        self.assertEqual(self.verdict(page), "DIFFERENT: 0 equal, 1 different, 0 incomplete")
        self.assertEqual([(cells[0], cells[1], cells[4]) for cells in page.rows("parts")],
                         [(part["part"], f"{part['compared']:,}", f"{part['differing']:,}") for part in parity["pairs"][0]["parts"]])
        change = parity["pairs"][0]["explanation"]["changes"][0]
        said = f"{change['choice']} {change['b']} instead of {change['a']}"
        self.assertIn(said, result.stdout)
        self.assertIn(said, page.text())

    def test_gate_says_what_it_prints(self):
        baseline = self.folder / "baseline.json"
        self.assertEqual(run("gate", self.folder / "wrong", "--baseline", baseline, "--profile", "ocp-sat",
                             "--acknowledge", "--reason", HOSTILE, "--owner", "me", "--expires", "2999-12-31").returncode, 0)
        page, result = self.page("gate", self.folder / "wrong", "--baseline", baseline)
        self.assertEqual(self.verdict(page), result.stdout.splitlines()[-1])
        self.assertEqual(self.counts(page), {"same": 1, "acknowledged": 1})
        self.assertIn(HOSTILE, page.with_id("acknowledged").text())
        before = baseline.read_text()
        baseline.write_text(before.replace(' 39"', ' 3B"'))
        self.assertNotEqual(baseline.read_text(), before)
        page, result = self.page("gate", self.folder / "wrong", "--baseline", baseline)
        self.assertEqual(self.verdict(page), result.stdout.splitlines()[-1])
        self.assertEqual(self.counts(page), {"same": 1, "CHANGED": 1})
        self.assertIn("was 0x3B, is 0x39", page.with_id("findings").text())

    def test_identify_says_what_its_json_says(self):
        path = self.folder / "identify.json"
        page, _ = self.page("identify", self.folder / "wrong", "--json", path)
        found = json.loads(path.read_text(encoding="utf-8"))
        rows = list(page.with_id("found").all("details", "row"))
        self.assertEqual(len(rows), len(found))
        explained = [item["explained"] == item["asked"] for item in found]
        self.assertIn(f"{sum(explained)} of {len(found)} rows", self.verdict(page))
        for node, item in zip(rows, found):
            self.assertIn(item["conversion"], node.text())
            self.assertEqual([cells[:2] for cells in node.rows("parameters")],
                             [[parameter["name"], parameter["value"]] for parameter in item["parameters"]])

    def test_selftest_says_what_its_json_says(self):
        path = self.folder / "selftest.json"
        page, result = self.page("selftest", "--filter", "e5m2-fp32-*", "--json", path)
        bugs = json.loads(path.read_text(encoding="utf-8"))
        matrix = page.rows("matrix")
        self.assertEqual(matrix[-1][:2], ["all", str(len(bugs))])
        for cells in matrix[:-1]:
            self.assertEqual(int(cells[1]), sum(bug["class"] == cells[0] for bug in bugs))
        self.assertEqual(self.verdict(page), "PASS: " + result.stdout.splitlines()[-1])
        self.assertEqual(sum(len([r for r in table.all("tr") if any(r.all("td"))]) for table in page.all("table", "planted")),
                         len(bugs))

    def test_measure_says_what_its_json_says(self):
        values, path = self.folder / "<b>values.bin", self.folder / "measure.json"
        values.write_bytes(struct.pack("<64f", *(1.07**i for i in range(64))))
        page, _ = self.page("measure", values, "--dtype", "fp32", "--shape", "2,32", "--json", path)
        figures = json.loads(path.read_text(encoding="utf-8"))
        quality = page.rows("quality")
        self.assertEqual([cells[:2] for cells in quality], [[m["element"], m["scale"]] for m in figures["methods"]])
        self.assertEqual([cells[6] for cells in quality], [f"{m['quality']['sqnr_db']:.2f}" for m in figures["methods"]])
        self.assertEqual(len(list(next(page.all("div", "plot")).all("svg"))), 1)

    def test_text_can_be_read_in_both_colour_schemes(self):
        page, _, _ = self.certify(self.folder / "right", "--profile", "ocp-sat")
        style = next(page.all("style")).text()
        light, dark = (dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block))
                       for block in re.findall(r":root \{(.*?)\}", style, re.S))
        self.assertEqual(set(light), set(dark))

        def luminance(colour):
            parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055)**2.4 for c in parts]
            return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))

        def contrast(a, b):
            high, low = sorted((luminance(a), luminance(b)), reverse=True)
            return (high + 0.05) / (low + 0.05)

        texts = ("ink", "muted", "link", "sign", "exponent", "fraction", "scale")
        pairs = [(text, back) for text in texts for back in ("paper", "card")]
        pairs += [(name, name + "-back") for name in ("good", "bad", "open")]
        for scheme in (light, dark):
            for text, back in pairs:
                self.assertGreaterEqual(contrast(scheme[text], scheme[back]), 4.5, (text, back))


if __name__ == "__main__":
    unittest.main()
