#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `gfloat_blocks`: compute_scale_amax, encode_block and decode_block of gfloat, a block at a time in Python."""
import glob
import os

from mxcert_worker import Backend, Operation, serve


def load():
    import gfloat
    import numpy
    from gfloat import RoundMode, formats
    from gfloat.block import compute_scale_amax, decode_block, encode_block
    from importlib.metadata import version

    blocks = {"e4m3": formats.format_info_mxfp8_e4m3, "e5m2": formats.format_info_mxfp8_e5m2}
    native = {"fp32": "f4", "fp16": "f2"}  # arrays of these are what its functions are given; BF16 comes as FP64

    def values_of(source, codes):
        if source in native:
            return codes.view(native[source])
        return gfloat.decode_ndarray(formats.format_info_bfloat16, codes)

    def quantize(source, element):
        info = blocks[element]

        def run(shape, codes):
            rows, columns, size, _ = shape
            values = values_of(source, codes).reshape(rows, columns)
            data = numpy.empty((rows, columns), numpy.uint8)
            scales = numpy.empty((rows, -(-columns // size)), numpy.uint8)
            for row in range(rows):
                for number, at in enumerate(range(0, columns, size)):
                    some = values[row, at:at + size]
                    scale = compute_scale_amax(info.etype.emax, some)  # as quantize_block does, which keeps no codes
                    codes_of_block = list(encode_block(info, scale, some / scale, RoundMode.TiesToEven))
                    scales[row, number], data[row, at:at + size] = codes_of_block[0], codes_of_block[1:]
            return data, scales

        return Operation("quantize", dict(source=source, element=element, scale="e8m0", rule="ocp_floor",
                                          rounding="nearest_even", overflow="sat", axis="row", block="any"), run)

    def dequantize(element):
        def run(shape, data, scales):
            rows, columns, size, _ = shape
            data, scales = data.reshape(rows, columns).tolist(), scales.reshape(rows, -1).tolist()
            values = numpy.empty((rows, columns))
            for row in range(rows):
                for number, at in enumerate(range(0, columns, size)):
                    block = [scales[row][number], *data[row][at:at + size]]
                    values[row, at:at + size] = list(decode_block(blocks[element], block))
            return (values.view("u8"),)

        return Operation("dequantize", dict(element=element, scale="e8m0", target="fp64", axis="row", block="any"), run)

    operations = [quantize(source, element) for source in ("fp32", "fp16", "bf16") for element in blocks]
    operations += [dequantize(element) for element in blocks]
    numpy.seterr(all="ignore")  # of NaN and overflow it warns, value by value
    files = glob.glob(os.path.join(os.path.dirname(gfloat.__file__), "*.py"))
    return Backend("gfloat_blocks", version("gfloat"), f"the blocks of gfloat of PyPI, in numpy {numpy.__version__}", [],
                   files=(__file__, *files), operations=operations)


serve(load)
