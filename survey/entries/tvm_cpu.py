#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TVM: astype in a primitive function, compiled for the target llvm when it is asked for first."""
from entry_support import types
from mxcert_worker import Backend, Conversion, Unsupported, serve


def load():
    import numpy
    import tvm
    from tvm import te

    known = types()
    kinds = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "e4m3": "float8_e4m3fn",
             "e5m2": "float8_e5m2", "e8m0": "float8_e8m0fnu"}

    def compiled(source, target):
        size = te.var("n")
        values = te.placeholder((size,), kinds[source], name="x")
        answers = te.compute((size,), lambda i: values[i].astype(kinds[target]), name="y")
        try:
            return tvm.compile(te.create_prim_func([values, answers]), target="llvm")
        except Exception as error:
            raise Unsupported(str(error)[-200:]) from error

    def cast(source, target):
        function, code = None, f"u{numpy.dtype(known[target]).itemsize}"

        def run(codes):
            nonlocal function
            function = function or compiled(source, target)
            answers = tvm.runtime.empty(codes.shape, kinds[target])
            function(tvm.runtime.tensor(codes.view(known[source])), answers)
            return answers.numpy().view(code)
        return run

    wide = ("fp32", "fp16", "bf16")
    conversions = [Conversion(source, target, "nearest_even", "nosat", cast(source, target))
                   for source in wide for target in ("e4m3", "e5m2", "e8m0")]
    conversions += [Conversion(source, target, "nearest_even", "nosat", cast(source, target))
                    for source in ("e4m3", "e5m2", "e8m0") for target in wide]
    return Backend("tvm", tvm.__version__, "TVM, astype compiled for llvm", conversions, files=(__file__, tvm._version.__file__))


serve(load, leave_at_once=True)
