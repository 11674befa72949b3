# SPDX-License-Identifier: Apache-2.0
"""The verdicts, kept in a file. They count for one state of sources and tests; of others only who saw a mutant is of use."""

import json
import os


class Results:
    def __init__(self, path, state):
        self.path, self.state = path, state
        self.records = json.loads(path.read_text()) if path.exists() else {}

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
