#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `gfloat`: round_ndarray, encode_ndarray and decode_ndarray of the package, which computes in numpy."""
import glob
import os

from mxcert_worker import Backend, Conversion, serve


def load():
    import gfloat
    import numpy
    from gfloat import RoundMode, formats
    from importlib.metadata import version

    wide = {"fp64": formats.format_info_binary64, "fp32": formats.format_info_binary32,
            "fp16": formats.format_info_binary16, "bf16": formats.format_info_bfloat16}
    narrow = {"e4m3": formats.format_info_ocp_e4m3, "e5m2": formats.format_info_ocp_e5m2,
              "e8m0": formats.format_info_ocp_e8m0}
    elements = {name: info for name, info in narrow.items() if name != "e8m0"}
    native = {"fp64": "f8", "fp32": "f4", "fp16": "f2"}
    modes = {"nearest_even": RoundMode.TiesToEven, "toward_zero": RoundMode.TowardZero, "up": RoundMode.TowardPositive,
             "down": RoundMode.TowardNegative, "nearest_away": RoundMode.TiesToAway}

    def values(source, codes):
        """Numbers in the type that numpy has for them; bfloat16 and the 8-bit formats through the package itself."""
        if source in native:
            return codes.view(native[source])
        return gfloat.decode_ndarray((wide | narrow)[source], codes)

    def encode(source, info, mode, saturate):
        # encode_ndarray gives integers of 64 bits. What is no code of the format shows as what is left in its bits.
        code = f"u{(info.k + 7) // 8}"
        return lambda codes: gfloat.encode_ndarray(
            info, gfloat.round_ndarray(info, values(source, codes), mode, saturate)).astype(code)

    def decode(source, target):
        if target == "fp64":
            return lambda codes: gfloat.decode_ndarray(narrow[source], codes).view("u8")
        return encode(source, wide[target], RoundMode.TiesToEven, False)

    conversions = [
        Conversion(source, target, rounding, overflow, encode(source, info, mode, overflow == "sat"))
        for sources, targets in ((wide, narrow), (elements, elements))
        for source in sources
        for target, info in targets.items()
        if source != target
        for rounding, mode in modes.items()
        for overflow in ("sat", "nosat")
    ]
    conversions += [Conversion(source, target, "nearest_even", "nosat", decode(source, target))
                    for source in narrow for target in wide]
    numpy.seterr(all="ignore")  # of NaN and overflow it warns, value by value
    files = glob.glob(os.path.join(os.path.dirname(gfloat.__file__), "*.py"))
    # Its arrays of intermediate results stay in the cache with few values at once.
    return Backend("gfloat", version("gfloat"), f"gfloat of PyPI, in numpy {numpy.__version__}", conversions,
                   files=(__file__, *files), chunk=1 << 14)


serve(load)
