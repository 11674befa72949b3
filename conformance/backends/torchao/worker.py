#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `torchao`: to_mx, to_dtype and NVFP4Tensor of torchao's MX formats, eager, on the processor.

PYTHONPATH may name a checkout of pytorch/ao, whose Python code then runs in the place of the package.
"""
import glob
import os

from mxcert_worker import Backend, Operation, Unsupported, serve


def load():
    import logging

    logging.disable(logging.WARNING)  # of what torchao leaves to be renamed, at every import
    import torch
    import torch_tensors
    import torchao
    from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torch_tensors import WIDE, codes_of, nvfp4_operands, rows_of_blocks, tensor, unpacked

    elements = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
    modes = {"ocp_floor": ScaleCalculationMode.FLOOR, "ceil": ScaleCalculationMode.CEIL,
             "even": ScaleCalculationMode.EVEN, "rceil": ScaleCalculationMode.RCEIL}

    def whole_blocks(shape):
        rows, columns, block, _ = shape
        if columns % block != 0:
            raise Unsupported("rows of whole blocks only")
        return rows, columns, block

    # Since August 2026 Inf gives the scale 0xFF, which "sat" does not; this function came with it.
    overflow = "sat_finite" if hasattr(mx_tensor, "_f32_to_e8m0_rceil") else "sat"

    # A checkout has its version beside the package; __version__ is that of the package which is installed.
    version = torchao.__version__
    checkout = os.path.join(os.path.dirname(os.path.dirname(torchao.__file__)), "version.txt")
    if os.path.exists(checkout):
        with open(checkout, encoding="ascii") as file:
            version = file.read().strip() + " of a checkout"

    def quantize(source, element, rule):
        def run(shape, values):
            rows, columns, block = whole_blocks(shape)
            scales, data = mx_tensor.to_mx(tensor(values, WIDE[source][0], rows, columns), elements[element], block,
                                           modes[rule])
            return codes_of(data, "u1"), codes_of(scales, "u1")
        return Operation("quantize", dict(source=source, element=element, scale="e8m0", rule=rule,
                                          rounding="nearest_even", overflow=overflow, axis="row", block="any"), run)

    def dequantize(element, target):
        def run(shape, data, scales):
            rows, columns, block = whole_blocks(shape)
            values = mx_tensor.to_dtype(tensor(data, elements[element], rows, columns),
                                        tensor(scales, torch.float8_e8m0fnu, rows, columns // block),
                                        elements[element], block, WIDE[target][0])
            return (codes_of(values, WIDE[target][1]),)
        return Operation("dequantize", dict(element=element, scale="e8m0", target=target, axis="row", block="any"), run)

    def quantize_nvfp4(source, recipe):
        two_levels = recipe == "torchao_nvfp4"

        def run(shape, values):
            matrix = rows_of_blocks(values, source, shape)
            of_tensor = nvfp4_tensor.per_tensor_amax_to_scale(matrix.abs().max()) if two_levels else None
            scales, pairs = nvfp4_tensor.nvfp4_quantize(matrix, 16, of_tensor)
            answers = unpacked(codes_of(pairs, "u1")), codes_of(scales, "u1")
            return (*answers, codes_of(of_tensor, "u4")) if two_levels else answers
        return Operation("quantize_nvfp4", dict(source=source, recipe=recipe, block="1x16",
                                                tensor_scale="decode" if two_levels else "none"), run)

    def dequantize_nvfp4(target, recipe):
        dtype, width = WIDE[target]

        def run(shape, elements, scales, *decode):
            packed, of_blocks, *of_tensor = nvfp4_operands(shape, elements, scales, *decode)
            return (codes_of(nvfp4_tensor.NVFP4Tensor(packed, of_blocks, 16, dtype, *of_tensor).dequantize(dtype), width),)
        return Operation("dequantize_nvfp4", dict(recipe=recipe, target=target, block="1x16", packing="low_first"), run)

    # to_mx takes FP32 and BF16 alone; to_dtype takes any target.
    operations = [quantize(source, element, rule)
                  for source in ("fp32", "bf16") for element in elements for rule in modes]
    operations += [dequantize(element, target) for element in elements for target in WIDE]
    operations += [quantize_nvfp4(source, recipe)
                   for source in ("fp32", "bf16") for recipe in ("torchao_nvfp4", "torchao_nvfp4_one_level")]
    operations += [dequantize_nvfp4(target, recipe) for target in ("fp32", "bf16")
                   for recipe in ("torchao_nvfp4", "torchao_nvfp4_one_level")]
    files = glob.glob(os.path.join(os.path.dirname(mx_tensor.__file__), "*.py"))
    return Backend("torchao", version, f"torchao, eager, in torch {torch.__version__} on the processor",
                   [], files=(__file__, torch.version.__file__, torch_tensors.__file__, *files), operations=operations)


serve(load, leave_at_once=True)
