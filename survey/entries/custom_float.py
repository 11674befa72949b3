#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""custom-float-quant: CustomFloat of its presets, which have the form of IEEE; values stay FP64."""
from entry_support import on_grid, values_of
from mxcert_worker import Backend, Conversion, serve


def load():
    from importlib.metadata import version

    import custom_float_quant
    import numpy
    from custom_float_quant.core import CustomFloat

    presets = {"e4m3": "fp8_e4m3fn", "e5m2": "mxfp8_e5m2", "e3m2": "mxfp6_e3m2", "e2m3": "mxfp6_e2m3", "e2m1": "mxfp4_e2m1"}
    modes = {"nearest_even": "rne", "toward_zero": "truncate"}

    def quantize(source, target, rounding):
        format_ = CustomFloat.from_preset(presets[target], rounding=modes[rounding])
        return lambda codes: on_grid(target, format_.quantize_array(values_of(source, codes).astype("f8")), "ieee")

    conversions = [Conversion(source, target, rounding, "nosat" if target in ("e4m3", "e5m2") else "sat", quantize(source, target, rounding))
                   for source in ("fp32", "fp16", "bf16") for target in presets for rounding in modes]
    numpy.seterr(all="ignore")
    return Backend("custom_float", version("custom-float-quant"), "custom-float-quant, CustomFloat.quantize_array", conversions,
                   files=(__file__, custom_float_quant.__file__))


serve(load)
