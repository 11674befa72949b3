#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tinygrad: Tensor.cast on its device CPU, which compiles C, or on PYTHON, which interprets: MXCERT_SURVEY_DEVICE says which."""
import os

from mxcert_worker import Backend, Conversion, serve


def load():
    from importlib.metadata import version

    import numpy
    import tinygrad
    from tinygrad import Tensor, dtypes

    device = os.environ["MXCERT_SURVEY_DEVICE"]
    kinds = {"fp64": (dtypes.float64, dtypes.uint64), "fp32": (dtypes.float32, dtypes.uint32), "fp16": (dtypes.float16, dtypes.uint16),
             "bf16": (dtypes.bfloat16, dtypes.uint16), "e4m3": (dtypes.fp8e4m3, dtypes.uint8), "e5m2": (dtypes.fp8e5m2, dtypes.uint8),
             "e4m3fnuz": (dtypes.fp8e4m3fnuz, dtypes.uint8), "e5m2fnuz": (dtypes.fp8e5m2fnuz, dtypes.uint8)}

    def cast(source, target):
        size = 1 << 12 if device == "CPU" else 1 << 8  # a kernel is compiled for each shape, so there is one

        def run(codes):
            answers = []
            for begin in range(0, len(codes), size):
                part = codes[begin:begin + size]
                padded = numpy.pad(part, (0, size - len(part)))
                values = Tensor(padded, device=device).realize().bitcast(kinds[source][0]).cast(kinds[target][0])
                answers.append(values.bitcast(kinds[target][1]).numpy()[:len(part)])
            return numpy.concatenate(answers)
        return run

    wide, elements = ("fp32", "fp16", "bf16"), ("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz")
    conversions = [Conversion(source, target, "nearest_even", "sat_finite", cast(source, target))
                   for source in wide for target in elements]
    conversions += [Conversion(source, target, "nearest_even", "nosat", cast(source, target)) for source in elements for target in wide]
    return Backend(f"tinygrad_{device.lower()}", version("tinygrad"), f"tinygrad, Tensor.cast on its device {device}", conversions,
                   files=(__file__, tinygrad.dtype.__file__))


serve(load)
