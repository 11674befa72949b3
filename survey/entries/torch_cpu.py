#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the processor: Tensor.to, eager."""
from mxcert_worker import Backend, Conversion, serve


def load():
    import torch
    from torch_tensors import WIDE, codes_of, tensor

    narrow = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "e4m3fnuz": torch.float8_e4m3fnuz,
              "e5m2fnuz": torch.float8_e5m2fnuz, "e8m0": torch.float8_e8m0fnu}

    def encode(source, target):
        return lambda codes: codes_of(tensor(codes, WIDE[source][0], 1, -1).to(narrow[target]), "u1")

    def decode(source, target):
        dtype, width = WIDE[target]
        return lambda codes: codes_of(tensor(codes, narrow[source], 1, -1).to(dtype), width)

    overflow = {"e4m3": "sat"}
    conversions = [Conversion(source, target, "nearest_away" if target == "e8m0" else "nearest_even", overflow.get(target, "nosat"),
                              encode(source, target)) for source in WIDE for target in narrow]
    conversions += [Conversion(source, target, "nearest_even", "nosat", decode(source, target)) for source in narrow for target in WIDE]
    return Backend("torch", torch.__version__, "PyTorch on the processor, Tensor.to, eager", conversions,
                   files=(__file__, torch.version.__file__))


serve(load, leave_at_once=True)
