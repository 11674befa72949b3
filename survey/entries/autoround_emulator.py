#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AutoRound's MX emulation in torch: quant_element by itself, whole blocks by quant_mx, and its UE5M3 scales. Values stay FP32."""
from entry_support import on_grid
from mxcert_worker import Backend, Conversion, Operation, Unsupported, serve


def load():
    import logging

    logging.disable(logging.WARNING)
    from importlib.metadata import version

    import numpy
    import torch
    from auto_round.data_type import mxfp, nvfp
    from torch_tensors import WIDE, codes_of, tensor

    kinds = {"e4m3": "mx_fp8e4m3", "e5m2": "mx_fp8e5m2", "e3m2": "mx_fp6e3m2", "e2m3": "mx_fp6e2m3", "e2m1": "mx_fp4e2m1"}

    def element(source, target):
        exponent, mantissa, _, largest, _ = mxfp.MXFP_FORMAT_CACHE[kinds[target]]
        return lambda codes: on_grid(target, mxfp.quant_element(tensor(codes, WIDE[source][0], 1, -1).float(), exponent, mantissa,
                                                                largest).numpy())

    def scale(source):
        return lambda codes: codes_of(nvfp.float_to_e5m3_frexp(tensor(codes, WIDE[source][0], 1, -1)), "u1")

    def quantize(source, target):
        def run(shape, codes):
            rows, columns = shape[:2]
            if columns % 32 != 0:
                raise Unsupported("rows of whole blocks of 32 only")
            values, exponents, _ = mxfp.quant_mx(tensor(codes, WIDE[source][0], rows, columns), group_size=32, data_type=kinds[target])
            exponents = exponents.float().numpy().astype("f8").reshape(-1)
            scales = numpy.where(numpy.isnan(exponents), 255, exponents + 127).astype("u1")
            blocks = values.float().numpy().astype("f8").reshape(-1, 32)
            return on_grid(target, numpy.ldexp(blocks, -exponents.astype("i4")[:, None])), scales
        return Operation("quantize", dict(source=source, element=target, scale="e8m0", rule="ocp_floor", rounding="nearest_even",
                                          overflow="sat", axis="row", block="32"), run)

    conversions = [Conversion(source, target, "nearest_even", "sat", element(source, target))
                   for source in ("fp32", "fp16", "bf16") for target in kinds]
    conversions += [Conversion(source, "ue5m3", "nearest_even", "sat", scale(source)) for source in ("fp32", "fp16", "bf16")]
    operations = [quantize(source, target) for source in ("fp32", "bf16") for target in kinds]
    numpy.seterr(all="ignore")
    return Backend("auto_round", version("auto-round"), f"AutoRound's emulation, in torch {torch.__version__}", conversions,
                   files=(__file__, mxfp.__file__, nvfp.__file__), operations=operations)


serve(load, leave_at_once=True)
