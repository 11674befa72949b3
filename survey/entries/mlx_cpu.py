#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MLX on the processor: to_fp8, from_fp8, and quantize and dequantize in its modes mxfp8 and mxfp4."""
from mxcert_worker import Backend, Conversion, Operation, Unsupported, serve


def load():
    from importlib.metadata import version

    import mlx.core as mx
    import numpy

    mx.set_default_device(mx.cpu)
    kinds = {"fp32": (mx.float32, "u4"), "fp16": (mx.float16, "u2"), "bf16": (mx.bfloat16, "u2")}
    carrier = {"u4": mx.uint32, "u2": mx.uint16, "u1": mx.uint8}
    modes = {"e4m3": "mxfp8", "e2m1": "mxfp4"}

    def values(source, codes):
        return mx.array(codes).view(kinds[source][0])

    def codes_of(array, width):
        return numpy.array(array.view(carrier[width]))

    def encode(source):
        return lambda codes: numpy.array(mx.to_fp8(values(source, codes)))

    def decode(target):
        dtype, width = kinds[target]
        return lambda codes: codes_of(mx.from_fp8(mx.array(codes), dtype=dtype), width)

    def whole_blocks(shape):
        rows, columns = shape[:2]
        if columns % 32 != 0:
            raise Unsupported("rows of whole blocks of 32 only")
        return rows, columns

    def quantize(source, element):
        def run(shape, codes):
            rows, columns = whole_blocks(shape)
            words, scales = mx.quantize(values(source, codes).reshape(rows, columns), mode=modes[element])[:2]
            packed = numpy.array(words).view("u1").reshape(-1)
            elements = packed if element == "e4m3" else numpy.stack((packed & 15, packed >> 4), axis=-1)
            return elements.reshape(-1), numpy.array(scales).reshape(-1)
        return Operation("quantize", dict(source=source, element=element, scale="e8m0", rule="rceil", rounding="nearest_even",
                                          overflow="sat", axis="row", block="32"), run)

    def dequantize(element, target):
        dtype, width = kinds[target]

        def run(shape, elements, scales):
            rows, columns = whole_blocks(shape)
            packed = elements if element == "e4m3" else elements[0::2] | (elements[1::2] << 4)
            words = mx.array(packed.astype("u1").view("u4").reshape(rows, -1))
            found = mx.dequantize(words, mx.array(scales.reshape(rows, -1)), mode=modes[element], dtype=dtype)
            return (codes_of(found, width).reshape(-1),)
        return Operation("dequantize", dict(element=element, scale="e8m0", target=target, axis="row", block="32"), run)

    conversions = [Conversion(source, "e4m3", "nearest_even", "sat", encode(source)) for source in kinds]
    conversions += [Conversion("e4m3", target, "nearest_even", "nosat", decode(target)) for target in kinds]
    operations = [quantize(source, element) for source in kinds for element in modes]
    operations += [dequantize(element, target) for element in modes for target in kinds]
    return Backend("mlx", version("mlx"), "MLX on the processor", conversions, operations=operations, files=(__file__, mx.__file__))


serve(load)
