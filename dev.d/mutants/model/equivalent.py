# SPDX-License-Identifier: Apache-2.0
"""Mutants that change no answer, each with its reason: equivalent.toml. A row `mutant` names file, function and edit as the
list of mutants has them; a row `inputs` a function whose constants are inputs of cases."""

import tomllib


class Equivalents:
    def __init__(self, path):
        rows = tomllib.loads(path.read_text())
        self.reasons = {}
        for row in rows.get("mutant", []):
            self._demand(path, row, {"file", "function", "edit", "because"})
            self.reasons[f"{row['file']} | {row['function']} | {row['edit']}"] = row["because"]
        self.inputs = {}
        for row in rows.get("inputs", []):
            self._demand(path, row, {"file", "function", "because"})
            self.inputs[row["file"], row["function"]] = row["because"]

    @staticmethod
    def _demand(path, row, names):
        if set(row) != names or not row["because"].strip():
            raise ValueError(f"{path}: a row needs {', '.join(sorted(names))}: {row}")

    def reason(self, mutant):
        """None if nothing explains it."""
        site = mutant.site
        return self.reasons.get(mutant.key) or (
            self.inputs.get((site.file, site.inside)) if site.kind == "constant" else None)
