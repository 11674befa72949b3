#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `torchao`: to_mx and to_dtype of torchao's MX formats, eager, on the processor.

PYTHONPATH may name a checkout of pytorch/ao, whose Python code then runs in the place of the package.
"""
import glob
import os
import sys

from mxcert_worker import Backend, Operation, Unsupported, serve


def load():
    import logging

    logging.disable(logging.WARNING)  # of what torchao leaves to be renamed, at every import
    import numpy
    import torch
    import torchao
    from torchao.prototype.mx_formats import mx_tensor
    from torchao.prototype.mx_formats.config import ScaleCalculationMode

    # One answer for one input: not even the cut into threads may depend on how much is asked at once.
    torch.set_num_threads(1)

    wide = {"fp64": (torch.float64, "u8"), "fp32": (torch.float32, "u4"), "fp16": (torch.float16, "u2"),
            "bf16": (torch.bfloat16, "u2")}
    elements = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
    modes = {"ocp_floor": ScaleCalculationMode.FLOOR, "ceil": ScaleCalculationMode.CEIL,
             "even": ScaleCalculationMode.EVEN, "rceil": ScaleCalculationMode.RCEIL}
    signed = {"u8": "i8", "u4": "i4", "u2": "i2", "u1": "u1"}

    def tensor(codes, dtype, rows, columns):
        """Codes as a matrix of that type, to the bit."""
        return torch.from_numpy(codes.view(signed[codes.dtype.str[1:]])).view(dtype).reshape(rows, columns)

    def codes_of(values, width):
        integers = {"u8": torch.int64, "u4": torch.int32, "u2": torch.int16, "u1": torch.uint8}[width]
        return values.contiguous().view(integers).numpy().reshape(-1)

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
            scales, data = mx_tensor.to_mx(tensor(values, wide[source][0], rows, columns), elements[element], block,
                                           modes[rule])
            return codes_of(data, "u1"), codes_of(scales, "u1")
        return Operation("quantize", dict(source=source, element=element, scale="e8m0", rule=rule,
                                          rounding="nearest_even", overflow=overflow, axis="row", block="any"), run)

    def dequantize(element, target):
        def run(shape, data, scales):
            rows, columns, block = whole_blocks(shape)
            values = mx_tensor.to_dtype(tensor(data, elements[element], rows, columns),
                                        tensor(scales, torch.float8_e8m0fnu, rows, columns // block),
                                        elements[element], block, wide[target][0])
            return (codes_of(values, wide[target][1]),)
        return Operation("dequantize", dict(element=element, scale="e8m0", target=target, axis="row", block="any"), run)

    # to_mx takes FP32 and BF16 alone; to_dtype takes any target.
    operations = [quantize(source, element, rule)
                  for source in ("fp32", "bf16") for element in elements for rule in modes]
    operations += [dequantize(element, target) for element in elements for target in wide]
    files = glob.glob(os.path.join(os.path.dirname(mx_tensor.__file__), "*.py"))
    return Backend("torchao", version, f"torchao, eager, in torch {torch.__version__} on the processor",
                   [], files=(__file__, torch.version.__file__, *files), operations=operations)


try:
    serve(load)
except SystemExit as end:  # torch takes seconds to go, longer than the harness waits after the last frame
    sys.stderr.flush()
    os._exit(end.code)
