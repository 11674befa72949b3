#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime on the processor: Cast of opset 25, saturating or not, and its round_mode for E8M0."""
from mxcert_worker import Backend, Conversion, Unsupported, serve


def load():
    import numpy
    import onnxruntime
    from onnx import TensorProto, helper

    kinds = {"fp64": TensorProto.DOUBLE, "fp32": TensorProto.FLOAT, "fp16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16,
             "e4m3": TensorProto.FLOAT8E4M3FN, "e5m2": TensorProto.FLOAT8E5M2, "e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
             "e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ, "e8m0": TensorProto.FLOAT8E8M0}
    width = {"fp64": "u8", "fp32": "u4", "fp16": "u2", "bf16": "u2"}
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4

    def cast(source, target, **attributes):
        node = helper.make_node("Cast", ["x"], ["y"], to=kinds[target], **attributes)
        graph = helper.make_graph([node], "cast", [helper.make_tensor_value_info("x", kinds[source], ["n"])],
                                  [helper.make_tensor_value_info("y", kinds[target], ["n"])])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11).SerializeToString()
        session = None

        def run(codes):
            nonlocal session
            if session is None:
                try:
                    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
                except Exception as error:
                    raise Unsupported(str(error)[:200]) from error
            answers = numpy.empty(codes.shape, width.get(target, "u1"))
            binding = session.io_binding()
            binding.bind_input("x", "cpu", 0, kinds[source], codes.shape, codes.ctypes.data)
            binding.bind_output("y", "cpu", 0, kinds[target], answers.shape, answers.ctypes.data)
            session.run_with_iobinding(binding)
            return answers
        return run

    wide = ("fp32", "fp16", "bf16")
    elements = ("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz")
    conversions = [Conversion(source, target, "nearest_even", overflow, cast(source, target, saturate=int(overflow == "sat")))
                   for source in (*wide, "fp64") for target in elements for overflow in ("sat", "nosat")]
    conversions += [Conversion(source, "e8m0", rounding, overflow,
                               cast(source, "e8m0", saturate=int(overflow == "sat"), round_mode=mode))
                    for source in wide for overflow in ("sat", "nosat")
                    for rounding, mode in (("nearest_away", "nearest"), ("up", "up"), ("toward_zero", "down"))]
    conversions += [Conversion(source, target, "nearest_even", "nosat", cast(source, target))
                    for source in (*elements, "e8m0") for target in wide]
    return Backend("onnxruntime", onnxruntime.__version__, "ONNX Runtime on the processor, Cast of opset 25, no optimization",
                   conversions, files=(__file__, onnxruntime.capi.onnxruntime_pybind11_state.__file__))


serve(load)
