# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import fuzz_counts  # noqa: E402

LOG = """INFO: Seed: 1
#2\tINITED cov: 50 ft: 60 corp: 2/9b exec/s: 0 rss: 60Mb
#100\tNEW    cov: 51 ft: 62 corp: 3/10b lim: 4 exec/s: 0 rss: 60Mb L: 1/4 MS: 1 CopyPart-
#400\tREDUCE cov: 51 ft: 62 corp: 3/9b lim: 4 exec/s: 0 rss: 60Mb L: 1/4 MS: 1 EraseBytes-
#1000\tDONE   cov: 51 ft: 62 corp: 3/9b lim: 4 exec/s: 500 rss: 60Mb
stat::number_of_executed_units: 1000
"""


class FuzzCounts(unittest.TestCase):
    def test_the_last_new_edge_is_where_the_coverage_last_grew(self):
        self.assertEqual(fuzz_counts.run_of(LOG), {"inputs": 1000, "edges": 51, "last_new": 100})
        self.assertEqual(fuzz_counts.run_of(LOG.replace("#100\tNEW    cov: 51", "#100\tNEW    cov: 50")
                                            .replace("cov: 51", "cov: 50"))["last_new"], 0)

    def test_what_is_no_log_of_a_finished_run_is_refused(self):
        for text in ("", LOG.replace("stat::", ""), LOG.replace("INITED", "pulse "), "#1\tINITED cov: 1\n"):
            with self.assertRaises(ValueError):
                fuzz_counts.run_of(text)

    def test_runs_add_up_and_a_growing_target_is_named(self):
        counts = {}
        fuzz_counts.add(counts, "number", fuzz_counts.run_of(LOG))
        fuzz_counts.add(counts, "number", fuzz_counts.run_of(LOG.replace("#100\t", "#950\t")))
        lines, growing = fuzz_counts.table(counts)
        self.assertEqual(counts["number"]["inputs"], 2000)
        self.assertEqual(growing, ["number"])
        self.assertIn("| `number` | 2,000 | 1,000 | 51 | 950 |", lines)
        self.assertIn("| all 1 | 2,000 | | | |", lines)

    def test_a_file_keeps_the_counts_and_a_bad_log_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            file = Path(folder, "fuzz.json")
            good = Path(folder, "number.log")
            good.write_text(LOG)
            bad = Path(folder, "unit.log")
            bad.write_text("cut")
            self.assertEqual(fuzz_counts.main([str(file)]), 1)
            self.assertEqual(fuzz_counts.main([str(file), str(good)]), 0)
            before = file.read_text()
            self.assertEqual(fuzz_counts.main([str(file), str(good), str(bad)]), 1)
            self.assertEqual(file.read_text(), before)
            self.assertEqual(json.loads(before)["number"]["runs"], 1)


if __name__ == "__main__":
    unittest.main()
