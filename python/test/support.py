# SPDX-License-Identifier: Apache-2.0
"""Functions that tests certify: right ones, and ones that are wrong in a known way."""
import ml_dtypes
import numpy as np

E4M3 = ml_dtypes.float8_e4m3fn


def widen(x):
    return x.astype(np.float32)


def cast(x):
    return x.astype(E4M3)


def ties_away(x):
    """FP16 to E4M3 by adding half a unit and cutting: ties go away from zero."""
    wide = x.astype(np.float64)
    largest = np.abs(wide).max(initial=0)
    exponent = np.where(wide == 0, -6, np.maximum(np.frexp(wide)[1] - 1, -6)) if largest else np.full(x.shape, -6)
    unit = np.exp2(exponent - 3.0)
    rounded = np.copysign(np.floor(np.abs(wide) / unit + 0.5) * unit, wide)
    return np.where(np.isfinite(x), np.clip(rounded, -448, 448), np.copysign(np.where(np.isnan(x), np.nan, 448), x)).astype(E4M3)


def raises(x):
    if np.isnan(x.astype(np.float32)).any():
        raise ValueError("no NaN here")
    return widen(x)


def quantize(x):
    """Whole blocks of 32, MX 6.3."""
    blocks = x.reshape(len(x), -1, 32)
    amax = np.fmax.reduce(np.abs(blocks), axis=2, initial=0)
    exponent = np.select([np.isinf(amax), amax > 0], [127, np.frexp(amax)[1] - 9], -127)
    return scaled(x, blocks, exponent)


def quantize_by_log2(x):
    """The same, with a logarithm that is rounded up to the next power of two now and then."""
    blocks = x.reshape(len(x), -1, 32)
    return scaled(x, blocks, np.floor(np.log2(np.fmax.reduce(np.abs(blocks), axis=2, initial=0))) - 8)


def scaled(x, blocks, exponent):
    scales = np.clip(exponent + 127, 0, 254).astype(np.uint8)
    elements = np.clip(blocks / np.exp2(scales - 127.0)[..., None], -448, 448)
    return elements.astype(np.float32).astype(E4M3).reshape(x.shape), scales


def dequantize(elements, scales):
    scales = scales.view(np.uint8)
    factors = np.where(scales == 255, np.nan, np.exp2(scales - 127.0))
    return (elements.astype(np.float64) * np.repeat(factors, 32, axis=1)[:, :elements.shape[1]]).astype(np.float32)


def emulate(x):
    return dequantize(*quantize(x))
