#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `compressed_tensors`: the scales and elements of compressed-tensors' preset NVFP4A16, and what its
compressor makes of them again, on the processor."""
import glob
import os

from mxcert_worker import Backend, Operation, serve


def load():
    import compressed_tensors
    import torch
    import torch_tensors
    from compressed_tensors import quantization
    from compressed_tensors.compressors.nvfp4.base import NVFP4PackedCompressor
    from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
    from compressed_tensors.quantization.lifecycle.forward import quantize as to_elements
    from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
    from torch_tensors import codes_of, nvfp4_operands, rows_of_blocks, unpacked

    scheme = quantization.preset_name_to_scheme("NVFP4A16", ["Linear"])
    weights = scheme.weights

    def quantize(source):
        def run(shape, values):
            matrix = rows_of_blocks(values, source, shape)
            of_tensor = generate_gparam(matrix.min(), matrix.max())
            blocks = matrix.reshape(shape[0], -1, 16)
            scales, zeros = calculate_qparams(blocks.amin(-1), blocks.amax(-1), weights, global_scale=of_tensor)
            elements = to_elements(matrix, scales, zeros, weights, global_scale=of_tensor)
            return (unpacked(codes_of(pack_fp4_to_uint8(elements), "u1")),
                    codes_of(scales.to(weights.scale_dtype or torch.float8_e4m3fn), "u1"), codes_of(of_tensor, "u4"))
        recipe = "compressed_tensors_nvfp4" + ("" if source == "fp32" else "_bf16")
        return Operation("quantize_nvfp4", dict(source=source, recipe=recipe, block="1x16", tensor_scale="encode"), run)

    def dequantize():
        def run(shape, elements, scales, encode):
            packed, of_blocks, of_tensor = nvfp4_operands(shape, elements, scales, encode)
            state = NVFP4PackedCompressor.decompress(dict(weight_packed=packed, weight_scale=of_blocks,
                                                          weight_global_scale=of_tensor.reshape(1)), scheme)
            return (codes_of(state["weight"], "u2"),)
        return Operation("dequantize_nvfp4", dict(recipe="compressed_tensors_nvfp4", target="bf16", block="1x16",
                                                  packing="low_first"), run)

    folder = os.path.join(os.path.dirname(quantization.__file__), "**", "*.py")
    return Backend("compressed_tensors", compressed_tensors.__version__,
                   f"compressed-tensors' NVFP4, in torch {torch.__version__} on the processor", [],
                   files=(__file__, torch.version.__file__, torch_tensors.__file__, *glob.glob(folder, recursive=True)),
                   operations=[quantize("fp32"), quantize("bf16"), dequantize()])


serve(load, leave_at_once=True)
