#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the processor: _scaled_mm of FP8 matrices with a scale for each tensor."""
from mxcert_worker import Backend, Operation, serve


def load():
    import torch
    from torch_tensors import codes_of, tensor

    elements = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
    outputs = {"fp32": (torch.float32, "u4"), "bf16": (torch.bfloat16, "u2")}

    def product(a, b, output):
        dtype, width = outputs[output]

        def run(shape, left, right, left_scale, right_scale):
            m, n, k, _ = shape
            scales = (tensor(scale, torch.float32, 1, 1).reshape(()) for scale in (left_scale, right_scale))
            d = torch._scaled_mm(tensor(left, elements[a], m, k), tensor(right, elements[b], n, k).t(), *scales, out_dtype=dtype)
            return (codes_of(d, width),)
        return Operation("scaled_matmul", dict(a=a, b=b, scales="tensor", transpose="nt", bias="none", epilogue="product", output=output,
                                               d_scale="none", amax="none", accumulator="fp32_multiply_add"), run)

    operations = [product(a, b, output) for a, b in (("e4m3", "e4m3"), ("e5m2", "e4m3")) for output in outputs]
    return Backend("torch_products", torch.__version__, "PyTorch on the processor, _scaled_mm", [], operations=operations,
                   files=(__file__, torch.version.__file__))


serve(load, leave_at_once=True)
