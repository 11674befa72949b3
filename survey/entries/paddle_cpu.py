#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle on the processor: Tensor.astype."""
from mxcert_worker import Backend, Conversion, serve


def load():
    import warnings

    warnings.simplefilter("ignore")
    import paddle

    paddle.set_device("cpu")
    kinds = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}
    carriers = {"fp64": "int64", "fp32": "int32", "fp16": "int16", "bf16": "int16", "e4m3": "uint8", "e5m2": "uint8"}

    def cast(source, target):
        def run(codes):
            signed = codes if codes.itemsize == 1 else codes.view(codes.dtype.str.replace("u", "i"))
            values = paddle.to_tensor(signed).view(kinds[source]).astype(kinds[target])
            return values.view(carriers[target]).numpy()
        return run

    wide, narrow = ("fp32", "fp16", "bf16", "fp64"), ("e4m3", "e5m2")
    conversions = [Conversion(source, target, "nearest_even", "sat", cast(source, target)) for source in wide for target in narrow]
    conversions += [Conversion(source, target, "nearest_even", "nosat", cast(source, target)) for source in narrow for target in wide]
    return Backend("paddle", paddle.__version__, "PaddlePaddle on the processor, Tensor.astype", conversions,
                   files=(__file__, paddle.version.__file__))


serve(load, leave_at_once=True)
