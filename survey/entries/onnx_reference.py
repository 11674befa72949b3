#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX's reference evaluator: Cast of opset 25, saturating or not, and its round_mode for E8M0."""
from entry_support import types
from mxcert_worker import Backend, Conversion, serve


def load():
    import numpy
    import onnx
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    known = types()
    kinds = {"fp64": TensorProto.DOUBLE, "fp32": TensorProto.FLOAT, "fp16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16,
             "e4m3": TensorProto.FLOAT8E4M3FN, "e5m2": TensorProto.FLOAT8E5M2, "e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
             "e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ, "e8m0": TensorProto.FLOAT8E8M0, "e2m1": TensorProto.FLOAT4E2M1}

    def cast(source, target, **attributes):
        node = helper.make_node("Cast", ["x"], ["y"], to=kinds[target], **attributes)
        graph = helper.make_graph([node], "cast", [helper.make_tensor_value_info("x", kinds[source], ["n"])],
                                  [helper.make_tensor_value_info("y", kinds[target], ["n"])])
        run = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])).run
        return lambda codes: run(None, {"x": codes.view(known[source])})[0].view(codes_of[target])

    codes_of = {name: f"u{numpy.dtype(known[name]).itemsize}" for name in kinds}
    wide = ("fp64", "fp32", "fp16", "bf16")
    conversions = [Conversion(source, target, "nearest_even", overflow, cast(source, target, saturate=int(overflow == "sat")))
                   for source in wide for target in ("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz") for overflow in ("sat", "nosat")]
    conversions += [Conversion(source, "e8m0", rounding, overflow,
                               cast(source, "e8m0", saturate=int(overflow == "sat"), round_mode=mode))
                    for source in ("fp32", "fp16", "bf16") for overflow in ("sat", "nosat")
                    for rounding, mode in (("nearest_away", "nearest"), ("up", "up"), ("toward_zero", "down"))]
    conversions += [Conversion(source, "e2m1", "nearest_even", "sat", cast(source, "e2m1")) for source in wide[1:]]
    conversions += [Conversion(source, target, "nearest_even", "nosat", cast(source, target))
                    for source in ("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0", "e2m1") for target in wide[1:]]
    numpy.seterr(all="ignore")
    return Backend("onnx_reference", onnx.__version__, "ReferenceEvaluator of onnx, Cast of opset 25", conversions,
                   files=(__file__, onnx.numpy_helper.__file__))


serve(load)
