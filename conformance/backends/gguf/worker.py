#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `gguf`: quantize and dequantize of gguf's Python package, the MXFP4 blocks of llama.cpp's files."""
import os

from mxcert_worker import Backend, Operation, Unsupported, serve


def load():
    import gguf
    import numpy
    from gguf import quants
    from importlib.metadata import version

    mxfp4 = gguf.GGMLQuantizationType.MXFP4
    block = 32

    def whole_blocks(shape):
        rows, columns, size, _ = shape
        if size != block or columns % block != 0:
            raise Unsupported("rows of whole blocks of 32 only")
        return rows, columns

    # A block is its scale and 16 bytes: element i in the low nibble of byte i, element i + 16 in the high one.
    def quantize(shape, values):
        rows, columns = whole_blocks(shape)
        packed = quants.quantize(values.view("f4").reshape(rows, columns), mxfp4).reshape(-1, 1 + block // 2)
        scales, nibbles = packed[:, 0], packed[:, 1:]
        elements = numpy.concatenate([nibbles & 0xF, nibbles >> 4], axis=1)
        return elements.reshape(-1), scales.copy()

    def dequantize(shape, elements, scales):
        rows, columns = whole_blocks(shape)
        lanes = elements.reshape(-1, block)
        nibbles = lanes[:, :block // 2] | lanes[:, block // 2:] << 4
        packed = numpy.concatenate([scales.reshape(-1, 1), nibbles], axis=1).reshape(rows, -1)
        return (quants.dequantize(packed, mxfp4).reshape(-1).view("u4"),)

    attributes = dict(element="e2m1", scale="e8m0", axis="row", block=str(block))
    operations = [
        Operation("quantize", dict(attributes, source="fp32", rule="ocp_floor", rounding="nearest_zero",
                                   overflow="sat"), quantize),
        Operation("dequantize", dict(attributes, target="fp32"), dequantize),
    ]
    numpy.seterr(all="ignore")  # of NaN and Inf it warns
    return Backend("gguf", version("gguf"), f"gguf of PyPI, in numpy {numpy.__version__}", [],
                   files=(__file__, quants.__file__), operations=operations)


serve(load)
