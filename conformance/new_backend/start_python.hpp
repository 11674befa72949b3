// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The start of a backend in Python: what surrounds the operation, and one part for each operation. @PLACES@ are filled
// in.
namespace mxcert::new_backend {

inline constexpr std::string_view start_python = R"(#!/usr/bin/env python3
"""@NAME@: a backend for mxcert. Fill in the places marked FILL IN.

It runs as it is, and fails. The rules are at the top of mxcert_worker.py, the names in `mxcert formats` and `mxcert choices`.
"""
from mxcert_worker import Backend, @IMPORT@, serve

@PART@
def load():
    # FILL IN: import what is tested here, so that its absence is reported; then its version, what it is and what you offer.
    return Backend("@NAME@", "0.1", "the start of a backend, not filled in", @FIELDS@)


serve(load)
)";

inline constexpr std::string_view start_python_convert = R"(
def to_e4m3(values):
    """FILL IN: an array of FP32 values to as many E4M3 codes (u1), to nearest even, saturating."""
    return (values.view("u4") >> 24).astype("u1")


def bf16_to_e4m3(codes):
    return to_e4m3((codes.astype("u4") << 16).view("f4"))  # BF16 is the upper half of FP32


)";
inline constexpr std::string_view start_python_convert_fields = R"([
        Conversion("fp32", "e4m3", "nearest_even", "sat", lambda codes: to_e4m3(codes.view("f4"))),
        Conversion("bf16", "e4m3", "nearest_even", "sat", bf16_to_e4m3)])";

inline constexpr std::string_view start_python_quantize = R"(
def quantize_block(values):
    """FILL IN: the codes (u2) of a block of BF16 values to their E8M0 scale and as many E4M3 elements (u1)."""
    return values[0] >> 7, (values >> 8).astype("u1")


def quantize(shape, codes):
    """A matrix to its elements and scales. FILL IN: your function may take the whole of it."""
    import numpy
    rows, columns, block, _ = shape
    values = codes.reshape(rows, columns)
    elements, scales = numpy.empty((rows, columns), "u1"), numpy.empty((rows, -(-columns // block)), "u1")
    for row in range(rows):
        for number, at in enumerate(range(0, columns, block)):
            scales[row, number], elements[row, at:at + block] = quantize_block(values[row, at:at + block])
    return elements, scales


)";
inline constexpr std::string_view start_python_quantize_fields = R"([], operations=[
        Operation("quantize", dict(source="bf16", element="e4m3", scale="e8m0", rule="ocp_floor", rounding="nearest_even",
                                   overflow="sat", axis="row", block="32"), quantize)])";

inline constexpr std::string_view start_python_matmul = R"(
def multiply(shape, a, b):
    """FILL IN: D = A B in FP32, A of m x k and B of k x n in E4M3 codes (u1). As it is, codes are taken for numbers."""
    m, n, k, _ = shape
    return (a.reshape(m, k).astype("f4") @ b.reshape(k, n).astype("f4"),)


)";
inline constexpr std::string_view start_python_matmul_fields = R"([], operations=[
        # `mxcert accumulators` lists how sums may be rounded.
        Operation("matmul", dict(a="e4m3", b="e4m3", scale="none", block_a="none", block_b="none", transpose="nn", c="none",
                                 output="fp32", accumulator="fp32_multiply_add", order="given"), multiply)])";

} // namespace mxcert::new_backend
