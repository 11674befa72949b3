# SPDX-License-Identifier: Apache-2.0
"""Serves a Python implementation to mxcert: copy this file beside your script. It needs numpy; docs/frames.md has the protocol.

    from mxcert_worker import Backend, Conversion, serve

    def load():
        import my_kernels  # inside: if it is missing, mxcert says so
        return Backend("my_kernels", my_kernels.__version__, "what code this is, on what it runs", [
            Conversion("fp32", "e4m3", "nearest_even", "sat", lambda codes: my_kernels.to_fp8(codes.view("f4")))])

    serve(load)

A function gets an array of codes (unsigned integers of the source's width) and gives one of as many codes of the target. From a
source with a given scale ("fp32_by_e8m0", "e4m3_times_e8m0") it gets an array of values and the code of the scale of them all. What
it raises becomes the answer to that request. It may print: standard output then goes where standard error goes.
"""
import hashlib
import json
import mmap
import os
import struct
import sys
from dataclasses import dataclass
from typing import Callable

HELLO, START, CONVERT, RESULT, FAILED, END, RUN = range(1, 8)
MAX_PAYLOAD = 2**29  # bytes of a frame
INLINE = 2**64 - 1  # the output offset that asks for outputs in the RESULT
NAMES = ("source", "target", "rounding", "overflow", "random_bits")  # of an offer, in HELLO and in START
BYTES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2}  # every other format has up to 8 bits
BYTES.update({f"amax_{name}": BYTES[name] for name in ("fp32", "fp16", "bf16")})


def layout(source):
    """Bytes of a code; of a source with a given scale also those of its value: the scale is above the value."""
    for middle in ("_by_", "_times_"):
        value, found, _scale = source.partition(middle)
        if found:
            width = BYTES.get(value, 1)
            return {1: 2, 2: 4, 4: 8}[width], width
    return BYTES.get(source, 1), None


class Unsupported(Exception):
    """Raise it where this machine or build cannot do a conversion after all."""


@dataclass
class Conversion:
    """One offer, in the names of `mxcert formats` and `mxcert choices`. With random_bits the function gets a second array."""
    source: str
    target: str
    rounding: str
    overflow: str
    function: Callable
    random_bits: int = 0


@dataclass
class Operation:
    """One operation on arrays (docs/operations.md). The function gets the shape and the flat inputs, and gives the flat outputs."""
    name: str
    attributes: dict
    function: Callable


@dataclass
class Backend:
    name: str
    version: str
    description: str
    conversions: list
    files: tuple = ()     # what decides the answers, beside the scripts: part of the build id of reports
    chunk: int = 1 << 16  # values that a function gets at once, if the harness does not say
    max_batch: int = 0    # the most values that a function may get at once; 0: any number
    one_worker: bool = False  # all processes would share one device: one asks, unless --jobs says how many
    operations: tuple = ()


def digest(data):
    """FNV-1a over 8-byte words."""
    value = 0xCBF29CE484222325
    for (word,) in struct.iter_unpack("<Q", data + bytes(-len(data) % 8)):
        value = (value ^ word) * 0x100000001B3 % 2**64
    return value


def asked_for(kind, payload):
    """How many values a request asks for."""
    if kind == CONVERT:
        return struct.unpack("<Q", payload[16:24])[0]
    inputs, outputs = struct.unpack("<II", payload[8:16])
    sizes = list(struct.iter_unpack("<QQ", payload[48:48 + 16 * (inputs + outputs)]))
    return sum(count for count, _ in sizes[inputs:])


def build_of(files):
    """A digest of these files and of this one. Of numpy, which is large, the file with its version and revision stands for all."""
    total = hashlib.sha256()
    for name in sorted({os.path.realpath(name) for name in (__file__, *files)}):
        with open(name, "rb") as file:
            total.update(hashlib.sha256(file.read()).digest())
    return total.hexdigest()


class Worker:
    def __init__(self):
        self.requests, self.answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # whatever prints must not write into the frames
        self.shared = None
        self.asked = None  # the list of START: an own offer each, or the name of one that is not offered
        self.refusal = None  # why START could not be followed

    def send(self, kind, request, *parts):
        length = sum(len(part) for part in parts)
        self.answers.write(b"".join((struct.pack("<4sHHQQ", b"MXCF", 1, kind, request, length), *parts)))
        self.answers.flush()

    def send_json(self, kind, request, content):
        self.send(kind, request, json.dumps(content).encode())

    def read(self, count):
        data = self.requests.read(count)
        if len(data) != count:
            sys.exit("the requests end without END")
        return data

    def receive(self):
        magic, version, kind, request, length = struct.unpack("<4sHHQQ", self.read(24))
        if magic != b"MXCF" or version != 1 or length > MAX_PAYLOAD:
            sys.exit("not a frame")
        return kind, request, self.read(length)

    def start(self, backend, payload):
        try:
            content = json.loads(payload)
            if content["shared"]:
                self.shared = mmap.mmap(content["shared"]["fd"], content["shared"]["bytes"])
            if "conversions" in content:  # requests of a file, written without knowing the offers
                own = {tuple(getattr(offer, name) for name in NAMES): offer for offer in reversed(backend.conversions)}
                wanted = [tuple(one[name] for name in NAMES) for one in content["conversions"]]
                self.asked = [own.get(one, "{} to {}, {}, {}".format(*one)) for one in wanted]
        except Exception as error:  # the answer to every request
            self.refusal = f"START: {type(error).__name__}: {error}"

    def offer(self, backend, index):
        if self.refusal:
            raise ValueError(self.refusal)
        offer = (backend.conversions if self.asked is None else self.asked)[index]
        if isinstance(offer, str):
            raise Unsupported("does not offer " + offer)
        return offer

    def array(self, width, count, offset, payload):
        """Values in shared memory, or in a payload, which is little-endian."""
        import numpy
        place, order = (self.shared, "=") if payload is None else (payload, "<")
        return numpy.frombuffer(place, f"{order}u{width}", count, offset).astype(f"=u{width}", copy=False)

    def convert(self, backend, payload):
        """The parts of the RESULT of a CONVERT."""
        import numpy
        fields = struct.unpack("<IIQQQQQQQ", payload[:64])
        index, inputs, first, count, input_at, random_at, output_at, batch, poison = fields
        offer = self.offer(backend, index)
        (source, value), target = layout(offer.source), BYTES.get(offer.target, 1)
        inline = payload if inputs == 1 else None
        random = None
        if offer.random_bits:
            random_at = 64 + count * source if inputs == 1 else random_at
            random = self.array(4, count, random_at, inline)
        codes = None
        if inputs in (1, 2):
            codes = self.array(source, count, 64 if inputs == 1 else input_at, inline)
        if inputs == 3:  # streams side by side, each `length` codes from its first one on
            length, *firsts = (word for (word,) in struct.iter_unpack("<Q", payload[64:]))
            firsts = numpy.array(firsts, dtype="u8")
        if output_at == INLINE:
            outputs = numpy.frombuffer(bytearray([poison]) * (count * target), f"=u{target}")
        else:
            outputs = numpy.frombuffer(self.shared, f"=u{target}", count, output_at)
        batch = batch or backend.chunk
        if backend.max_batch:
            batch = min(batch, backend.max_batch)
        for at in range(0, count, batch):
            end = min(at + batch, count)
            if inputs == 3:
                places = numpy.arange(first + at, first + end, dtype="u8")
                row = places // len(firsts)
                some = (firsts[places - row * len(firsts)] + row % length).astype(f"=u{source}")
            elif codes is None:
                some = numpy.arange(first + at, first + end, dtype="u8").astype(f"=u{source}")
            else:
                some = codes[at:end].copy()  # so that no function can write to what was asked
            outputs[at:end] = self.call(offer, some, None if random is None else random[at:end].copy(), value, target)
        if output_at != INLINE:
            return (struct.pack("<QQ", count, 0),)
        data = outputs.astype(f"<u{target}").tobytes()
        return struct.pack("<QQ", count, digest(data)), data

    def run_operation(self, backend, payload):
        """The parts of the RESULT of a RUN."""
        import numpy
        if self.refusal:
            raise ValueError(self.refusal)
        index, poison, inputs, outputs = struct.unpack("<IIII", payload[:16])
        sizes = list(struct.iter_unpack("<QQ", payload[48:48 + 16 * (inputs + outputs)]))
        at, arrays = 48 + 16 * len(sizes), []
        for count, width in sizes[:inputs]:
            arrays.append(self.array(width, count, at, payload).copy())
            at += count * width
        operation = backend.operations[index]
        results = operation.function(struct.unpack("<QQQQ", payload[16:48]), *arrays)
        if len(results) != outputs:
            raise ValueError(f"{len(results)} outputs, {outputs} are wanted")
        data = b""
        for got, (count, width) in zip(results, sizes[inputs:]):
            got = numpy.asarray(got).reshape(-1)
            if got.size != count or got.dtype.itemsize != width:
                raise ValueError(f"{got.size} of {got.dtype} for {count} values of {width} bytes")
            data += got.view(f"=u{width}").astype(f"<u{width}").tobytes()
        return struct.pack("<QQ", sum(count for count, _ in sizes[inputs:]), digest(data)), data

    def call(self, offer, codes, random, value, target):
        """The codes that the function gives, scale by scale if the source has a given one."""
        import numpy
        if value is not None:
            cuts = numpy.flatnonzero(numpy.diff(codes >> (8 * value))) + 1
            parts = [(int(part[0]) >> (8 * value), part.astype(f"=u{value}")) for part in numpy.split(codes, cuts)]
            calls = [(values, scale) for scale, values in parts]
        else:
            calls = [(codes,) if random is None else (codes, random)]
        results = []
        for arguments in calls:
            got = numpy.asarray(offer.function(*arguments))
            if got.shape != arguments[0].shape or got.dtype.itemsize != target:
                raise ValueError(f"{got.shape} of {got.dtype} for {len(arguments[0])} values of {target} bytes")
            results.append(got.view(f"=u{target}"))
        return numpy.concatenate(results)

    def run(self, load):
        try:
            backend = load()
            import numpy  # missing, it shows now
        except Exception as error:
            self.send_json(HELLO, 0, {"protocol": 1, "error": f"{type(error).__name__}: {error}"})
            return 1
        offers = [{name: getattr(offer, name) for name in NAMES} for offer in backend.conversions]
        about = dict(name=backend.name, version=backend.version, description=backend.description,
                     build=build_of((*backend.files, numpy.version.__file__)))
        operations = [{"name": one.name, "attributes": one.attributes} for one in backend.operations]
        self.send_json(HELLO, 0, {"protocol": 1, "backend": about, "conversions": offers, "operations": operations,
                                  "shared": True, "interleaved": True, "max_batch": backend.max_batch,
                                  "one_worker": backend.one_worker})
        kind, _, payload = self.receive()
        if kind != START:
            sys.exit("no START")
        self.start(backend, payload)
        served = values = 0
        while True:
            kind, request, payload = self.receive()
            if kind == END:
                self.send(END, 0, struct.pack("<QQ", served, values))
                return 0
            if kind not in (CONVERT, RUN):
                sys.exit("unexpected frame")
            served, values = served + 1, (values + asked_for(kind, payload)) % 2**64
            try:
                parts = self.convert(backend, payload) if kind == CONVERT else self.run_operation(backend, payload)
            except Exception as error:  # the next request may still be served
                status = "unsupported" if isinstance(error, Unsupported) else "error"
                self.send_json(FAILED, request, {"status": status, "message": f"{type(error).__name__}: {error}"})
            else:
                self.send(RESULT, request, *parts)


def serve(load, leave_at_once=False):
    """Serves what load() returns, a Backend, until the harness ends it. What load() raises is the reason that it cannot.

    leave_at_once: ends without what Python does at its end. torch takes seconds to go, longer than the harness waits after the last
    frame.
    """
    try:
        sys.exit(Worker().run(load))
    except SystemExit as end:
        if not leave_at_once:
            raise
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        sys.stderr.flush()
        os._exit(1 if isinstance(end.code, str) else end.code or 0)
