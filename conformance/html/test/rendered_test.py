# SPDX-License-Identifier: Apache-2.0
"""Shows the HTML reports in a browser, Chromium without a window, and reads back what is to be seen. A script is added
to a copy of each page; the pages themselves have none. MXCERT_PROGRAM names the program."""
import html
import json
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PLANTED, write_page

CHROMIUM = shutil.which("chromium")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
LOOK = """<script>
const named = node => (node.textContent || node.tagName).trim().slice(0, 60);
const seen = {
  text: document.body.innerText.replace(/\\s+/g, " "),
  width: innerWidth,
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  paper: getComputedStyle(document.body).backgroundColor,
  sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  keys: 0, unreachable: [], pictures: 0, outside: []};
for (const details of document.querySelectorAll("details")) details.open = true;
for (const node of document.querySelectorAll("summary, a[href]")) {
  node.focus();
  ++seen.keys;
  if (document.activeElement !== node) seen.unreachable.push(named(node));
}
for (const picture of document.querySelectorAll("svg")) {
  const frame = picture.getBoundingClientRect();
  if (frame.width > 0 && frame.height > 0) ++seen.pictures;
  for (const text of picture.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      seen.outside.push(named(text));
  }
}
const out = document.createElement("pre");
out.textContent = JSON.stringify(seen);
document.body.replaceChildren(out);
</script>"""


@unittest.skipUnless(CHROMIUM, "needs chromium")
class Rendered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.keep.name)

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def page(self, *arguments):
        return write_page(self.folder, *arguments)[0]

    def browse(self, page, *options):
        """Starts Chromium with a page: what it prints."""
        path = self.folder / "shown.html"
        path.write_text(page, encoding="utf-8")
        result = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + str(self.folder / "profile"),
                                 *options, path.as_uri()], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def look(self, page, width, dark):
        self.assertIn(POLICY, page)
        page = page.replace(POLICY, "").replace("</body>", LOOK + "</body>")
        shown = self.browse(page, f"--window-size={width},1000", f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom")
        return json.loads(html.unescape(shown[shown.index("<pre>") + 5:shown.rindex("</pre>")]))

    def check(self, page, *wanted, pictures):
        """At two widths, in light and dark: what is wanted can be read, nothing has to be scrolled sideways, no picture cuts its
        text off, and all that opens or leads somewhere is reached by the keyboard."""
        papers = set()
        for width in (500, 1300):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    seen = self.look(page, width, dark)
                    self.assertEqual((seen["width"], seen["dark"]), (width, dark))
                    for text in wanted:
                        self.assertIn(text, seen["text"])
                    self.assertLessEqual(seen["sideways"], 0)
                    self.assertEqual(seen["unreachable"], [])
                    self.assertGreater(seen["keys"], 0)
                    self.assertEqual(seen["pictures"], pictures)
                    self.assertEqual(seen["outside"], [])
                    papers.add((dark, seen["paper"]))
        self.assertEqual(len(papers), 2)

    def test_a_failure_is_shown(self):
        page = self.page("certify", PLANTED / "quantizer.so", "--backend-option", "subnormals flushed", "--profile", "ocp-sat",
                         "--level", "smoke", "--filter", "*/elements")
        row = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/elements"
        self.check(page, "FAIL", row, "permitted", "Coverage", pictures=page.count("<svg"))
        self.assertGreater(page.count("<svg"), 1)

    def test_figures_of_methods_are_shown(self):
        values = self.folder / "values.bin"
        values.write_bytes(struct.pack("<64f", *(1.07**i for i in range(64))))
        page = self.page("measure", values, "--dtype", "fp32", "--shape", "2,32")
        self.check(page, "e4m3", "SQNR", pictures=page.count("<svg"))
        self.assertGreater(page.count("<svg"), 0)

    def test_a_page_can_be_printed(self):
        page = self.page("certify", "portable", "--profile", "ocp-sat", "--level", "smoke", "--filter", "fp16-e4m3-nearest_even-sat")
        printed = self.folder / "page.pdf"
        self.browse(page, "--print-to-pdf=" + str(printed))
        self.assertTrue(printed.read_bytes().startswith(b"%PDF-"))


if __name__ == "__main__":
    unittest.main()
