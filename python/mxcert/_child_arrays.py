# SPDX-License-Identifier: Apache-2.0
"""Codes as the arrays that a function takes, and its results as codes again."""
import numpy

from mxcert._certify_choices import ARRAYS, check_choice

# The types of formats, by the package that has them. What is not among WIDTHS has codes of 1 byte.
NUMPY = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "int8": "int8"}
ML_DTYPES = {"bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e4m3fnuz": "float8_e4m3fnuz",
             "e5m2fnuz": "float8_e5m2fnuz", "e8m0": "float8_e8m0fnu", "e3m2": "float6_e3m2fn", "e2m3": "float6_e2m3fn",
             "e2m1": "float4_e2m1fn"}
TORCH = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "e4m3": "float8_e4m3fn",
         "e5m2": "float8_e5m2", "e4m3fnuz": "float8_e4m3fnuz", "e5m2fnuz": "float8_e5m2fnuz", "e8m0": "float8_e8m0fnu",
         "int8": "int8"}
WIDTHS = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2}


class WrongResult(Exception):
    """A function returned something that is no answer.

    name: WRONG_SHAPE, WRONG_DTYPE or OFF_GRID. codes: an array of the part of the input that it is about; None if that is not known.
    """

    def __init__(self, name, message, codes=None):
        super().__init__(message)
        self.name, self.codes = name, codes


def base_format(name):
    """The format whose values these codes are: that of an amax without its sign, of a scale without its elements."""
    return name.removeprefix("amax_").removeprefix("relu_").partition("_for_")[0]


def width_of(name):
    """Bytes of a code."""
    return WIDTHS.get(base_format(name), 1)


def ml_dtype(name):
    """The type of ml_dtypes for a format; None if it has none or is not installed."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    found = getattr(ml_dtypes, ML_DTYPES.get(base_format(name), ""), None)
    return None if found is None else numpy.dtype(found)


def check_arrays(arrays, names):
    """Whether a function can be given these formats as such arrays. Throws ValueError that says what to do."""
    check_choice("arrays", arrays, ARRAYS)
    for name in map(base_format, names):
        if arrays == "numpy" and name in ML_DTYPES and ml_dtype(name) is None:
            raise ValueError(f"numpy has no type for {name}: install ml_dtypes, or take arrays='codes' for arrays of "
                             f"uint{8 * width_of(name)}")
        if arrays == "torch" and name not in TORCH:
            raise ValueError(f"torch has no type for {name}: take arrays='codes' for arrays of uint8")


def as_array(codes, name, arrays):
    """Codes of a format as an array of `arrays`, without a copy."""
    name = base_format(name)
    if arrays == "torch":
        import torch
        signed = codes.view(f"i{codes.itemsize}") if codes.itemsize > 1 else codes
        return torch.from_numpy(signed).view(getattr(torch, TORCH[name]))
    if name in NUMPY:
        return codes.view(NUMPY[name])
    return codes if arrays == "codes" or name not in ML_DTYPES else codes.view(ml_dtype(name))


def as_numpy(result):
    """A result as an array of numpy; tensors of torch from any device, with a type of ml_dtypes or as codes where numpy has none."""
    if hasattr(result, "detach") and hasattr(result, "cpu"):
        import torch
        tensor = result.detach().cpu().contiguous()
        name = next((name for name, dtype in TORCH.items() if getattr(torch, dtype, None) == tensor.dtype), None)
        if name in NUMPY or name is None:
            return tensor.numpy(), str(tensor.dtype)
        codes = tensor.view(torch.uint8 if tensor.itemsize == 1 else torch.int16).numpy().view(f"u{tensor.itemsize}")
        dtype = ml_dtype(name)
        return (codes if dtype is None else codes.view(dtype)), str(tensor.dtype)
    array = numpy.asarray(result)
    return array, str(array.dtype)


def described(result):
    """A result in a few words."""
    shape = getattr(result, "shape", None)
    return f"{type(result).__name__}" + ("" if shape is None else f" of shape {tuple(shape)}")


def checked(result, shape, what):
    """A result as an array of numpy and the name of its type. Throws WrongResult if its shape is another."""
    try:
        array, dtype = as_numpy(result)
    except (TypeError, ValueError, RuntimeError) as error:
        raise WrongResult("WRONG_DTYPE", f"{what} is {described(result)}, no array: {error}") from None
    if array.shape != tuple(shape):
        raise WrongResult("WRONG_SHAPE", f"{what} has the shape {array.shape}, not {tuple(shape)}")
    return array, dtype


def codes_of(result, name, shape, what="the result"):
    """The codes of a result in a format. Throws WrongResult."""
    array, dtype = checked(result, shape, what)
    base = base_format(name)
    codes = numpy.dtype(f"u{width_of(name)}")
    natural = numpy.dtype(NUMPY[base]) if base in NUMPY else ml_dtype(base)
    wanted = [NUMPY.get(base) or ML_DTYPES.get(base), codes.name]
    if array.dtype not in (codes, natural) and dtype != f"torch.{TORCH.get(base)}":
        hint = "; for values of the format that are kept in a wider one take output='values'" if array.dtype.kind == "f" and \
            base not in WIDTHS else ""
        raise WrongResult("WRONG_DTYPE", f"{what} has the type {dtype}, not {' or '.join(filter(None, wanted))}{hint}")
    return numpy.ascontiguousarray(array).view(codes)


def reader_of(name, arrays):
    """A function that turns codes into what the function under test gets. It is called for each batch, so what it needs is found now."""
    base = base_format(name)
    if arrays == "torch":
        return lambda codes: as_array(codes, name, arrays)
    dtype = as_array(numpy.zeros(1, f"u{width_of(name)}"), base, arrays).dtype
    return lambda codes: codes.view(dtype)


def writer_of(name):
    """A function that turns a result and the shape that it must have into codes."""
    base, codes = base_format(name), numpy.dtype(f"u{width_of(name)}")
    known = (numpy.dtype(NUMPY[base]) if base in NUMPY else ml_dtype(base) or codes), codes
    array = numpy.ndarray

    def write(result, shape):
        if type(result) is array and result.shape == shape and result.dtype in known:
            return result.view(codes)
        return codes_of(result, name, shape)
    return write


class Grid:
    """The values of a format of up to 8 bits.

    values: of each code in order, as hexadecimal floats. Those of all such formats are values of BF16 as well, which the tables rest on.
    """

    def __init__(self, name, values):
        self.name = name
        self.values = numpy.array([float.fromhex(value) for value in values], dtype="f4")
        bits = self.values.view("u4")
        finite = numpy.isfinite(self.values)
        if (bits[finite] & 0xFFFF).any():
            raise ValueError(f"{name} has values of more than 8 bits")
        self.largest = float(self.values[finite].max())
        self.codes_of_largest = [int(numpy.flatnonzero(self.values == bound)[0])
                                 for bound in (self.values[finite].max(), self.values[finite].min())]
        # By the upper half of a binary32: a code, or -1 where there is none.
        self.codes = numpy.full(1 << 16, -1, dtype="i4")
        for code in reversed(range(len(self.values))):
            if not numpy.isnan(self.values[code]):
                self.codes[bits[code] >> 16] = code
        if self.codes[0x8000] < 0:  # a format without -0: it is zero
            self.codes[0x8000] = self.codes[0]
        halves = numpy.arange(1 << 16, dtype="u4")
        for sign, first in ((0x8000, self._first_nan(negative=True)), (0, self._first_nan(negative=False))):
            if first is not None:
                self.codes[((halves & 0x7FFF) > 0x7F80) & ((halves & 0x8000) == sign)] = first

    def _first_nan(self, negative):
        codes = numpy.flatnonzero(numpy.isnan(self.values))
        same = [code for code in codes if bool(numpy.signbit(self.values[code])) == negative]
        return int(same[0]) if same else int(codes[0]) if len(codes) else None

    def find(self, values):
        """The code of each value, binary32 or binary64; -1 where the format has no such value. Of several NaNs the first of its sign."""
        with numpy.errstate(all="ignore"):
            narrow = values.astype("f4")
            nan = numpy.isnan(narrow)
            exact = (narrow == values) | nan
        bits = narrow.view("u4")
        whole = exact & (((bits & 0xFFFF) == 0) | nan)
        return numpy.where(whole, self.codes[bits >> 16], -1)

    def neighbours(self, value):
        """The values of the format on both sides of one that it does not have, in words."""
        finite = numpy.unique(self.values[numpy.isfinite(self.values)]).astype("f8")
        place = int(numpy.searchsorted(finite, float(value)))
        sides = [finite[at] + 0.0 for at in (place - 1, place) if 0 <= at < len(finite)]
        if len(sides) == 2:
            return f"between {sides[0]:.9g} and {sides[1]:.9g}"
        return f"beyond {sides[0]:.9g}"


def wide_values(result, shape, what="the result"):
    """A result that holds numbers, as binary32 or binary64. Throws WrongResult."""
    array, dtype = checked(result, shape, what)
    if array.dtype.kind == "f":
        return array.astype("f8" if array.itemsize == 8 else "f4")
    if array.dtype in (ml_dtype(name) for name in ML_DTYPES) and array.dtype.kind == "V":
        return array.astype("f4")
    raise WrongResult("WRONG_DTYPE", f"{what} has the type {dtype}: with output='values' it holds numbers, such as float32")
