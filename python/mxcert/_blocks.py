# SPDX-License-Identifier: Apache-2.0
"""Block quantizers: MX formats and NVFP4."""
from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from . import _arrays
from ._library import QuantizedInfo, call, options, shape_argument
from ._progress import Progress, pieces, teller

_PIECE = 1 << 24  # values between two calls of `progress`, about


@dataclass(frozen=True, eq=False)
class Quantized:
    """Elements and scales of a quantized array, and how they were made. It unpacks: ``elements, scales = quantize(...)``."""

    elements: np.ndarray  #: uint8 codes in the shape of the values; packed, fewer along the last axis
    scales: np.ndarray  #: uint8 codes: the shape of the values with one for each block along the axis; or a layout
    format: str  #: "mxfp8_e4m3"
    shape: Tuple[int, ...]  #: of the values
    axis: int  #: along which blocks lie, from 0
    block: int  #: elements of a block
    element_format: str  #: "e4m3"
    scale_format: str  #: "e8m0"
    packing: str = "bytes"
    layout: str = "rows"
    tensor_scale: Optional[np.float32] = None  #: of nvfp4: a value is element x scale x this
    tensor_amax: Optional[np.float32] = None  #: of nvfp4: what that was made from

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.elements, self.scales))

    def dequantize(self, to: Any = "fp32", **given: Any) -> Any:
        """The values, as the function `dequantize` gives them."""
        return dequantize(self, to=to, **given)


class _Place(NamedTuple):
    """An array as the library sees it: matrices with blocks along rows or columns."""

    shape: Tuple[int, ...]
    axis: str
    is_view: bool  # axes were joined: blocks lie along one before the last two

    @staticmethod
    def of(shape: Tuple[int, ...], axis: int, packing: str, layout: str) -> _Place:
        if axis >= len(shape) - 2:
            return _Place(shape, "row" if axis >= len(shape) - 1 else "column", False)
        if packing != "bytes" or layout != "rows":
            raise ValueError(f"with a packing or a layout, blocks lie along one of the last two axes, not along axis {axis} "
                             f"of {len(shape)}")
        return _Place((math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:])), "column", True)

    def scale_shape(self, info: QuantizedInfo, shape: Tuple[int, ...], axis: int) -> Tuple[int, ...]:
        if not self.is_view:
            return info.scale_shape
        return (*shape[:axis], info.scale_shape[1], *shape[axis + 1:])


def _axis_of(axis: int, rank: int) -> int:
    if not -max(rank, 1) <= axis < max(rank, 1):
        raise ValueError(f"axis {axis} of an array with {rank} axes")
    return axis % max(rank, 1)


def _fp32(bits: int) -> Any:
    return np.uint32(bits).view(np.float32)


def quantize(x: Any, format: str, *, rule: Optional[str] = None, axis: int = -1, rounding: Optional[str] = None,
             overflow: Optional[str] = None, profile: Optional[str] = None,
             scale_choices: Optional[Mapping[str, str]] = None, element_choices: Optional[Mapping[str, str]] = None,
             amax_nan: Optional[str] = None, amax_inf: Optional[str] = None, recipe: Optional[str] = None,
             tensor_amax: Optional[float] = None, block: Optional[int] = None, packing: str = "bytes",
             layout: str = "rows", source: Optional[str] = None, threads: int = 0,
             progress: Progress = None) -> Quantized:
    """Quantizes an array in blocks along an axis.

    x: values of float32, float16 or bfloat16, of any shape; the last block along the axis may be shorter.
    format: one of `mxcert formats --scaled`: mxfp8_e4m3, mxfp8_e5m2, mxfp6_e3m2, mxfp6_e2m3, mxfp4, mxint8, nvfp4.
    rule: how the scale follows from the amax, one of `mxcert rules`: ocp_floor (the default), rceil, even, ...
    rounding, overflow: of the elements, as of `convert`; scale_choices, element_choices: any of `mxcert choices`.
    amax_nan: ignored, if_alone or propagated; amax_inf: counted or left_out.
    profile: quantizes as this profile does: "nvidia-te", "torchao-floor".
    recipe, tensor_amax: of nvfp4, whose quantizer ("te_nvfp4"), and the amax that the scale of the tensor is made from.
    block: elements that share a scale, 1 to 1024; without it the format's.
    packing, layout: of elements narrower than a byte, and of the scales, as `mxcert quantize` has them.
    source: the format of x where its dtype does not say it.
    progress: True for a line on standard error; or a function that is called with (done, total), numbers of lines of
        blocks. nvfp4, a packing, a layout and an axis that is not the last are done in one step.

    By MX v1.0 6.3 (clauses MX-SCALE-FLOOR, MX-ELEMENT, MX-ELEMENT-CLAMP). Raises ValueError: an unknown name, an axis that
    is not there, choices that do not go together, an array without values.

    >>> elements, scales = mxcert.quantize(np.array([[1.0, -2.5, 448.0, 3e-3]], np.float32), "mxfp8_e4m3", rule="rceil")
    >>> elements, scales
    (array([[ 56, 194, 126,   2]], dtype=uint8), array([[127]], dtype=uint8))
    """
    codes = _arrays.codes_of(x, source)
    values = _arrays.in_rows(codes.array)
    shape = values.shape
    axis = _axis_of(axis, len(shape))
    place = _Place.of(shape, axis, packing, layout)
    text = options(rule=rule, axis=place.axis, rounding=rounding, overflow=overflow, profile=profile,
                   scale_choice=scale_choices, element_choice=element_choices, amax_nan=amax_nan, amax_inf=amax_inf,
                   recipe=recipe, tensor_amax=tensor_amax, block=block, packing=packing, layout=layout)
    arguments = (format.encode(), codes.format.encode(), text, *shape_argument(place.shape))
    info = QuantizedInfo()
    call("quantized_shape", *arguments, ctypes.byref(info))
    elements = np.empty(shape if place.is_view else info.element_shape, np.uint8)
    scales = np.empty(place.scale_shape(info, shape, axis), np.uint8)
    of_tensor = format == "nvfp4"
    lines = math.prod(shape[:-1])
    whole = of_tensor or packing != "bytes" or layout != "rows" or place.axis != "row" or not shape
    most = lines if whole else max(_PIECE // shape[-1], 1)
    for first, last in pieces(lines, most, teller(progress, "quantize")):
        if last - first != lines:
            arguments = (*arguments[:3], *shape_argument((last - first, shape[-1])))
        call("quantize", *arguments, *(array.ctypes.data + first * (array.nbytes // lines)
                                       for array in (values, elements, scales)), ctypes.byref(info), threads)
    return Quantized(elements, scales, format, shape, axis, info.block, info.element_format.decode(),
                     info.scale_format.decode(), packing, layout, _fp32(info.tensor_scale) if of_tensor else None,
                     _fp32(info.tensor_amax) if of_tensor else None)


def _of_bare_arrays(elements: Any, scales: Any, format: Optional[str], axis: int, block: Optional[int], packing: str,
                    layout: str, shape: Optional[Tuple[int, ...]], tensor_scale: Optional[float]) -> Quantized:
    if scales is None or format is None:
        raise ValueError("dequantize takes a Quantized, or elements, scales and their format")
    codes = _arrays.bytes_of(elements, "elements")
    if shape is None:
        if packing != "bytes":
            raise ValueError("packed elements need the shape of the values")
        shape = codes.shape
    shape = tuple(shape)
    axis = _axis_of(axis, len(shape))
    place = _Place.of(shape, axis, packing, layout)
    # The shapes do not depend on the scales of the tensor: any recipe will do.
    text = options(axis=place.axis, block=block, packing=packing, layout=layout,
                   recipe="te_nvfp4" if format == "nvfp4" else None)
    info = QuantizedInfo()
    call("quantized_shape", format.encode(), b"fp32", text, *shape_argument(place.shape), ctypes.byref(info))
    scale_codes = _arrays.bytes_of(scales, "scales")
    expected = {"elements": (codes.shape, shape if place.is_view else info.element_shape),
                "scales": (scale_codes.shape, place.scale_shape(info, shape, axis))}
    for name, (got, wanted) in expected.items():
        if got != wanted:
            raise ValueError(f"the {name} have the shape {got}, and {wanted} is that of values in {shape} with blocks along "
                             f"axis {axis}")
    return Quantized(codes, scale_codes, format, shape, axis, info.block, info.element_format.decode(),
                     info.scale_format.decode(), packing, layout, None if tensor_scale is None else np.float32(tensor_scale))


def dequantize(elements: Any, scales: Any = None, format: Optional[str] = None, *, to: Any = "fp32", axis: int = -1,
               block: Optional[int] = None, packing: str = "bytes", layout: str = "rows",
               shape: Optional[Tuple[int, ...]] = None, tensor_scale: Optional[float] = None,
               rounding: Optional[str] = None, overflow: Optional[str] = None, out: Any = None, threads: int = 0) -> Any:
    """The values of elements and scales: each element times the scale of its block, rounded once.

    elements: a Quantized, which says all but `to`, `rounding` and `overflow`; or codes, a byte each, with their `scales`
        and `format` ("mxfp8_e4m3"), and where they differ from the defaults `axis`, `block`, `packing`, `layout`, of
        packed elements the `shape` of the values, and of nvfp4 the `tensor_scale`.
    to: fp32, fp64, fp16 or bf16, or a dtype, as of `convert`; overflow: nosat by default, what is too large becomes Inf.
    out: an array or tensor that is filled and returned.

    By MX v1.0 5.1 (clauses MX-VALUE, MX-SPECIAL-ELEMENT, MX-SCALE-IS-NAN). Raises ValueError: an unknown name, shapes that
    do not go together, a byte that is no code.

    >>> mxcert.dequantize(np.array([[0x7E, 0x38]], np.uint8), np.array([[128]], np.uint8), "mxfp8_e4m3")
    array([[896.,   2.]], dtype=float32)
    """
    if isinstance(elements, Quantized):
        quantized = elements
    else:
        quantized = _of_bare_arrays(elements, scales, format, axis, block, packing, layout, shape, tensor_scale)
    result = _arrays.result_of(to, out, quantized.shape)
    codes = _arrays.in_rows(quantized.elements, result)
    scale_codes = _arrays.in_rows(quantized.scales, result)
    place = _Place.of(quantized.shape, quantized.axis, quantized.packing, quantized.layout)
    scale = None if quantized.tensor_scale is None else f"0x{int(np.float32(quantized.tensor_scale).view(np.uint32)):08X}"
    text = options(axis=place.axis, block=quantized.block, packing=quantized.packing, layout=quantized.layout,
                   tensor_scale=scale, rounding=rounding, overflow=overflow)
    call("dequantize", quantized.format.encode(), result.format.encode(), text, *shape_argument(place.shape),
         codes.ctypes.data, scale_codes.ctypes.data, result.codes.ctypes.data, threads)
    return result.value
