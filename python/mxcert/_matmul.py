# SPDX-License-Identifier: Apache-2.0
"""Products of matrices."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np

from . import _arrays
from ._blocks import Quantized
from ._library import Matrix, call, options


def _bits(number: Optional[np.float32]) -> int:
    return int(np.float32(number).view(np.uint32)) if number is not None else 0


def _matrix_of(x: Any, source: Optional[str], name: str) -> Any:
    """The matrix, and the arrays that it points into, which must live as long."""
    if not isinstance(x, Quantized):
        codes = _arrays.codes_of(x, source, name)
        values = _arrays.in_rows(codes.array)
        if values.ndim != 2:
            raise ValueError(f"{name} has {values.ndim} axes: a matrix has two")
        return Matrix(codes.format.encode(), values.ctypes.data, *values.shape), values
    if len(x.shape) != 2:
        raise ValueError(f"{name} has {len(x.shape)} axes: a matrix has two")
    if x.packing != "bytes" or x.layout != "rows":
        raise ValueError(f"{name} is packed or its scales have a layout: quantize it without")
    elements, scales = _arrays.in_rows(x.elements), _arrays.in_rows(x.scales)
    matrix = Matrix(x.element_format.encode(), elements.ctypes.data, *x.shape, scales.ctypes.data, x.scale_format.encode(),
                    b"row" if x.axis == 1 else b"column", x.block, int(x.tensor_scale is not None), _bits(x.tensor_scale),
                    _bits(x.tensor_amax))
    return matrix, (elements, scales)


def matmul(a: Any, b: Any, c: Any = None, *, transpose: str = "nn", accumulator: str = "exact",
           epilogue: Optional[str] = None, to: Any = None, source: Optional[str] = None, out: Any = None,
           threads: int = 0) -> Any:
    """D = A B + C, exactly and rounded once, or as a device adds.

    a, b: matrices, [m, k] and [k, n]: a Quantized each, with blocks along k, or codes and values of any format.
    c: a matrix [m, n] that is added, of the format of the sums; without it +0.
    transpose: how A and B lie, n as they are multiplied, t as the rows of the transpose: "nt" for weights [n, k].
    accumulator: exact, or one of `mxcert accumulators`: fp32_fma, hopper_mma_fp8_f32, ...
    epilogue: how the scales of both tensors in nvfp4 come to sums in FP32: product, in_turn, te_nvfp4, ...
    to: the format of D, or its dtype; without it what the accumulator gives, of the exact sum fp32.
    source: the format of codes in unsigned integers. out: an array or tensor that is filled and returned.

    By MX v1.0 6.1 and 6.2. Raises ValueError: sizes that do not fit, blocks that do not lie along the sum, formats that the
    accumulator does not take.

    >>> x = mxcert.quantize(np.ones((2, 64), np.float32), "mxfp8_e4m3")
    >>> mxcert.matmul(x, x, transpose="nt")
    array([[64., 64.],
           [64., 64.]], dtype=float32)
    """
    left, kept_a = _matrix_of(a, source, "a")
    right, kept_b = _matrix_of(b, source, "b")
    added, kept_c = (None, None) if c is None else _matrix_of(c, None, "c")
    to_name = None if to is None else to if isinstance(to, str) else _arrays.format_of_dtype(to)
    text = options(transpose=transpose, accumulator=accumulator, epilogue=epilogue, to=to_name)
    operands = [None if matrix is None else ctypes.byref(matrix) for matrix in (left, right, added)]
    rows, columns, format = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_char_p()
    call("matmul_shape", *operands, text, ctypes.byref(rows), ctypes.byref(columns), ctypes.byref(format))
    assert format.value is not None
    result = _arrays.result_of(format.value.decode() if to is None else to, out, (rows.value, columns.value))
    call("matmul", *operands, text, result.codes.ctypes.data, threads)
    del kept_a, kept_b, kept_c
    return result.value
