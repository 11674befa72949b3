#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A complete worker in plain Python: FP32 and BF16 to E4M3, nearest even, saturating. docs/frames.md explains the frames.

To serve other code, replace CONVERSIONS. A conversion takes a list of codes (integers) and gives a list of codes.
"""
import array
import json
import os
import struct
import sys

HELLO, START, CONVERT, RESULT, FAILED, END = range(1, 7)
NONE = 2**64 - 1  # an offset that is not there
INTEGER = {1: "B", 2: "H", 4: "I", 8: "Q"}  # array types by bytes


def e4m3(x):
    """The E4M3 code of an FP32 bit pattern, without floating point."""
    sign, magnitude = x >> 24 & 0x80, x & 0x7FFFFFFF
    if magnitude > 0x7F800000:
        return 0x7F
    exponent = max(magnitude >> 23, 1)  # subnormals have the exponent of the smallest normal numbers
    significand = magnitude - (exponent - 1 << 23)
    shift = max(20, 141 - exponent)  # below 2^-6 the last place stays at 2^-9
    code, rest = significand >> shift, significand & (1 << shift) - 1
    half = 1 << shift - 1
    code += rest > half or (rest == half and code & 1)  # a carry into the exponent is just right
    return sign | min(code + (max(exponent - 121, 0) << 3), 0x7E)


# (source, bytes, target, bytes, rounding, overflow, function)
CONVERSIONS = [
    ("fp32", 4, "e4m3", 1, "nearest_even", "sat", lambda codes: [e4m3(c) for c in codes]),
    ("bf16", 2, "e4m3", 1, "nearest_even", "sat", lambda codes: [e4m3(c << 16) for c in codes]),
]

requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # whatever prints must not write into the frames


def read(count):
    data = requests.read(count)
    if len(data) != count:
        sys.exit("the requests end without END")
    return data


def receive():
    magic, version, kind, request, length = struct.unpack("<4sHHQQ", read(24))
    if magic != b"MXCF" or version != 1:
        sys.exit("not a frame")
    return kind, request, read(length)


def send(kind, request, payload):
    answers.write(struct.pack("<4sHHQQ", b"MXCF", 1, kind, request, len(payload)) + payload)
    answers.flush()


def digest(data):
    value = 0xCBF29CE484222325
    data += bytes(-len(data) % 8)
    for (word,) in struct.iter_unpack("<Q", data):
        value = (value ^ word) * 0x100000001B3 % 2**64
    return value


def codes_of(data, width, swap):
    codes = array.array(INTEGER[width], data)
    if swap:
        codes.byteswap()
    return codes


def convert(payload, shared, index):
    _, inputs, first, count, input_at, _, output_at, _, _ = struct.unpack("<IIQQQQQQQ", payload[:64])
    _, in_bytes, _, out_bytes, _, _, function = CONVERSIONS[index]
    big = sys.byteorder == "big"  # payloads are little-endian, shared memory is as the machine has it
    if inputs == 0:
        codes = range(first, first + count)
    elif inputs == 1:
        codes = codes_of(payload[64:], in_bytes, big)
    else:
        codes = codes_of(os.pread(shared, count * in_bytes, input_at), in_bytes, False)
    outputs = array.array(INTEGER[out_bytes], function(codes))
    if output_at != NONE:  # the descriptor is a file: it can be written to as well as mapped
        os.pwrite(shared, outputs.tobytes(), output_at)
        return struct.pack("<QQ", len(outputs), 0)
    if big:
        outputs.byteswap()
    data = outputs.tobytes()
    return struct.pack("<QQ", len(outputs), digest(data)) + data


def main():
    backend = {"name": "python", "version": "1", "description": "integers in plain Python"}
    offers = [dict(source=c[0], target=c[2], rounding=c[4], overflow=c[5], random_bits=0) for c in CONVERSIONS]
    hello = {"protocol": 1, "backend": backend, "conversions": offers, "shared": True}
    send(HELLO, 0, json.dumps(hello).encode())
    kind, _, payload = receive()
    if kind != START:
        sys.exit("no START")
    start = json.loads(payload)
    shared = (start["shared"] or {}).get("fd")
    # Requests from a file come with their own list of conversions; otherwise they count in that of HELLO.
    asked = [offers.index(c) if c in offers else None for c in start.get("conversions", offers)]
    served = values = 0
    while True:
        kind, request, payload = receive()
        if kind == END:
            send(END, 0, struct.pack("<QQ", served, values))
            return
        if kind != CONVERT:
            sys.exit("unexpected frame")
        served, values = served + 1, (values + struct.unpack("<Q", payload[16:24])[0]) % 2**64
        try:
            index = asked[struct.unpack("<I", payload[:4])[0]]
            if index is None:
                send(FAILED, request, json.dumps({"status": "unsupported", "message": "not offered"}).encode())
            else:
                send(RESULT, request, convert(payload, shared, index))
        except Exception as error:  # the next request may still be served
            send(FAILED, request, json.dumps({"status": "error", "message": repr(error)}).encode())


main()
