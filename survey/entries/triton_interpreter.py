#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Triton's interpreter (TRITON_INTERPRET=1), which runs kernels in numpy: tensor.to between its types."""
import os

os.environ["TRITON_INTERPRET"] = "1"
from mxcert_worker import Backend, Conversion, serve  # noqa: E402


def load():
    import numpy
    import torch
    import triton
    import triton.language as tl

    carriers = {"fp32": torch.int32, "fp16": torch.int16, "bf16": torch.int16}
    kinds = {"fp32": tl.float32, "fp16": tl.float16, "bf16": tl.bfloat16, "e4m3": tl.float8e4nv, "e5m2": tl.float8e5}
    integers = {"fp32": tl.int32, "fp16": tl.int16, "bf16": tl.int16}

    @triton.jit
    def kernel(x, y, count, SOURCE: tl.constexpr, TARGET: tl.constexpr, CODE: tl.constexpr, BLOCK: tl.constexpr):
        places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        codes = tl.load(x + places, mask=places < count, other=0)
        values = codes.to(SOURCE, bitcast=True).to(TARGET)
        tl.store(y + places, values.to(CODE, bitcast=True), mask=places < count)

    def cast(source, target):
        block = 1 << 14

        def run(codes):
            values = torch.from_numpy(codes.view(codes.dtype.str.replace("u", "i")) if codes.itemsize > 1 else codes)
            answers = torch.empty(len(codes), dtype=carriers.get(target, torch.uint8))
            kernel[(-(-len(codes) // block),)](values, answers, len(codes), kinds[source], kinds[target],
                                               integers.get(target, tl.uint8), block)
            return answers.numpy()
        return run

    wide, narrow = tuple(carriers), ("e4m3", "e5m2")
    conversions = [Conversion(source, target, "nearest_even", "sat" if target == "e4m3" else "nosat", cast(source, target))
                   for source in wide for target in narrow]
    conversions += [Conversion(source, target, "nearest_even", "nosat", cast(source, target)) for source in narrow for target in wide]
    numpy.seterr(all="ignore")
    return Backend("triton_interpreter", triton.__version__, "Triton's interpreter, tensor.to", conversions,
                   files=(__file__, triton.__file__))


serve(load, leave_at_once=True)
