#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quanto of Optimum: its operator quantize_symmetric to FP8, with the scale 1."""
from mxcert_worker import Backend, Conversion, serve


def load():
    from importlib.metadata import version

    import torch
    from optimum import quanto
    from torch_tensors import WIDE, codes_of, tensor

    narrow = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "e4m3fnuz": torch.float8_e4m3fnuz}

    def quantize(source, target):
        one = torch.ones((), dtype=WIDE[source][0])

        def run(codes):
            values = tensor(codes, WIDE[source][0], 1, -1)
            return codes_of(torch.ops.quanto.quantize_symmetric(values, dtype=narrow[target], axis=None, scale=one), "u1")
        return run

    conversions = [Conversion(source, target, "nearest_even", "sat", quantize(source, target))
                   for source in ("fp32", "fp16", "bf16") for target in narrow]
    return Backend("quanto", version("optimum-quanto"), f"Quanto, quantize_symmetric, in torch {torch.__version__}", conversions,
                   files=(__file__, quanto.__file__))


serve(load, leave_at_once=True)
