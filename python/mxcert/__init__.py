# SPDX-License-Identifier: Apache-2.0
"""Tests conversions and quantizers bit for bit."""

_PLACES = {name: "mxcert._certify" for name in ("certify", "certify_quantizer", "certify_dequantizer", "certify_operation",
                                               "CannotRun", "Report")}


def __getattr__(name):
    if name in _PLACES:
        import importlib
        return getattr(importlib.import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'mxcert' has no attribute '{name}'")
