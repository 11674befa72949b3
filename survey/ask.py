# SPDX-License-Identifier: Apache-2.0
"""Asks a worker for single values, by the frames of docs/frames.md."""
import json
import struct
import subprocess

HELLO, START, CONVERT, RESULT, FAILED, END = range(1, 7)
INLINE = 2**64 - 1
WIDTHS = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2}  # bytes of a code; of every other format 1


class WorkerError(Exception):
    """The worker ended, or answered with something else than a frame."""


class Worker:
    """A running worker. conversions: what it offers, as name -> index; operations: names of these; about: name, version, description."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment)
        kind, payload = self._receive()
        hello = json.loads(payload)
        if kind != HELLO or "error" in hello:
            self.process.kill()
            raise WorkerError(hello.get("error", "no HELLO"))
        self.about = hello["backend"]
        self.conversions = {"-".join(offer[name] for name in ("source", "target", "rounding", "overflow")): index
                            for index, offer in enumerate(hello["conversions"])}
        self.operations = sorted({operation["name"] for operation in hello.get("operations", [])})
        self._send(START, 0, json.dumps({"protocol": 1, "shared": None, "options": ""}).encode())
        self.asked = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def _send(self, kind, request, payload):
        self.process.stdin.write(struct.pack("<4sHHQQ", b"MXCF", 1, kind, request, len(payload)) + payload)
        self.process.stdin.flush()

    def _read(self, count):
        data = self.process.stdout.read(count)
        if len(data) != count:
            said = self.process.stderr.read().decode(errors="replace").strip().split("\n")[-1]
            raise WorkerError(f"the worker ended: {said}")
        return data

    def _receive(self):
        _, _, kind, _, length = struct.unpack("<4sHHQQ", self._read(24))
        return kind, self._read(length)

    def convert(self, conversion, codes):
        """The answers of a conversion to these codes. Raises WorkerError where it refuses."""
        source, target = conversion.split("-")[:2]
        widths = WIDTHS.get(source, 1), WIDTHS.get(target, 1)
        self.asked += 1
        head = struct.pack("<IIQQQQQQQ", self.conversions[conversion], 1, INLINE, len(codes), INLINE, INLINE, INLINE, 0, 0xA5)
        self._send(CONVERT, self.asked, head + b"".join(code.to_bytes(widths[0], "little") for code in codes))
        kind, payload = self._receive()
        if kind != RESULT:
            raise WorkerError(json.loads(payload).get("message", "no answer") if kind == FAILED else "no RESULT")
        data = payload[16:]
        return [int.from_bytes(data[at:at + widths[1]], "little") for at in range(0, len(data), widths[1])]
