#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenVINO on the processor: a model of one Convert, compiled for the plugin CPU."""
from mxcert_worker import Backend, Conversion, serve


def load():
    import numpy
    import openvino
    from openvino import opset15

    kinds = {"fp32": openvino.Type.f32, "fp16": openvino.Type.f16, "bf16": openvino.Type.bf16, "e4m3": openvino.Type.f8e4m3,
             "e5m2": openvino.Type.f8e5m2, "e8m0": openvino.Type.f8e8m0}
    width = {"fp32": "u4", "fp16": "u2", "bf16": "u2"}
    core = openvino.Core()

    def convert(source, target):
        request = None

        def run(codes):
            nonlocal request
            if request is None:
                parameter = opset15.parameter([-1], kinds[source])
                model = openvino.Model([opset15.convert(parameter, kinds[target].to_string())], [parameter])
                request = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32",
                                                            "INFERENCE_NUM_THREADS": 1}).create_infer_request()
            request.set_input_tensor(openvino.Tensor(codes, list(codes.shape), kinds[source]))
            request.infer()
            return request.get_output_tensor().data.view(width.get(target, "u1")).reshape(-1).copy()
        return run

    wide, narrow = ("fp32", "fp16", "bf16"), ("e4m3", "e5m2", "e8m0")
    conversions = [Conversion(source, target, "nearest_even", "sat" if target == "e8m0" else "nosat", convert(source, target))
                   for source in wide for target in narrow]
    conversions += [Conversion(source, target, "nearest_even", "nosat", convert(source, target))
                    for source in narrow for target in wide]
    version = openvino.__version__.partition("-")[0]
    numpy.seterr(all="ignore")
    return Backend("openvino_cpu", version, "OpenVINO, plugin CPU, a model of one Convert", conversions,
                   files=(__file__, openvino.__file__))


serve(load, leave_at_once=True)
