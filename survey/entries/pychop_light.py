#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pychop: LightChop of its numpy backend; values stay FP32. Its formats are those of IEEE, so E5M2 is asked and E4M3 is not."""
from entry_support import on_grid, values_of
from mxcert_worker import Backend, Conversion, serve


def load():
    from importlib.metadata import version

    import numpy
    from pychop.np import lightchop

    modes = {"nearest_even": 1, "up": 2, "down": 3, "toward_zero": 4}

    def chop(source, rounding):
        round_ = lightchop.LightChop_(5, 2, rmode=modes[rounding])
        return lambda codes: on_grid("e5m2", round_(values_of(source, codes)))

    conversions = [Conversion(source, "e5m2", rounding, "nosat", chop(source, rounding))
                   for source in ("fp32", "fp16", "bf16") for rounding in modes]
    numpy.seterr(all="ignore")
    return Backend("pychop", version("pychop"), "pychop, LightChop of its numpy backend", conversions,
                   files=(__file__, lightchop.__file__))


serve(load)
