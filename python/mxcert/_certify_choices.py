# SPDX-License-Identifier: Apache-2.0
"""What the options of the certify functions may be. Nothing is imported here: the pytest plugin reads this in every session."""

LEVELS = ("smoke", "quick", "standard", "complete")
ARRAYS = ("numpy", "codes", "torch")
OUTPUTS = ("codes", "values")
PROCESSES = ("auto", "fork", "import")
AXES = {-1: "row", 1: "row", "row": "row", -2: "column", 0: "column", "column": "column"}


def check_choice(name, value, choices):
    """Throws ValueError unless an option has one of its values."""
    if value not in choices:
        raise ValueError(f"{name}={value!r}: there are {', '.join(map(repr, choices))}")


def profiles_of(profile):
    """None, one name or several, as a list."""
    return [] if profile is None else [profile] if isinstance(profile, str) else list(profile)
