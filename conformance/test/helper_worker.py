# SPDX-License-Identifier: Apache-2.0
"""The tests ask python/mxcert/worker.py through this. Arguments: the folder it is in, and how to fail."""
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from worker import Backend, Conversion, Operation, Unsupported, serve


def raises(codes):
    raise OverflowError("three's a crowd")


def refuses(codes):
    raise Unsupported("no such device")


def load():
    print("this must not get into the frames")
    if sys.argv[2] == "missing":
        import a_package_that_nobody_has
    import numpy

    def upper(codes):
        print("nor this")
        return (codes >> 8).astype(numpy.uint8)

    def batch(codes):
        return numpy.full(len(codes), len(codes), numpy.uint8)

    def scaled(codes, scale):
        assert codes.dtype == numpy.uint16
        return ((codes >> 8) + scale).astype(numpy.uint8)

    def add(codes, random):
        codes += 1  # an array of the function's own
        return (codes + random).astype(numpy.uint8)

    def quantize(shape, values):
        if shape[0] == 9:
            raise Unsupported("nine rows")
        if shape[0] == 8:
            return [values]
        return [(values >> 24).astype(numpy.uint8), numpy.full(shape[0], shape[2], numpy.uint8)]

    operation = Operation("quantize", dict(source="fp32", element="e4m3", scale="e8m0", rule="rceil", rounding="nearest_even",
                                           overflow="sat", axis="row", block="any"), quantize)
    return Backend("helper", "1", "for the tests", [
        Conversion("bf16", "e4m3", "nearest_even", "sat", upper),
        Conversion("bf16", "e5m2", "nearest_even", "sat", batch),
        Conversion("e4m3", "fp32", "nearest_even", "nosat", lambda codes: codes.astype(numpy.float32)),
        Conversion("fp16", "e4m3", "stochastic_a", "sat", add, random_bits=8),
        Conversion("fp32", "e4m3", "nearest_even", "sat", raises),
        Conversion("fp32", "e5m2", "nearest_even", "sat", refuses),
        Conversion("fp64", "e4m3", "nearest_even", "sat", lambda codes: codes[1:].astype(numpy.uint8)),
        Conversion("fp64", "e5m2", "nearest_even", "sat", lambda codes: codes),
        Conversion("fp16_by_e8m0", "e4m3", "nearest_even", "sat", scaled),
        Conversion("amax_bf16", "e8m0_for_e4m3", "rceil", "sat", upper),
    ], files=(__file__,), chunk=7, operations=(operation,))


serve(load)
