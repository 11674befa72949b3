#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow on the processor: tf.cast, eager."""
import os

from mxcert_worker import Backend, Conversion, serve


def load():
    os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["CUDA_VISIBLE_DEVICES"] = "3", ""
    import ml_dtypes
    import numpy
    import tensorflow
    from tensorflow.python.framework import dtypes

    tensorflow.config.threading.set_intra_op_parallelism_threads(1)
    tensorflow.config.threading.set_inter_op_parallelism_threads(1)
    kinds = {"fp64": (dtypes.float64, "f8"), "fp32": (dtypes.float32, "f4"), "fp16": (dtypes.float16, "f2"),
             "bf16": (dtypes.bfloat16, ml_dtypes.bfloat16), "e4m3": (dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fn),
             "e5m2": (dtypes.float8_e5m2, ml_dtypes.float8_e5m2)}

    def cast(source, target):
        dtype, code = kinds[target][0], f"u{numpy.dtype(kinds[target][1]).itemsize}"
        return lambda codes: tensorflow.cast(tensorflow.constant(codes.view(kinds[source][1])), dtype).numpy().view(code)

    wide, narrow = ("fp32", "fp16", "bf16", "fp64"), ("e4m3", "e5m2")
    conversions = [Conversion(source, target, "nearest_even", "nosat", cast(source, target)) for source in wide for target in narrow]
    conversions += [Conversion(source, target, "nearest_even", "nosat", cast(source, target)) for source in narrow for target in wide]
    return Backend("tensorflow", tensorflow.__version__, "TensorFlow on the processor, tf.cast", conversions,
                   files=(__file__, tensorflow.version.__file__))


serve(load, leave_at_once=True)
