# SPDX-License-Identifier: Apache-2.0
"""Conversions between formats."""
from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from . import _arrays
from ._library import call, options
from ._progress import Progress, pieces, teller

_PIECE = 1 << 24  # values between two calls of `progress`


def convert(x: Any, to: Any, *, source: Optional[str] = None, rounding: Optional[str] = None,
            overflow: Optional[str] = None, profile: Optional[str] = None, choices: Optional[Mapping[str, str]] = None,
            random: Any = None, random_bits: int = 0, out: Any = None, threads: int = 0,
            progress: Progress = None) -> Any:
    """Converts every value of an array to another format, rounded once.

    x: values of any shape: float64, float32, float16, bfloat16 and the narrow formats of ml_dtypes and torch. Codes in
        unsigned integers are taken with ``source``, the name of their format.
    to: the format of the result. By name ("e4m3") the result has codes in uint8, of bf16 in uint16, and of fp16, fp32 and
        fp64 numpy's own values. By dtype (ml_dtypes.float8_e4m3fn, torch.float8_e4m3fn) it has that dtype.
    rounding: nearest_even, toward_zero, up, ...; overflow: sat, nosat or sat_finite.
    profile: converts as this profile does ("nvidia-cuda-host"); choices: any of `mxcert choices`, {"nan": "max"}.
    random, random_bits: for a stochastic rounding a number of so many bits for each value, uint32 in the shape of x.
    out: an array or tensor of the result's shape and size of value, which is filled and returned.
    threads: at most so many work; 0: one a core.
    progress: True for a line on standard error; or a function that is called with (done, total), numbers of values.

    By default: OCP OFP8 1.0 with saturation (clauses OFP8-ROUND, OFP8-OVERFLOW-SAT, OFP8-UNDERFLOW); `explain` names the
    clause of each value. Raises ValueError: an unknown name, a choice that the conversion does not have, a byte that is no
    code, an `out` that does not fit.

    >>> mxcert.convert([464.0001, -0.3, 1e9], "e4m3")
    array([126, 170, 126], dtype=uint8)
    """
    codes = _arrays.codes_of(x, source)
    result = _arrays.result_of(to, out, codes.array.shape)
    values = _arrays.in_rows(codes.array, result)
    bits = None
    if random is not None:
        bits = np.asarray(random, dtype=np.uint32, order="C")
        if bits.shape != values.shape:
            raise ValueError(f"random has the shape {bits.shape}, and x {values.shape}")
    text = options(rounding=rounding, overflow=overflow, profile=profile, choice=choices)
    formats = codes.format.encode(), result.format.encode()

    def at(array: Any, first: int) -> Optional[int]:
        return None if array is None else array.ctypes.data + first * array.itemsize

    for first, last in pieces(values.size, _PIECE, teller(progress, "convert")):
        call("convert", *formats, text, at(values, first), at(bits, first), random_bits, at(result.codes, first), last - first,
             threads)
    return result.value


def decode(codes: Any, source: Optional[str] = None, *, to: Any = "fp32", out: Any = None, threads: int = 0,
           progress: Progress = None) -> Any:
    """The values of codes. Of formats of 8 bits and fewer every one is a value of fp32.

    codes: of any shape, uint8 for instance. source: the name of their format ("e4m3"); not needed where the dtype says it.
    to: a format or a dtype, as of `convert`; what it cannot hold becomes Inf. progress: as of `convert`.

    By clauses OFP8-E4M3-CODES, OFP8-E5M2-CODES and MX-E8M0-CODES. Raises ValueError as `convert` does.

    >>> mxcert.decode(np.array([0x7E, 0x38, 0x80], np.uint8), "e4m3")
    array([448.,   1.,  -0.], dtype=float32)
    """
    return convert(codes, to, source=source, overflow="nosat", out=out, threads=threads, progress=progress)
