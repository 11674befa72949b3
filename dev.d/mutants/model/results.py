# SPDX-License-Identifier: Apache-2.0
"""The verdicts, kept in a file. They count for one state of sources and tests; of others only who saw a mutant is of use.
Each part of a run writes a file of its own, and those of other parts are read too."""

import json
import os


class Results:
    def __init__(self, folder, state, part=""):
        self.path, self.state = folder / f"results{part}.json", state
        self.records = {}
        for path in sorted(folder.glob("results*.json")):
            for key, record in json.loads(path.read_text()).items():
                if key not in self.records or record["state"] == state:
                    self.records[key] = record

    def of(self, mutant):
        """None if it was not scored in this state."""
        record = self.records.get(mutant.key)
        return record if record is not None and record["state"] == self.state else None

    def hints(self, mutant):
        """The test that saw it in an earlier state."""
        record = self.records.get(mutant.key, {})
        return (record["by"],) if "by" in record else ()

    def add(self, mutant, record):
        self.records[mutant.key] = {**record, "state": self.state}
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.records))
        os.replace(new, self.path)
