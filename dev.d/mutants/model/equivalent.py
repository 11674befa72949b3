# SPDX-License-Identifier: Apache-2.0
"""Mutants that change no answer, each with its reason: equivalent.toml. A row names file, function and edit as the list of
mutants has them, so that it ends with the line that it is about."""

import tomllib


class Equivalents:
    def __init__(self, path):
        rows = tomllib.loads(path.read_text()).get("mutant", [])
        self.reasons = {}
        for row in rows:
            if set(row) != {"file", "function", "edit", "because"} or not row["because"].strip():
                raise ValueError(f"{path}: a row needs file, function, edit and because: {row}")
            self.reasons[f"{row['file']} | {row['function']} | {row['edit']}"] = row["because"]

    def reason(self, mutant):
        return self.reasons.get(mutant.key)
