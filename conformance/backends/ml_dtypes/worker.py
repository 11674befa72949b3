#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `ml_dtypes`: the casts that the package registers with numpy, as `values.astype(ml_dtypes.float8_e4m3fn)`."""
import glob
import os

from mxcert_worker import Backend, Conversion, serve


def load():
    import ml_dtypes
    import numpy

    def cast(source, target):
        """Both sides are arrays of codes; between them stands one astype."""
        code = f"u{numpy.dtype(target).itemsize}"
        return lambda codes: codes.view(source).astype(target).view(code)

    wide = {"fp64": numpy.float64, "fp32": numpy.float32, "fp16": numpy.float16, "bf16": ml_dtypes.bfloat16}
    elements = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2,
                "e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "e5m2fnuz": ml_dtypes.float8_e5m2fnuz}
    scales = {"e8m0": ml_dtypes.float8_e8m0fnu}
    narrow = {"e3m2": ml_dtypes.float6_e3m2fn, "e2m3": ml_dtypes.float6_e2m3fn, "e2m1": ml_dtypes.float4_e2m1fn}
    # "Conversions use round to nearest even", and there is no saturating mode from Python; FP6 and FP4 have nothing but
    # their largest value for what overflows.
    pairs = [
        (wide, elements | scales, "nosat"),
        (elements | scales | narrow, wide, "nosat"),
        (elements, elements, "nosat"),
        (wide, narrow, "sat"),
    ]
    conversions = [
        Conversion(source, target, "nearest_even", overflow, cast(from_type, to_type))
        for sources, targets, overflow in pairs
        for source, from_type in sources.items()
        for target, to_type in targets.items()
        if source != target
    ]
    numpy.seterr(all="ignore")  # of NaN and overflow it warns, value by value
    files = glob.glob(os.path.join(os.path.dirname(ml_dtypes.__file__), "*.so"))
    return Backend("ml_dtypes", ml_dtypes.__version__, f"ml_dtypes of PyPI, in numpy {numpy.__version__}", conversions,
                   files=(__file__, *files))


serve(load)
