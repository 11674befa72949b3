#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mmaemu: scaled_mm() with scales of 1, its model of the tensor cores of two devices. Zeros are added where a size must be a multiple of 16."""
from mxcert_worker import Backend, Operation, serve


def load():
    import os
    import warnings

    os.environ["MMAEMU_BACKEND"] = "reference"
    warnings.simplefilter("ignore")
    import mmaemu
    import numpy
    import torch
    from torch_tensors import codes_of, tensor

    elements = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
    one = torch.ones(())

    def product(a, b, profile, accumulator):
        def run(shape, x, y):
            m, n, k, _ = shape
            x = numpy.pad(x.reshape(m, k), ((0, 0), (0, -k % 16)))
            y = numpy.pad(y.reshape(n, k), ((0, -n % 16), (0, -k % 16)))
            left, right = tensor(x.reshape(-1), elements[a], m, -1), tensor(y.reshape(-1), elements[b], len(y), -1).t()
            sums = mmaemu.scaled_mm(left, right, one, one, out_dtype=torch.float32, profile=profile, splitk=1, use_fast_accum=True)
            return (codes_of(sums[:, :n], "u4"),)
        return Operation("matmul", dict(a=a, b=b, scale="none", block_a="none", block_b="none", transpose="nt", c="none", output="fp32",
                                        accumulator=accumulator, order="given"), run)

    operations = [product(a, b, profile, accumulator) for a, b in (("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3"))
                  for profile, accumulator in (("hopper", "hopper_fp8_f32"), ("ada", "ada_fp8_f32"))]
    return Backend("mmaemu", mmaemu.__version__, "mmaemu, its reference backend", [], files=(__file__, mmaemu.__file__),
                   operations=operations)


serve(load, leave_at_once=True)
