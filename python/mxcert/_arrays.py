# SPDX-License-Identifier: Apache-2.0
"""Arrays of whatever library as the codes of a format, without a copy where their values lie in rows."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from ._library import format_bytes

# dtypes of numpy, ml_dtypes, jax and torch by name.
_FORMATS = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "e8m0",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e5m2fnuz": "e5m2fnuz",
    "float6_e3m2fn": "e3m2",
    "float6_e2m3fn": "e2m3",
    "float4_e2m1fn": "e2m1",
}
_UNSIGNED = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
_OF_NUMPY = {"fp64": np.dtype(np.float64), "fp32": np.dtype(np.float32), "fp16": np.dtype(np.float16)}


class Codes(NamedTuple):
    """An array as unsigned integers, and the format that they are codes of."""

    array: Any  # of numpy, of any strides
    format: str


def _torch_tensor(x: Any) -> Any:
    """The module torch if x is a tensor of it; else None. It is not imported for that."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def _view_of_tensor(torch: Any, tensor: Any, name: str) -> Any:
    """A tensor's values as unsigned integers of numpy, in the same memory."""
    if tensor.device.type != "cpu":
        raise ValueError(f"{name} is on {tensor.device}: mxcert computes on the processor, and .cpu() copies it there")
    if tensor.layout != torch.strided:
        raise ValueError(f"{name} has the layout {tensor.layout}: expected a dense tensor")
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    size = tensor.element_size()
    if size not in integers or tensor.is_complex():
        raise ValueError(f"{name} has the dtype {tensor.dtype}, which is no format")
    return tensor.detach().view(integers[size]).numpy().view(_UNSIGNED[size])


def _numpy_array(x: Any, name: str) -> Any:
    if isinstance(x, np.ndarray) or hasattr(x, "__array__"):
        array = np.asarray(x)
    elif hasattr(x, "__dlpack__"):
        array = np.from_dlpack(x)
    else:
        array = np.asarray(x)
        if array.dtype.kind in "iu":  # numbers of a list, not codes
            array = array.astype(np.float64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.itemsize not in _UNSIGNED or array.dtype.kind not in "fuiV":
        raise ValueError(f"{name} has the dtype {array.dtype}, which is no format")
    return array


def codes_of(x: Any, source: Optional[str], name: str = "x") -> Codes:
    """The codes of an array. ``source``: their format where the dtype does not say it. Raises ValueError."""
    torch = _torch_tensor(x)
    if torch is not None:
        array, dtype = _view_of_tensor(torch, x, name), str(x.dtype)[len("torch."):]
    else:
        array = _numpy_array(x, name)
        dtype = array.dtype.name
        array = array.view(_UNSIGNED[array.dtype.itemsize])
    if source is None:
        source = _FORMATS.get(dtype)
        if source is None:
            raise ValueError(f"{name} has the dtype {dtype}: say which format its codes are of, as in source='e4m3'")
    elif format_bytes(source) != array.dtype.itemsize:
        raise ValueError(f"{name} has the dtype {dtype}, and a value of {source} takes {format_bytes(source)} bytes")
    return Codes(array, source)


def bytes_of(x: Any, name: str) -> Any:
    """An array of single bytes in rows, whatever its dtype says they are."""
    torch = _torch_tensor(x)
    array = _view_of_tensor(torch, x, name) if torch is not None else _numpy_array(x, name)
    if array.dtype.itemsize != 1:
        raise ValueError(f"{name} has the dtype {array.dtype}: expected a type of one byte")
    return np.asarray(array.view(np.uint8), order="C")


class Result(NamedTuple):
    """Where values are to go."""

    format: str
    value: Any  # what the caller gets: an array or a tensor
    codes: Any  # its memory, as unsigned integers in rows


def _check_out(out: Any, format_name: str, shape: Tuple[int, ...]) -> Any:
    torch = _torch_tensor(out)
    codes = _view_of_tensor(torch, out, "out") if torch is not None else out
    if not isinstance(codes, np.ndarray):
        raise ValueError("out is neither an array of numpy nor a tensor of torch")
    if codes.shape != shape:
        raise ValueError(f"out has the shape {codes.shape}, and the result {shape}")
    if codes.dtype.itemsize != format_bytes(format_name):
        raise ValueError(f"out has values of {codes.dtype.itemsize} bytes, and {format_name} takes "
                         f"{format_bytes(format_name)}")
    if not codes.flags.c_contiguous or not codes.flags.writeable or not codes.dtype.isnative:
        raise ValueError("out is not a writeable array whose values lie in rows")
    return codes.view(_UNSIGNED[codes.dtype.itemsize])


def format_of_dtype(to: Any) -> str:
    """The format of a dtype of numpy, ml_dtypes or torch. Raises ValueError."""
    name = str(to)[len("torch."):] if str(to).startswith("torch.") else np.dtype(to).name
    if name not in _FORMATS:
        raise ValueError(f"the dtype {to} is no format")
    return _FORMATS[name]


def result_of(to: Any, out: Any, shape: Tuple[int, ...]) -> Result:
    """Where values of a format go. ``to``: its name, or a dtype of numpy, ml_dtypes or torch, that the result then has."""
    name = to if isinstance(to, str) else format_of_dtype(to)
    if out is None:
        if isinstance(to, str):
            out = np.empty(shape, _OF_NUMPY.get(name, _UNSIGNED[format_bytes(name)]))
        elif str(to).startswith("torch."):
            out = sys.modules["torch"].empty(shape, dtype=to)
        else:
            out = np.empty(shape, np.dtype(to))
    return Result(name, out, _check_out(out, name, shape))


def in_rows(codes: Any, result: Optional[Result] = None) -> Any:
    """The codes in rows, without a copy where they lie so. Raises ValueError if they share memory with the result."""
    if result is not None and np.may_share_memory(codes, result.codes):
        raise ValueError("out is in the same memory as the input")
    return np.asarray(codes, order="C")
