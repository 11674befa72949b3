#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""APyTypes: APyFloatArray.cast. All of its formats are those of IEEE, so that its E4M3 ends at 240; E5M2 is that of OFP8."""
from mxcert_worker import Backend, Conversion, serve


def load():
    import apytypes
    import numpy
    from apytypes import APyFloatArray, QuantizationMode

    fields = {"fp64": (11, 52), "fp32": (8, 23), "fp16": (5, 10), "bf16": (8, 7), "e4m3": (4, 3), "e5m2": (5, 2)}
    width = {"fp64": "u8", "fp32": "u4", "fp16": "u2", "bf16": "u2"}
    modes = {"nearest_even": QuantizationMode.TIES_EVEN, "toward_zero": QuantizationMode.TO_ZERO, "up": QuantizationMode.TO_POS,
             "down": QuantizationMode.TO_NEG, "nearest_away": QuantizationMode.TIES_AWAY, "nearest_zero": QuantizationMode.TIES_ZERO}

    def cast(source, target, rounding):
        exponent, mantissa = fields[target]

        def run(codes):
            values = APyFloatArray.from_bits(codes, *fields[source])
            return numpy.asarray(values.cast(exponent, mantissa, quantization=modes[rounding]).to_bits(numpy=True),
                                 width.get(target, "u1"))
        return run

    wide = ("fp32", "fp16", "bf16", "fp64")
    conversions = [Conversion(source, "e5m2", rounding, "nosat", cast(source, "e5m2", rounding)) for source in wide for rounding in modes]
    conversions += [Conversion(source, "e4m3", "nearest_even", "nosat", cast(source, "e4m3", "nearest_even")) for source in wide]
    conversions += [Conversion(source, target, "nearest_even", "nosat", cast(source, target, "nearest_even"))
                    for source in ("e4m3", "e5m2") for target in wide]
    return Backend("apytypes", apytypes.__version__, "APyTypes, APyFloatArray.cast", conversions,
                   files=(__file__, apytypes.__file__))


serve(load)
