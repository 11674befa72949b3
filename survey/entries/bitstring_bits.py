#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bitstring: Bits(e4m3mxfp_saturate=x) and its other types of MX. A value at a time, so answers of 16-bit sources are kept in a table.
A value that it refuses becomes 0xFF, which is no code of a narrow format."""
from entry_support import by_table, values_of
from mxcert_worker import Backend, Conversion, serve


def load():
    import bitstring
    import numpy

    kinds = {("e4m3", "sat"): "e4m3mxfp_saturate", ("e4m3", "nosat"): "e4m3mxfp_overflow", ("e5m2", "sat"): "e5m2mxfp_saturate",
             ("e5m2", "nosat"): "e5m2mxfp_overflow", ("e3m2", "sat"): "e3m2mxfp", ("e2m3", "sat"): "e2m3mxfp",
             ("e2m1", "sat"): "e2m1mxfp", ("int8", "sat"): "mxint"}

    def encode(source, kind):
        def of_value(value):
            try:
                return numpy.uint8(bitstring.Bits(**{kind: value}).uint)
            except ValueError:  # of a NaN that the format does not have
                return numpy.uint8(0xFF)
        if source == "fp32":
            return lambda codes: numpy.array([of_value(float(value)) for value in values_of(source, codes)], "u1")
        return by_table(lambda code: of_value(float(values_of(source, numpy.array([code], "u2"))[0])), 16)

    def decode(kind, length):
        def of_code(code):
            return getattr(bitstring.Bits(uint=code & (1 << length) - 1, length=length), kind)
        return by_table(lambda code: numpy.array(of_code(code), "f4").view("u4"), 8)

    widths = {"e3m2": 6, "e2m3": 6, "e2m1": 4}
    conversions = [Conversion(source, target, "nearest_even", overflow, encode(source, kind))
                   for source in ("fp32", "fp16", "bf16") for (target, overflow), kind in kinds.items()]
    conversions += [Conversion(source, "fp32", "nearest_even", "nosat", decode(kind, widths.get(source, 8)))
                    for (source, overflow), kind in kinds.items() if overflow == "sat"]
    conversions.append(Conversion("e8m0", "fp32", "nearest_even", "nosat", decode("e8m0mxfp", 8)))
    return Backend("bitstring", bitstring.__version__, "bitstring, a Bits object of each value", conversions,
                   files=(__file__, bitstring.__file__))


serve(load)
