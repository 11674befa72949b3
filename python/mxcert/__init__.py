# SPDX-License-Identifier: Apache-2.0
"""The bit-exact reference model for MXFP8 and FP8 formats, on arrays.

    import mxcert

    codes = mxcert.convert(x, "e4m3")                        # uint8 codes, rounded once
    elements, scales = mxcert.quantize(x, "mxfp8_e4m3", rule="rceil")
    print(mxcert.explain(464.0001, "e4m3"))                  # why, and by which sentence of which document

Arrays are those of numpy, CPU tensors of torch, and whatever has ``__array__`` or ``__dlpack__``. Values are never changed
silently: an unknown name, a shape that does not fit and a byte that is no code raise ValueError.

Formats, roundings, rules and profiles have the names that the program prints: ``mxcert formats``, ``mxcert choices``,
``mxcert rules``, ``mxcert profiles``.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

# Where each name is: a module is imported when its name is first used, so that `import mxcert` takes a few milliseconds.
_MODULES = {
    "convert": "_convert",
    "decode": "_convert",
    "Quantized": "_blocks",
    "quantize": "_blocks",
    "dequantize": "_blocks",
    "matmul": "_matmul",
    "Explanation": "_look_up",
    "explain": "_look_up",
    "StepTable": "_look_up",
    "step_table": "_look_up",
    "Bug": "_look_up",
    "bugs": "_look_up",
    "program": "_program",
    "certify": "_certify",
    "certify_quantizer": "_certify",
    "certify_dequantizer": "_certify",
    "certify_operation": "_certify",
    "CannotRun": "_certify",
    "Report": "report",
}

if TYPE_CHECKING:
    from ._blocks import Quantized as Quantized, dequantize as dequantize, quantize as quantize
    from ._certify import (CannotRun as CannotRun, certify as certify, certify_dequantizer as certify_dequantizer,
                           certify_operation as certify_operation, certify_quantizer as certify_quantizer)
    from ._convert import convert as convert, decode as decode
    from ._look_up import (Bug as Bug, Explanation as Explanation, StepTable as StepTable, bugs as bugs, explain as explain,
                           step_table as step_table)
    from ._matmul import matmul as matmul
    from ._program import program as program
    from .report import Report as Report

__all__ = ["__version__", *sorted(_MODULES)]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'mxcert' has no attribute '{name}'")
    value = getattr(importlib.import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
