#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `modelopt`: NVFP4QTensor of NVIDIA's ModelOpt, quantize() by the dynamic path and dequantize(), on the processor."""

from mxcert_worker import Backend, Operation, serve


def load():
    import modelopt
    import torch
    from modelopt.torch.quantization.qtensor import nvfp4_tensor
    from torch_tensors import WIDE, codes_of, nvfp4_operands, rows_of_blocks, unpacked
    import torch_tensors

    def quantize(source):
        def run(shape, values):
            matrix = rows_of_blocks(values, source, shape)
            quantized, scales, of_tensor = nvfp4_tensor.NVFP4QTensor.quantize(matrix.clone(), 16)
            return unpacked(codes_of(quantized._quantized_data, "u1")), codes_of(scales, "u1"), codes_of(of_tensor, "u4")
        return Operation("quantize_nvfp4", dict(source=source, recipe="modelopt_nvfp4", block="1x16",
                                                tensor_scale="decode"), run)

    def dequantize(target):
        dtype, width = WIDE[target]

        def run(shape, elements, scales, decode):
            packed, of_blocks, of_tensor = nvfp4_operands(shape, elements, scales, decode)
            quantized = nvfp4_tensor.NVFP4QTensor(torch.Size(shape[:2]), dtype, packed)
            return (codes_of(quantized.dequantize(dtype, scale=of_blocks, double_scale=of_tensor, block_sizes={-1: 16}),
                             width),)
        return Operation("dequantize_nvfp4", dict(recipe="modelopt_nvfp4", target=target, block="1x16",
                                                  packing="low_first"), run)

    return Backend("modelopt", modelopt.__version__, f"ModelOpt's NVFP4, in torch {torch.__version__} on the processor", [],
                   files=(__file__, torch.version.__file__, torch_tensors.__file__, nvfp4_tensor.__file__),
                   operations=[make(format) for make in (quantize, dequantize) for format in ("fp32", "fp16", "bf16")])


serve(load, leave_at_once=True)
