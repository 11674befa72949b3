#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `modelopt`: NVFP4QTensor.quantize of NVIDIA's ModelOpt, the dynamic path, on the processor."""

from mxcert_worker import Backend, Operation, serve


def load():
    import modelopt
    import torch
    from modelopt.torch.quantization.qtensor import nvfp4_tensor
    from torch_tensors import codes_of, rows_of_blocks, unpacked
    import torch_tensors

    def quantize(source):
        def run(shape, values):
            matrix = rows_of_blocks(values, source, shape)
            quantized, scales, of_tensor = nvfp4_tensor.NVFP4QTensor.quantize(matrix.clone(), 16)
            return unpacked(codes_of(quantized._quantized_data, "u1")), codes_of(scales, "u1"), codes_of(of_tensor, "u4")
        return Operation("quantize_nvfp4", dict(source=source, recipe="modelopt_nvfp4", block="1x16",
                                                tensor_scale="decode"), run)

    return Backend("modelopt", modelopt.__version__, f"ModelOpt's NVFP4, in torch {torch.__version__} on the processor", [],
                   files=(__file__, torch.version.__file__, torch_tensors.__file__, nvfp4_tensor.__file__),
                   operations=[quantize(source) for source in ("fp32", "fp16", "bf16")])


serve(load, leave_at_once=True)
