# SPDX-License-Identifier: Apache-2.0
"""libmxcert by ctypes (conformance/library/mxcert.h says what each function does)."""
from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from typing import Any, Iterable, Mapping, Optional, Tuple, Union

from ._parameters import in_python

_ABI = 1
_OK, _INVALID = 0, 2
_MAX_RANK = 64
_HERE = pathlib.Path(__file__).resolve().parent

_text, _pointer = ctypes.c_char_p, ctypes.c_void_p
_u32, _u64 = ctypes.c_uint32, ctypes.c_uint64
_sizes = ctypes.POINTER(_u64)


class QuantizedInfo(ctypes.Structure):
    """mxcert_quantized"""

    _fields_ = [("element_format", _text), ("scale_format", _text), ("block", _u32), ("tensor_scale", _u32),
                ("tensor_amax", _u32), ("element_rank", _u32), ("scale_rank", _u32), ("element_sizes", _u64 * _MAX_RANK),
                ("scale_sizes", _u64 * _MAX_RANK)]

    @property
    def element_shape(self) -> Tuple[int, ...]:
        return tuple(self.element_sizes[: self.element_rank])

    @property
    def scale_shape(self) -> Tuple[int, ...]:
        return tuple(self.scale_sizes[: self.scale_rank])


class Matrix(ctypes.Structure):
    """mxcert_matrix"""

    _fields_ = [("format", _text), ("elements", _pointer), ("rows", _u64), ("columns", _u64), ("scales", _pointer),
                ("scale_format", _text), ("axis", _text), ("block", _u32), ("has_tensor_scale", _u32),
                ("tensor_scale", _u32), ("tensor_amax", _u32)]


_matrix = ctypes.POINTER(Matrix)
_FUNCTIONS = {
    "format_bytes": (_text, ctypes.POINTER(_u32)),
    "convert": (_text, _text, _text, _pointer, _pointer, _u32, _pointer, _u64, _u32),
    "quantized_shape": (_text, _text, _text, _u32, _sizes, ctypes.POINTER(QuantizedInfo)),
    "quantize": (_text, _text, _text, _u32, _sizes, _pointer, _pointer, _pointer, ctypes.POINTER(QuantizedInfo), _u32),
    "dequantize": (_text, _text, _text, _u32, _sizes, _pointer, _pointer, _pointer, _u32),
    "matmul_shape": (_matrix, _matrix, _matrix, _text, ctypes.POINTER(_u64), ctypes.POINTER(_u64), ctypes.POINTER(_text)),
    "matmul": (_matrix, _matrix, _matrix, _text, _pointer, _u32),
    "explain": (_text, _text, ctypes.POINTER(_pointer)),
    "step_table": (_text, _text, ctypes.POINTER(_pointer)),
    "use_vectors": (_text,),
    "bugs": (ctypes.POINTER(_pointer),),
}


def _path() -> pathlib.Path:
    chosen = os.environ.get("MXCERT_LIBRARY")
    path = pathlib.Path(chosen) if chosen else _HERE / "lib" / "libmxcert.so"
    if not path.is_file():
        raise ImportError(f"there is no {path}: " + ("MXCERT_LIBRARY names it" if chosen else
                          "install the wheel of mxcert, or set MXCERT_LIBRARY to a libmxcert.so that was built"))
    return path


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"{path} cannot be loaded: {error}") from error
    library.mxcert_library_abi.restype = _u32
    if library.mxcert_library_abi() != _ABI:
        raise ImportError(f"{path} has the interface {library.mxcert_library_abi()}, and this package needs {_ABI}")
    library.mxcert_message.restype = _text
    library.mxcert_free.argtypes = (_pointer,)
    library.mxcert_free.restype = None
    for name, arguments in _FUNCTIONS.items():
        function = getattr(library, f"mxcert_{name}")
        function.argtypes = arguments
        function.restype = ctypes.c_int
    vectors = _HERE / "share" / "mxcert" / "vectors"
    if vectors.is_dir():
        library.mxcert_use_vectors(os.fsencode(vectors))
    return library


def call(name: str, *arguments: Any) -> None:
    """Calls a function. Raises ValueError for a wrong argument, RuntimeError for what failed."""
    library = _library()
    status = getattr(library, f"mxcert_{name}")(*arguments)
    if status != _OK:
        message = in_python(library.mxcert_message().decode("utf-8", "replace"))
        raise (ValueError if status == _INVALID else RuntimeError)(message)


def call_for_text(name: str, *arguments: Any) -> str:
    """Calls a function whose last argument is the text that it gives out."""
    text = _pointer()
    call(name, *arguments, ctypes.byref(text))
    try:
        return ctypes.string_at(text).decode("utf-8")
    finally:
        _library().mxcert_free(text)


@functools.lru_cache(maxsize=None)
def format_bytes(name: str) -> int:
    """The bytes of a value of a format. Raises ValueError that names the formats there are."""
    size = _u32()
    call("format_bytes", name.encode(), ctypes.byref(size))
    return size.value


def shape_argument(shape: Iterable[int]) -> Tuple[int, Any]:
    """A shape as two arguments: its rank and its sizes."""
    sizes = tuple(shape)
    if len(sizes) > _MAX_RANK:
        raise ValueError(f"an array may have {_MAX_RANK} axes, not {len(sizes)}")
    return len(sizes), (_u64 * len(sizes))(*sizes)


Choices = Mapping[str, str]


def options(**given: Union[None, str, int, float, Choices]) -> bytes:
    """The options of a call as text. None leaves one out; of a mapping each item is a NAME=VALUE of its own."""
    words = []
    for name, value in given.items():
        option = name.replace("_", "-")
        if isinstance(value, Mapping):
            words += [f"{option}={choice}={chosen}" for choice, chosen in value.items()]
        elif value is not None:
            words.append(f"{option}={value}")
    for word in words:
        if len(word.split()) != 1:
            raise ValueError(f"{word!r}: an option has no spaces in it")
    return " ".join(words).encode()


def optional_text(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else text.encode()
