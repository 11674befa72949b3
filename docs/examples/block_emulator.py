#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""BF16 to MXFP8 in E4M3 by ocp_floor, saturating: reads a block of BF16 codes a line, writes its scale and its elements. An Inf has a
wrong scale."""
import math
import struct
import sys


def value_of(code):
    return struct.unpack("<f", struct.pack("<I", code << 16))[0]


def element(value, scale):
    sign = 0x80 if math.copysign(1, value) < 0 else 0
    if math.isnan(value):
        return 0x7F
    if math.isinf(value):
        return sign | 0x7E
    value = math.ldexp(abs(value), 127 - scale)
    exponent = max(math.frexp(value)[1] - 1, -6) if value else -6
    units = round(math.ldexp(value, 3 - exponent))  # ties to even
    return sign | min(units + (exponent + 6) * 8, 0x7E)


for line in sys.stdin:
    block = [value_of(int(code, 16)) for code in line.split()]
    amax = max((abs(value) for value in block if not math.isnan(value)), default=0)
    power = 128 if math.isinf(amax) else math.frexp(amax)[1] - 1 if amax else -127  # wrong of Inf: it gives the largest scale
    scale = min(max(power - 8 + 127, 0), 254)
    print(f"{scale:02X}", *(f"{element(value, scale):02X}" for value in block))
