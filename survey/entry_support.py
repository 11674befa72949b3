# SPDX-License-Identifier: Apache-2.0
"""What entries share: the types of numpy, values on the grid of a format, and answers kept in a table."""
import numpy

WIDE = {"fp64": numpy.float64, "fp32": numpy.float32, "fp16": numpy.float16}
# Exponent bits, fraction bits, bias, and what the top of the format is: NaN only at the last code, as IEEE, no special, NaN at -0.
FORMATS = {"e4m3": (4, 3, 7, "last"), "e5m2": (5, 2, 15, "ieee"), "e3m2": (3, 2, 3, "none"), "e2m3": (2, 3, 1, "none"),
           "e2m1": (2, 1, 1, "none"), "e4m3fnuz": (4, 3, 8, "fnuz"), "e5m2fnuz": (5, 2, 16, "fnuz")}


def types():
    """Format -> type of numpy, with those of ml_dtypes."""
    import ml_dtypes
    return WIDE | {"bf16": ml_dtypes.bfloat16, "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2,
                   "e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "e8m0": ml_dtypes.float8_e8m0fnu,
                   "e3m2": ml_dtypes.float6_e3m2fn, "e2m3": ml_dtypes.float6_e2m3fn, "e2m1": ml_dtypes.float4_e2m1fn}


def values_of(name, codes):
    """Codes of a wide source as FP32 or FP64 values, which hold each of them exactly."""
    if name == "bf16":
        return (codes.astype("u4") << 16).view("f4")
    return codes.view(WIDE[name]) if name != "fp16" else codes.view("f2").astype("f4")


def grid(name, top=None):
    """The value of each code of a format of up to 8 bits, as FP64; with another top if one is given."""
    exponent_bits, fraction_bits, bias, own = FORMATS[name]
    top = top or own
    codes = numpy.arange(1 << (1 + exponent_bits + fraction_bits))
    exponent = (codes >> fraction_bits) & ((1 << exponent_bits) - 1)
    fraction = codes & ((1 << fraction_bits) - 1)
    values = numpy.where(exponent == 0, numpy.ldexp(fraction.astype("f8"), 1 - bias - fraction_bits),
                         numpy.ldexp((fraction + (1 << fraction_bits)).astype("f8"), exponent - bias - fraction_bits))
    highest = (1 << exponent_bits) - 1
    if top == "ieee":
        values = numpy.where(exponent == highest, numpy.where(fraction == 0, numpy.inf, numpy.nan), values)
    if top == "last":
        values = numpy.where((exponent == highest) & (fraction == (1 << fraction_bits) - 1), numpy.nan, values)
    negative = codes >> (exponent_bits + fraction_bits) == 1
    values = numpy.where(negative, -values, values)
    return numpy.where(codes == 1 << (exponent_bits + fraction_bits), numpy.nan, values) if top == "fnuz" else values


def on_grid(name, values, top=None):
    """The codes of values that an emulator left in a wider type, in a format with that top.

    A NaN is the last code that is one with its sign, and so is Inf where the format has none but has NaN. A value that the format
    does not have must not pass for a right one: it becomes 0xFF, which is no code of fewer than 8 bits, and of 8 bits the largest
    value of the other sign.
    """
    table = grid(name, top)
    values = numpy.asarray(values).astype("f8").reshape(-1)
    order = numpy.argsort(numpy.where(numpy.isnan(table), numpy.inf, table), kind="stable")
    order = order[~numpy.isnan(table[order])]
    places = numpy.minimum(numpy.searchsorted(table[order], values), len(order) - 1)
    codes = order[places].astype("u1")
    nan = numpy.isnan(values) | (numpy.isinf(values) & ~numpy.isinf(table).any())
    sign = numpy.uint8(len(table) // 2)
    if (numpy.signbit(table) & (table == 0)).any():
        codes[values == 0] = numpy.where(numpy.signbit(values[values == 0]), sign, 0)
    else:
        codes[values == 0] = 0
    nans = numpy.flatnonzero(numpy.isnan(table))
    if nan.any() and len(nans):
        positive = nans[nans < sign]
        codes[nan] = numpy.where(numpy.signbit(values[nan]), nans[-1], (positive if len(positive) else nans)[-1])
    wrong = (table[codes] != values) & ~(nan & bool(len(nans)))
    largest = numpy.argmax(numpy.where(numpy.isfinite(table), table, 0))
    codes[wrong] = 0xFF if len(table) < 256 else numpy.where(numpy.signbit(values[wrong]), largest, largest | sign)
    return codes


def by_table(function, bits):
    """A function of single codes as one of arrays: each code of that many bits is asked once, and its answer kept."""
    answers, known = {}, numpy.zeros(1 << bits, "bool")
    table = None

    def run(codes):
        nonlocal table
        for code in numpy.unique(codes[~known[codes]]):
            answers[int(code)] = function(int(code))
            if table is None:
                table = numpy.zeros(1 << bits, numpy.asarray(answers[int(code)]).dtype)
            table[code], known[code] = answers[int(code)], True
        return table[codes]
    return run
